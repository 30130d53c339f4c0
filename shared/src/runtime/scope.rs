//! The scope at the edge: one task owns the index, and everybody else reads its snapshots.

mod handle;

pub use handle::ScopeHandle;
