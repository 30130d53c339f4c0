//! Random changes of random folders (folders.md F30-F33): what is written renders to what is live, by us and by the real
//! kustomize; nothing else changes; a second run changes nothing.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "helpers of tests fail as tests do")]

mod support;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use nsclass_manifests::folder::{Folder, Options};
use nsclass_manifests::identity::LiveId;
use nsclass_manifests::kinds::{KindTable, Kinds};
use nsclass_manifests::plan::{Change, NewFiles, Plan, Policy, plan};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use support::generate::{Dice, folder};
use support::kustomize;
use support::world::{self, Files};

/// How many folders are tried; `PROPTEST_CASES` asks for more.
const CASES: u32 = 128;

/// Every live object of a folder.
fn objects(folder: &Folder) -> BTreeMap<LiveId, Value> {
    let mut objects = BTreeMap::new();
    for file in folder.tree().files() {
        for (index, value) in folder.values(&file.path).unwrap() {
            if let Some(live) = &folder.documents()[index].live {
                objects.insert(live.clone(), value);
            }
        }
    }
    objects
}

fn kinds(folder: &Folder) -> KindTable {
    let mut kinds = KindTable::builtin();
    for kind in folder.tree().definitions() {
        kinds.insert_if_unknown(&kind.group, &kind.kind, &kind.resource, kind.scope);
    }
    kinds
}

/// Changes one object as users do.
fn mutate(dice: &mut Dice<'_>, object: &mut Value) {
    let texts = ["x", "yes", "0644", "1_000", "line\nline\n", "", "2020-01-01", "a: b", "# no comment", " lead", "é"];
    let text = texts[dice.roll(texts.len())];
    match dice.roll(8) {
        0 => object["metadata"]["labels"]["changed"] = json!(text),
        1 => object["metadata"]["annotations"]["changed"] = json!(text),
        2 => object["data"]["k"] = json!(text),
        3 => object["spec"]["added"] = json!({"list": [1, text, {"a": null, "b": true}], "n": 1.5}),
        4 if object["subjects"].is_array() => {
            object["subjects"].as_array_mut().unwrap().reverse();
        }
        5 if object["subjects"].is_array() => {
            object["subjects"]
                .as_array_mut()
                .unwrap()
                .push(json!({"kind": "ServiceAccount", "name": "a", "namespace": "team-a"}));
        }
        6 => {
            let object = object.as_object_mut().unwrap();
            object.remove("spec");
        }
        _ => object["metadata"]["labels"] = json!({}),
    }
    object["metadata"]["uid"] = json!("1");
}

/// The files with a plan's changes made.
fn applied(files: &Files, plan: &Plan) -> Files {
    let mut files = files.clone();
    for (path, change) in &plan.files {
        match &change.after {
            Some(bytes) => files.insert(path.to_string(), bytes.to_vec()),
            None => files.remove(path.as_str()),
        };
    }
    files
}

