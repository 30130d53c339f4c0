//! Which replica of the controller acts (scope.md S40–S42): the shell around [`nsclass_shared::lease::Elector`].
//!
//! ```text
//! Lease ──watch, read──▶ Elector (pure) ──write──▶ Lease
//!                           └──▶ LeaderGuard ◀── asked by the gate of the client, for every write
//! ```
//! A [`Candidate`] runs as one supervised task. Its end is the end of the process: a leader that lost its lease has no way back but a
//! restart, so nothing that it still remembers can act on old facts.

mod fence;
mod gate;
mod guard;
mod identity;
mod lease_api;
mod metrics;
mod standing;

use std::sync::Arc;

use anyhow::bail;
use futures::{Stream, StreamExt, pin_mut};
use nsclass_shared::lease::{Action, Answer, Elector, Lost, Moment, Timing};
use tokio_util::sync::CancellationToken;

pub use fence::Fence;
pub use gate::Gate;
pub use guard::{LeaderGuard, NotLeading};
pub use identity::identity;
pub use lease_api::{LeaseApi, WallClock};
use lease_api::{LeaseError, Told};
pub use metrics::LeaderMetrics;
pub use standing::{Standing, State};

/// A process that leads, or waits to.
pub struct Candidate {
    /// The Lease.
    pub lease: LeaseApi,
    /// Unique among all processes there ever were.
    pub identity: String,
    /// How long things take.
    pub timing: Timing,
    /// Told until when we lead.
    pub guard: LeaderGuard,
    /// Told how we stand.
    pub standing: Arc<Standing>,
    /// Counts.
    pub metrics: LeaderMetrics,
}

/// What ends a leader's term in order.
enum Next {
    Again,
    Leave,
}

impl Candidate {
    /// Takes part until `shutdown`; then writes are refused, those under way end, and a lease that is ours is released.
    ///
    /// # Errors
    /// Leadership was lost: the process must end.
    pub async fn run(self, shutdown: CancellationToken) -> anyhow::Result<()> {
        // Also when this task panics: nobody renews then, and nobody may go on writing until the deadline.
        let _closed_at_the_end = self.guard.closes_on_drop();
        let mut elector = Elector::new(&self.identity, self.timing);
        let told = self.lease.watch();
        pin_mut!(told);
        tracing::info!(lease = %self.lease, identity = self.identity, "taking part in the election of a leader");
        loop {
            self.show(&elector);
            match self.step(&mut elector, told.as_mut(), &shutdown).await? {
                Next::Again => {}
                Next::Leave => break,
            }
        }
        self.leave(elector).await;
        Ok(())
    }

    async fn step(
        &self,
        elector: &mut Elector,
        mut told: impl Stream<Item = Result<Told, LeaseError>> + Unpin,
        shutdown: &CancellationToken,
    ) -> anyhow::Result<Next> {
        let now = self.guard.now();
        match elector.next(now) {
            _ if shutdown.is_cancelled() => return Ok(Next::Leave),
            Action::Stop(lost @ Lost::Released) => {
                tracing::warn!(lease = %self.lease, "the instance is released: this replica stops writing and gives up its lease");
                self.leave(elector.clone()).await;
                bail!("{lost}; the process ends, and waits for that when it is started again");
            }
            Action::Stop(lost) => {
                self.guard.close();
                self.standing.stopping();
                self.metrics.leader.set(0);
                bail!("leadership is lost: {lost}; the process ends and another replica goes on");
            }
            Action::Wait(until) => {
                tokio::select! {
                    () = shutdown.cancelled() => return Ok(Next::Leave),
                    () = self.guard.sleep_until(until) => {}
                    event = told.next() => match event {
                        Some(event) => self.tell(elector, event),
                        None => bail!("the watch of the lease ended"),
                    },
                }
            }
            Action::Read => {
                let read = self.in_time(elector, now, self.lease.read());
                let read = tokio::select! {
                    () = shutdown.cancelled() => return Ok(Next::Leave),
                    read = read => read,
                };
                match read {
                    Ok(found) => elector.read(self.guard.now(), found),
                    Err(error) => {
                        elector.read_failed(self.guard.now());
                        self.failed("read", &error);
                    }
                }
            }
            // Carried to its end whatever happens: what is given up on may be done all the same, and would lock others out.
            Action::Write(write) => {
                let answer = match self.in_time(elector, now, self.lease.write(&write)).await {
                    Ok(record) => Answer::Written(record),
                    Err(LeaseError::Conflict) => Answer::Conflict,
                    Err(error) => {
                        self.failed("write", &error);
                        Answer::Failed
                    }
                };
                elector.answered(now, self.guard.now(), answer);
            }
        }
        Ok(Next::Again)
    }

