//! What the tests of this crate share: folders in memory, and the real kustomize.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its own part")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot set itself up has failed"
)]

pub mod examples;
pub mod generate;
pub mod kustomize;
pub mod world;
