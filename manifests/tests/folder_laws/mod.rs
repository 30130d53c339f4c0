//! The laws of scanning and judging, for whatever files: called by the tests of this crate with a fixed budget, and by the
//! fuzz target `scan` without one. A broken law panics.

// Each caller uses its own part of it; helpers of tests count as tests.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::sync::Arc;

use nsclass_manifests::folder::{Folder, Options};
use nsclass_manifests::judge;
use nsclass_manifests::kinds::KindTable;
use nsclass_manifests::limits::Limits;
use nsclass_manifests::path::FolderPath;
use nsclass_manifests::plan::{Change, Policy, plan};
use nsclass_manifests::scan::scan;
use nsclass_manifests::source::MapSource;

/// Begins the name of a file in the text form of a folder.
pub const HEAD: &[u8] = b"==> ";

/// A folder in one text: `==> path`, and the file's bytes up to the next such line.
pub fn folder_of(bytes: &[u8]) -> BTreeMap<FolderPath, Vec<u8>> {
    let mut files: BTreeMap<FolderPath, Vec<u8>> = BTreeMap::new();
    let mut current = None;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if let Some(name) = line.strip_prefix(HEAD) {
            let path = std::str::from_utf8(name).ok().and_then(|name| FolderPath::new(name.trim_end()).ok());
            current = path.filter(|path| !path.is_root());
        } else if let Some(path) = &current {
            files.entry(path.clone()).or_default().extend_from_slice(line);
        }
    }
    // A path cannot be a file and a directory at once.
    let names: Vec<FolderPath> = files.keys().cloned().collect();
    files.retain(|path, _| !names.iter().any(|other| other != path && other.is_within(path)));
    files
}

/// The text form of a folder.
pub fn text_of<'f>(files: impl IntoIterator<Item = (&'f str, &'f [u8])>) -> Vec<u8> {
    let mut text = Vec::new();
    for (path, bytes) in files {
        text.extend_from_slice(HEAD);
        text.extend_from_slice(path.as_bytes());
        text.push(b'\n');
        text.extend_from_slice(bytes);
        if !bytes.ends_with(b"\n") && !bytes.is_empty() {
            text.push(b'\n');
        }
    }
    text
}

fn kinds(source: &MapSource) -> KindTable {
    let mut kinds = KindTable::builtin();
    for kind in scan(source, &Limits::default()).definitions() {
        kinds.insert_if_unknown(&kind.group, &kind.kind, &kind.resource, kind.scope);
    }
    kinds
}

/// Everything that is said of a folder, for comparison.
fn said(folder: &Folder) -> String {
    let documents = folder.documents().iter().map(|document| {
        format!("{} {:?} {:?} {:?}\n", document.title(), document.live, document.source, document.diagnostic)
    });
    format!("{:?}\n{}", folder.verdict(), documents.collect::<Vec<_>>().concat())
}

/// Judging any files ends in a verdict whose findings say what and where, whichever way the files came to be there; a
/// valid folder can be rendered, and putting back what it renders to changes nothing. Returns the folder.
pub fn fuzz_scan(bytes: &[u8]) -> Folder {
    let files = folder_of(bytes);
    let shared = |bytes: &Vec<u8>| -> Arc<[u8]> { bytes.as_slice().into() };
    let source = MapSource::new(files.iter().map(|(path, bytes)| (path.clone(), shared(bytes))));
    let kinds = kinds(&source);
    let options = Options::default();
    let folder = judge(scan(&source, &Limits::default()), &kinds, &options);
    for finding in folder.verdict().findings() {
        let text = finding.to_string();
        assert!(!finding.what.is_empty() && text.len() < 3000 && !text.contains('\n'), "{text}");
        assert!(!finding.refuses() || !finding.remedy.is_empty(), "no remedy: {text}");
    }
    let again = judge(scan(&source, &Limits::default()), &kinds, &options);
    assert_eq!(said(&folder), said(&again), "one folder, one verdict");
    incremental(&folder, &files, &kinds);
    if folder.verdict().is_valid() {
        puts_back(&folder, &kinds);
    }
    folder
}

/// Rewriting a file as it is changes nothing. (That a changed file leads where a new scan leads is the law of plans.)
fn incremental(folder: &Folder, files: &BTreeMap<FolderPath, Vec<u8>>, kinds: &KindTable) {
    let read: Vec<&FolderPath> = folder.tree().files().map(|file| &file.path).collect();
    let Some(path) = read.first() else { return };
    let changes = [((*path).clone(), Some(files[*path].as_slice().into()))].into();
    assert_eq!(said(&folder.with(&changes, kinds, &Options::default())), said(folder), "{path} rewritten as it is");
}

fn puts_back(folder: &Folder, kinds: &KindTable) {
    let mut changes = Vec::new();
    for file in folder.tree().files() {
        for (index, value) in folder.values(&file.path).expect("a valid folder can be read") {
            if folder.documents()[index].live.is_some() {
                changes.push(Change::Put(value));
            }
        }
    }
    let plan = plan(folder, kinds, &Options::default(), Policy::default(), &changes).expect("putting back is allowed");
    assert!(plan.is_empty(), "putting back what is there changes\n{plan}{:?}", plan.files);
    for (_, refusal) in &plan.refused {
        assert!(matches!(refusal.category(), "secret" | "encrypted"), "{refusal}");
    }
}
