//! What a provider's Secret says (folders.md F55): read once, never shown.

use std::{collections::BTreeMap, fmt};

use thiserror::Error;

use super::{ssh_key, url::Transport};

/// What opens a repository. Its text forms show nothing.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Credentials {
    /// HTTPS basic: user and password, or a token as the password.
    pub basic: Option<(String, String)>,
    /// HTTPS: the token of an `Authorization: Bearer` header.
    pub bearer: Option<String>,
    /// HTTPS: authorities (PEM) instead of the machine's own.
    pub ca: Option<String>,
    /// SSH: the private key, and the hosts that are known.
    pub ssh: Option<SshIdentity>,
}

/// A key and the hosts it is shown to.
#[derive(Clone, PartialEq, Eq)]
pub struct SshIdentity {
    /// The private key, without a passphrase, ending in a line feed.
    pub key: String,
    /// Lines as in `known_hosts`.
    pub known_hosts: String,
}

/// Why a Secret cannot be used. Nothing of its values is in the text.
#[derive(Error, Clone, Debug, PartialEq, Eq)]
pub enum CredentialsError {
    /// A value is no text.
    #[error("its key {0} is no UTF-8 text; write the value anew")]
    NoText(String),
    /// A value that cannot be sent.
    #[error("its key {0} holds a line feed or another control character; write it on one line")]
    Control(&'static str),
    /// A value that is empty.
    #[error("its key {0} is empty")]
    Empty(String),
    /// Two ways at once.
    #[error("it holds {0}, which exclude each other; keep one")]
    Both(&'static str),
    /// A user without a password.
    #[error("it holds a username and neither password nor token; add one")]
    NoPassword,
    /// No SSH key.
    #[error("it has no key identity, which an SSH address needs: a private key without a passphrase")]
    NoIdentity,
    /// No known hosts.
    #[error(
        "it has no key known_hosts, without which the server cannot be told from another; add the lines of `ssh-keyscan`, checked"
    )]
    NoKnownHosts,
    /// The key is encrypted.
    #[error(
        "its key {0} is protected by a passphrase, which nobody is there to type; store a key without one, made for this purpose"
    )]
    Passphrase(&'static str),
    /// The key is none.
    #[error("its key {0} is no private key; it begins with -----BEGIN … PRIVATE KEY-----")]
    NoKey(&'static str),
    /// The authorities are none.
    #[error("its key {0} is no certificate in PEM; it begins with -----BEGIN CERTIFICATE-----")]
    NoCertificate(&'static str),
    /// There is no Secret, and there must be one.
    #[error("an SSH address needs spec.secretRef: a Secret with identity and known_hosts")]
    NoSecret,
}

impl Credentials {
    /// Reads a Secret's data, `None` where the provider names no Secret. Keys that are not for this transport are left alone.
    ///
    /// # Errors
    /// [`CredentialsError`], naming the key.
    pub fn read(transport: Transport, data: Option<&BTreeMap<String, Vec<u8>>>) -> Result<Self, CredentialsError> {
        let Some(data) = data else {
            return if transport == Transport::Ssh { Err(CredentialsError::NoSecret) } else { Ok(Self::default()) };
        };
        match transport {
            Transport::Https => Self::https(data),
            Transport::Ssh => Self::ssh(data),
            Transport::Local => Ok(Self::default()),
        }
    }

    fn https(data: &BTreeMap<String, Vec<u8>>) -> Result<Self, CredentialsError> {
        let word = |key: &'static str| -> Result<Option<String>, CredentialsError> {
            let Some(text) = text(data, key)? else { return Ok(None) };
            // An editor's last line feed is not meant.
            let text = text.trim_end_matches(['\r', '\n']).to_owned();
            if text.is_empty() {
                return Err(CredentialsError::Empty(key.to_owned()));
            }
            if text.chars().any(char::is_control) { Err(CredentialsError::Control(key)) } else { Ok(Some(text)) }
        };
        let (username, password) = (word("username")?, word("password")?);
        let (token, bearer) = (word("token")?, word("bearerToken")?);
        let password = match (password, token) {
            (Some(_), Some(_)) => return Err(CredentialsError::Both("password and token")),
            (password, token) => password.or(token),
        };
        if bearer.is_some() && (username.is_some() || password.is_some()) {
            return Err(CredentialsError::Both("bearerToken and username, password or token"));
        }
        let basic = match (username, password) {
            (Some(_), None) => return Err(CredentialsError::NoPassword),
            (username, Some(password)) => Some((username.unwrap_or_else(|| "git".to_owned()), password)),
            (None, None) => None,
        };
        let mut ca = None;
        for key in ["ca.crt", "caFile"] {
            if let Some(text) = text(data, key)? {
                if !text.contains("-----BEGIN CERTIFICATE-----") {
                    return Err(CredentialsError::NoCertificate(key));
                }
                ca = Some(text.to_owned());
                break;
            }
        }
        Ok(Self { basic, bearer, ca, ssh: None })
    }

    fn ssh(data: &BTreeMap<String, Vec<u8>>) -> Result<Self, CredentialsError> {
        let mut found = None;
        for name in ["identity", "ssh-privatekey"] {
            if let Some(text) = text(data, name)? {
                found = Some((name, text));
                break;
            }
        }
        let Some((name, key)) = found else { return Err(CredentialsError::NoIdentity) };
        match ssh_key::kind(key) {
            ssh_key::Kind::Plain => {}
            ssh_key::Kind::Encrypted => return Err(CredentialsError::Passphrase(name)),
            ssh_key::Kind::NoKey => return Err(CredentialsError::NoKey(name)),
        }
        let known_hosts = text(data, "known_hosts")?.filter(|text| !text.trim().is_empty());
        let known_hosts = known_hosts.ok_or(CredentialsError::NoKnownHosts)?.to_owned();
        // ssh refuses a key whose last line has no end.
        let key = format!("{}\n", key.replace("\r\n", "\n").trim_end());
        Ok(Self { ssh: Some(SshIdentity { key, known_hosts }), ..Self::default() })
    }

    /// Everything that must not be seen.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        let basic = self.basic.iter().map(|(_, password)| password.as_str());
        let key = self.ssh.iter().map(|identity| identity.key.as_str());
        basic.chain(self.bearer.as_deref()).chain(key)
    }
}

