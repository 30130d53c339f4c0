//! Generated folders, rendered by us and by the real kustomize (folders.md F16).
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "helpers of tests fail as tests do")]

mod support;

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};

use nsclass_manifests::folder::{Folder, Options};
use nsclass_manifests::verdict::Reason;
use serde_json::{Map, Value, json};
use support::examples::records;
use support::generate::{Dice, folder};
use support::kustomize;
use support::world::{self, Files};

/// How many folders are tried; `PROPTEST_CASES` asks for more.
const CASES: u32 = 96;

/// Refusals that are about namespaces of live objects only, and do not keep a root from being rendered.
const RENDERED_ALL_THE_SAME: [Reason; 2] = [Reason::NoNamespace, Reason::ConflictingNamespace];

#[test]
fn f16_generated_folders_render_as_kustomize_renders_them() {
    let Some(kustomize) = kustomize::find() else {
        // Without Go, what was recorded of it stands in.
        return compare_with_record();
    };
    let cases = std::env::var("PROPTEST_CASES").ok().map_or(CASES, |cases| cases.parse().unwrap());
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let (valid, compared) = (Cell::new(0), Cell::new(0));
    let result = runner.run(&prop::collection::vec(any::<u16>(), 0..400), |numbers| {
        let files = folder(&mut Dice::new(&numbers));
        let ours = world::folder(&files, &Options::default());
        valid.set(valid.get() + u32::from(ours.verdict().is_valid()));
        let roots = compare(kustomize, &files, &ours)
            .map_err(|text| TestCaseError::fail(format!("{text}\n{}", world::show(&files))))?;
        compared.set(compared.get() + roots);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    let (valid, compared) = (valid.get(), compared.get());
    println!("{cases} folders: {valid} valid, {compared} roots compared");
    assert!(compared * 4 > cases, "too few folders can be compared for the test to mean anything");
}

/// How many folders are recorded.
const RECORDED: usize = 32;

fn record_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/folders/generated.json")
}

#[test]
fn f16_recorded_folders_render_as_kustomize_rendered_them() {
    if let (true, Some(kustomize)) = (records(), kustomize::find()) {
        record(kustomize);
    }
    compare_with_record();
}

/// Compares our renders with what was recorded of kustomize.
fn compare_with_record() {
    let recorded: Vec<Value> = serde_json::from_str(&fs::read_to_string(record_path()).unwrap()).unwrap();
    assert_eq!(recorded.len(), RECORDED);
    for entry in recorded {
        let texts = entry["files"].as_object().unwrap().iter();
        let files: Files =
            texts.map(|(path, text)| (path.clone(), text.as_str().unwrap().as_bytes().to_vec())).collect();
        let ours = world::folder(&files, &Options::default());
        assert!(ours.verdict().is_valid(), "{}\n{}", ours.verdict().message(), world::show(&files));
        for root in ours.renders() {
            let at = ours.graph().node(root.root).directory.to_string();
            assert_eq!(json!(world::rendered(&ours, root)), entry["roots"][&at], "{at}\n{}", world::show(&files));
        }
    }
}

/// Records what kustomize makes of some valid folders that render to something.
fn record(kustomize: &Path) {
    let mut runner = TestRunner::deterministic();
    let mut recorded = Vec::new();
    while recorded.len() < RECORDED {
        let numbers = prop::collection::vec(any::<u16>(), 100..400).new_tree(&mut runner).unwrap().current();
        let files = folder(&mut Dice::new(&numbers));
        let ours = world::folder(&files, &Options::default());
        if !ours.verdict().is_valid() || ours.renders().is_empty() {
            continue;
        }
        let directory = tempfile::tempdir().unwrap();
        world::store(&files, directory.path());
        let roots = ours.renders().iter().map(|root| {
            let at = ours.graph().node(root.root).directory.clone();
            let theirs = kustomize::build_directory(kustomize, &directory.path().join(at.as_str())).unwrap();
            (at.to_string(), json!(world::comparable(theirs)))
        });
        let roots: Map<String, Value> = roots.collect();
        let texts = files.iter().map(|(path, bytes)| (path.clone(), json!(String::from_utf8_lossy(bytes))));
        recorded.push(json!({"files": texts.collect::<Map<_, _>>(), "roots": roots}));
    }
    fs::write(record_path(), serde_json::to_string_pretty(&recorded).unwrap() + "\n").unwrap();
}

/// Compares every root that we render; returns how many.
fn compare(kustomize: &Path, files: &Files, ours: &Folder) -> Result<u32, String> {
    let refusals = ours.verdict().refusals();
    if refusals.iter().any(|finding| !RENDERED_ALL_THE_SAME.contains(&finding.reason)) {
        return Ok(0);
    }
    let directory = tempfile::tempdir().unwrap();
    world::store(files, directory.path());
    for root in ours.renders() {
        let at = ours.graph().node(root.root).directory.clone();
        let theirs = kustomize::build_directory(kustomize, &directory.path().join(at.as_str()))
            .map_err(|error| format!("kustomize refuses {at}, we do not: {error}"))?;
        let (ours, theirs) = (world::rendered(ours, root), world::comparable(theirs));
        if ours != theirs {
            return Err(format!("{at} renders as\n{ours:#?}\nbut kustomize says\n{theirs:#?}"));
        }
    }
    Ok(u32::try_from(ours.renders().len()).unwrap())
}
