//! What the parts of writing to Git share.

use std::sync::Arc;

use nsclass_shared::runtime::Latch;
use prometheus::IntGauge;
use tokio::sync::Semaphore;

use super::{board::Board, discovery::Discovery, objects::Objects, workers::Workers};
use crate::context::Context;

/// How many questions about authors are asked at the same time.
const QUESTIONS: usize = 8;

/// The parts, each safe to share.
pub struct LiveGit {
    /// Those of the whole process.
    pub context: Arc<Context>,
    /// The objects of our kinds.
    pub objects: Arc<Objects>,
    /// Which first lists are complete.
    pub listed: Listed,
    /// What the API server serves.
    pub discovery: Discovery,
    /// What was said last of streams and branches.
    pub board: Arc<Board>,
    /// Who writes.
    pub workers: Workers,
    /// Held by each question about an author.
    pub asking: Arc<Semaphore>,
    /// How many watches there are.
    pub streams: IntGauge,
}

/// First full lists of our kinds.
#[derive(Debug, Default)]
pub struct Listed {
    /// Of providers.
    pub providers: Latch,
    /// Of targets.
    pub targets: Latch,
    /// Of rules.
    pub rules: Latch,
    /// Of cluster rules.
    pub cluster_rules: Latch,
}

impl Listed {
    /// Each of them.
    pub fn all(&self) -> [&Latch; 4] {
        [&self.providers, &self.targets, &self.rules, &self.cluster_rules]
    }
}

impl LiveGit {
    /// Nothing is known yet.
    ///
    /// # Errors
    /// A metric of that name is there already.
    pub fn new(
        context: Arc<Context>,
        discovery: Discovery,
        board: Arc<Board>,
        workers: Workers,
    ) -> prometheus::Result<Self> {
        let streams = IntGauge::new("nsclass_git_streams", "Watches of live objects that are written to Git.")?;
        context.metrics.registry.register(Box::new(streams.clone()))?;
        Ok(Self {
            context,
            objects: Arc::default(),
            listed: Listed::default(),
            discovery,
            board,
            workers,
            asking: Arc::new(Semaphore::new(QUESTIONS)),
            streams,
        })
    }
}
