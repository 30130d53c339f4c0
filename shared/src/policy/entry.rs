//! One entry of `policy.allow`, `policy.deny` or `policy.permit`.

use std::fmt;

use thiserror::Error;

use crate::excerpt::excerpt;
use crate::identity::Gvk;
use crate::text;

/// `version/Kind` in the core group, `group/version/Kind` else; each part may be `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    group: Part,
    version: Part,
    kind: Part,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Any,
    Is(String),
}

/// A list with an entry that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "policy.{list}[{index}]: {entry} {problem}; write version/Kind for the core group (v1/Secret), \
         group/version/Kind else (apps/v1/Deployment), with * for any part"
)]
pub struct PolicyError {
    /// `allow`, `deny` or `permit`.
    pub list: &'static str,
    /// Position in the list.
    pub index: usize,
    /// The entry, in quotes.
    pub entry: String,
    /// What is wrong with it.
    pub problem: &'static str,
}

/// Reads a whole list.
pub(super) fn list<S: AsRef<str>>(list: &'static str, entries: &[S]) -> Result<Vec<Entry>, PolicyError> {
    let parse = |(index, entry): (usize, &S)| {
        let entry = entry.as_ref();
        Entry::parse(entry).map_err(|problem| PolicyError { list, index, entry: excerpt(entry), problem })
    };
    entries.iter().enumerate().map(parse).collect()
}

impl Entry {
    /// Reads one entry. An entry that could match nothing is a mistake, and one in `deny` a dangerous one.
    fn parse(text: &str) -> Result<Self, &'static str> {
        let parts: Vec<&str> = text.split('/').collect();
        let (group, version, kind) = match parts[..] {
            [version, kind] => ("", version, kind),
            ["", _, _] => return Err("has an empty group"),
            [group, version, kind] => (group, version, kind),
            _ => return Err("has neither two nor three parts"),
        };
        // `apps/Deployment` would be version "apps" of a core kind, `v1/apps/Deployment` one of a group "v1".
        if version != "*" && !is_version(version) {
            return Err("has no version, such as v1, before the kind");
        }
        if kind != "*" && !kind.starts_with(|c: char| c.is_ascii_uppercase()) {
            return Err("does not end in a kind, as manifests spell it");
        }
        // What is left is judged as a manifest's own fields are, any part by an example.
        let concrete = |part: &str, instead: &str| if part == "*" { instead.to_owned() } else { part.to_owned() };
        let api_version = if group.is_empty() {
            concrete(version, "v1")
        } else {
            format!("{}/{}", concrete(group, "g"), concrete(version, "v1"))
        };
        Gvk::parse(&api_version, &concrete(kind, "K")).map_err(|_| "holds a character that no kind has")?;
        Ok(Self { group: Part::new(group), version: Part::new(version), kind: Part::new(kind) })
    }

    /// The entry that is exactly this kind.
    pub fn of(gvk: &Gvk) -> Self {
        let part = |text: &str| Part::Is(text.to_owned());
        Self { group: part(&gvk.group), version: part(&gvk.version), kind: part(&gvk.kind) }
    }

    /// Whether a kind is meant, in whatever version.
    pub fn covers_kind(&self, kind: &Gvk) -> bool {
        self.group.fits(&kind.group) && self.kind.fits(&kind.kind)
    }

    /// Whether a kind in this version is meant.
    pub fn covers(&self, gvk: &Gvk) -> bool {
        self.covers_kind(gvk) && self.version.fits(&gvk.version)
    }
}

impl Part {
    fn new(text: &str) -> Self {
        if text == "*" { Self::Any } else { Self::Is(text.to_owned()) }
    }

    fn fits(&self, here: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Is(wanted) => text::same(wanted, here),
        }
    }

    fn as_str(&self) -> &str {
        match self {
            Self::Any => "*",
            Self::Is(text) => text,
        }
    }
}

/// As it is written in the configuration.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (group, version, kind) = (self.group.as_str(), self.version.as_str(), self.kind.as_str());
        if group.is_empty() { write!(f, "{version}/{kind}") } else { write!(f, "{group}/{version}/{kind}") }
    }
}

/// `v1`, `v2beta1`: what versions look like, and groups do not. For a custom resource of another version there is `*`.
fn is_version(text: &str) -> bool {
    text.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c20_an_entry_is_written_as_it_was_read() {
        for text in ["v1/Secret", "*/Secret", "v1/*", "*/*", "apps/v1/Deployment", "*/v1/Deployment", "*/*/*"] {
            assert_eq!(Entry::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn c20_two_parts_are_the_core_group_alone() {
        let (core, all) = (Entry::parse("*/*").unwrap(), Entry::parse("*/*/*").unwrap());
        let (pod, deployment) = (Gvk::parse("v1", "Pod").unwrap(), Gvk::parse("apps/v1", "Deployment").unwrap());
        assert!(core.covers(&pod) && !core.covers(&deployment));
        assert!(all.covers(&pod) && all.covers(&deployment));
    }

    #[test]
    fn c20_a_malformed_entry_names_list_position_and_form() {
        let error = |entry: &str| list("deny", &["v1/Pod", entry]).unwrap_err().to_string();
        insta::assert_snapshot!(error("Secret"), @r#"policy.deny[1]: "Secret" has neither two nor three parts; write version/Kind for the core group (v1/Secret), group/version/Kind else (apps/v1/Deployment), with * for any part"#);
        for (entry, problem) in [
            ("", "has neither two nor three parts"),
            ("a/b/c/D", "has neither two nor three parts"),
            ("/v1/Secret", "has an empty group"),
            ("apps/Deployment", "has no version, such as v1, before the kind"),
            ("v1/apps/Deployment", "has no version, such as v1, before the kind"),
            ("v1/secrets", "does not end in a kind, as manifests spell it"),
            ("v1/", "does not end in a kind, as manifests spell it"),
            ("v1/Sec ret", "holds a character that no kind has"),
            ("Apps/v1/Deployment", "holds a character that no kind has"),
            ("*.example.com/v1/Widget", "holds a character that no kind has"),
            ("apps//Deployment", "has no version, such as v1, before the kind"),
            ("apps/v1/Deploy*", "holds a character that no kind has"),
        ] {
            assert_eq!(Entry::parse(entry), Err(problem), "{entry:?}");
        }
    }
}
