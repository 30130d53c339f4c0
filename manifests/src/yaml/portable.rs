//! What the parser takes and go-yaml does not, or takes for something else: such files are refused, so that nothing is read here that the
//! cluster's tools read otherwise.

use super::ErrorKind;
use super::characters::unknown_escape;
use super::lines::skip_trivia;
use super::node::Style;
use std::ops::Range;

/// Where a scalar stands.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// In a flow collection.
    pub flow: bool,
    /// In the place of a key.
    pub key: bool,
}

/// What is wrong with the scalar `text`, written at `range` of the file `source`, and where; nothing, mostly.
pub(super) fn scalar(
    source: &str,
    range: &Range<usize>,
    text: &str,
    style: Style,
    place: Place,
) -> Option<(usize, ErrorKind)> {
    let unportable = || Some((range.start, ErrorKind::Unportable(source[range.clone()].to_owned())));
    let next = |offset: usize| source.as_bytes().get(offset).copied();
    match style {
        Style::Double => {
            if let Some((offset, escape)) = unknown_escape(&source[range.clone()]) {
                return Some((range.start + offset, ErrorKind::Escape(escape)));
            }
        }
        Style::Plain if place.flow => {
            // To YAML 1.1 a colon counts only before a blank, and a question mark is one anywhere in a flow collection.
            let colon =
                next(range.end) == Some(b':') && next(range.end + 1).is_some_and(|next| b",[]{}".contains(&next));
            if text.contains('?') || text.starts_with(':') || colon {
                return unportable();
            }
        }
        // go-yaml looks for indentation there.
        Style::Literal | Style::Folded if text.trim_start_matches('\n').starts_with('\t') => {
            return Some((range.start, ErrorKind::Tab));
        }
        _ => {}
    }
    if place.key && !matches!(style, Style::Literal | Style::Folded | Style::Empty) {
        // A key and its colon stand on one line.
        let colon = skip_trivia(source, range.end);
        let parted = place.flow && next(colon) == Some(b':') && source[range.end..colon].contains('\n');
        if parted || source[range.clone()].contains('\n') {
            return unportable();
        }
    }
    None
}
