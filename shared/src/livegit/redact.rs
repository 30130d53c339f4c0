//! What others wrote, made fit to be shown: without secrets, on one line, bounded (folders.md F55).

/// Longest text that is shown, in bytes.
const LONGEST: usize = 400;
/// Stands where something was taken out.
const MARK: &str = "***";
/// What is shown where nothing can be.
const WITHHELD: &str = "(not shown: it holds a secret)";

/// `text` without any of `secrets`, without user information in addresses, without control characters, on one line, of at most 400
/// bytes. Each secret is looked for whole, in each of its lines and percent-encoded, as it would stand in an address.
pub fn redact<'s>(text: &str, secrets: impl IntoIterator<Item = &'s str>) -> String {
    let mut needles: Vec<String> = secrets
        .into_iter()
        .flat_map(|secret| std::iter::once(secret).chain(secret.lines()))
        .map(str::trim)
        .filter(|secret| !secret.is_empty())
        .flat_map(|secret| [secret.to_owned(), percent_encoded(secret)])
        .collect();
    // The longest first: one may hold another.
    needles.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    needles.dedup();
    let mut line = text.to_owned();
    for needle in &needles {
        line = line.replace(needle.as_str(), MARK);
    }
    let shown = shorten(one_line(&without_user_information(&line)));
    // What is left can have grown together to a secret, for instance one with a mark in it.
    if needles.iter().any(|needle| shown.contains(needle.as_str())) { WITHHELD.to_owned() } else { shown }
}

/// Takes `user:password@` out of every `scheme://user:password@host`.
fn without_user_information(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        let end = after.find(|c: char| c == '/' || c.is_whitespace() || c == '\'' || c == '"').unwrap_or(after.len());
        rest = match after[..end].rfind('@') {
            Some(sign) => {
                out.push_str(MARK);
                &after[sign..]
            }
            None => after,
        };
    }
    out + rest
}

fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

fn shorten(mut line: String) -> String {
    if line.len() <= LONGEST {
        return line;
    }
    let mut end = LONGEST - '…'.len_utf8();
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line.truncate(end);
    line.push('…');
    line
}

/// As a text stands in the user information of an address: everything but letters, digits and `-._~` is encoded.
pub fn percent_encoded(text: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // invariant: writing to a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn f55_what_git_says_loses_its_secrets_and_keeps_its_sense() {
        let said = "fatal: unable to access 'https://bot:hunter2@git.example/a.git/':\n  The requested URL returned error: 403\n";
        assert_eq!(
            redact(said, ["hunter2"]),
            "fatal: unable to access 'https://***@git.example/a.git/': The requested URL returned error: 403"
        );
        assert_eq!(redact("token pa%20ss and pa ss", ["pa ss"]), "token *** and ***");
        assert_eq!(redact("a\u{1b}[31mb", []), "a [31mb");
        assert_eq!(redact("x***y", ["*"]), WITHHELD);
    }

    proptest! {
        #[test]
        fn f55_no_secret_is_left_whatever_the_text_and_the_secrets_are(
            parts in prop::collection::vec("[ -~éü]{0,12}", 0..6),
            secrets in prop::collection::vec("[a-zA-Z0-9:/@%*. +ü-]{1,10}", 1..4),
        ) {
            let mut text = String::new();
            for (index, part) in parts.iter().enumerate() {
                text.push_str(part);
                text.push_str(&secrets[index % secrets.len()]);
                text.push_str(&percent_encoded(&secrets[index % secrets.len()]));
            }
            let shown = redact(&text, secrets.iter().map(String::as_str));
            prop_assume!(shown != WITHHELD);
            for secret in secrets.iter().map(|secret| secret.trim()).filter(|secret| !secret.is_empty()) {
                prop_assert!(!shown.contains(secret), "{shown:?} holds {secret:?}");
                prop_assert!(!shown.contains(&percent_encoded(secret)), "{shown:?} holds {secret:?}, encoded");
            }
        }

        #[test]
        fn f55_what_is_shown_is_one_bounded_line_and_addresses_in_it_name_nobody(
            text in "(\\PC|\n|\t){0,600}", user in "[a-z]{3,8}", password in "[a-zA-Z0-9:!]{3,12}",
        ) {
            let shown = redact(&format!("{text} https://{user}:{password}@host/x"), []);
            prop_assert!(shown.len() <= LONGEST);
            prop_assert!(!shown.chars().any(char::is_control));
            let whole = redact(&format!("https://{user}:{password}@host/x"), []);
            prop_assert_eq!(whole, "https://***@host/x");
        }
    }
}
