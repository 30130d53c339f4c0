//! What the conditions of the Git kinds say (kstatus: Ready, Reconciling while it goes on by itself, Stalled while somebody is needed).

mod provider;
mod rule;
mod target;

pub use provider::provider;
pub use rule::{Progress, RuleCounts, rule};
pub use target::{TargetFacts, target};

use super::fault::Fault;
use crate::api::Assessment;
use crate::reason::GitRemark;

/// Conditions by type, in the order in which they are shown.
pub type Conditions = Vec<(&'static str, Assessment)>;

/// Longest list of faults in one message.
const MOST_FAULTS: usize = 3;

/// How an object is, all in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Overall {
    /// All is as it should be.
    Ready(Word),
    /// Not yet, and it goes on by itself.
    Reconciling(Word),
    /// Not, and somebody has to do something.
    Stalled(Word),
}

/// Reason and message. The reason is a word of a vocabulary, whichever way one is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    reason: String,
    message: String,
}

impl Word {
    /// A reason and what is said with it, in a sentence.
    pub fn new(reason: GitRemark, message: impl Into<String>) -> Self {
        Self { reason: reason.to_string(), message: message.into() }
    }

    /// What another condition says already.
    fn of(assessment: &Assessment) -> Self {
        Self { reason: assessment.reason.clone(), message: assessment.message.clone() }
    }

    /// One fault.
    fn of_fault(fault: &Fault) -> Self {
        Self { reason: fault.reason.to_string(), message: fault.to_string() }
    }

    /// The first faults, and how many more there are.
    pub(crate) fn of_faults(faults: &[Fault]) -> Option<Self> {
        let first = faults.first()?;
        let shown: Vec<String> = faults.iter().take(MOST_FAULTS).map(ToString::to_string).collect();
        let more = faults.len().saturating_sub(MOST_FAULTS);
        let rest = if more > 0 { format!(" (and {more} more)") } else { String::new() };
        Some(Self { reason: first.reason.to_string(), message: shown.join(". ") + &rest })
    }

    pub(crate) fn is(self, status: Option<bool>) -> Assessment {
        Assessment { status, reason: self.reason, message: self.message }
    }
}

impl Overall {
    /// Ready, Reconciling and Stalled.
    pub(crate) fn conditions(self) -> Conditions {
        let no = |what| Word::new(what, String::new()).is(Some(false));
        match self {
            Self::Ready(word) => {
                vec![
                    ("Ready", word.is(Some(true))),
                    ("Reconciling", no(GitRemark::Ready)),
                    ("Stalled", no(GitRemark::Ready)),
                ]
            }
            Self::Reconciling(word) => vec![
                ("Ready", word.clone().is(Some(false))),
                ("Reconciling", word.is(Some(true))),
                ("Stalled", no(GitRemark::Reconciling)),
            ],
            Self::Stalled(word) => {
                let stalled = word.clone().is(Some(true));
                vec![("Ready", word.is(Some(false))), ("Reconciling", no(GitRemark::Stalled)), ("Stalled", stalled)]
            }
        }
    }
}

#[cfg(test)]
mod tests;
