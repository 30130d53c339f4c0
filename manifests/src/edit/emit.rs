//! Writing new values: in block style with the document's habits, or in flow style inside a flow collection.

use super::block_text::{Block, write};
use super::quote::{self, Context};
use crate::yaml::Style;
use serde_json::Value;

/// How a document is written, as far as new values follow it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Habits<'t> {
    /// The line break.
    pub eol: &'t str,
    /// Columns from a key to the keys below it.
    pub step: usize,
    /// Columns from a key to the dashes below it: 0 or `step`.
    pub dash: usize,
    /// Whether texts of several lines may be written as blocks. What follows such a block can change it; quotes are safe anywhere.
    pub blocks: bool,
    /// Whether nothing is removed or moved below a block text that others' removals might change.
    pub careful: bool,
}

impl Default for Habits<'_> {
    /// As `kubectl` writes.
    fn default() -> Self {
        Self { eol: "\n", step: 2, dash: 0, blocks: true, careful: false }
    }
}

/// A value behind `key:`: what stands on that line, with a space before it, then the lines below, each with its line break before it.
pub(super) struct Emitted {
    pub inline: String,
    pub below: String,
}

/// A value for the key at `column`.
pub(super) fn value(value: &Value, column: usize, habits: Habits<'_>) -> Emitted {
    match value {
        Value::Object(object) if !object.is_empty() => {
            let below = object.iter().fold(String::new(), |mut below, (key, value)| {
                below.push_str(habits.eol);
                below.push_str(&entry(key, value, Style::Plain, column + habits.step, habits));
                below
            });
            Emitted { inline: String::new(), below }
        }
        Value::Array(items) if !items.is_empty() => {
            let below = items.iter().fold(String::new(), |mut below, value| {
                below.push_str(habits.eol);
                below.push_str(&item(value, column + habits.dash, habits));
                below
            });
            Emitted { inline: String::new(), below }
        }
        Value::String(text) if text.contains('\n') => match literal(text, column, column + habits.step, habits) {
            Some((header, body)) => Emitted { inline: format!(" {header}"), below: format!("{}{body}", habits.eol) },
            None => Emitted { inline: format!(" {}", scalar(value, Context::Block)), below: String::new() },
        },
        _ => Emitted { inline: format!(" {}", scalar(value, Context::Block)), below: String::new() },
    }
}

/// `key: value` at `column`, from its indentation to the end of its last line, without that line's break.
pub(super) fn entry(key: &str, content: &Value, style: Style, column: usize, habits: Habits<'_>) -> String {
    let Emitted { inline, below } = value(content, column, habits);
    format!("{}{}:{inline}{below}", " ".repeat(column), quote::key(key, style, Context::Block))
}

/// `- value` with its dash at `column`, from its indentation to the end of its last line, without that line's break.
pub(super) fn item(content: &Value, column: usize, habits: Habits<'_>) -> String {
    format!("{}-{}", " ".repeat(column), behind_dash(content, column, habits))
}

/// What stands behind a dash at `column`, with the space before it.
pub(super) fn behind_dash(content: &Value, column: usize, habits: Habits<'_>) -> String {
    // Collections begin on the dash's line, two columns on.
    let compact = column + 2;
    let lines = match content {
        Value::Object(object) if !object.is_empty() => {
            object.iter().map(|(key, value)| entry(key, value, Style::Plain, compact, habits)).collect::<Vec<_>>()
        }
        Value::Array(items) if !items.is_empty() => items.iter().map(|value| item(value, compact, habits)).collect(),
        Value::String(text) if text.contains('\n') => match literal(text, column, compact, habits) {
            Some((header, body)) => return format!(" {header}{}{body}", habits.eol),
            None => return format!(" {}", scalar(content, Context::Block)),
        },
        _ => return format!(" {}", scalar(content, Context::Block)),
    };
    format!(" {}", lines.join(habits.eol).trim_start_matches(' '))
}

fn literal(text: &str, parent: usize, indent: usize, habits: Habits<'_>) -> Option<(String, String)> {
    if !habits.blocks {
        return None;
    }
    // Kept line breaks would take in whatever blank lines follow: quotes are safer in a place that is not known.
    let block = Block {
        style: Style::Literal,
        indicators: "",
        indent,
        parent,
        at_end: false,
        blank_follows: true,
        eol: habits.eol,
    };
    write(text, block)
}

/// A scalar or an empty collection on one line.
pub(super) fn scalar(value: &Value, context: Context) -> String {
    match value {
        Value::String(text) => quote::string(text, Style::Plain, context),
        other => other.to_string(),
    }
}

/// Any value in flow style; keys in `keys` style.
pub(super) fn flow(value: &Value, keys: Style) -> String {
    match value {
        Value::Object(object) if !object.is_empty() => {
            let entries: Vec<_> = object.iter().map(|(key, value)| flow_entry(key, value, keys)).collect();
            format!("{{{}}}", entries.join(", "))
        }
        Value::Array(items) if !items.is_empty() => {
            format!("[{}]", items.iter().map(|value| flow(value, keys)).collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => quote::string(text, keys, Context::Flow),
        other => scalar(other, Context::Flow),
    }
}

/// `key: value` in flow style.
pub(super) fn flow_entry(key: &str, value: &Value, keys: Style) -> String {
    format!("{}: {}", quote::key(key, keys, Context::Flow), flow(value, keys))
}