    fn tell(&self, elector: &mut Elector, event: Result<Told, LeaseError>) {
        let now = self.guard.now();
        match event {
            Ok(Told::Is(record)) => elector.told(now, record, false),
            Ok(Told::Was(record)) => elector.told(now, record, true),
            Ok(Told::Nothing) => elector.told_of_none(),
            Ok(Told::Progress) => {}
            Err(error) => self.failed("watch", &error),
        }
    }

    /// A request at most for its time, and no longer than we lead: a leader whose deadline passes does not wait for an answer.
    async fn in_time<T>(
        &self,
        elector: &Elector,
        now: Moment,
        request: impl Future<Output = Result<T, LeaseError>>,
    ) -> Result<T, LeaseError> {
        let end = now + self.timing.request_timeout;
        let end = elector.leads_until().map_or(end, |until| until.min(end));
        tokio::select! {
            answer = request => answer,
            () = self.guard.sleep_until(end) => Err(LeaseError::NoAnswer),
        }
    }

    /// Says how things stand to whoever asks, first of all the guard.
    fn show(&self, elector: &Elector) {
        let leads_until = elector.leads_until();
        if let Some(until) = leads_until {
            self.guard.extend(until);
        }
        self.metrics.leader.set(i64::from(leads_until.is_some()));
        self.metrics.transitions.set(elector.transitions().into());
        let state = match (leads_until, elector.holder()) {
            (Some(_), _) => State::Leading,
            (None, _) if elector.is_released() => State::Released,
            (None, Some(holder)) if holder != self.identity => State::StandingBy(holder.to_owned()),
            _ => return,
        };
        if self.standing.is(&state) {
            return;
        }
        if state == State::Released {
            tracing::warn!(lease = %self.lease, "the instance is released: nothing is written before nsclass release --undo");
        } else if let State::StandingBy(leader) = &state {
            tracing::info!(leader, "standing by: caches are kept, nothing is written");
        } else {
            tracing::info!(identity = self.identity, transitions = elector.transitions(), "elected leader");
        }
        self.standing.set(state);
    }

    fn failed(&self, request: &'static str, error: &LeaseError) {
        self.metrics.failures.with_label_values(&[request]).inc();
        if self.standing.is_troubled_by(error) {
            tracing::debug!(lease = %self.lease, request, %error, "still so; it is tried again");
        } else if error.is_definite() {
            tracing::error!(lease = %self.lease, %error, "nobody can be elected; it is tried again and again");
            self.standing.trouble(error.to_string());
        } else {
            tracing::warn!(lease = %self.lease, request, %error, "a request about the lease failed; it is tried again");
        }
    }

    /// The flag first, then the work, then the lease: whoever takes it finds nothing of ours under way.
    async fn leave(&self, mut elector: Elector) {
        self.guard.close();
        self.standing.stopping();
        self.metrics.leader.set(0);
        if let Some(until) = elector.leads_until() {
            tokio::select! {
                () = self.guard.writes_ended() => {}
                () = self.guard.sleep_until(until) => {
                    tracing::warn!("writes are under way beyond the renew deadline; the lease is left to run out");
                    return;
                }
            }
        }
        match self.release(&mut elector).await {
            Ok(true) => tracing::info!(lease = %self.lease, "lease released"),
            Ok(false) => {}
            Err(error) => tracing::warn!(lease = %self.lease, %error, "lease not released; it runs out"),
        }
    }

    /// Returns whether there was something to release.
    async fn release(&self, elector: &mut Elector) -> Result<bool, LeaseError> {
        let Some(write) = elector.release() else { return Ok(false) };
        let now = self.guard.now();
        match self.in_time(elector, now, self.lease.write(&write)).await {
            // Edited since: once more, over what it is now.
            Err(LeaseError::Conflict) => {}
            answer => return answer.map(|_| true),
        }
        elector.read(now, self.in_time(elector, now, self.lease.read()).await?);
        match elector.release() {
            Some(write) => self.in_time(elector, now, self.lease.write(&write)).await.map(|_| true),
            None => Ok(false),
        }
    }
}
