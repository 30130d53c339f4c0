//! Live objects that exist only here, workers that write them, and an ear for what the workers say.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use nsclass_controller::livegit::audit::Audit;
use nsclass_controller::livegit::change::{
    Change, Message, ObjectKey, Prune, Remote, RepositoryKey, Resync, Streamed, Target, TargetKey, What,
};
use nsclass_controller::livegit::git::Budget;
use nsclass_controller::livegit::metrics::GitMetrics;
use nsclass_controller::livegit::report::{Gate, Notice, Reports, RepositoryReport, TargetReport};
use nsclass_controller::livegit::seal::Sealer;
use nsclass_controller::livegit::workers::{Settings, Worker, Workers};
use nsclass_manifests::identity::LiveId;
use nsclass_manifests::kinds::KindTable;
use nsclass_manifests::limits::Limits;
use nsclass_manifests::path::FolderPath;
use nsclass_manifests::plan::Policy;
use nsclass_shared::livegit::credentials::Credentials;
use nsclass_shared::livegit::person::Person;
use nsclass_shared::livegit::url::RepositoryUrl;
use nsclass_tests::eventually;
pub(crate) use nsclass_tests::git_server::SETTINGS;
use nsclass_tests::git_server::{Https, Origin, Right};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The folder of most tests.
pub(crate) const KUSTOMIZATION: &str = "# Team A\nnamespace: team-a\nresources:\n- settings.yaml\n";
pub(crate) const FILES: &[(&str, &str)] =
    &[("apps/kustomization.yaml", KUSTOMIZATION), ("apps/settings.yaml", SETTINGS), ("README.md", "Hands off.\n")];

/// How a stage differs from the usual one.
pub(crate) struct Wanted {
    pub(crate) window: Duration,
    pub(crate) poll: Duration,
    pub(crate) repository_bytes: u64,
    pub(crate) transfer: Duration,
    pub(crate) limits: Limits,
    pub(crate) pending_bytes: usize,
    pub(crate) window_bytes: usize,
    pub(crate) audit: Option<Arc<Audit>>,
    pub(crate) sealer: Option<Sealer>,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) prune: Prune,
    pub(crate) creates_branches: bool,
    pub(crate) branch: &'static str,
    pub(crate) path: &'static str,
    pub(crate) leads: Arc<Leads>,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            window: Duration::from_millis(100),
            poll: Duration::from_millis(500),
            repository_bytes: 1 << 30,
            transfer: Duration::from_secs(60),
            limits: Limits::default(),
            pending_bytes: 64 << 20,
            window_bytes: 8 << 20,
            audit: None,
            sealer: None,
            directory: None,
            prune: Prune::OnEvent,
            creates_branches: false,
            branch: "main",
            path: "apps",
            leads: Arc::new(Leads(AtomicBool::new(true))),
        }
    }
}

/// Everything at once. What runs is ended with this value, as SIGKILL would.
pub(crate) struct Stage {
    pub(crate) live: Arc<Live>,
    pub(crate) heard: Arc<Heard>,
    pub(crate) worker: Worker,
    workers: Workers,
    running: JoinHandle<anyhow::Result<()>>,
    shutdown: CancellationToken,
    /// Last, so that it outlives its users.
    _directory: Option<TempDir>,
}

/// The leader's guard of these tests: open, or shut.
pub(crate) struct Leads(pub(crate) AtomicBool);

impl Gate for Leads {
    fn begin(&self) -> Option<Box<dyn Send>> {
        self.0.load(Ordering::SeqCst).then(|| Box::new(()) as Box<dyn Send>)
    }
}

impl Stage {
    /// A worker for `remote` that was told of one target and of what is live.
    pub(crate) async fn start(remote: Remote, live: &Arc<Live>, wanted: Wanted) -> Result<Self> {
        let directory = if wanted.directory.is_none() { Some(tempfile::tempdir()?) } else { None };
        let path = directory.as_ref().map(|dir| dir.path().to_owned()).or(wanted.directory).context("a directory")?;
        let heard = Arc::new(Heard { live: live.clone(), ..Heard::default() });
        let kinds = Arc::new(KindTable::builtin().ready(true));
        let workers = Workers::new(Settings {
            program: "git".into(),
            directory: path,
            budget: Budget {
                repository: wanted.repository_bytes,
                transfer: wanted.transfer,
                local: Duration::from_secs(120),
            },
            limits: wanted.limits,
            poll: wanted.poll,
            window_bytes: wanted.window_bytes,
            pending_bytes: wanted.pending_bytes,
            audit: wanted.audit,
            sealer: wanted.sealer,
            gate: wanted.leads,
            kinds: Arc::new(move || kinds.clone()),
            reports: heard.clone(),
            metrics: GitMetrics::new(&prometheus::Registry::new())?,
        });
        let shutdown = CancellationToken::new();
        let running = tokio::spawn(workers.clone().run(shutdown.clone()));
        let key = RepositoryKey {
            provider: ObjectKey { namespace: "team-a".into(), name: "apps".into() },
            branch: wanted.branch.into(),
        };
        let remote = Remote { window: wanted.window, creates_branches: wanted.creates_branches, ..remote };
        let worker = workers.repository(&key, remote);
        *heard.worker.lock().unwrap_or_else(PoisonError::into_inner) = Some(worker.clone());
        let target = Target {
            key: target(),
            generation: 1,
            path: FolderPath::new(wanted.path)?,
            prune: wanted.prune,
            policy: Policy::default(),
            fixed: None,
            rules: Vec::new(),
        };
        worker.send(Message::Target(Arc::new(target))).await?;
        let stage = Self { live: live.clone(), heard, worker, workers, running, shutdown, _directory: directory };
        stage.worker.send(live.resync()).await?;
        Ok(stage)
    }

