//! What one process does about the lease, step by step.

use std::time::Duration;

use super::{LONGEST_LEASE, Moment, Record, Timing, Write};

/// The state of one candidate.
#[derive(Clone, Debug)]
pub struct Elector {
    identity: String,
    timing: Timing,
    seen: Seen,
    /// Whether what was seen is known to be old, so that it must be read before anything is written.
    doubtful: bool,
    /// Whether the Lease bore the mark of a release when it was last there. It outlives the Lease: an uninstallation takes the Lease away
    /// first, and whoever made it anew without the mark would bring back what was just removed.
    released: bool,
    /// When the claim of another holder ends by our clock. It outlives the Lease: one that is deleted may still have a leader.
    claimed_until: Moment,
    /// Leading, and until when without another successful write.
    leads_until: Option<Moment>,
    /// Who took the lease while we led.
    overtaken_by: Option<String>,
    /// No request before this moment.
    not_before: Moment,
    /// Conflicts since the last success.
    conflicts: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Seen {
    Nothing,
    Absent,
    Present(Record),
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing before this moment, unless the watch tells something.
    Wait(Moment),
    /// Read the Lease.
    Read,
    /// Write it.
    Write(Write),
    /// Leadership is over: stop at once. There is no way back for this process.
    Stop(Lost),
}

/// Why leadership is over.
#[derive(thiserror::Error, Clone, Debug, PartialEq, Eq)]
pub enum Lost {
    /// It could not be renewed in time.
    #[error("the lease was not renewed within the renew deadline")]
    Deadline,
    /// A person released the instance.
    #[error("the instance is released (nsclass release); nsclass release --undo lets it go on")]
    Released,
    /// Somebody else holds the Lease: it was edited, or deleted and made anew.
    #[error("the lease is held by {0}")]
    Overtaken(String),
}

/// What became of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It was done; the Lease is now this.
    Written(Record),
    /// The Lease is not as it was seen.
    Conflict,
    /// There was no answer, or another error: it may have been done, and may not.
    Failed,
}

impl Elector {
    /// A candidate that has seen nothing yet. `identity` must be unique among all processes there ever were.
    pub fn new(identity: impl Into<String>, timing: Timing) -> Self {
        Self {
            identity: identity.into(),
            timing,
            seen: Seen::Nothing,
            doubtful: true,
            released: false,
            claimed_until: Moment::default(),
            leads_until: None,
            overtaken_by: None,
            not_before: Moment::default(),
            conflicts: 0,
        }
    }

    /// Who it is.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Until when it leads without another successful write; none where it does not.
    pub fn leads_until(&self) -> Option<Moment> {
        self.leads_until.filter(|_| self.overtaken_by.is_none())
    }

    /// Who holds the Lease as it was last seen.
    pub fn holder(&self) -> Option<&str> {
        match &self.seen {
            Seen::Present(record) => record.holder.as_deref(),
            Seen::Nothing | Seen::Absent => None,
        }
    }

    /// How often the Lease had changed hands when it was last seen.
    pub fn transitions(&self) -> i32 {
        match &self.seen {
            Seen::Present(record) => record.transitions,
            Seen::Nothing | Seen::Absent => 0,
        }
    }

    /// Whether a person released the instance, as far as we have seen: then nobody is to lead.
    pub fn is_released(&self) -> bool {
        self.released
    }

    /// What to do at `now`.
    pub fn next(&self, now: Moment) -> Action {
        if let Some(holder) = &self.overtaken_by {
            return Action::Stop(Lost::Overtaken(holder.clone()));
        }
        if self.leads_until.is_some() && self.is_released() {
            return Action::Stop(Lost::Released);
        }
        if self.leads_until.is_some_and(|until| until <= now) {
            return Action::Stop(Lost::Deadline);
        }
        let must_read = self.doubtful || self.seen == Seen::Nothing;
        if self.is_released() && !must_read {
            // Until the watch tells that the mark is gone, or of a Lease without it.
            return Action::Wait(now + self.timing.lease);
        }
        let due = if must_read || self.leads_until.is_some() {
            self.not_before
        } else {
            self.not_before.max(self.claimed_until)
        };
        if now < due {
            return Action::Wait(self.leads_until.map_or(due, |until| until.min(due)));
        }
        if must_read { Action::Read } else { Action::Write(self.claim()) }
    }

    /// A read was answered: the Lease, or that there is none.
    pub fn read(&mut self, now: Moment, found: Option<Record>) {
        self.doubtful = false;
        self.take(now, found.map_or(Seen::Absent, Seen::Present));
    }

