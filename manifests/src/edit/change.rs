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
    let (mut deletions, mut others): (Vec<_>, Vec<_>) = changes.into_iter().partition(|change| change.text.is_empty());
    deletions.sort_by_key(|change| change.span);
    let mut joined: Vec<Change> = Vec::with_capacity(deletions.len());
    for deletion in deletions {
        match joined.last_mut() {
            Some(last) if deletion.span.start <= last.span.end => last.span.end = last.span.end.max(deletion.span.end),
            _ => joined.push(deletion),
        }
    }
    for deletion in &mut joined {
        let span = deletion.span.range();
        let before = line_break_before(text, span.start);
        let last = span.end == text.len() && !text.ends_with('\n');
        for other in &mut others {
            let at = other.span.range();
            // Behind a line that goes: behind the line before it instead.
            if at.is_empty() && span.start < at.start && (at.start < span.end || last) && before < span.start {
                other.span = Span::new(before, before);
            }
        }
        if last {
            deletion.span = Span::new(before, text.len());
        }
    }
    others.extend(joined);
    others.sort_by_key(|change| change.span);
    others
}

/// The place of the line break that ends right before `offset`; `offset` if there is none.
fn line_break_before(text: &str, offset: usize) -> usize {
    let before = &text[..offset];
    before.strip_suffix('\n').map_or(before, |rest| rest.strip_suffix('\r').unwrap_or(rest)).len()
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
