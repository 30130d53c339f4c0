//! One namespace's reconcile as a pure machine: observed facts in, one step at a time out.
//!
//! ```text
//! Observed ──begin──▶ Pass ──next_step──▶ Step ──(the shell does it)──▶ Outcome ──record──▶ Pass … ──▶ Report
//! ```
//!
//! A [`Pass`] never waits, reads a clock or talks to anybody. The shell carries out what [`Pass::next_step`] says and tells it what came of
//! it, so a test can stop it before and after any step and start again from what the server then holds.
//!
//! Invariants, each a property test in `shared/tests/plan_laws.rs`:
//! - an object's identity is in the stored inventory before its create is asked for (class.md C30);
//! - an object applied in a pass is never deleted in it (DESIGN decision 7);
//! - a delete names a UID, and only of an object whose marks name itself (C40);
//! - a finished state has no steps, and a pass cut anywhere and run again ends in the state of an undisturbed one.

mod apply;
mod drift;
mod intent;
mod licensed;
mod live;
mod loss;
mod observed;
mod pass;
mod prune;
mod rank;
mod rebuild;
mod rendering;
mod report;
mod settle;
mod step;
mod tasks;

pub use intent::{Intent, intent};
pub use live::{EXACT_ROOTS, Held, LiveObject, Ownership};
pub use observed::{
    ClassFacts, ClassState, Desired, NamespaceFacts, NamespaceState, Observed, Protected, Refused, Rendering, Suspect,
    Suspended, Waiting,
};
pub use pass::Pass;
pub use rank::Rank;
pub use rebuild::{Search, damage};
pub use rendering::{protection, rendering, short_hash};
pub use report::{Failure, Repair, Report, Requeue};
pub use step::{ObjectRef, Outcome, Precondition, Refusal, Step};
