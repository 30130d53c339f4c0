//! The bodies of the fuzz targets with a fixed budget: over the seeds and the corpus, and mutations of them.

// Helpers of tests count as tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod laws;

use laws::{fuzz_edit, fuzz_parse};
use std::path::Path;

const ROUNDS: usize = 60;

fn seeds() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = ["fuzz/seeds", "tests/corpus"].map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    let mut paths: Vec<_> = files.into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// A generator that needs no crate and gives the same numbers everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }
}

/// Bytes that mean something to YAML, put in, taken out, or put in the place of others; lines doubled and cut.
fn mutate(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    const INTERESTING: &[u8] = b" \n:-#{}[],'\"|>&*!%?\t\\\r0x~.+=@`<$";
    for _ in 0..=numbers.below(3) {
        let at = numbers.below(bytes.len());
        let byte = INTERESTING[numbers.below(INTERESTING.len())];
        match numbers.below(5) {
            0 if at < bytes.len() => bytes[at] = byte,
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 => bytes.truncate(at),
            3 => {
                let end =
                    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |newline| at + newline + 1);
                let line = bytes[at..end].to_vec();
                bytes.splice(at..at, line);
            }
            _ => bytes.insert(at, byte),
        }
    }
}

#[test]
fn the_laws_hold_over_the_seeds_and_their_mutations() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for seed in seeds() {
        fuzz_parse(&seed);
        fuzz_edit(&seed);
        for _ in 0..ROUNDS {
            let mut bytes = seed.clone();
            mutate(&mut bytes, &mut numbers);
            fuzz_parse(&bytes);
            bytes.push(0);
            bytes.extend((0..24).map(|_| u8::try_from(numbers.below(256)).unwrap()));
            fuzz_edit(&bytes);
        }
    }
}
