//! The laws of scanning over damaged example folders, and the real kustomize over those that survive the damage.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "helpers of tests fail as tests do")]

mod folder_laws;
mod support;

use std::cell::Cell;

use folder_laws::{folder_of, fuzz_scan, text_of};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use support::examples;
use support::generate::Dice;
use support::{kustomize, world};

/// How many damaged folders are tried; `PROPTEST_CASES` asks for more.
const CASES: u32 = 384;

/// The examples in text form, but for the large ones and those that kustomize must not run.
fn seeds() -> Vec<Vec<u8>> {
    let examples = examples::all().into_iter().filter(|example| {
        !matches!(
            &*example.name,
            "alias-bomb" | "two-hundred-documents" | "long-blocks" | "remote-base" | "argo-remote-install"
        )
    });
    let mut seeds = Vec::new();
    for example in examples {
        let files = world::load_files(&example.directory.join("folder"));
        let text = text_of(files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())));
        // Valid folders are where the real kustomize has something to say.
        seeds.extend(std::iter::repeat_n(text, if example.is_supported { 8 } else { 1 }));
    }
    seeds
}

/// Damages a text the way hands and merges do: lines go, come twice, move, change their indent or a token.
fn damage(text: &[u8], dice: &mut Dice<'_>) -> Vec<u8> {
    const TOKENS: [&str; 36] = [
        "team-a",
        "team-b",
        "default",
        "\"\"",
        "null",
        "~",
        "yes",
        "12",
        "1.0",
        "0x1F",
        "2026-01-01",
        "[]",
        "{}",
        "[a, b]",
        "{a: b}",
        "&x",
        "*x",
        "<<: *x",
        "!!str",
        "!x",
        "|",
        ">-",
        "# c",
        "---",
        "...",
        "- ",
        "? a",
        ": ",
        "'",
        "\"",
        "\t",
        "namespace: team-a",
        "${X}",
        "a\u{a0}b",
        "\u{feff}",
        "é",
    ];
    let mut lines: Vec<Vec<u8>> = text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    for _ in 0..=dice.roll(3) {
        let at = dice.roll(lines.len().max(1));
        let Some(line) = lines.get(at).cloned() else { continue };
        let token = TOKENS[dice.roll(TOKENS.len())];
        match dice.roll(9) {
            0 => {
                lines.remove(at);
            }
            1 => lines.insert(at, line),
            2 => {
                let other = dice.roll(lines.len());
                lines.swap(at, other);
            }
            3 => lines[at] = [b"  ".as_slice(), &line].concat(),
            4 => lines[at] = line.strip_prefix(b"  ").unwrap_or(&line).to_vec(),
            5 => {
                let text = String::from_utf8_lossy(&line).into_owned();
                let key = text.split_once(':').map_or(text.trim_end(), |(key, _)| key);
                lines[at] = format!("{key}: {token}\n").into_bytes();
            }
            6 => lines.insert(at, format!("{token}\n").into_bytes()),
            7 => {
                let mut line = line;
                let place = dice.roll(line.len());
                line.splice(place..place, token.bytes());
                lines[at] = line;
            }
            _ => {
                let mut line = line;
                let place = dice.roll(line.len());
                line.remove(place);
                lines[at] = line;
            }
        }
    }
    lines.concat()
}

#[test]
fn f16_f19_damaged_folders_keep_the_laws_and_what_is_still_valid_renders_as_kustomize_renders_it() {
    let cases = std::env::var("PROPTEST_CASES").ok().map_or(CASES, |cases| cases.parse().unwrap());
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let seeds = seeds();
    let (valid, compared) = (Cell::new(0), Cell::new(0));
    let result = runner.run(&(0..seeds.len(), prop::collection::vec(any::<u16>(), 1..24)), |(seed, numbers)| {
        let text = damage(&seeds[seed], &mut Dice::new(&numbers));
        let folder = fuzz_scan(&text);
        if folder.verdict().is_valid() {
            valid.set(valid.get() + 1);
            let count = agree(&text, &folder)
                .map_err(|error| TestCaseError::fail(format!("{error}\n{}", String::from_utf8_lossy(&text))))?;
            compared.set(compared.get() + count);
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    println!("{cases} folders, {} still valid, {} roots compared", valid.get(), compared.get());
    assert!(valid.get() * 10 > cases, "too few folders survive for the test to mean anything");
}

/// The real kustomize makes the same of every root.
fn agree(text: &[u8], folder: &nsclass_manifests::folder::Folder) -> Result<u32, String> {
    let Some(kustomize) = kustomize::find() else { return Ok(0) };
    let directory = tempfile::tempdir().unwrap();
    let files = folder_of(text).into_iter().map(|(path, bytes)| (path.to_string(), bytes)).collect();
    world::store(&files, directory.path());
    for root in folder.renders() {
        let at = folder.graph().node(root.root).directory.clone();
        let theirs = kustomize::build_directory(kustomize, &directory.path().join(at.as_str()))
            .map_err(|error| format!("kustomize refuses {at}, we do not: {error}"))?;
        let (ours, theirs) = (world::rendered(folder, root), world::comparable(theirs));
        if ours != theirs {
            return Err(format!("{at} renders as\n{ours:#?}\nbut kustomize says\n{theirs:#?}"));
        }
    }
    Ok(u32::try_from(folder.renders().len()).unwrap())
}
