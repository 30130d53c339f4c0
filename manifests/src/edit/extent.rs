//! Which lines belong to a key or an item (F40).
//!
//! Comments directly above it at its column without a blank line between, the rest of its line, what is inside it, and comments directly
//! below that stand deeper than it does. A block set off by a blank line belongs to nobody and stays.

use crate::yaml::lines::{line_end, line_start, next_line};

/// The lines of one entry of a block collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// The start of the first line that belongs to it; where the key or dash itself stands, if something else stands before it on its line.
    pub start: usize,
    /// The end of the last line, before its line break.
    pub end: usize,
    /// Whether something else stands before it on its line.
    pub inline: bool,
}

/// The column of an offset: what stands before it on its line, in bytes. Before a key or a dash only blanks and dashes can stand.
pub(super) fn column(text: &str, offset: usize) -> usize {
    let start = line_start(text, offset);
    // A byte order mark has no width.
    let mark = if text[start..].starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    offset.saturating_sub(start + mark)
}

/// The extent of the entry whose key or dash stands at `at` and whose value ends at `end`. No line before `floor` belongs to it.
pub(super) fn extent(text: &str, at: usize, end: usize, floor: usize) -> Extent {
    let column = column(text, at);
    let own_line = at - column;
    let end = below(text, end, column);
    if !text[own_line..at].bytes().all(|byte| byte == b' ') {
        return Extent { start: at, end, inline: true };
    }
    let mut start = own_line;
    while start > floor {
        let previous = line_start(text, start - 1);
        let line = &text[previous..start];
        let indent = line.len() - line.trim_start_matches(' ').len();
        if previous < floor || indent != column || !line[indent..].starts_with('#') {
            break;
        }
        start = previous;
    }
    Extent { start, end, inline: false }
}

/// The end of the last line that belongs to what ends at `end`: its own, or that of the last comment below that stands deeper.
pub(super) fn below(text: &str, end: usize, column: usize) -> usize {
    let mut last = line_end(text, end);
    loop {
        let next = next_line(text, last);
        if next == last || next >= text.len() {
            return last;
        }
        let line = &text[next..line_end(text, next)];
        let indent = line.len() - line.trim_start_matches(' ').len();
        if indent <= column || !line[indent..].starts_with('#') {
            return last;
        }
        last = line_end(text, next);
    }
}

impl Extent {
    /// The bytes to delete so that the lines are gone.
    pub(super) fn deletion(self, text: &str) -> std::ops::Range<usize> {
        self.start..next_line(text, self.end)
    }
}
