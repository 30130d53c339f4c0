//! A mixed soak: random labels, switches, edits, deletions, kind removals, tenants' edits and restarts over many namespaces of a real
//! control plane, against a model that says what must be there in the end.
//!
//! `cargo soak -- --help`; a short one is a test of its own (`tests/tests/soak.rs`).

mod check;
mod event;
mod model;
mod play;
mod pool;

use std::fmt;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tokio::time::{Instant, sleep};

use crate::{ControlPlane, Options, World, eventually_within};
use event::Event;
use model::Model;
use play::Stage;

/// How long the world may take to become what the model says, after the last event.
const SETTLING: Duration = Duration::from_secs(300);

/// How often the admin confirms what the mass-delete guard holds.
const CONFIRMING: Duration = Duration::from_secs(1);

/// What is played.
#[derive(Debug, Clone)]
pub struct Soak {
    /// How long events happen.
    pub span: Duration,
    /// Namespaces at most.
    pub namespaces: usize,
    /// Time between two events.
    pub pause: Duration,
    /// How often the controller is killed, spread over the span.
    pub kills: u32,
    /// Where the dice begin; the same seed plays the same events, the machine's timing aside.
    pub seed: u64,
}

/// How it went.
#[derive(Debug)]
pub struct Played {
    /// Events that happened.
    pub events: usize,
    /// Kills of the controller.
    pub kills: u32,
    /// Objects in the end.
    pub objects: usize,
    /// Writes of the controller, without events and leases.
    pub writes: usize,
    /// Writes that an operator needs at most for what happened.
    pub allowed: usize,
    /// From the last event to the state that the model says.
    pub settled: Duration,
}

impl fmt::Display for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { events, kills, objects, writes, allowed, settled } = self;
        write!(
            f,
            "{events} events, {kills} kills; {objects} objects as the model says, {settled:.1?} after the last event; \
             {writes} writes of at most {allowed}"
        )
    }
}

impl Soak {
    /// Plays it on a control plane of its own.
    ///
    /// # Errors
    /// When the world does not become what the model says, when an object is in no inventory after a kill, or when there were more
    /// writes than what happened can need; with the seed.
    pub async fn run(&self) -> Result<Played> {
        eprintln!("soak: seed {}", self.seed);
        self.play().await.with_context(|| format!("soak with seed {}", self.seed))
    }

    async fn play(&self) -> Result<Played> {
        let cp = ControlPlane::start(Options::default()).await?;
        let world = World::new(&cp, "soak");
        let mut dice = fastrand::Rng::with_seed(self.seed);
        let mut model = Model::new(self.namespaces);
        let mut stage = Stage::set(&cp, world).await?;
        let mark = cp.audit().mark().await?;

        let start = Instant::now();
        let (mut events, mut kills, mut last_confirmed) = (0, 0, start);
        while start.elapsed() < self.span {
            let event = if self.kill_is_due(kills, start.elapsed()) { Event::Kill } else { model.draw(&mut dice) };
            if stage.perform(&event, &model).await.with_context(|| format!("event {events}: {event:?}"))? {
                kills += u32::from(event == Event::Kill);
                model.happen(&event);
                events += 1;
            }
            if last_confirmed.elapsed() >= CONFIRMING {
                stage.confirm().await?;
                last_confirmed = Instant::now();
            }
            sleep(self.pause).await;
        }
        for event in model.endings() {
            eventually_within(SETTLING, format!("{event:?} can happen"), async || {
                stage.confirm().await?;
                ensure!(stage.perform(&event, &model).await?, "not yet");
                Ok(())
            })
            .await?;
            model.happen(&event);
        }

        let last = Instant::now();
        let expected = model.expected(stage.world());
        eventually_within(SETTLING, "the world is what the model says", async || {
            stage.ensure_running()?;
            stage.confirm().await?;
            check::ensure_equal(stage.world(), &expected).await
        })
        .await?;
        let settled = last.elapsed();
        let requests = cp.audit().since(mark).await?.writes().by_agent("nsclass-controller");
        let counted = requests.filter(|r| !r.resource.starts_with("events") && !r.resource.starts_with("leases"));
        let allowed = model.allowed_writes(start.elapsed());
        ensure!(counted.len() <= allowed, "{} writes, of at most {allowed}:\n{counted}", counted.len());
        let (objects, writes) = (expected.len(), counted.len());
        Ok(Played { events, kills, objects, writes, allowed, settled })
    }

    fn kill_is_due(&self, done: u32, elapsed: Duration) -> bool {
        done < self.kills
            && elapsed.as_secs_f64() >= self.span.as_secs_f64() * f64::from(done + 1) / f64::from(self.kills + 1)
    }
}
