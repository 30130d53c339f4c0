//! The control plane, the controller, and many namespaces.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::core::v1::{ConfigMap, ServiceAccount};
use kube::{
    Api, ResourceExt,
    api::{ListParams, PartialObjectMeta, Resource},
};
use nsclass_shared::api::{NamespaceClassBinding, get_condition};
use nsclass_tests::{ControlPlane, Operator, OperatorOptions, Options, World};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{class, cost::Cost, figure, leader};

/// Namespaces that are made at the same time.
const CREATED_AT_ONCE: usize = 24;
/// The label that says which part of the fleet a namespace is of.
const PART: &str = "part";
/// How long anything may take that is waited for.
const PATIENCE: Duration = Duration::from_secs(1800);

/// All there is.
pub(crate) struct Fleet {
    pub(crate) cp: ControlPlane,
    pub(crate) world: World,
    operator: Option<Operator>,
    options: OperatorOptions,
    /// Parts that the scope does not pick yet.
    closed: BTreeSet<String>,
    /// Namespaces of the class that the scope picks.
    pub(crate) bound: usize,
    /// Memory of the leader when it had nothing to keep, and the most it ever had, in KiB.
    base: Option<u64>,
    peak: u64,
}

impl Fleet {
    pub(crate) async fn begin(workers: Option<u16>) -> Result<Self> {
        let cp = ControlPlane::start(Options::default()).await?;
        let world = World::new(&cp, "fleet");
        let mut args = vec!["--log".to_owned(), "info".to_owned()];
        args.extend(workers.into_iter().flat_map(|workers| ["--workers".to_owned(), workers.to_string()]));
        let options = OperatorOptions { args, ..OperatorOptions::default() };
        Ok(Self { cp, world, operator: None, options, closed: BTreeSet::new(), bound: 0, base: None, peak: 0 })
    }

    /// Starts the controller, unless it runs; returns how long it took to get ready.
    pub(crate) async fn start(&mut self) -> Result<Duration> {
        let start = Instant::now();
        if self.operator.is_none() {
            self.operator = Some(Operator::start(&self.cp, self.options.clone()).await?);
            if self.base.is_none() {
                self.base = Some(leader::memory_kib(self.pid()?, "VmRSS")?);
            }
        }
        Ok(start.elapsed())
    }

