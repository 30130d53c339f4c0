//! The seeds of the fuzz target `scan` are the example folders, and keep the laws as they are.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail as tests do")]

mod folder_laws;
mod support;

use std::fs;
use std::path::Path;

use folder_laws::{fuzz_scan, text_of};
use support::{examples, world};

#[test]
fn every_seed_is_an_example_and_keeps_the_laws() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds_scan");
    let mut count = 0;
    for example in examples::all() {
        let path = seeds.join(&example.name);
        if !path.exists() && !examples::records() {
            continue;
        }
        let files = world::load_files(&example.directory.join("folder"));
        let text = text_of(files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())));
        if examples::records() {
            fs::write(&path, &text).unwrap();
        }
        assert!(fs::read(&path).unwrap() == text, "{}: NSCLASS_RECORD=1 writes the seed anew", example.name);
        fuzz_scan(&text);
        count += 1;
    }
    assert!(count > 80, "only {count} seeds");
    assert_eq!(count, fs::read_dir(seeds).unwrap().count(), "a seed has no example");
}
