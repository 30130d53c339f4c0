//! The thread that starts every child.
//!
//! The kernel ties a parent-death signal to the *thread* that made the child, not to the process, and the threads of tests and
//! of runtimes come and go. This one stays until the process ends.

use std::env;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

struct Order {
    command: Command,
    reply: Sender<io::Result<Child>>,
}

static ORDERS: Mutex<Option<Sender<Order>>> = Mutex::new(None);

/// Starts `command` from the nursery's thread.
pub(super) fn spawn(command: Command) -> io::Result<Child> {
    let (reply, answer) = channel();
    let gone = || io::Error::other("the thread that starts children has ended");
    orders()?.send(Order { command, reply }).map_err(|_| gone())?;
    answer.recv().map_err(|_| gone())?
}

fn orders() -> io::Result<Sender<Order>> {
    let mut orders = ORDERS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(sender) = orders.as_ref() {
        return Ok(sender.clone());
    }
    let (sender, receiver) = channel();
    thread::Builder::new().name("nursery".to_owned()).spawn(move || serve(&receiver))?;
    Ok(orders.insert(sender).clone())
}

/// Never ends: the sender is in a static.
fn serve(orders: &Receiver<Order>) {
    for Order { mut command, reply } in orders {
        // `spawn` above always waits for the answer.
        let _ = reply.send(command.spawn());
    }
}

/// `setpriv` with `--pdeathsig` (util-linux), where there is one; without it the janitor does the work alone.
///
/// As a full path: a child's own `PATH`, which may be another, would decide otherwise.
pub(crate) fn setpriv() -> Option<&'static PathBuf> {
    static SETPRIV: OnceLock<Option<PathBuf>> = OnceLock::new();
    SETPRIV
        .get_or_init(|| {
            let path = env::var_os("PATH")?;
            let setpriv = env::split_paths(&path).map(|dir| dir.join("setpriv")).find(|program| program.is_file())?;
            let mut trial = Command::new(&setpriv);
            trial
                .args(["--pdeathsig", "KILL", "true"])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            trial.status().is_ok_and(|status| status.success()).then_some(setpriv)
        })
        .as_ref()
}
