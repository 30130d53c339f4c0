//! When a core was away. A virtual machine's cores are taken from it for milliseconds at a time, about one part in a hundred of a busy
//! core's time; what came due meanwhile waited for that, and says nothing of the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use crate::cpu;

/// How often the witness looks.
const LOOK: Duration = Duration::from_micros(200);
/// Waking takes at most about a tenth of it where the core is there.
const LONG: Duration = Duration::from_micros(500);

/// A time without a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Away {
    pub(crate) from: Instant,
    pub(crate) to: Instant,
}

impl Away {
    /// Whether a request that was under way from `due` to `done` felt it: during it, or as long again behind it, which is what a server
    /// at half load takes to make up for it.
    pub(crate) fn touches(self, due: Instant, done: Instant) -> bool {
        due <= self.to + self.to.duration_since(self.from) && self.from <= done
    }
}

/// Sleeps on a core, before all others there, and writes down when it was woken much too late: nothing but the core itself can have been
/// missing.
pub(crate) struct Witness {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Vec<Away>>,
}

impl Witness {
    /// Begins to watch a core. Nothing where this process may not go before others: the witness would only see them.
    pub(crate) fn of(core: usize) -> Result<Option<Self>> {
        let stop = Arc::new(AtomicBool::new(false));
        let (told, ready) = std::sync::mpsc::channel();
        let watch = {
            let stop = stop.clone();
            move || {
                let placed = cpu::pin_thread(core).map(|()| cpu::favour_thread());
                let go = matches!(placed, Ok(true));
                let _ = told.send(placed);
                let mut found = Vec::new();
                while go && !stop.load(Relaxed) {
                    let from = Instant::now();
                    thread::sleep(LOOK);
                    let to = Instant::now();
                    if to.duration_since(from) > LOOK + LONG {
                        found.push(Away { from, to });
                    }
                }
                found
            }
        };
        let thread = thread::Builder::new().name("witness".to_owned()).spawn(watch)?;
        let is_first = ready.recv()??;
        Ok(is_first.then_some(Self { stop, thread }))
    }

    /// Ends, and says when the core was away.
    pub(crate) fn end(self) -> Result<Vec<Away>> {
        self.stop.store(true, Relaxed);
        self.thread.join().map_err(|_| anyhow!("the witness panicked"))
    }
}
