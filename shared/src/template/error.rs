//! Mistakes in the text of a template.

use thiserror::Error;

use super::variable::{KNOWN, VariableError};
use super::{Cast, EvaluateError};

/// One mistake, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{kind} (at character {column})")]
pub struct TemplateError {
    /// Characters from the start of the string, the first being 1.
    pub column: usize,
    /// What is wrong there.
    pub kind: TemplateErrorKind,
}

/// What is wrong with a template.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TemplateErrorKind {
    /// The string ends inside the braces.
    #[error("{{{{ is not closed")]
    Unclosed,
    /// `{{ }}`
    #[error("the braces are empty")]
    Empty,
    /// The first word names no variable.
    #[error(transparent)]
    Variable(#[from] VariableError),
    /// `| word` that is no function.
    #[error("{0} is no function")]
    Function(String),
    /// A string literal that JSON would not take, or that does not end.
    #[error("the string literal is not closed, or holds a wrong escape")]
    Literal,
    /// `| default` without a string literal.
    #[error("default needs a string in double quotes")]
    DefaultWithoutText,
    /// `default` twice or behind a type, two types, a function on a literal.
    #[error("{0} cannot stand here")]
    Misplaced(String),
    /// Something that is neither `|` nor the end.
    #[error("expected | or }}}}, found {0}")]
    Unexpected(String),
    /// A type where there is more in the string than the expression.
    #[error("| {0} needs the whole value to itself")]
    CastNotAlone(Cast),
    /// The default does not fit the type.
    #[error("the default does not fit: {0}")]
    Default(EvaluateError),
}

impl TemplateErrorKind {
    /// What the author can do.
    pub fn remedy(&self) -> String {
        match self {
            Self::Unclosed | Self::Empty => {
                "close the expression with }}, or write {{ \"{{\" }} for two literal braces".to_owned()
            }
            Self::Variable(VariableError::Unknown { meant: Some(meant), .. }) => format!("write {meant}"),
            Self::Variable(VariableError::Unknown { meant: None, .. }) => format!(
                "the variables are {KNOWN}; for literal braces write {{{{ \"{{{{\" }}}}, or annotate the item with \
                 nsclass.io/template: \"false\""
            ),
            Self::Variable(VariableError::Key { .. }) => {
                "write the key as it stands in the namespace's metadata: prefix/name or name".to_owned()
            }
            Self::Function(_) => "the functions are default \"text\", int and bool".to_owned(),
            Self::Literal => "close it with a double quote and escape as in JSON: \\\" \\\\ \\n \\u0041".to_owned(),
            Self::DefaultWithoutText => "write | default \"text\"".to_owned(),
            Self::Misplaced(_) | Self::Unexpected(_) => {
                "write {{ .Variable | default \"text\" | int }}, where default and int or bool may be left out"
                    .to_owned()
            }
            Self::CastNotAlone(_) => "leave the type out, or make the value exactly one expression".to_owned(),
            Self::Default(_) => "change the default, or leave the type out".to_owned(),
        }
    }
}
