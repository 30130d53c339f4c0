//! What a connection is doing, and how long it may.

use std::{
    sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed},
    time::Duration,
};

use tokio::time::Instant;

/// For a client that has said nothing yet.
const SILENT: Duration = Duration::from_secs(10);
/// Between two requests. Longer than the API server keeps an idle connection, so that it is the one to end it: then no request can
/// cross our end on the way.
const IDLE: Duration = Duration::from_secs(120);
/// Between two requests when we are about to stop.
const QUIET: Duration = Duration::from_secs(1);
/// From the first byte of a header to its end.
const HEADER: Duration = Duration::from_secs(5);
/// From the header to the answer's last byte. The request has shorter deadlines of its own; this one cuts clients that do not read.
const REQUEST: Duration = Duration::from_secs(20);
/// From our end of a connection to the client's.
const CLOSING: Duration = Duration::from_secs(2);

/// What a connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Phase {
    /// Nothing was said yet.
    Silent,
    /// Between requests.
    Idle,
    /// A header has begun.
    Header,
    /// A request is under way.
    Request,
    /// We have ended it.
    Closing,
}

impl Phase {
    const ALL: [Self; 5] = [Self::Silent, Self::Idle, Self::Header, Self::Request, Self::Closing];
}

/// Of one connection; shared by its socket, its requests and its watch, all in one task.
#[derive(Debug)]
pub(super) struct Pulse {
    born: Instant,
    phase: AtomicU8,
    /// When the phase began, in milliseconds after `born`.
    since: AtomicU64,
    stopping: AtomicBool,
}

impl Pulse {
    pub(super) fn new() -> Self {
        let phase = AtomicU8::new(Phase::Silent as u8);
        Self { born: Instant::now(), phase, since: AtomicU64::new(0), stopping: AtomicBool::new(false) }
    }

    pub(super) fn phase(&self) -> Phase {
        Phase::ALL[usize::from(self.phase.load(Relaxed)) % Phase::ALL.len()]
    }

    pub(super) fn enter(&self, phase: Phase) {
        self.phase.store(phase as u8, Relaxed);
        self.since.store(u64::try_from(self.born.elapsed().as_millis()).unwrap_or(u64::MAX), Relaxed);
    }

    /// Bytes came in.
    pub(super) fn heard(&self) {
        if matches!(self.phase(), Phase::Silent | Phase::Idle) {
            self.enter(Phase::Header);
        }
    }

    /// We stop soon: the next request had better go elsewhere.
    pub(super) fn stop(&self) {
        self.stopping.store(true, Relaxed);
    }

    /// When the phase has lasted too long.
    pub(super) fn deadline(&self) -> Instant {
        let patience = match self.phase() {
            Phase::Silent => SILENT,
            Phase::Idle if self.stopping.load(Relaxed) => QUIET,
            Phase::Idle => IDLE,
            Phase::Header => HEADER,
            Phase::Request => REQUEST,
            Phase::Closing => CLOSING,
        };
        self.born + Duration::from_millis(self.since.load(Relaxed)) + patience
    }
}