/// Plans random changes of a folder and checks everything about the plan. Returns how many objects were written.
fn attempt(dice: &mut Dice<'_>, files: &Files) -> Result<u32, String> {
    let options = Options::default();
    let before = world::folder(files, &options);
    if !before.verdict().is_valid() {
        return Ok(0);
    }
    let old = objects(&before);
    let kinds = kinds(&before);
    let mut wanted: BTreeMap<LiveId, Option<Value>> = BTreeMap::new();
    let mut changes = Vec::new();
    for (live, value) in &old {
        match dice.roll(6) {
            1..=3 => {
                let mut value = value.clone();
                mutate(dice, &mut value);
                changes.push(Change::Put(value.clone()));
                value["metadata"].as_object_mut().unwrap().remove("uid");
                wanted.insert(live.clone(), Some(value));
            }
            4 => {
                changes.push(Change::Delete(live.clone()));
                wanted.insert(live.clone(), None);
            }
            _ => {}
        }
    }
    if dice.rarely(3) {
        let value = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "new", "namespace": "team-a"}, "data": {"a": "on"}});
        let live = LiveId {
            group: "".into(),
            resource: "configmaps".into(),
            namespace: Some("team-a".into()),
            name: "new".into(),
        };
        changes.push(Change::Put(value.clone()));
        wanted.insert(live, Some(value));
    }
    let new_files = if dice.rarely(2) { NewFiles::Contextual } else { NewFiles::Explicit };
    let policy = Policy { new_files, ..Policy::default() };
    // A refusal is always allowed; writing something else than what is live never is.
    let Ok(plan) = plan(&before, &kinds, &options, policy, &changes) else { return Ok(0) };
    let refused: BTreeSet<usize> = plan.refused.iter().map(|(at, _)| *at).collect();
    let files_after = applied(files, &plan);
    let after = world::folder_with(&files_after, &options, kinds.clone());
    if !after.verdict().is_valid() {
        return Err(format!("the folder is no longer valid: {}", after.verdict().message()));
    }
    if let Some(planned) = &plan.folder {
        let said = |folder: &Folder| -> Vec<String> {
            let documents = folder.documents().iter();
            documents
                .map(|document| format!("{} {:?} {:?}", document.title(), document.live, document.source))
                .collect()
        };
        if said(planned) != said(&after) || planned.verdict() != after.verdict() {
            return Err("the planned folder is not the one that a new scan finds".to_owned());
        }
    }
    let mut expected = old;
    for (live, value) in wanted {
        let is_this = |change: &Change| match change {
            Change::Put(put) => {
                put["metadata"]["name"] == *live.name
                    && kinds
                        .find(&live.group, put["kind"].as_str().unwrap())
                        .is_some_and(|info| info.resource == live.resource)
                    && put["metadata"]["namespace"].as_str() == live.namespace.as_deref()
            }
            Change::Delete(deleted) => *deleted == live,
        };
        if changes.iter().position(is_this).is_some_and(|at| refused.contains(&at)) {
            continue;
        }
        match value {
            Some(value) => expected.insert(live, value),
            None => expected.remove(&live),
        };
    }
    let is = objects(&after);
    let strip = |objects: &BTreeMap<LiveId, Value>| -> Vec<Value> {
        world::comparable(objects.values().map(world::without_nulls).collect())
    };
    if strip(&is) != strip(&expected) {
        return Err(format!("is {:#?}\nbut live is {:#?}\nchanges {changes:#?}", strip(&is), strip(&expected)));
    }
    let untouched = before.tree().files().filter(|file| !plan.files.contains_key(&file.path));
    if untouched.into_iter().any(|file| files_after[file.path.as_str()] != *file.bytes) {
        return Err("an untouched file changed".to_owned());
    }
    let accepted: Vec<Change> =
        changes.iter().enumerate().filter(|(at, _)| !refused.contains(at)).map(|(_, change)| change.clone()).collect();
    let puts: Vec<Change> = accepted.iter().filter(|change| matches!(change, Change::Put(_))).cloned().collect();
    let again = nsclass_manifests::plan::plan(&after, &kinds, &options, policy, &puts)
        .map_err(|refusal| format!("a second run is refused: {refusal}"))?;
    if !again.is_empty() || !again.refused.is_empty() {
        return Err(format!("a second run changes {again} and refuses {:?}", again.refused));
    }
    agree(&files_after, &after)?;
    Ok(u32::try_from(accepted.len()).unwrap())
}

/// The real kustomize sees the same objects in the folder that was written.
fn agree(files: &Files, folder: &Folder) -> Result<(), String> {
    let Some(kustomize) = kustomize::find() else { return Ok(()) };
    let directory = tempfile::tempdir().unwrap();
    world::store(files, directory.path());
    for root in folder.renders() {
        let at = folder.graph().node(root.root).directory.clone();
        let theirs = kustomize::build_directory(kustomize, &directory.path().join(at.as_str()))?;
        if world::rendered(folder, root) != world::comparable(theirs) {
            return Err(format!("kustomize renders {at} differently"));
        }
    }
    Ok(())
}

#[test]
fn f33_what_is_written_renders_to_what_is_live_and_nothing_else_changes() {
    let cases = std::env::var("PROPTEST_CASES").ok().map_or(CASES, |cases| cases.parse().unwrap());
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let written = Cell::new(0);
    let numbers = || prop::collection::vec(any::<u16>(), 0..300);
    let result = runner.run(&(numbers(), numbers()), |(shape, change)| {
        let files = folder(&mut Dice::new(&shape));
        let count = attempt(&mut Dice::new(&change), &files)
            .map_err(|text| TestCaseError::fail(format!("{text}\n{}", world::show(&files))))?;
        written.set(written.get() + count);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    println!("{cases} folders, {} changes written", written.get());
    assert!(written.get() * 4 > cases, "too few changes are written for the test to mean anything");
}
