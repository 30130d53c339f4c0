//! The forms of a repository's address (folders.md F55).

use super::fault::{Fault, Reason};

/// The field in messages.
const FIELD: &str = "spec.url";

/// An address that can be used, taken apart. It never holds a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryUrl {
    /// How it is reached.
    pub transport: Transport,
    /// The server, in lower case, with its port if it states one; empty for a local repository.
    pub host: String,
    /// The path on it, as written.
    pub path: String,
    text: String,
}

/// How a repository is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// HTTPS.
    Https,
    /// SSH, written as a URL or as `USER@HOST:PATH`.
    Ssh,
    /// A directory of the operator's own file system.
    Local,
}

impl RepositoryUrl {
    /// Takes an address apart. `allow_local` is what the configuration says of local paths.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn parse(text: &str, allow_local: bool) -> Result<Self, Fault> {
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(invalid("has a space or a control character in it"));
        }
        if text.contains(['?', '#']) {
            return Err(invalid("has a query or a fragment, and no repository has one"));
        }
        let (transport, authority, path) = if let Some(rest) = text.strip_prefix("https://") {
            let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
            if authority.contains('@') {
                return Err(credentials());
            }
            (Transport::Https, authority, path)
        } else if let Some(rest) = text.strip_prefix("ssh://") {
            let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
            (Transport::Ssh, without_user(authority)?, path)
        } else if let Some(path) = text.strip_prefix("file://") {
            if !allow_local {
                return Err(Fault::new(
                    Reason::LocalNotAllowed,
                    FIELD,
                    "a local repository, and the operator's configuration allows none",
                    "use https:// or ssh://, or have an admin set git.allowLocal",
                ));
            }
            let Some(path) = path.strip_prefix('/') else { return Err(invalid("file:// needs a path from the root")) };
            (Transport::Local, "", path)
        } else if let Some((authority, path)) = text.split_once(':').filter(|(_, path)| !path.starts_with("//")) {
            if !authority.contains('@') || authority.contains('/') {
                return Err(invalid("is no address of a repository"));
            }
            (Transport::Ssh, without_user(authority)?, path)
        } else {
            return Err(invalid("is no address of a repository"));
        };
        if transport != Transport::Local && !is_host(authority) {
            return Err(invalid("names no server"));
        }
        if path.trim_matches('/').is_empty() || path.split('/').any(|part| part == ".." || part.starts_with('-')) {
            return Err(invalid("names no repository on its server"));
        }
        let (host, path) = (authority.to_ascii_lowercase(), path.to_owned());
        Ok(Self { transport, host, path, text: text.to_owned() })
    }

    /// As it was written, which is what Git takes.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Equal for addresses that are taken for one repository (folders.md F53): server and path, however it is reached.
    pub fn repository(&self) -> String {
        let host = self.host.split(':').next().unwrap_or_default();
        let path = self.path.trim_matches('/');
        format!("{host}/{}", path.strip_suffix(".git").unwrap_or(path))
    }
}

/// The server of `USER@HOST`; the user is a name without a password.
fn without_user(authority: &str) -> Result<&str, Fault> {
    match authority.rsplit_once('@') {
        Some((user, _)) if user.contains(':') => Err(credentials()),
        Some((user, _)) if user.is_empty() || user.starts_with('-') || user.contains('@') => {
            Err(invalid("has no user in front of the @"))
        }
        Some((_, host)) => Ok(host),
        None => Ok(authority),
    }
}

/// What a program cannot take for one of its options.
fn is_host(authority: &str) -> bool {
    let (host, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, rest)) if host.bytes().all(|b| b.is_ascii_hexdigit() || b == b':' || b == b'.') => (host, rest),
        Some(_) => return false,
        None => authority.find(':').map_or((authority, ""), |at| authority.split_at(at)),
    };
    let is_name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b':');
    let port = port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    !host.is_empty() && host.bytes().all(is_name) && !host.starts_with(['-', '.']) && port
}

fn invalid(what: &str) -> Fault {
    Fault::new(Reason::UrlInvalid, FIELD, what, "write https://HOST/PATH, ssh://USER@HOST/PATH or USER@HOST:PATH")
}