    /// Waits until the controller, started if it does not run, has looked at every namespace and has nothing left to do.
    pub(crate) async fn rest(&mut self) -> Result<()> {
        self.start().await?;
        let (operator, end) = (self.operator()?, Instant::now() + PATIENCE);
        loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
            operator.program().ensure_running()?;
            ensure!(Instant::now() < end, "not at rest within {PATIENCE:?}");
            let passes = operator.metric("nsclass_passes_total{end=\"rest\"}").await.unwrap_or(0.0);
            let waiting = operator.metric("nsclass_queue_depth{queue=\"namespaces\"}").await.unwrap_or(f64::MAX);
            #[allow(clippy::cast_precision_loss, reason = "a count of namespaces")]
            if passes >= self.bound as f64 && waiting < 0.5 {
                return Ok(());
            }
        }
    }

    /// Lets the scope pick a part that [`Self::namespaces`] made: from one moment to the next all of it is to be given the class.
    pub(crate) fn open(&mut self, part: &str, namespaces: usize) -> Result<()> {
        self.closed.remove(part);
        self.options.config = self.scope();
        self.operator()?.reconfigure(&self.options.config)?;
        self.bound += namespaces;
        Ok(())
    }

    /// All namespaces but the parts that are closed.
    fn scope(&self) -> String {
        let closed: Vec<_> = self.closed.iter().collect();
        let but = json!({ "key": PART, "operator": "NotIn", "values": closed });
        let all_but: Vec<_> = (!closed.is_empty()).then_some(but).into_iter().collect();
        json!({ "scope": { "namespaceSelector": { "matchExpressions": all_but } } }).to_string()
    }

    /// Stops the controller.
    pub(crate) async fn stop(&mut self) -> Result<()> {
        self.note_memory()?;
        let Some(operator) = self.operator.take() else { return Ok(()) };
        operator.program().terminate().await?;
        Ok(())
    }

    pub(crate) fn operator(&self) -> Result<&Operator> {
        self.operator.as_ref().context("the controller does not run")
    }

    pub(crate) fn pid(&self) -> Result<u32> {
        Ok(self.operator()?.program().pid())
    }

    /// What the control plane and the controller have cost so far.
    pub(crate) fn cost(&self) -> Result<Cost> {
        Cost::so_far(&[self.cp.pids(), vec![self.pid()?]].concat())
    }

    /// Makes namespaces `PART-I` and waits until the control plane has done with them; names and UIDs. Those of the class are out of
    /// scope until [`Self::open`].
    pub(crate) async fn namespaces(
        &mut self,
        part: &str,
        count: usize,
        of_class: bool,
    ) -> Result<Vec<(String, String)>> {
        let (accounts, maps) = (self.count::<ServiceAccount>().await?, self.count::<ConfigMap>().await?);
        if of_class {
            self.closed.insert(part.to_owned());
            self.options.config = self.scope();
        }
        let world = &self.world;
        let made = (0..count).map(|i| async move {
            let namespace = world.namespace(&format!("{part}-{i}"));
            let namespace = if of_class { namespace.label(PART, part).of_class("std") } else { namespace };
            let made = namespace.create().await?;
            Ok::<_, anyhow::Error>((made.name_any(), made.uid().context("a UID")?))
        });
        let made: Vec<_> = stream::iter(made).buffer_unordered(CREATED_AT_ONCE).try_collect().await?;
        // Each gets its account and its certificate from the controller-manager, which is work for the API server, too.
        let end = Instant::now() + PATIENCE;
        while self.count::<ServiceAccount>().await? < accounts + count
            || self.count::<ConfigMap>().await? < maps + count
        {
            ensure!(Instant::now() < end, "the controller-manager has not done with {count} namespaces");
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
        Ok(made)
    }

    /// Makes the class have one revision of its objects; returns its generation.
    pub(crate) async fn revise(&self, revision: u32, settings: Value) -> Result<i64> {
        let mut spec = json!({ "resources": class::items(revision) });
        for (key, value) in settings.as_object().into_iter().flatten() {
            spec[key] = value.clone();
        }
        let class = self.world.class("std", spec).await?;
        class.metadata.generation.context("a generation")
    }

    /// Waits until every namespace of the class follows this generation.
    pub(crate) async fn settled(&self, generation: i64) -> Result<()> {
        let (operator, end) = (self.operator()?, Instant::now() + PATIENCE);
        // A list of all bindings is dear; the queue's depth is not, and is as old as two seconds.
        loop {
            tokio::time::sleep(Duration::from_secs(3)).await;
            operator.program().ensure_running()?;
            ensure!(Instant::now() < end, "not settled within {PATIENCE:?}");
            if operator.metric("nsclass_queue_depth{queue=\"namespaces\"}").await? > 0.0 {
                continue;
            }
            let bindings: Api<NamespaceClassBinding> = self.world.bindings();
            let follows = |binding: &NamespaceClassBinding| {
                let Some(status) = &binding.status else { return false };
                let ready = get_condition(&status.conditions, "Ready").is_some_and(|c| c.status == "True");
                ready && status.observed_class_generation == Some(generation)
            };
            let selector = format!("spec.className={}", self.world.name("std"));
            let (mut page, mut there) = (ListParams::default().limit(500).fields(&selector), 0);
            loop {
                let list = bindings.list(&page).await?;
                there += list.iter().filter(|binding| follows(binding)).count();
                match list.metadata.continue_.filter(|token| !token.is_empty()) {
                    Some(token) => page = page.continue_token(&token),
                    None => break,
                }
            }
            if there == self.bound {
                return Ok(());
            }
        }
    }

    /// Looks how much memory the leader has come to.
    pub(crate) fn note_memory(&mut self) -> Result<()> {
        if self.operator.is_some() {
            self.peak = self.peak.max(leader::memory_kib(self.pid()?, "VmHWM")?);
        }
        Ok(())
    }

    #[allow(clippy::cast_precision_loss, reason = "figures of a benchmark")]
    pub(crate) fn memory_figures(&self) {
        let base = self.base.unwrap_or_default();
        let growth = self.peak.saturating_sub(base) as f64 / self.bound.max(1) as f64;
        eprintln!("memory of the leader: {} KiB at first, {} KiB at most", base, self.peak);
        figure("leader_rss_mb", format!("{:.1}", self.peak as f64 / 1024.0), "MiB");
        figure("leader_kib_per_namespace", format!("{growth:.1}"), "KiB");
    }

    /// Objects of a kind in the whole cluster, for the price of one.
    async fn count<K>(&self) -> Result<usize>
    where
        K: Resource<DynamicType = ()> + Clone + DeserializeOwned + std::fmt::Debug,
    {
        let api: Api<PartialObjectMeta<K>> = Api::all(self.world.client());
        let list = api.list(&ListParams::default().limit(1)).await?;
        let more = usize::try_from(list.metadata.remaining_item_count.unwrap_or(0))?;
        Ok(list.items.len() + more)
    }
}
