//! The harness of Namespace Class: a real control plane in seconds, and helpers that read as the problem does.
//!
//! [`ControlPlane::start`] gives a kube-apiserver with etcd and kube-controller-manager on loopback; [`ControlPlane::shared`]
//! the one that all tests of a test binary use, kept apart by names ([`World`]). [`eventually`] waits for a state and says what
//! it saw last, [`Audit`] tells who wrote what how often, [`Program`] runs our own binaries beside it. Nothing that is started
//! here outlives the process that started it, however that ends.
#![allow(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "the harness, the demo and the generator talk to the person at the terminal"
)]

pub mod assets;
pub mod audit;
pub mod control_plane;
mod eventually;
pub mod git_server;
pub mod helm;
mod http;
pub mod install;
mod interrupt;
pub mod node;
mod operator;
pub mod policies;
mod process;
mod program;
mod progress;
mod prometheus;
pub mod replica;
pub mod rights;
mod screen;
pub mod soak;
mod state;
pub mod webhook;
mod world;

pub use audit::Audit;
pub use control_plane::{ControlPlane, Identity, Options};
pub use eventually::{GENEROUS, eventually, eventually_within, holds_for};
pub use http::http_get;
pub use install::until_it_bites;
pub use interrupt::Interrupts;
pub use operator::{OPERATOR_NAMESPACE, Operator, OperatorOptions};
pub use process::{Process, ScratchDir};
pub use program::Program;
pub use prometheus::{Prometheus, check_metrics, promtool};
pub use replica::Replica;
pub use screen::Screen;
pub use world::World;
