//! Any change of any document of any file is made exactly, or refused. The body is that of the stable tests.
#![no_main]

#[path = "../../tests/laws/mod.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::fuzz_edit(bytes));
