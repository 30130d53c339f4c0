//! The admission process: judges what the API server asks about, over TLS, from memory but for what the author of a class may do.
//!
//! ```text
//! accept ─▶ handshake ─▶ header ─▶ body ─▶ decode ─▶ gate (scope) ─▶ validator ─▶ answer      each with a deadline
//! namespace watch ─▶ snapshot ──────────────────────┘                   ▲
//! discovery ─▶ kinds ───────────────────────────────────────────────────┤
//! SubjectAccessReviews about the author of a class ◀────────────────────┘
//! ```
//! [`run`] wires the parts and reads as their list.

pub mod answer;
pub mod args;
pub mod author;
pub mod classes;
mod dial;
pub mod failure;
pub mod gate;
pub mod git;
pub mod http;
pub mod kinds;
pub mod metrics;
mod ready;
pub mod review;
pub mod run;
pub mod scope;
pub mod server;
pub mod tls;
pub mod validator;
mod written;
