//! Any files are judged, and the judgement keeps its laws. The body is that of the stable tests; the seeds are the example
//! folders in one text each: `cargo +nightly fuzz run scan fuzz/corpus/scan fuzz/seeds_scan`.
#![no_main]

#[path = "../../tests/folder_laws/mod.rs"]
mod folder_laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    folder_laws::fuzz_scan(bytes);
});
