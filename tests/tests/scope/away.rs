//! An API server that is away: silent, then killed, then there again. A leader, a standby and a webhook go on.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use nsclass_tests::audit::Mark;
use nsclass_tests::replica::EVENTS;
use nsclass_tests::webhook::{Caller, ServingFiles, Webhook};
use nsclass_tests::{ControlPlane, Options, Replica, World, eventually, eventually_within, http_get};
use serde_json::{Value, json};

use crate::stage::{LABEL, Stage, class};

/// Longer than the watch of namespaces is ever silent while all is well (30 s), and shorter than the renew deadline of this test.
const TOO_OLD: f64 = 35.0;

/// One process of each kind that keeps the scope.
struct Processes {
    leader: Replica,
    standby: Replica,
    webhook: Webhook,
    caller: Caller,
    _files: ServingFiles,
}

impl Processes {
    async fn start(cp: &ControlPlane, stage: &Stage<'_>) -> Result<Self> {
        let mut config = stage.patient_config("one", &["in"])?;
        // What an author may do is the API server's to say.
        config["webhook"] = json!({ "authorChecks": false });
        let (config, files) = (config.to_string(), ServingFiles::new()?);
        let (leader, standby) = Replica::pair(cp, ["f08-leader", "f08-standby"], &config).await?;
        let webhook = Webhook::start(cp, &files, &config).await?;
        let caller = Caller::of(&webhook, &files)?;
        Ok(Self { leader, standby, webhook, caller, _files: files })
    }

    fn admins(&self) -> [SocketAddr; 3] {
        [self.leader.admin(), self.standby.admin(), self.webhook.admin()]
    }

    async fn ensure_running(&self) -> Result<()> {
        self.leader.program().ensure_running()?;
        self.standby.program().ensure_running()?;
        self.webhook.program().ensure_running()?;
        ensure!(self.leader.leads().await? && !self.standby.leads().await?, "another one leads");
        Ok(())
    }

    /// Waits until the age of what each knows is so.
    async fn until_age(&self, what: &str, is_so: impl Fn(f64) -> bool) -> Result<()> {
        for admin in self.admins() {
            eventually_within(Duration::from_secs(120), what, async || {
                let age = scope(admin, "").await?["ageSeconds"].as_f64().context("no age")?;
                ensure!(is_so(age), "{age} s");
                Ok(())
            })
            .await?;
        }
        Ok(())
    }

    /// Everything is answered from memory, as it was before.
    async fn ensure_nothing_is_forgotten(&self, verdicts: &[(String, &str)]) -> Result<()> {
        for admin in self.admins() {
            for (namespace, verdict) in verdicts {
                let shown = scope(admin, &format!("?namespace={namespace}")).await?;
                ensure!(shown["seeded"] == true && shown["namespaces"][0]["verdict"] == *verdict, "{shown}");
            }
            let (status, missing) = http_get(admin, "/readyz").await?;
            ensure!(status == 200, "{missing}");
        }
        let item = |kind: &str| json!({ "apiVersion": "v1", "kind": kind, "metadata": { "name": "a" } });
        let good = self.caller.create_class(&[item("ConfigMap")]).await?;
        ensure!(good["allowed"] == true, "{good}");
        let bad = self.caller.create_class(&[item("Namespace")]).await?;
        let message = bad["status"]["message"].as_str().unwrap_or_default();
        ensure!(bad["allowed"] == false && message.contains("spec.resources[0].kind"), "{bad}");
        self.ensure_running().await
    }
}

/// What a process shows of its scope.
async fn scope(admin: SocketAddr, query: &str) -> Result<Value> {
    let (status, body) = http_get(admin, &format!("/debug/scope{query}")).await?;
    ensure!(status == 200, "{status}: {body}");
    Ok(serde_json::from_str(&body)?)
}

/// Takes one namespace out of the scope and another into it, as soon as the server answers, and waits for the bindings.
async fn cross(world: &World, leaves: &str, enters: &str) -> Result<()> {
    for (namespace, value) in [(leaves, "out"), (enters, "in")] {
        world.label(namespace, LABEL, Some(&world.name(value))).await?;
    }
    let came = world.ready(enters, "std").await?;
    ensure!(came.spec.instance == world.name("one"), "{:?}", came.spec);
    eventually("what left is nobody's", async || {
        let left = world.binding(leaves).await?.context("its binding is gone")?;
        ensure!(left.spec.instance.is_empty(), "{:?}", left.spec);
        Ok(())
    })
    .await
}

