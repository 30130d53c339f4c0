//! Text in a literal or folded block.

use super::quote::is_printable;
use crate::yaml::Style;

/// What surrounds a block scalar that is to be written, and how the old one is written if there is one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<'t> {
    /// Literal or folded.
    pub style: Style,
    /// The old header's indicators behind `|` or `>`: chomping and indentation.
    pub indicators: &'t str,
    /// The column of the text.
    pub indent: usize,
    /// The column of the key or dash that owns the scalar.
    pub parent: usize,
    /// The file ends right behind it, without a line break.
    pub at_end: bool,
    /// A blank line, or nothing but the file's end, follows it: lines that would count to a text that keeps them.
    pub blank_follows: bool,
    /// The line break.
    pub eol: &'t str,
}

/// The header and the lines below it, without the last line break; none if a block of this style cannot express the text here.
pub(super) fn write(text: &str, block: Block<'_>) -> Option<(String, String)> {
    let trimmed = text.trim_end_matches('\n');
    let breaks = text.len() - trimmed.len();
    let lines: Vec<&str> = trimmed.split('\n').collect();
    let first = lines.first().copied().unwrap_or_default();
    let last_is_blank = lines.last().is_none_or(|line| line.trim().is_empty());
    let printable = lines.iter().all(|line| line.chars().all(is_printable));
    if first.is_empty() || last_is_blank || !printable || first.starts_with([' ', '\t']) || first.trim().is_empty() {
        return None;
    }
    let keeps = block.indicators.contains('+');
    let chomping = match breaks {
        // At the end of a file without a line break no header makes one.
        0 if block.at_end && !keeps => block.indicators.trim_matches(|c: char| c.is_ascii_digit()),
        0 => "-",
        _ if block.at_end => return None,
        1 if !keeps => "",
        _ if keeps || !block.blank_follows => "+",
        _ => return None,
    };
    let digits: String = block.indicators.chars().filter(char::is_ascii_digit).collect();
    let lines = if block.style == Style::Folded {
        folded(&lines)?
    } else {
        lines.iter().map(|line| (*line).to_owned()).collect()
    };
    let indent = " ".repeat(block.indent);
    let mut body: Vec<String> =
        lines.iter().map(|line| if line.is_empty() { String::new() } else { format!("{indent}{line}") }).collect();
    body.extend((1..breaks).map(|_| String::new()));
    let indicator = if block.style == Style::Folded { '>' } else { '|' };
    if block.indent <= block.parent && block.parent > 0 {
        return None;
    }
    Some((format!("{indicator}{digits}{chomping}"), body.join(block.eol)))
}

/// Each line break of a folded text takes a blank line; lines that begin with a blank would not be folded, and are not for this style.
fn folded(lines: &[&str]) -> Option<Vec<String>> {
    if lines.iter().any(|line| line.starts_with([' ', '\t']) || line.ends_with([' ', '\t'])) {
        return None;
    }
    let mut result = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        // Between two lines of text one more break than there are in the text; empty lines are those breaks already.
        if index > 0 && !line.is_empty() {
            result.push(String::new());
        }
        result.push((*line).to_owned());
    }
    Some(result)
}
