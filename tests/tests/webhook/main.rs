//! The admission process on the real control plane, asked by the real API server.

mod classes;
mod git;
mod process;
mod raw;
mod replicas;
mod sizes;
mod stage;
