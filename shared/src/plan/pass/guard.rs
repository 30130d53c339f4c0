//! The question to the mass-delete guard (class.md C47), and what becomes of the pass.

use super::{Failure, Intent, Outcome, Pass, PruneTask, Reason, Requeue, Stage, Stale, Step, Tasks, tasks};
use crate::plan::loss::{self, loss};

impl Pass {
    /// Whether it came to its end, and not to that of what it stood on.
    pub fn has_ended(&self) -> bool {
        !self.stale
    }

    /// Whether the guard keeps objects here that would go.
    pub fn is_held(&self) -> bool {
        self.failures.iter().any(|failure| failure.reason == Reason::GuardEngaged)
    }

    pub(super) fn question(&self) -> Option<Step> {
        let prunes: Vec<&PruneTask> = self.prunes.iter().collect();
        loss(&self.observed, &self.intent, &prunes).map(|(class, loss)| Step::AskGuard { class, loss })
    }

    pub(super) fn record_answer(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::GuardPassed => self.stage = self.first,
            Outcome::GuardHolds(again) => {
                self.ask_again = again;
                self.keep_stale();
            }
            // Without an answer nothing goes.
            outcome => {
                if let Outcome::Refused(refusal) = outcome {
                    let message = format!("mass-delete guard: {}", refusal.message);
                    self.failures.push(Failure { object: None, reason: refusal.reason, message });
                }
                self.requeue = Some(Requeue::Backoff);
                self.stage = Stage::Over;
            }
        }
    }

    /// Plans again without deleting anything: what is new comes all the same.
    fn keep_stale(&mut self) {
        let stored = self.stored.as_ref();
        let class = stored.map_or("", |binding| &binding.spec.class_name);
        let kept: Vec<_> = self.prunes.iter().filter(|task| task.deletes()).map(PruneTask::entry).collect();
        let (reason, message) = (Reason::GuardEngaged, loss::message(class, &kept));
        let intent = match self.intent.clone() {
            Intent::Leave(namespace, _) => Intent::Hold(namespace, reason, message.clone()),
            intent => intent,
        };
        let holds = matches!(intent, Intent::Hold(..));
        let inventory = stored.and_then(|b| b.status.as_ref()).map(|s| s.inventory.clone()).unwrap_or_default();
        let Tasks { first, intent, inventory, applies, prunes, mut failures } =
            tasks(&self.observed, intent, inventory, Stale::Keep);
        if !holds {
            failures.insert(0, Failure { object: None, reason, message });
        }
        (self.intent, self.inventory, self.failures) = (intent, inventory, failures);
        (self.applies, self.prunes) = (applies.into(), prunes.into());
        self.stage = first;
    }
}
