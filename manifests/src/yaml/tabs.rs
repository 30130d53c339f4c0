//! Tabs where indentation is expected.
//!
//! Go's readers refuse a tab before the first token of a line, or between a dash and what follows it, outside of scalars and flow
//! collections. The parser takes some of them, so they are looked for here.

use super::Span;
use super::characters::at;
use super::lines::next_line;
use super::node::{Content, File, Node, Style};
use super::{Error, ErrorKind};

/// Refuses the file if one of its lines begins with such a tab.
pub(super) fn check(file: &File<'_>) -> Result<(), Error> {
    let mut protected: Option<Vec<Span>> = None;
    let mut line = if file.bom { '\u{feff}'.len_utf8() } else { 0 };
    while line < file.text.len() {
        if let Some(tab) = leading_tab(file.text, line) {
            let protected = protected.get_or_insert_with(|| protected_spans(file));
            // In file order, and none within another.
            let next = protected.partition_point(|span| span.start as usize <= tab);
            let inside = next.checked_sub(1).is_some_and(|last| (protected[last].end as usize) > tab);
            if !inside {
                return Err(at(file.text, tab, ErrorKind::Tab));
            }
        }
        line = next_line(file.text, line);
    }
    Ok(())
}

/// The first tab of a line that only blanks and the indicators of block collections stand before.
fn leading_tab(text: &str, line: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = line;
    loop {
        match bytes.get(at)? {
            b'\t' => return Some(at),
            b' ' => at += 1,
            b'-' | b'?' | b':' if bytes.get(at + 1).is_some_and(|next| matches!(next, b' ' | b'\t')) => at += 1,
            _ => return None,
        }
    }
}

/// Quoted and block scalars, and flow collections; nothing of a document whose spans are not known.
fn protected_spans(file: &File<'_>) -> Vec<Span> {
    let mut spans = Vec::new();
    for document in file.documents.iter().filter(|document| document.unknown_layout.is_none()) {
        collect(&document.root, &mut spans);
    }
    spans
}

fn collect(node: &Node<'_>, spans: &mut Vec<Span>) {
    match &node.content {
        Content::Mapping(mapping) if !mapping.flow => mapping.entries.iter().for_each(|entry| {
            collect(&entry.key, spans);
            collect(&entry.value, spans);
        }),
        Content::Sequence(sequence) if !sequence.flow => {
            for item in &sequence.items {
                collect(&item.node, spans);
            }
        }
        // Between the lines of a plain scalar a tab may or may not be indentation.
        Content::Scalar(scalar) if scalar.style == Style::Plain => {}
        _ => spans.push(node.span),
    }
}
