//! One leader among the replicas of a process (scope.md S40–S42), by a Lease object of the API server.
//!
//! The rules are those of Kubernetes' own components: a holder renews its lease, others leave it alone until it has not changed for the
//! lease's duration, and every write stands on the version that was seen. [`Elector`] is the rules as a value: it is told what was seen
//! and answered, and says what to do next. It has no clock: every moment is given to it, read off the monotonic clock of its process.
//!
//! # What holds, and on what it stands
//! At no instant do two processes believe to lead, because
//! - a leader believes only until [`Timing::renew_deadline`] after it **sent** its last successful write, answered or not since, and
//! - another takes over only when it has not seen the record change for at least [`Timing::lease`], which began after that write.
//!
//! This assumes that
//! - the API server is linearizable for one object and refuses a write on an old resourceVersion;
//! - in the time of one lease, the monotonic clocks of two processes do not drift apart by more than `lease` is to `renew_deadline`, and
//!   go on while a process stands still (a paused process is covered, a machine whose clocks stand still is not);
//! - identities are unique, and nobody but electors of the same configuration's order of magnitude writes the Lease.
//!
//! Wall clocks do not matter; the times in the record are for people. Where a person deletes or edits the Lease, the leader finds out by
//! its watch or next renewal, and until then two may believe: that is harmless (DESIGN decision 9), and over within a retry period.

mod elector;
mod record;
mod timing;

pub use elector::{Action, Answer, Elector, Lost};
pub use record::{Record, Write};
pub use timing::{LONGEST_LEASE, Moment, Timing};
