//! The mass-delete guard (class.md C47): one slip must not empty every namespace of a class.
//!
//! Per class, in sliding ten minutes, only so many namespaces may lose objects by an edit of the class, by its deletion, or by losing
//! their label; the others keep theirs until the change is confirmed on the class, or undone. What counts is a [`Loss`]:
//!
//! - a switch to another class is none: its objects are there before the old ones go, and somebody named it for each namespace;
//! - neither is what a terminating namespace owes (C42), nor an object that is orphaned.
//!
//! A change that asks for more than the limit is *held*: it stays so, also when the ten minutes are over, or it would trickle through.
//! A small one that merely meets a full window waits for room.
//!
//! The [`Ledger`] is this process's memory of a class. What must outlive the process is in the class's status
//! ([`crate::api::GuardStatus`]): how much was let through, written *before* it happens and rounded up ([`Answer::RecordFirst`]), and
//! what is held. A process that takes over counts the recorded amount in full until its time is over, so that it can only be stricter
//! than the one before.

mod deletion;
mod held;
mod ledger;
mod loss;

use jiff::SignedDuration;

pub use deletion::{ClassInUse, deletion_refusal};
pub use held::{ClassView, HeldNamespace, condition, held};
pub use ledger::{Answer, Facts, Ledger, Waits};
pub use loss::{Loss, digest_of_deletion, digest_of_edit, digest_of_labels, is_confirmed};

/// How far back losses are counted.
pub const WINDOW: SignedDuration = SignedDuration::from_mins(10);

/// So many namespaces of a class may lose objects within [`WINDOW`], given how many have the class.
pub fn limit(bound: usize) -> usize {
    (bound * 3 / 10).max(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c47_the_limit_is_three_or_three_in_ten() {
        assert_eq!([0, 3, 10, 13, 14, 100, 10_000].map(limit), [3, 3, 3, 3, 4, 30, 3000]);
    }
}