/// How often the server took what the controllers did to a namespace since then, by verb and resource. What they tell people aside.
async fn writes(cp: &ControlPlane, mark: Mark, namespace: &str) -> Result<BTreeMap<(String, String), usize>> {
    let ours = cp.audit().since(mark).await?.by_agent("nsclass-controller").writes().accepted();
    let here = ours.filter(|r| r.resource != EVENTS && (r.name == namespace || r.namespace == namespace));
    Ok(here.count_by(|request| (request.verb.clone(), request.resource.clone())))
}

#[tokio::test]
async fn fault08_while_the_api_server_is_away_memory_answers_and_age_rises_and_nothing_is_deleted() -> Result<()> {
    let mut cp = ControlPlane::start(Options::default()).await?;
    let stage = Stage::on(&cp, "f08");
    let all = Processes::start(&cp, &stage).await?;
    stage.class("std", class(&["a"], "1")).await?;
    for (namespace, value) in [("calm-pay", "in"), ("pay", "in"), ("calm-shop", "out"), ("shop", "out")] {
        stage.namespace(namespace).of_class("std").label(LABEL, stage.value(value)).create().await?;
    }
    stage.kept_by("calm-pay", "one").await?;
    stage.kept_by("pay", "one").await?;
    let before = stage.maps("pay").get("a").await?;
    let (world, maps) = (World::clone(&stage), stage.maps("pay"));
    drop(stage);
    let verdicts = [(world.name("pay"), "InScope"), (world.name("shop"), "OutOfScope")];
    let mark = cp.audit().mark().await?;
    // Undisturbed, for comparison.
    cross(&world, "calm-pay", "calm-shop").await?;

    // Silent: connections stay open, and nothing comes.
    cp.pause_api_server()?;
    all.until_age("the age says that nothing was heard for too long", |age| age > TOO_OLD).await?;
    all.ensure_nothing_is_forgotten(&verdicts).await?;
    cp.resume_api_server()?;
    all.until_age("the API server is heard of again", |age| age < TOO_OLD).await?;

    // Away: connections break, and new ones are refused.
    cp.stop_api_server()?;
    for admin in all.admins() {
        eventually("the broken watch is counted", async || {
            let (_, metrics) = http_get(admin, "/metrics").await?;
            let errors = metrics.lines().find_map(|line| line.strip_prefix("nsclass_scope_watch_errors_total "));
            ensure!(errors.is_some_and(|errors| errors != "0"), "{errors:?}");
            Ok(())
        })
        .await?;
    }
    all.ensure_nothing_is_forgotten(&verdicts).await?;
    cp.start_api_server().await?;

    // What is labelled the moment it is back counts, once.
    cross(&world, "pay", "shop").await?;
    for (calm, disturbed) in [("calm-pay", "pay"), ("calm-shop", "shop")] {
        let (calm, disturbed) =
            (writes(&cp, mark, &world.name(calm)).await?, writes(&cp, mark, &world.name(disturbed)).await?);
        ensure!(!calm.is_empty() && calm == disturbed, "{calm:?} without a fault, {disturbed:?} with one");
    }
    let after = maps.get("a").await.context("what left the scope is gone")?;
    ensure!(after.metadata.uid == before.metadata.uid, "made anew");
    let requests = cp.audit().all().await?;
    let deleted = requests.by_agent("nsclass-controller").verb("delete");
    ensure!(deleted.is_empty(), "{deleted}");
    let standby = all.standby.writes(&requests);
    ensure!(standby.is_empty(), "{standby}");
    eventually("all three agree again", async || {
        let mut digests = Vec::new();
        for admin in all.admins() {
            digests.push(scope(admin, "").await?["digest"].clone());
        }
        ensure!(digests.iter().all(|digest| *digest == digests[0]), "{digests:?}");
        Ok(())
    })
    .await?;
    all.ensure_running().await
}
