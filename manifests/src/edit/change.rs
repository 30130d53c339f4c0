//! Byte ranges and what takes their place.

use crate::yaml::Span;
use std::ops::Range;

/// One edit: these bytes become this text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The bytes of the old text; empty to insert.
    pub span: Span,
    /// The new text; empty to delete.
    pub text: String,
}

impl Change {
    pub(super) fn new(range: Range<usize>, text: impl Into<String>) -> Self {
        Self { span: Span::new(range.start, range.end), text: text.into() }
    }
}

/// Puts changes in order of their place, what is inserted at one place in the order given; drops those that change nothing; joins
/// deletions that meet. A file without a last line break still has none when its last lines go.
pub(super) fn ordered(text: &str, mut changes: Vec<Change>) -> Vec<Change> {
    changes.retain(|change| text[change.span.range()] != change.text);
    changes.sort_by_key(|change| change.span);
    let mut joined: Vec<Change> = Vec::with_capacity(changes.len());
    for change in changes {
        match joined.last_mut() {
            Some(last) if last.text.is_empty() && change.text.is_empty() && change.span.start <= last.span.end => {
                last.span.end = last.span.end.max(change.span.end);
            }
            _ => joined.push(change),
        }
    }
    if let Some(last) = joined.last_mut()
        && last.text.is_empty()
        && last.span.end as usize == text.len()
        && !text.ends_with('\n')
    {
        let before = &text[..last.span.start as usize];
        let line = before.strip_suffix('\n').map_or(before, |rest| rest.strip_suffix('\r').unwrap_or(rest));
        last.span = Span::new(line.len(), text.len());
    }
    joined
}

/// The part `range` of `text` with the changes that lie in it made; none if changes overlap, or reach over its edge.
pub(super) fn apply(text: &str, range: Range<usize>, changes: &[Change]) -> Option<String> {
    let mut result = String::with_capacity(range.len() + changes.iter().map(|change| change.text.len()).sum::<usize>());
    let mut at = range.start;
    for change in changes {
        let span = change.span.range();
        if span.start < at || span.end > range.end {
            return None;
        }
        result.push_str(&text[at..span.start]);
        result.push_str(&change.text);
        at = span.end;
    }
    result.push_str(&text[at..range.end]);
    Some(result)
}
