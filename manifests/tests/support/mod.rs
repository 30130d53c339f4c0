//! What the tests of this crate share: folders in memory, and the real kustomize.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its own part")]

pub mod examples;
pub mod generate;
pub mod kustomize;
pub mod world;
