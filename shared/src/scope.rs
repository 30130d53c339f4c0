//! Which namespaces are managed, as a value that any thread can ask (scope.md).
//!
//! ```text
//! observations ──▶ Index (one writer) ──publish──▶ Snapshot (immutable, shared) ──verdict──▶ whoever asks
//!                                         └──────▶ flips: what changed for somebody
//! ```
//! Invariants, each a property test in `scope/laws.rs`:
//! - whatever the order of events, and however many relists break off, the end is what a rebuild from the live namespaces gives (S08);
//! - flips are exactly the difference between one snapshot and the next (S21);
//! - counts and digest, which are kept up with each change, equal those of a rebuild (S51).

mod digest;
mod entry;
mod flip;
mod index;
#[cfg(test)]
mod laws;
mod rule;
mod selector;
mod snapshot;
mod tombstones;
mod verdict;

pub use digest::Digest;
pub use entry::{Entry, LastFlip, Observation};
pub use flip::{Direction, Flip};
pub use index::{Index, Published};
pub use rule::{Pick, ScopeRule};
pub use selector::{Selector, SelectorError};
pub use snapshot::Snapshot;
pub use verdict::Verdict;