    /// Other credentials, or another address, for the same worker.
    pub(crate) fn correct(&self, remote: Remote) {
        let key = RepositoryKey {
            provider: ObjectKey { namespace: "team-a".into(), name: "apps".into() },
            branch: "main".into(),
        };
        let remote = Remote { window: Duration::from_millis(100), ..remote };
        self.workers.repository(&key, remote);
    }

    /// Changes a live `ConfigMap`, and tells the worker as a watch would.
    pub(crate) async fn set(&self, name: &str, level: &str) -> Result<()> {
        let change = self.live.set(name, level);
        Ok(self.worker.send(Message::Change(change)).await?)
    }

    /// Deletes one.
    pub(crate) async fn delete(&self, name: &str) -> Result<()> {
        let change = self.live.delete(name).context("it was not live")?;
        Ok(self.worker.send(Message::Change(change)).await?)
    }

    /// Waits until everything that is live has the level in `origin` that it has live.
    pub(crate) async fn arrived(&self, origin: &Origin) -> Result<()> {
        let heard = self.heard.clone();
        eventually("the folder says what is live", async || {
            let files = origin.files()?;
            let all: String =
                files.iter().filter(|(path, _)| path.contains(".yaml")).map(|(_, text)| text.as_str()).collect();
            for (id, value) in self.live.all() {
                let level = value["data"]["level"].as_str().unwrap_or_default();
                ensure!(says(&all, &id.name, level), "{id} is not {level:?}; {:?}\n{all}", heard.last());
            }
            Ok(())
        })
        .await
    }

    /// Waits until the target's report is so.
    pub(crate) async fn report(&self, what: &str, is_so: impl Fn(&TargetReport) -> bool) -> Result<Arc<TargetReport>> {
        eventually(what, async || {
            let last = self.heard.last().context("no report yet")?;
            ensure!(is_so(&last), "{last:?}");
            Ok(last)
        })
        .await
    }

    /// Ends it as SIGTERM does: what waits is pushed.
    pub(crate) async fn stop(mut self) -> Result<()> {
        self.shutdown.cancel();
        (&mut self.running).await?
    }

    /// Ends it as SIGKILL does, and waits until nothing of it runs.
    pub(crate) async fn kill(mut self) {
        self.running.abort();
        // That it was aborted is what was asked for.
        let _ = (&mut self.running).await;
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.running.abort();
    }
}

/// Whether the documents hold a `ConfigMap` of that name with that level, in whatever style.
fn says(text: &str, name: &str, level: &str) -> bool {
    text.split("\n---").any(|document| {
        let plain = document.replace(['\'', '"'], "");
        let has_name = plain
            .lines()
            .any(|line| line.trim() == format!("name: {name}") || line.contains(&format!("{{name: {name}}}")));
        has_name
            && plain.lines().any(|line| {
                let line = line.split(" #").next().unwrap_or_default().trim();
                line == format!("level: {level}") || line == format!("data: {{level: {level}}}")
            })
    })
}

/// The one target.
pub(crate) fn target() -> TargetKey {
    ObjectKey { namespace: "team-a".into(), name: "prod".into() }
}

/// A remote behind HTTPS, for the user `bot` with the right to push.
pub(crate) fn https(server: &Https) -> Result<Remote> {
    server.admit("bot", "sesame", Right::Write);
    let credentials = Credentials {
        basic: Some(("bot".into(), "sesame".into())),
        ca: Some(server.ca().to_owned()),
        ..Credentials::default()
    };
    remote(&server.url(), credentials)
}

/// A remote in this file system.
pub(crate) fn local(origin: &Origin) -> Result<Remote> {
    remote(&format!("file://{}", origin.path().display()), Credentials::default())
}

