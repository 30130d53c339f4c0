//! What a Lease says, and what is written over it.

use std::time::Duration;

use jiff::Timestamp;

/// A Lease as it was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its resourceVersion.
    pub version: String,
    /// Who holds it; none where it was released.
    pub holder: Option<String>,
    /// How long its holder asked the others to wait; none where it does not say.
    pub duration: Option<Duration>,
    /// How often it changed hands.
    pub transitions: i32,
    /// When it last did, by its holder's wall clock: for people.
    pub acquired: Option<Timestamp>,
    /// A person released the instance: nobody is to lead.
    pub released: bool,
}

/// A write of the Lease. It must fail where the Lease is no longer as it was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The resourceVersion that it stands on; none where there was no Lease, so that it may only create one.
    pub over: Option<String>,
    /// The holder from now on; none releases it.
    pub holder: Option<String>,
    /// How long the others are asked to wait.
    pub duration: Duration,
    /// How often it changed hands, this time included.
    pub transitions: i32,
    /// When it changed hands; none means now.
    pub acquired: Option<Timestamp>,
}

impl Record {
    /// The resourceVersion as a number: those of one object only grow. None where it is no number.
    pub(super) fn revision(&self) -> Option<u64> {
        self.version.parse().ok()
    }
}