    /// A read was not answered.
    pub fn read_failed(&mut self, now: Moment) {
        self.not_before = now + self.pause();
    }

    /// The watch tells of the Lease, or (`deleted`) of the last state of one that is gone. It may be late.
    pub fn told(&mut self, now: Moment, record: Record, deleted: bool) {
        let newer = match &self.seen {
            Seen::Present(seen) => match (record.revision(), seen.revision()) {
                (Some(told), Some(known)) => told > known,
                _ => record.version != seen.version,
            },
            // What was there before it was deleted and what came after look alike.
            Seen::Absent => {
                self.doubtful = !deleted || self.doubtful;
                false
            }
            Seen::Nothing => false,
        };
        if newer {
            self.take(now, if deleted { Seen::Absent } else { Seen::Present(record) });
        }
    }

    /// The watch lists no Lease. It may be late: where we know of one, it is read again.
    pub fn told_of_none(&mut self) {
        self.doubtful |= matches!(self.seen, Seen::Present(_));
    }

    /// A write that was sent at `sent` came to an end.
    pub fn answered(&mut self, sent: Moment, now: Moment, answer: Answer) {
        match answer {
            Answer::Written(record) => {
                let held = record.holder.as_deref() == Some(self.identity.as_str());
                let until = sent + self.timing.renew_deadline;
                // A leader whose deadline passed meanwhile has stopped; an answer does not bring it back.
                let is_over = self.leads_until.is_some_and(|until| until <= now);
                self.read(now, Some(record));
                self.conflicts = 0;
                if held && until > now && !is_over {
                    self.leads_until = Some(until);
                    self.not_before = now + self.timing.retry_period;
                }
            }
            Answer::Conflict => {
                self.doubtful = true;
                self.conflicts = self.conflicts.saturating_add(1);
                // The first time it is read at once; after that somebody edits it again and again.
                self.not_before = if self.conflicts > 1 { now + self.timing.retry_period / 4 } else { now };
            }
            Answer::Failed => self.not_before = now + self.pause(),
        }
    }

    /// Stops leading in order, and gives the write that lets the next one in at once; none where the Lease is not ours.
    pub fn release(&mut self) -> Option<Write> {
        self.leads_until = None;
        match &self.seen {
            Seen::Present(record) if record.holder.as_deref() == Some(self.identity.as_str()) => Some(Write {
                over: Some(record.version.clone()),
                holder: None,
                duration: self.timing.lease,
                transitions: record.transitions,
                acquired: record.acquired,
            }),
            _ => None,
        }
    }

    fn take(&mut self, now: Moment, seen: Seen) {
        if self.seen == seen {
            return;
        }
        let holder = match &seen {
            Seen::Present(record) => record.holder.as_deref(),
            Seen::Nothing | Seen::Absent => None,
        };
        let is_mine = holder == Some(self.identity.as_str());
        match &seen {
            Seen::Present(record) if holder.is_some() && !is_mine => {
                self.claimed_until = now + self.believed(record.duration);
                if self.leads_until.is_some() {
                    self.overtaken_by.clone_from(&record.holder);
                }
            }
            Seen::Present(_) => self.claimed_until = Moment::default(),
            Seen::Nothing | Seen::Absent => {}
        }
        if self.leads_until.is_some() && !is_mine {
            // Deleted or emptied by somebody: it is written again before a standby finds it free.
            self.not_before = now;
        }
        if let Seen::Present(record) = &seen {
            self.released = record.released;
        }
        self.seen = seen;
    }

    /// How long the others' lease is left alone: as it says, but not less than our own configuration does, nor longer than any may.
    fn believed(&self, duration: Option<Duration>) -> Duration {
        duration.unwrap_or_default().min(LONGEST_LEASE).max(self.timing.lease)
    }

    /// After a failure a leader has a deadline to meet, and a standby has not.
    fn pause(&self) -> Duration {
        if self.leads_until.is_some() { self.timing.retry_period / 4 } else { self.timing.retry_period }
    }

    fn claim(&self) -> Write {
        let (over, transitions, acquired) = match &self.seen {
            Seen::Present(record) => {
                let is_mine = record.holder.as_deref() == Some(self.identity.as_str());
                let transitions = record.transitions.saturating_add(i32::from(!is_mine));
                (Some(record.version.clone()), transitions, record.acquired.filter(|_| is_mine))
            }
            Seen::Nothing | Seen::Absent => (None, 0, None),
        };
        Write { over, holder: Some(self.identity.clone()), duration: self.timing.lease, transitions, acquired }
    }
}

#[cfg(test)]
mod tests;