/// Says nothing of what it found: everybody reads messages.
fn credentials() -> Fault {
    Fault::new(
        Reason::UrlInvalid,
        FIELD,
        "holds credentials, which everybody could read here",
        "put them into the Secret that spec.secretRef names, and change them, since they have been seen",
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<RepositoryUrl, String> {
        RepositoryUrl::parse(text, false).map_err(|fault| fault.to_string())
    }

    #[test]
    fn f55_https_ssh_and_the_short_form_are_taken_apart() {
        for (text, transport, host, path) in [
            ("https://git.example.com/team/apps.git", Transport::Https, "git.example.com", "team/apps.git"),
            ("https://Git.Example.com:8443/apps", Transport::Https, "git.example.com:8443", "apps"),
            ("ssh://git@example.com:2222/team/apps", Transport::Ssh, "example.com:2222", "team/apps"),
            ("ssh://git@[::1]:22/apps", Transport::Ssh, "[::1]:22", "apps"),
            ("git@github.com:team/apps.git", Transport::Ssh, "github.com", "team/apps.git"),
        ] {
            let url = read(text).unwrap();
            assert_eq!((url.transport, &*url.host, &*url.path, url.as_str()), (transport, host, path, text));
        }
    }

    #[test]
    fn f55_local_paths_only_where_the_configuration_allows_them() {
        insta::assert_snapshot!(read("file:///srv/git/apps").unwrap_err(), @"spec.url: a local repository, and the operator's configuration allows none; use https:// or ssh://, or have an admin set git.allowLocal");
        let url = RepositoryUrl::parse("file:///srv/git/apps", true).unwrap();
        assert_eq!((url.transport, &*url.path), (Transport::Local, "srv/git/apps"));
        assert!(RepositoryUrl::parse("file://srv/git", true).is_err());
        assert!(RepositoryUrl::parse("/srv/git", true).is_err());
    }

    #[test]
    fn bad20_a_url_with_credentials_is_refused_without_repeating_them() {
        for text in [
            "https://user:hunter2@example.com/a",
            "https://hunter2@example.com/a",
            "ssh://git:hunter2@example.com/a",
            "git:hunter2@example.com:a/b",
        ] {
            let refused = read(text).unwrap_err();
            assert!(!refused.contains("hunter2") && refused.contains("spec.url"), "{refused}");
        }
    }

    #[test]
    fn bad20_what_is_no_repository_is_refused_in_one_sentence() {
        for text in [
            "",
            "apps",
            "http://example.com/a",
            "ftp://example.com/a",
            "git://example.com/a",
            "https://",
            "https:///a",
            "https://example.com",
            "https://example.com/",
            "https://example.com/../a",
            "ssh://-oProxyCommand=x/a",
            "ssh://git@-oProxyCommand=x/a",
            "ssh://-l@example.com/a",
            "git@-x:a",
            "git@example.com:",
            "https://a b/c",
            "https://example.com:port/a",
            "https://example.com/a?x=1",
            "https://example.com/a#b",
            "-u@h:p",
            "ext::sh -c x",
            "https://example.com/-x",
        ] {
            let refused = read(text).unwrap_err();
            assert!(refused.starts_with("spec.url: ") && refused.contains("; "), "{text}: {refused}");
        }
    }

    #[test]
    fn f53_one_repository_is_one_however_it_is_written() {
        let repository = |text: &str| read(text).unwrap().repository();
        let one = repository("https://example.com/team/apps.git");
        for other in [
            "https://EXAMPLE.com/team/apps",
            "https://example.com:8443/team/apps/",
            "git@example.com:team/apps.git",
            "ssh://git@example.com/team/apps",
        ] {
            assert_eq!(repository(other), one);
        }
        assert_ne!(repository("https://example.com/team/apps2"), one);
    }

    proptest! {
        #[test]
        fn bad20_no_text_makes_an_address_that_a_program_takes_for_an_option(text in "(https://|ssh://|file://|)[-a-zA-Z0-9@:/._ ]{0,30}") {
            if let Ok(url) = RepositoryUrl::parse(&text, true) {
                prop_assert!(!url.as_str().starts_with('-') && !url.host.starts_with('-'));
                prop_assert!(!url.path.split('/').any(|part| part == ".." || part.starts_with('-')));
            }
        }
    }
}
