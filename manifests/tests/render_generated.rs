//! Generated folders, rendered by us and by the real kustomize (folders.md F16).
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "helpers of tests fail as tests do")]

mod support;

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use nsclass_manifests::folder::{Folder, Options};
use nsclass_manifests::verdict::Reason;
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
        // Without Go the recorded goldens of `folders.rs` stand in for it.
        return;
    };
    let cases = std::env::var("PROPTEST_CASES").ok().map_or(CASES, |cases| cases.parse().unwrap());
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let (valid, compared) = (Cell::new(0), Cell::new(0));
    let result = runner.run(&prop::collection::vec(any::<u16>(), 0..400), |numbers| {
        let files = folder(&mut Dice::new(&numbers));
        let ours = world::folder(&files, &Options::default());
        if std::env::var_os("WHY").is_some() {
            for finding in ours.verdict().refusals() {
                println!("WHY {} {}", finding.reason, finding.what);
            }
        }
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

/// Compares every root that we render; returns how many.
fn compare(kustomize: &std::path::Path, files: &Files, ours: &Folder) -> Result<u32, String> {
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