pub(crate) fn remote(url: &str, credentials: Credentials) -> Result<Remote> {
    Ok(Remote {
        url: RepositoryUrl::parse(url, true).map_err(|fault| anyhow::anyhow!("{fault}"))?,
        credentials,
        creates_branches: false,
        window: Duration::from_millis(100),
        committer: Person::new("Namespace Class", "nsclass@localhost"),
        message: None,
    })
}

/// What is live in the namespace `team-a`.
#[derive(Default)]
pub(crate) struct Live {
    objects: Mutex<BTreeMap<LiveId, Arc<Value>>>,
    version: AtomicU64,
}

impl Live {
    /// With these objects, by name and level.
    pub(crate) fn with(objects: &[(&str, &str)]) -> Arc<Self> {
        let live = Arc::new(Self::default());
        for (name, level) in objects {
            live.set(name, level);
        }
        live
    }

    pub(crate) fn set(&self, name: &str, level: &str) -> Change {
        let value = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name, "namespace": "team-a" },
            "data": { "level": level },
        });
        self.put(id("configmaps", name), value)
    }

    pub(crate) fn put(&self, id: LiveId, value: Value) -> Change {
        let value = Arc::new(value);
        self.lock().insert(id.clone(), value.clone());
        self.change(id, What::Put(value))
    }

    pub(crate) fn delete(&self, name: &str) -> Option<Change> {
        self.remove(&id("configmaps", name))
    }

    pub(crate) fn remove(&self, id: &LiveId) -> Option<Change> {
        self.lock().remove(id)?;
        Some(self.change(id.clone(), What::Delete))
    }

    fn change(&self, id: LiveId, what: What) -> Change {
        let version = self.version.fetch_add(1, Ordering::SeqCst) + 1;
        let (uid, resource_version) = (format!("uid-{}", id.name).into(), version.to_string().into());
        Change { target: target(), id, what, uid, resource_version }
    }

    pub(crate) fn all(&self) -> Vec<(LiveId, Arc<Value>)> {
        self.lock().iter().map(|(id, value)| (id.clone(), value.clone())).collect()
    }

    /// The complete set.
    pub(crate) fn resync(&self) -> Message {
        let streamed = Streamed { group: "".into(), resource: "configmaps".into(), namespace: Some("team-a".into()) };
        let objects = self.all();
        Message::Resync(Resync { target: target(), objects, spared: Vec::new(), streamed: vec![streamed] })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<LiveId, Arc<Value>>> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An object of the core group in `team-a`.
pub(crate) fn id(resource: &str, name: &str) -> LiveId {
    LiveId { group: "".into(), resource: resource.into(), namespace: Some("team-a".into()), name: name.into() }
}

/// What the workers said.
#[derive(Default)]
pub(crate) struct Heard {
    live: Arc<Live>,
    worker: Mutex<Option<Worker>>,
    targets: Mutex<Vec<Arc<TargetReport>>>,
    repositories: Mutex<Vec<Arc<RepositoryReport>>>,
    notices: Mutex<Vec<Notice>>,
    resyncs: Mutex<Vec<&'static str>>,
}

impl Heard {
    pub(crate) fn last(&self) -> Option<Arc<TargetReport>> {
        self.targets.lock().unwrap_or_else(PoisonError::into_inner).last().cloned()
    }

    pub(crate) fn reports(&self) -> usize {
        self.targets.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    pub(crate) fn repository(&self) -> Option<Arc<RepositoryReport>> {
        self.repositories.lock().unwrap_or_else(PoisonError::into_inner).last().cloned()
    }

    pub(crate) fn notices(&self) -> Vec<Notice> {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn resyncs(&self) -> Vec<&'static str> {
        self.resyncs.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Everything that was ever said, as text.
    pub(crate) fn everything(&self) -> String {
        let targets = self.targets.lock().unwrap_or_else(PoisonError::into_inner);
        let repositories = self.repositories.lock().unwrap_or_else(PoisonError::into_inner);
        format!("{targets:?} {repositories:?} {:?}", self.notices())
    }
}

impl Reports for Heard {
    fn target(&self, _: &TargetKey, report: Arc<TargetReport>) {
        self.targets.lock().unwrap_or_else(PoisonError::into_inner).push(report);
    }

    fn repository(&self, _: &RepositoryKey, report: Arc<RepositoryReport>) {
        self.repositories.lock().unwrap_or_else(PoisonError::into_inner).push(report);
    }

    fn resync(&self, _: &TargetKey, why: &'static str) {
        self.resyncs.lock().unwrap_or_else(PoisonError::into_inner).push(why);
        let (live, worker) = (self.live.clone(), self.worker.lock().unwrap_or_else(PoisonError::into_inner).clone());
        tokio::spawn(async move {
            if let Some(worker) = worker {
                // It has ended when a test is over.
                let _ = worker.send(live.resync()).await;
            }
        });
    }

    fn notice(&self, _: &TargetKey, notice: Notice) {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).push(notice);
    }
}
