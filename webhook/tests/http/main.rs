//! The admission port over real sockets, with validators made for the test behind the real gate.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests fail as tests do")]

mod bad_input;
mod client;
mod client_certificates;
mod deadlines;
mod gate;
mod port;
mod reviews;
mod stopping;
