//! The licence gate (scope.md S60–S62): which namespaces are gone on with when a licence is wanted, and none is valid.
//!
//! ```text
//! Secrets ──found──▶ licences ──state(clock)──▶ State ──gate(mode, first start, namespace)──▶ Open | Held
//! ```
//! All of it is a function of values that every replica reads alike: the documents, the clock, and of a namespace when the API server
//! made it and whether its binding records a class. Nothing here is remembered but what [`Record`] and the bindings keep, so neither a
//! restart nor another leader decides differently.
//!
//! A document is text, so that it can be pasted, mailed and kept in a `Secret`; see [`Terms`] for what it says and `deploy/LICENCE-GATE.md`
//! for the format.

mod clock;
mod document;
mod explain;
mod found;
mod gate;
mod key;
#[cfg(test)]
mod laws;
mod places;
mod record;
mod refusal;
mod state;

pub use clock::SteadyClock;
pub use document::{LONGEST_DOCUMENT, Licence, Terms, TermsError, read, sign};
pub use explain::{Explained, explain};
pub use found::{Found, Paper, Refused, found};
pub use gate::{Decision, Facts, GateMode, Why, gate};
pub use key::{KeyError, PublicKey, SigningKey};
pub use places::{Candidate, places};
pub use record::{RECORD_KEY, Record, SHOWN_KEY, Shown};
pub use refusal::Refusal;
pub use state::{Standing, State, state};
