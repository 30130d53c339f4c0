//! The names that an expression can ask for.

use std::fmt;

use thiserror::Error;

use crate::excerpt::excerpt;
use crate::validity::is_qualified_name;

/// One fact about the namespace or the class.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variable {
    /// `.Namespace.Name`
    NamespaceName,
    /// `.Namespace.UID`
    NamespaceUid,
    /// `.Namespace.Labels.<key>`
    NamespaceLabel(String),
    /// `.Namespace.Annotations.<key>`
    NamespaceAnnotation(String),
    /// `.Class.Name`
    ClassName,
}

const NAMESPACE_NAME: &str = ".Namespace.Name";
const NAMESPACE_UID: &str = ".Namespace.UID";
const LABELS: &str = ".Namespace.Labels.";
const ANNOTATIONS: &str = ".Namespace.Annotations.";
const CLASS_NAME: &str = ".Class.Name";

/// The variables, as a message lists them.
pub(super) const KNOWN: &str =
    ".Namespace.Name, .Namespace.UID, .Namespace.Labels.<key>, .Namespace.Annotations.<key> and .Class.Name";

/// Why a word names no variable.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum VariableError {
    /// There is no such variable.
    #[error("{name} is no variable")]
    Unknown {
        /// What was written.
        name: String,
        /// What was probably meant.
        meant: Option<String>,
    },
    /// What follows `.Labels.` or `.Annotations.` cannot be a key of these.
    #[error("{key} in {name} cannot be the key of a label or annotation")]
    Key {
        /// What was written.
        name: String,
        /// The part of it that should be a key.
        key: String,
    },
}

impl Variable {
    /// Reads a variable's name. Keys stand in it as they are, with their dots and slashes.
    ///
    /// # Errors
    /// When there is no such variable.
    pub fn parse(name: &str) -> Result<Self, VariableError> {
        match name {
            NAMESPACE_NAME => return Ok(Self::NamespaceName),
            NAMESPACE_UID => return Ok(Self::NamespaceUid),
            CLASS_NAME => return Ok(Self::ClassName),
            _ => {}
        }
        let keyed = |prefix: &str, make: fn(String) -> Self| {
            let key = name.strip_prefix(prefix)?;
            Some(if is_qualified_name(key) {
                Ok(make(key.to_owned()))
            } else {
                Err(VariableError::Key { name: excerpt(name), key: excerpt(key) })
            })
        };
        keyed(LABELS, Self::NamespaceLabel)
            .or_else(|| keyed(ANNOTATIONS, Self::NamespaceAnnotation))
            .unwrap_or_else(|| Err(VariableError::Unknown { name: excerpt(name), meant: meant(name) }))
    }

    /// The key, of a label or annotation.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::NamespaceLabel(key) | Self::NamespaceAnnotation(key) => Some(key),
            Self::NamespaceName | Self::NamespaceUid | Self::ClassName => None,
        }
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NamespaceName => f.write_str(NAMESPACE_NAME),
            Self::NamespaceUid => f.write_str(NAMESPACE_UID),
            Self::NamespaceLabel(key) => write!(f, "{LABELS}{key}"),
            Self::NamespaceAnnotation(key) => write!(f, "{ANNOTATIONS}{key}"),
            Self::ClassName => f.write_str(CLASS_NAME),
        }
    }
}

/// The variable that a word comes near: other letters in upper case, a plural forgotten, the first dot left out.
fn meant(name: &str) -> Option<String> {
    let (object, field) = name.trim_start_matches(['.', '$']).split_once('.')?;
    let (field, key) = field.split_once('.').unwrap_or((field, ""));
    let key = if key.is_empty() { "<key>" } else { key };
    let singular = |word: &str| word.to_ascii_lowercase().trim_end_matches('s').to_owned();
    let field = singular(field);
    if object.eq_ignore_ascii_case("class") {
        return (field == "name").then(|| CLASS_NAME.to_owned());
    }
    if !["namespace", "n"].contains(&singular(object).as_str()) {
        return None;
    }
    match field.as_str() {
        "name" => Some(NAMESPACE_NAME.to_owned()),
        "uid" => Some(NAMESPACE_UID.to_owned()),
        "label" => Some(format!("{LABELS}{key}")),
        "annotation" => Some(format!("{ANNOTATIONS}{key}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c10_every_variable_is_read_and_written_alike() {
        for name in [
            ".Namespace.Name",
            ".Namespace.UID",
            ".Namespace.Labels.team",
            ".Namespace.Labels.var.nsclass.io/team",
            ".Namespace.Annotations.example.com/cost.centre",
            ".Class.Name",
        ] {
            assert_eq!(Variable::parse(name).unwrap().to_string(), name);
        }
    }

    #[test]
    fn c10_a_word_near_a_variable_is_told_which_was_meant() {
        for (name, wanted) in [
            (".namespace.name", Some(".Namespace.Name")),
            (".Namespace.Uid", Some(".Namespace.UID")),
            ("Namespace.Label.team", Some(".Namespace.Labels.team")),
            (".Namespaces.Annotations", Some(".Namespace.Annotations.<key>")),
            (".class.Name", Some(".Class.Name")),
            (".Values.image", None),
            ("$labels.instance", None),
            (".Name", None),
        ] {
            let VariableError::Unknown { meant, .. } = Variable::parse(name).unwrap_err() else {
                panic!("{name} is unknown");
            };
            assert_eq!(meant.as_deref(), wanted, "{name}");
        }
    }

    #[test]
    fn c10_a_key_that_no_label_can_have_is_refused() {
        for key in ["", "a/b/c", "-team", "team-", "tea,m"] {
            let error = Variable::parse(&format!(".Namespace.Labels.{key}")).unwrap_err();
            assert!(matches!(error, VariableError::Key { .. }), "{key:?}");
        }
    }
}
