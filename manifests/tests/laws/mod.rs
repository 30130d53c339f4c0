//! The laws of the YAML layer and the editor, for whatever bytes: called by the tests of this crate with a fixed budget, and by the fuzz
//! targets without one. A broken law panics.

// Each caller uses its own part of it; helpers of tests count as tests.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod change;
pub mod dice;
pub mod leaves;
pub mod text;

use dice::Dice;
use nsclass_manifests::edit::{Edited, Reason, Refused, edit, remove_document};
use nsclass_manifests::yaml::{Content, Document, File, Node, Reader, Span, Style, parse};
use serde_json::Value;

pub const READERS: [Reader; 2] = [Reader::Kubernetes, Reader::Kustomize];

/// Reading any bytes ends in a file whose parts add up, or in an error with a place.
pub fn fuzz_parse(bytes: &[u8]) {
    let file = match parse(bytes) {
        Ok(file) => file,
        Err(error) => {
            assert!(error.document > 0 && error.position.line > 0 && error.position.column > 0, "{error}");
            return;
        }
    };
    let mut at = if file.bom { 3 } else { 0 };
    for (index, document) in file.documents.iter().enumerate() {
        assert_eq!(document.number, index + 1);
        assert_eq!(document.range.start, at, "documents leave no gap");
        at = document.range.end;
        for comment in &document.comments {
            assert!(within(*comment, document.range) && file.slice(*comment).starts_with('#'), "{comment:?}");
        }
        if document.unknown_layout.is_none() {
            spans(&file, &document.root, document.range);
        }
        let _ = document.features();
        stands_alone(&file, document);
    }
    assert!(file.documents.is_empty() || at as usize == bytes.len(), "documents cover the file");
}

/// What a document says does not depend on the documents around it.
fn stands_alone(file: &File<'_>, document: &Document<'_>) {
    let alone = parse(file.slice(document.range).as_bytes()).expect("a document reads alone");
    assert_eq!(alone.documents.len(), 1);
    for reader in READERS {
        assert_eq!(
            document.to_value(reader).map_err(|error| error.kind),
            alone.documents[0].to_value(reader).map_err(|error| error.kind)
        );
    }
}

fn within(inner: Span, outer: Span) -> bool {
    inner.start <= inner.end && inner.start >= outer.start && inner.end <= outer.end
}

/// Spans nest, stand in order, and hold what they say.
fn spans(file: &File<'_>, node: &Node<'_>, outer: Span) {
    assert!(within(node.span, outer), "{:?} in {outer:?} of {:?}", node.span, file.text);
    let text = file.slice(node.span);
    match &node.content {
        Content::Scalar(scalar) => {
            let begins = match scalar.style {
                Style::Empty => text.is_empty(),
                Style::Plain => !text.is_empty() && text.trim() == text,
                Style::Single => text.len() > 1 && text.starts_with('\'') && text.ends_with('\''),
                Style::Double => text.len() > 1 && text.starts_with('"') && text.ends_with('"'),
                Style::Literal => text.starts_with('|'),
                Style::Folded => text.starts_with('>'),
            };
            assert!(begins, "{text:?} as {:?}", scalar.style);
        }
        Content::Alias(_) => assert!(text.starts_with('*')),
        Content::Mapping(mapping) => {
            assert!(!mapping.flow || (text.starts_with('{') && text.ends_with('}')), "{text:?}");
            let mut at = node.span.start;
            for entry in &mapping.entries {
                assert!(entry.key.full_start() >= at);
                at = entry.value.span.end;
                spans(file, &entry.key, node.span);
                spans(file, &entry.value, node.span);
                if let Some(colon) = entry.colon {
                    assert_eq!(&file.text[colon as usize..=colon as usize], ":");
                }
            }
        }
        Content::Sequence(sequence) => {
            assert!(!sequence.flow || (text.starts_with('[') && text.ends_with(']')), "{text:?}");
            let mut at = node.span.start;
            for item in &sequence.items {
                assert!(item.dash >= at);
                at = item.node.span.end;
                spans(file, &item.node, node.span);
                assert!(sequence.flow || &file.text[item.dash as usize..=item.dash as usize] == "-");
            }
        }
    }
}

