//! From a template and the facts of one namespace to one value.

use serde_json::Value;
use thiserror::Error;

use crate::excerpt::excerpt;

use super::{Cast, Segment, Template, Variable};

/// Why a template yields no value for a namespace.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EvaluateError {
    /// The namespace has no such label or annotation, and there is no default.
    #[error("{0} is missing")]
    Missing(Variable),
    /// `| int` on something else.
    #[error("{0} is not a whole number of 64 bits in plain decimal form")]
    NotInt(String),
    /// `| bool` on something else.
    #[error("{0} is neither true nor false")]
    NotBool(String),
    /// The text would pass the limit.
    #[error("the text is longer than {limit} bytes")]
    TooLong {
        /// The limit, in bytes.
        limit: usize,
    },
}

impl Template {
    /// The value for one namespace: a string, or what the type of the only expression asks for.
    ///
    /// # Errors
    /// Each variable that is missing, once; a value that does not fit its type; a text of more than `limit` bytes,
    /// which is noticed before it is built.
    pub fn evaluate<'v>(
        &self,
        limit: usize,
        lookup: impl Fn(&Variable) -> Option<&'v str>,
    ) -> Result<Value, Vec<EvaluateError>> {
        let mut parts: Vec<&str> = Vec::with_capacity(self.segments.len());
        let mut errors = Vec::new();
        let mut cast = None;
        for segment in &self.segments {
            match segment {
                Segment::Text(text) | Segment::Quoted(text) => parts.push(text),
                Segment::Expression(expression) => {
                    cast = expression.cast;
                    if let Some(text) = lookup(&expression.variable).or(expression.default.as_deref()) {
                        parts.push(text);
                    } else {
                        let missing = EvaluateError::Missing(expression.variable.clone());
                        if !errors.contains(&missing) {
                            errors.push(missing);
                        }
                    }
                }
            }
        }
        if errors.is_empty() && parts.iter().map(|part| part.len()).sum::<usize>() > limit {
            errors.push(EvaluateError::TooLong { limit });
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let text = parts.concat();
        match cast {
            // Parsing made sure that a type stands alone in its string.
            Some(cast) => cast.apply(&text).map_err(|error| vec![error]),
            None => Ok(Value::String(text)),
        }
    }
}

impl Cast {
    /// The value that the text becomes.
    ///
    /// # Errors
    /// When the text is no such value.
    pub fn apply(self, text: &str) -> Result<Value, EvaluateError> {
        match (self, text) {
            // Only the form that the number itself is written in: a leading zero could mean octal, and `1e3` a float.
            (Self::Int, _) => match text.parse::<i64>() {
                Ok(number) if number.to_string() == text => Ok(Value::from(number)),
                _ => Err(EvaluateError::NotInt(excerpt(text))),
            },
            (Self::Bool, "true") => Ok(Value::Bool(true)),
            (Self::Bool, "false") => Ok(Value::Bool(false)),
            (Self::Bool, _) => Err(EvaluateError::NotBool(excerpt(text))),
        }
    }
}
