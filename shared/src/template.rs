//! The language in a class's string values (class.md C10–C13).
//!
//! ```text
//! {{ .Namespace.Labels.team | default "none" }}
//! ```
//! A [`Template`] is parsed once per class and evaluated once per namespace. It yields one value and never text that
//! is parsed again, so nothing in a label or annotation can become structure (C11).

mod error;
mod evaluate;
mod parse;
mod variable;

use std::fmt;

pub use error::{TemplateError, TemplateErrorKind};
pub use evaluate::EvaluateError;
pub use variable::{Variable, VariableError};

/// What opens an expression.
pub const OPEN: &str = "{{";
/// What closes an expression.
pub const CLOSE: &str = "}}";

/// A string of a class, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Template {
    segments: Vec<Segment>,
}

/// Text, or an expression.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Segment {
    /// Stands in the result as it is. Never empty, and never two in a row.
    Text(String),
    /// `{{ "…" }}`: stands in the result as the text it quotes.
    Quoted(String),
    /// `{{ .Variable … }}`.
    Expression(Expression),
}

impl Segment {
    fn constant(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Quoted(text) => Some(text),
            Self::Expression(_) => None,
        }
    }
}

/// A variable and what is done with it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Expression {
    variable: Variable,
    /// Stands in where the variable is missing. One that is there but empty is not missing.
    default: Option<String>,
    /// Only where the expression is the whole string.
    cast: Option<Cast>,
}

/// The type that a value becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cast {
    /// `| int`: a whole number of 64 bits, in its usual decimal form (`0644` is none: it would be two numbers).
    Int,
    /// `| bool`: `true` or `false`.
    Bool,
}

impl Template {
    /// Takes a string apart.
    ///
    /// # Errors
    /// Every mistake in it, with its position.
    pub fn parse(source: &str) -> Result<Self, Vec<TemplateError>> {
        parse::template(source)
    }

    /// The template whose result is this text, whatever it holds.
    pub fn verbatim(text: &str) -> Self {
        let segments = if text.is_empty() { vec![] } else { vec![Segment::Text(text.to_owned())] };
        Self { segments }
    }

    /// The result, where it is the same for every namespace.
    pub fn constant(&self) -> Option<String> {
        self.segments.iter().map(Segment::constant).collect()
    }

    /// The text that every result begins with.
    pub fn constant_prefix(&self) -> String {
        self.segments.iter().map_while(Segment::constant).collect()
    }

    /// The variables in it, in their order, repeats included.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.expressions().map(|expression| &expression.variable)
    }

    /// Whether the result is a number or a truth value, not a string.
    pub fn is_typed(&self) -> bool {
        self.expressions().any(|expression| expression.cast.is_some())
    }

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Expression(expression) => Some(expression),
            Segment::Text(_) | Segment::Quoted(_) => None,
        })
    }
}

/// As it is written in a class: parsing it gives the same template again (but for one made by [`Template::verbatim`]).
impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for segment in &self.segments {
            match segment {
                Segment::Text(text) => f.write_str(text)?,
                Segment::Quoted(text) => write!(f, "{OPEN} {} {CLOSE}", quote(text))?,
                Segment::Expression(Expression { variable, default, cast }) => {
                    write!(f, "{OPEN} {variable}")?;
                    if let Some(default) = default {
                        write!(f, " | default {}", quote(default))?;
                    }
                    if let Some(cast) = cast {
                        write!(f, " | {cast}")?;
                    }
                    write!(f, " {CLOSE}")?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Cast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Int => "int",
            Self::Bool => "bool",
        })
    }
}

/// A string literal of the language: a JSON string, which is a Go string too.
fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests;
