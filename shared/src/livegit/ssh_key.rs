//! Whether a private key asks for a passphrase, told without opening it.

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A private key that opens by itself.
    Plain,
    /// A private key that asks for a passphrase.
    Encrypted,
    /// No private key.
    NoKey,
}

/// What begins the body of OpenSSH's own form; the name of the cipher follows, with its length in four bytes.
const MAGIC: &[u8] = b"openssh-key-v1\0";

/// Looks at the armour, and in OpenSSH's own form at the name of the cipher.
pub fn kind(text: &str) -> Kind {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let Some(label) = lines.next().and_then(|line| line.strip_prefix("-----BEGIN ")?.strip_suffix("-----")) else {
        return Kind::NoKey;
    };
    if !label.ends_with("PRIVATE KEY") || !text.contains("-----END ") {
        return Kind::NoKey;
    }
    if label == "ENCRYPTED PRIVATE KEY" {
        return Kind::Encrypted;
    }
    let body: String = lines.take_while(|line| !line.starts_with("-----END ")).collect();
    if label != "OPENSSH PRIVATE KEY" {
        // The older form says it in a header.
        return if body.contains("Proc-Type:4,ENCRYPTED") || body.contains("Proc-Type: 4,ENCRYPTED") {
            Kind::Encrypted
        } else {
            Kind::Plain
        };
    }
    let bytes = from_base64(&body, MAGIC.len() + 8);
    match bytes.strip_prefix(MAGIC).and_then(|rest| rest.get(..8)) {
        Some([0, 0, 0, 4, b'n', b'o', b'n', b'e']) => Kind::Plain,
        Some(_) => Kind::Encrypted,
        None => Kind::NoKey,
    }
}

/// The first bytes of a base64 text; fewer where it ends or is none.
fn from_base64(text: &str, most: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(most + 3);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for c in text.bytes() {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => break,
        };
        bits = (bits << 6 | u32::from(value)) & 0xff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).unwrap_or_default());
        }
        if bytes.len() >= most {
            break;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    // Heads of keys made by `ssh-keygen -t ed25519`, without and with `-N secret`; nothing of a key is left in them.
    const PLAIN: &str = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW";
    const LOCKED: &str = "b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABCZ";

    fn armoured(label: &str, body: &str) -> String {
        format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
    }

    #[test]
    fn f55_a_passphrase_is_seen_in_every_form_of_a_key() {
        assert_eq!(kind(&armoured("OPENSSH PRIVATE KEY", PLAIN)), Kind::Plain);
        assert_eq!(kind(&armoured("OPENSSH PRIVATE KEY", LOCKED)), Kind::Encrypted);
        assert_eq!(kind(&armoured("RSA PRIVATE KEY", "MII")), Kind::Plain);
        assert_eq!(kind(&armoured("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: x\n\nMII")), Kind::Encrypted);
        assert_eq!(kind(&armoured("ENCRYPTED PRIVATE KEY", "MII")), Kind::Encrypted);
        assert_eq!(kind(&armoured("PRIVATE KEY", "MII")), Kind::Plain);
    }

    #[test]
    fn f55_what_is_no_private_key_is_none() {
        for text in ["", "ssh-ed25519 AAAA me", "-----BEGIN OPENSSH PRIVATE KEY-----", "PuTTY-User-Key-File-3: x"] {
            assert_eq!(kind(text), Kind::NoKey, "{text}");
        }
        assert_eq!(kind(&armoured("PUBLIC KEY", "MII")), Kind::NoKey);
        assert_eq!(kind(&armoured("OPENSSH PRIVATE KEY", "AAAA")), Kind::NoKey);
    }
}
