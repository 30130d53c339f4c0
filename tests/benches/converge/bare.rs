//! The control: a loop that applies the same objects, one request each and no record of anything.

use std::time::Duration;

use anyhow::{Context, Result};
use futures::{TryStreamExt, stream};
use kube::{
    Api, Client,
    api::{DynamicObject, Patch, PatchParams},
};
use nsclass_shared::plan::Desired;
use nsclass_tests::audit::Request;
use nsclass_tests::{ControlPlane, Identity};

use crate::{class, cost::Cost, window::Window};

/// Concurrencies to choose from.
const CONCURRENCIES: [usize; 5] = [4, 8, 16, 32, 64];

/// The loop.
pub(crate) struct Bare {
    client: Client,
    pub(crate) concurrency: usize,
}

impl Bare {
    /// With a client of its own, that has the controller's habits.
    pub(crate) fn new(cp: &ControlPlane, concurrency: Option<usize>) -> Result<Self> {
        let mut config = cp.client_config(&Identity::Admin)?;
        config.default_retry = false;
        config.read_timeout = Some(Duration::from_secs(90));
        Ok(Self { client: Client::try_from(config)?, concurrency: concurrency.unwrap_or(0) })
    }

    /// Takes the concurrency that is fastest, over as many portions of namespaces; `namespaces` are names with UIDs.
    pub(crate) async fn calibrate(&mut self, cp: &ControlPlane, namespaces: &[(String, String)]) -> Result<()> {
        let portion = namespaces.len() / CONCURRENCIES.len();
        let mut best = 0.0;
        for (concurrency, portion) in CONCURRENCIES.into_iter().zip(namespaces.chunks(portion.max(1))) {
            let rate = self.apply_with(cp, portion, 1, concurrency).await?.rate();
            eprintln!("  bare loop, {concurrency} at a time: {rate:.0} objects/s");
            if rate > best {
                (best, self.concurrency) = (rate, concurrency);
            }
        }
        Ok(())
    }

    /// Applies a revision of the class's objects in these namespaces.
    pub(crate) async fn apply(
        &self,
        cp: &ControlPlane,
        namespaces: &[(String, String)],
        revision: u32,
    ) -> Result<Window> {
        self.apply_with(cp, namespaces, revision, self.concurrency).await
    }

    async fn apply_with(
        &self,
        cp: &ControlPlane,
        namespaces: &[(String, String)],
        revision: u32,
        concurrency: usize,
    ) -> Result<Window> {
        let rendered = namespaces.iter().map(|(name, uid)| class::rendered("bare", revision, name, uid));
        let objects: Vec<Desired> = rendered.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
        let mark = cp.audit().mark().await?;
        let pids = [cp.pids(), vec![std::process::id()]].concat();
        let before = Cost::so_far(&pids)?;
        let applies = objects.iter().map(|object| Ok::<_, anyhow::Error>(self.one(object)));
        stream::iter(applies).try_buffer_unordered(concurrency).try_collect::<Vec<()>>().await?;
        let cost = Cost::so_far(&pids)?.since(&before);
        eprintln!("  bare loop, {concurrency} at a time: {}", cost.for_each(objects.len()));
        let requests = cp.audit().since(mark).await?;
        // The controller may still be writing events.
        let is_ours = |r: &Request| !r.namespace.is_empty() && !r.agent.starts_with("nsclass-controller");
        Window::of(&requests.verb("patch").filter(is_ours), objects.len())
    }

    async fn one(&self, object: &Desired) -> Result<()> {
        let namespace = object.identity.namespace.as_deref().context("a namespace")?;
        let api = Api::<DynamicObject>::namespaced_with(self.client.clone(), namespace, &class::resource(object));
        let params = PatchParams::apply("bare").force().validation_ignore();
        api.patch(&object.identity.name, &params, &Patch::Apply(&object.manifest)).await?;
        Ok(())
    }
}

impl std::fmt::Display for Bare {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "bare loop, {} at a time", self.concurrency)
    }
}
