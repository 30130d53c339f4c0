//! Every scalar of the example documents changed, one at a time, and every key and item removed.

// Helpers of tests count as tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod laws;

use laws::{READERS, change, check_edit, check_removal, fuzz_parse, leaves};
use nsclass_manifests::edit::{Edited, Reason};
use nsclass_manifests::yaml::{Document, File, Reader, parse};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn files(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder), &mut found);
    found.sort();
    found.into_iter().filter_map(|path| Some((path.clone(), std::fs::read_to_string(path).ok()?))).collect()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.extension().and_then(|extension| extension.to_str()) {
            _ if entry.file_type().is_ok_and(|kind| kind.is_dir()) => collect(&path, found),
            Some("yaml" | "yml") => found.push(path),
            _ => {}
        }
    }
}

/// What is done with one document as one reader reads it.
fn each_document(mut visit: impl FnMut(&Path, &File<'_>, &Document<'_>, Reader, &Value)) {
    for (path, text) in files("corpus") {
        let Ok(file) = parse(text.as_bytes()) else { continue };
        for document in
            file.documents.iter().filter(|document| !document.is_empty() && document.unknown_layout.is_none())
        {
            for reader in READERS {
                if let Ok(value) = document.to_value(reader) {
                    visit(&path, &file, document, reader, &value);
                }
            }
        }
    }
}

fn made(path: &Path, file: &File<'_>, number: usize, wanted: &Value, reader: Reader) -> Option<Edited> {
    match check_edit(file, number, wanted, reader) {
        Ok(edited) => Some(edited),
        Err(refused) => {
            assert!(refused.reason != Reason::Mismatch, "{}: {wanted}", path.display());
            None
        }
    }
}

#[test]
fn the_corpus_and_the_example_folders_are_read_and_their_parts_add_up() {
    let corpus = files("corpus");
    assert!(corpus.len() >= 8);
    for (_, text) in corpus.into_iter().chain(files("folders")) {
        fuzz_parse(text.as_bytes());
    }
}

#[test]
fn f30_every_scalar_of_the_corpus_can_be_changed_one_at_a_time() {
    let (mut done, mut kept, mut turn) = (0_usize, 0_usize, 0_usize);
    each_document(|path, file, document, reader, value| {
        for pointer in leaves::pointers(value) {
            for _ in 0..2 {
                turn += 1;
                let mut wanted = value.clone();
                let fresh = match turn % 7 {
                    0 => json!(turn),
                    1 => json!(turn.is_multiple_of(2)),
                    _ => json!(change::TEXTS[turn % change::TEXTS.len()]),
                };
                *wanted.pointer_mut(&pointer).unwrap() = fresh;
                let Some(edited) = made(path, file, document.number, &wanted, reader) else { continue };
                if edited.refused.is_empty() {
                    done += 1;
                } else {
                    kept += 1;
                    assert!(
                        edited
                            .refused
                            .iter()
                            .all(|refused| matches!(refused.reason.category(), "shared-value" | "substituted-value")),
                        "{}: {pointer}: {:?}",
                        path.display(),
                        edited.refused
                    );
                }
                // An item whose identity changes is another item.
                let last = pointer.rsplit('/').next().unwrap_or_default();
                if !["name", "key", "port", "containerPort", "protocol", "mountPath"].contains(&last) {
                    comments_survive(file, document, &edited);
                }
            }
        }
    });
    assert!(done > 550 && kept * 10 < done, "{done} made, {kept} refused");
}

/// A scalar that becomes a scalar takes no comment along.
fn comments_survive(file: &File<'_>, document: &Document<'_>, edited: &Edited) {
    let result = parse(edited.text.as_bytes()).unwrap();
    let before: Vec<_> = document.comments.iter().map(|comment| file.slice(*comment)).collect();
    let after = &result.documents[document.number - 1];
    let after: Vec<_> = after.comments.iter().map(|comment| result.slice(*comment)).collect();
    assert_eq!(before, after, "{}", edited.text);
}

#[test]
fn f40_every_key_and_item_of_the_corpus_can_be_removed_one_at_a_time() {
    let mut done = 0_usize;
    each_document(|path, file, document, reader, value| {
        check_removal(file, document.number);
        for pointer in leaves::pointers(value) {
            // The leaf, and everything around it.
            for (cut, _) in pointer.match_indices('/').skip(1).chain([(pointer.len(), "")]) {
                let mut wanted = value.clone();
                let (parent, last) = pointer[..cut].rsplit_once('/').unwrap();
                match wanted.pointer_mut(parent).unwrap() {
                    Value::Object(object) => drop(object.remove(&last.replace("~1", "/").replace("~0", "~"))),
                    Value::Array(items) => drop(items.remove(last.parse().unwrap())),
                    _ => unreachable!("a pointer leads through collections"),
                }
                let Some(edited) = made(path, file, document.number, &wanted, reader) else { continue };
                done += usize::from(edited.refused.is_empty());
            }
        }
    });
    assert!(done > 300, "{done} made");
}

#[test]
fn f41_every_list_of_the_corpus_can_be_turned_around() {
    let mut done = 0_usize;
    each_document(|path, file, document, reader, value| {
        for pointer in leaves::pointers(value) {
            for (cut, _) in pointer.match_indices('/').skip(1) {
                let mut wanted = value.clone();
                let Some(Value::Array(items)) = wanted.pointer_mut(&pointer[..cut]) else { continue };
                items.reverse();
                let Some(edited) = made(path, file, document.number, &wanted, reader) else { continue };
                done += usize::from(edited.refused.is_empty() && !edited.changes.is_empty());
            }
        }
    });
    assert!(done > 10, "{done} made");
}