/// Any change of any document of any file is made exactly, or refused in words. What follows the last NUL, which no file has, decides on
/// the change; without one, the bytes themselves do.
pub fn fuzz_edit(bytes: &[u8]) {
    let (text, decisions) = match bytes.iter().rposition(|byte| *byte == 0) {
        Some(nul) => (&bytes[..nul], bytes[nul + 1..].to_vec()),
        None => (bytes, bytes.iter().rev().map(|byte| byte.wrapping_mul(167)).collect()),
    };
    let Ok(file) = parse(text) else { return };
    let mut dice = Dice::new(&decisions);
    for document in &file.documents {
        for reader in READERS {
            let Ok(current) = document.to_value(reader) else { continue };
            let wanted = change::changed(&mut dice, &current);
            let _ = check_edit(&file, document.number, &wanted, reader);
        }
        check_removal(&file, document.number);
    }
}

/// Makes the edit and holds it to every law; hands back what came of it.
pub fn check_edit(file: &File<'_>, number: usize, wanted: &Value, reader: Reader) -> Result<Edited, Refused> {
    let edited = edit(file, number, wanted, reader)?;
    let show = || format!("{reader:?}\n--- from\n{}\n--- wanted\n{wanted}\n--- to\n{}\n", file.text, edited.text);
    let result = parse(edited.text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {}", show()));
    let says = result.documents[number - 1].to_value(reader).unwrap_or_else(|error| panic!("{error}: {}", show()));
    assert!(change::same(&says, &edited.value), "it says {says}: {}", show());
    if edited.refused.is_empty() {
        assert!(change::same(&says, wanted), "it says {says}: {}", show());
    }
    assert_eq!(rebuilt(file.text, &edited), edited.text, "{}", show());
    for (before, after) in file.documents.iter().zip(&result.documents) {
        assert!(before.number == number || file.slice(before.range) == result.slice(after.range), "{}", show());
    }
    assert_eq!(result.bom, file.bom);
    let current = file.documents[number - 1].to_value(reader).unwrap();
    if change::keeps_shape(&current, wanted) {
        let comments = |file: &File<'_>| {
            let of_one = &file.documents[number - 1].comments;
            of_one.iter().map(|comment| file.slice(*comment).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(comments(file), comments(&result), "{}", show());
    }
    // Blank lines that come to be the last ones stay.
    let cut = edited
        .changes
        .last()
        .is_some_and(|change| change.text.is_empty() && change.span.end as usize == file.text.len());
    assert!(file.text.ends_with('\n') == edited.text.ends_with('\n') || cut, "the last line break: {}", show());
    assert!(file.text.contains("\r\n") || !edited.text.contains('\r'), "{}", show());
    // What a layout stood in the way of may be possible once something else has changed.
    if edited.refused.iter().any(|refused| refused.reason == Reason::Layout) {
        return Ok(edited);
    }
    let again = edit(&result, number, wanted, reader).unwrap_or_else(|refused| panic!("{refused}: {}", show()));
    assert_eq!(again.changes, [], "the second time changes nothing: {}", show());
    Ok(edited)
}

/// The old text with the changes made by hand: what lies between them is untouched.
fn rebuilt(text: &str, edited: &Edited) -> String {
    let mut at = 0;
    let mut result = String::new();
    for change in &edited.changes {
        result += &text[at..change.span.start as usize];
        result += &change.text;
        at = change.span.end as usize;
    }
    result + &text[at..]
}

/// Removing a document leaves the others, byte for byte.
pub fn check_removal(file: &File<'_>, number: usize) {
    match remove_document(file, number) {
        Ok(None) => assert!(file.documents.iter().all(|document| document.number == number || document.is_empty())),
        Ok(Some(rest)) => {
            let result = parse(rest.as_bytes()).unwrap();
            let others = file
                .documents
                .iter()
                .filter(|document| document.number != number)
                .map(|document| file.slice(document.range));
            assert!(others.eq(result.documents.iter().map(|document| result.slice(document.range))));
        }
        Err(refused) => assert_eq!(refused.reason, Reason::Mismatch),
    }
}
