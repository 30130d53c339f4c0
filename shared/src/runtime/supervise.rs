//! Tasks that nobody forgets (DESIGN decision 15): one that ends early, or panics, takes the process down with a word why.

use std::{future::Future, time::Duration};

use thiserror::Error;
use tokio::{signal::unix, task::JoinSet, time};
use tokio_util::sync::CancellationToken;

/// How a task ended the process.
#[derive(Error, Debug)]
pub enum Ended {
    /// It returned although nobody asked it to.
    #[error("task {task} ended: {why}")]
    Early {
        /// Its name.
        task: &'static str,
        /// Its error, or that it had none.
        why: String,
    },
    /// It panicked.
    #[error("task {task} panicked")]
    Panicked {
        /// Its name.
        task: String,
    },
    /// It did not stop in time after shutdown began.
    #[error("not stopped within {0:?} after shutdown began")]
    TooSlow(Duration),
}

/// The tasks of a process.
#[derive(Debug)]
pub struct Supervisor {
    tasks: JoinSet<(&'static str, anyhow::Result<()>)>,
    names: Vec<(tokio::task::Id, &'static str)>,
    shutdown: CancellationToken,
}

impl Supervisor {
    /// Without tasks. They are asked to end through `shutdown`.
    pub fn new(shutdown: CancellationToken) -> Self {
        Self { tasks: JoinSet::new(), names: Vec::new(), shutdown }
    }

    /// Starts a task that must run until shutdown.
    pub fn spawn(&mut self, name: &'static str, task: impl Future<Output = anyhow::Result<()>> + Send + 'static) {
        let handle = self.tasks.spawn(async move { (name, task.await) });
        self.names.push((handle.id(), name));
    }

    /// Waits for shutdown, then for the tasks, at most `grace`.
    ///
    /// # Errors
    /// A task that ended before shutdown, one that panicked, or one that outlasted the grace. The others are asked to end first.
    pub async fn run(mut self, grace: Duration) -> Result<(), Ended> {
        let shutdown = self.shutdown.clone();
        let mut verdict = Ok(());
        tokio::select! {
            // First, so that a task which ends because of shutdown never counts as early.
            biased;
            () = shutdown.cancelled() => {}
            ended = self.tasks.join_next() => verdict = ended.map_or(Ok(()), |ended| Err(self.name(ended))),
        }
        shutdown.cancel();
        let rest = async {
            while let Some(ended) = self.tasks.join_next().await {
                match ended {
                    Ok((_, Ok(()))) => {}
                    other if verdict.is_ok() => verdict = Err(self.name(other)),
                    _ => {}
                }
            }
        };
        if time::timeout(grace, rest).await.is_err() && verdict.is_ok() {
            verdict = Err(Ended::TooSlow(grace));
        }
        verdict
    }

    fn name(&self, ended: Result<(&'static str, anyhow::Result<()>), tokio::task::JoinError>) -> Ended {
        match ended {
            Ok((task, Ok(()))) => Ended::Early { task, why: "without an error".into() },
            Ok((task, Err(error))) => Ended::Early { task, why: format!("{error:#}") },
            Err(error) => {
                let name = self.names.iter().find(|(id, _)| *id == error.id()).map_or("?", |(_, name)| name);
                Ended::Panicked { task: name.to_owned() }
            }
        }
    }
}

/// A task that begins shutdown when SIGTERM or SIGINT arrives.
///
/// # Errors
/// When the handlers cannot be installed: without them there is no orderly stop.
pub async fn stop_on_signal(shutdown: CancellationToken) -> anyhow::Result<()> {
    let mut terminate = unix::signal(unix::SignalKind::terminate())?;
    let mut interrupt = unix::signal(unix::SignalKind::interrupt())?;
    let signal = tokio::select! {
        () = shutdown.cancelled() => return Ok(()),
        _ = terminate.recv() => "SIGTERM",
        _ = interrupt.recv() => "SIGINT",
    };
    tracing::info!(signal, "stopping");
    shutdown.cancel();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRACE: Duration = Duration::from_secs(30);

    #[tokio::test]
    async fn fault07_a_task_that_panics_takes_the_others_down_and_is_named() {
        let shutdown = CancellationToken::new();
        let mut supervisor = Supervisor::new(shutdown.clone());
        let waits = shutdown.clone();
        supervisor.spawn("waits", async move {
            waits.cancelled().await;
            Ok(())
        });
        supervisor.spawn("panics", async { panic!("on purpose") });
        let ended = supervisor.run(GRACE).await.unwrap_err();
        assert_eq!(ended.to_string(), "task panics panicked");
        assert!(shutdown.is_cancelled());
    }

    #[tokio::test]
    async fn a_task_that_just_ends_is_an_error_and_after_shutdown_it_is_none() {
        let mut supervisor = Supervisor::new(CancellationToken::new());
        supervisor.spawn("brief", async { Ok(()) });
        assert_eq!(supervisor.run(GRACE).await.unwrap_err().to_string(), "task brief ended: without an error");

        let shutdown = CancellationToken::new();
        let mut supervisor = Supervisor::new(shutdown.clone());
        supervisor.spawn("brief", async move {
            shutdown.cancel();
            Ok(())
        });
        assert!(supervisor.run(GRACE).await.is_ok());
    }
}