fn text<'d>(data: &'d BTreeMap<String, Vec<u8>>, key: &str) -> Result<Option<&'d str>, CredentialsError> {
    let Some(bytes) = data.get(key) else { return Ok(None) };
    std::str::from_utf8(bytes).map(Some).map_err(|_| CredentialsError::NoText(key.to_owned()))
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(not shown)")
    }
}

impl fmt::Debug for SshIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SshIdentity(not shown)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----";

    fn data(entries: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
        entries.iter().map(|(key, value)| ((*key).to_owned(), value.as_bytes().to_vec())).collect()
    }

    fn read(transport: Transport, entries: &[(&str, &str)]) -> Result<Credentials, CredentialsError> {
        Credentials::read(transport, Some(&data(entries)))
    }

    #[test]
    fn f55_https_takes_a_user_and_a_password_or_a_token_and_authorities() {
        let https = |entries: &[(&str, &str)]| read(Transport::Https, entries).unwrap();
        assert_eq!(https(&[("username", "bot"), ("password", "p w\n")]).basic, Some(("bot".into(), "p w".into())));
        assert_eq!(https(&[("token", "t")]).basic, Some(("git".into(), "t".into())));
        assert_eq!(https(&[("bearerToken", "t")]).bearer.as_deref(), Some("t"));
        assert_eq!(https(&[]), Credentials::default());
        assert!(https(&[("ca.crt", "-----BEGIN CERTIFICATE-----\n")]).ca.is_some());
    }

    #[test]
    fn f55_ssh_takes_a_key_and_requires_known_hosts() {
        let ssh = read(Transport::Ssh, &[("identity", KEY), ("known_hosts", "h ssh-ed25519 A")]).unwrap();
        assert_eq!(ssh.ssh.unwrap().key, format!("{KEY}\n"));
    }

    #[test]
    fn f55_what_cannot_be_used_is_told_by_its_key_and_never_by_its_value() {
        let refused = |transport, entries: &[(&str, &str)]| read(transport, entries).unwrap_err().to_string();
        let all = [
            refused(Transport::Https, &[("username", "bot")]),
            refused(Transport::Https, &[("password", "sesame"), ("token", "sesame")]),
            refused(Transport::Https, &[("password", "sesame"), ("bearerToken", "sesame")]),
            refused(Transport::Https, &[("token", "sesame\nsesame")]),
            refused(Transport::Https, &[("ca.crt", "sesame")]),
            refused(Transport::Https, &[("token", "")]),
            refused(Transport::Ssh, &[("known_hosts", "h ssh-ed25519 A")]),
            refused(Transport::Ssh, &[("identity", KEY)]),
            refused(Transport::Ssh, &[("identity", "sesame"), ("known_hosts", "h")]),
            Credentials::read(Transport::Ssh, None).unwrap_err().to_string(),
        ];
        insta::assert_snapshot!(all.join("\n"), @r"
        it holds a username and neither password nor token; add one
        it holds password and token, which exclude each other; keep one
        it holds bearerToken and username, password or token, which exclude each other; keep one
        its key token holds a line feed or another control character; write it on one line
        its key ca.crt is no certificate in PEM; it begins with -----BEGIN CERTIFICATE-----
        its key token is empty
        it has no key identity, which an SSH address needs: a private key without a passphrase
        it has no key known_hosts, without which the server cannot be told from another; add the lines of `ssh-keyscan`, checked
        its key identity is no private key; it begins with -----BEGIN … PRIVATE KEY-----
        an SSH address needs spec.secretRef: a Secret with identity and known_hosts
        ");
    }

    #[test]
    fn f55_the_text_forms_show_nothing() {
        let shown = format!("{:?}", read(Transport::Https, &[("username", "bot"), ("password", "sesame")]).unwrap());
        assert_eq!(shown, "Credentials(not shown)");
    }
}
