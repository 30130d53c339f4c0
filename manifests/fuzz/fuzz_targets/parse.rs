//! Any bytes are read or refused; what is read adds up. The body is that of the stable tests.
#![no_main]

#[path = "../../tests/laws/mod.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::fuzz_parse(bytes));
