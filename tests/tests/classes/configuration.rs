//! The configuration file: at start, on reload, and what it decides (class.md C07, bad input 13).

use std::fs;

use anyhow::{Context, Result, ensure};
use kube::api::{ListParams, Patch, PatchParams};
use nsclass_shared::names::CLASS_LABEL;
use nsclass_tests::install::ensure_namespace;
use nsclass_tests::{ControlPlane, GENEROUS, Operator, OperatorOptions, Options, Program, World, eventually};
use serde_json::json;
use tokio::sync::{Mutex, MutexGuard};

use crate::stage::{Stage, config_map, items, says};

static CONFIGURATION: Mutex<()> = Mutex::const_new(());

/// The right to change the shared controller's configuration: one test at a time.
pub(crate) struct Configured<'a> {
    operator: &'static Operator,
    _turn: MutexGuard<'a, ()>,
}

impl Configured<'_> {
    pub(crate) async fn begin(stage: &Stage) -> Result<Self> {
        Ok(Self { operator: stage.operator, _turn: CONFIGURATION.lock().await })
    }

    pub(crate) fn set(&self, config: &str) -> Result<()> {
        self.operator.reconfigure(config)
    }

    /// Back to what all tests expect, and in force again.
    pub(crate) async fn end(self) -> Result<()> {
        self.set("")?;
        let taken = |metric: f64| ensure_zero(metric);
        eventually("the default configuration is in force", async || taken(self.operator.metric(REFUSED).await?)).await
    }
}

const REFUSED: &str = "nsclass_configuration_refused";

fn ensure_zero(metric: f64) -> Result<()> {
    ensure!(metric < 0.5, "{REFUSED} {metric}");
    Ok(())
}

/// Runs the controller with a file; returns whether it succeeded, and what it said on both outputs.
async fn run(text: &str, args: &[&str]) -> Result<(bool, String, String)> {
    let dir = tempfile::tempdir()?;
    let file = dir.path().join("nsclass.yaml");
    fs::write(&file, text)?;
    let program = Program::named("nsclass-controller").arg("--config").arg(&file).args(args).start().await?;
    let status = program.wait(GENEROUS).await?;
    Ok((status.success(), program.stdout()?, program.stderr()?))
}

#[tokio::test]
async fn bad13_a_bad_file_stops_the_start_in_one_sentence_that_names_it() -> Result<()> {
    for (text, parts) in [
        ("instanze: blue", &["instanze"][..]),
        ("scope: { namespaces: [a], namespaceSelector: {} }", &["namespace"]),
        ("scope: { namespaceSelector: { matchExpressions: [{ key: a, operator: Like }] } }", &["namespaceSelector"]),
        ("policy: { deny: [v1/ConfigMap, Secret] }", &["policy.deny[1]", "Secret"]),
        ("policy: { permit: ['*/*/*/*'] }", &["policy.permit[0]"]),
        ("instance: Team_A", &["instance", "\"Team_A\"", "DNS label"]),
        ("controller: { periodicPassSeconds: 1 }", &["controller.periodicPassSeconds", "10 to 86400"]),
        ("controller: { workers: 0 }", &["controller.workers"]),
        ("{", &[]),
    ] {
        let (success, out, error) = run(text, &[]).await?;
        ensure!(!success && out.is_empty(), "{text}: it started; {out}{error}");
        ensure!(error.trim_end().lines().count() == 1, "{text}: more than a sentence: {error}");
        says(&error, &[&["nsclass-controller: ", "nsclass.yaml: "], parts].concat())?;
    }
    let missing = Program::named("nsclass-controller").args(["--config", "/no/such/file.yaml"]).start().await?;
    ensure!(!missing.wait(GENEROUS).await?.success(), "it started");
    says(&missing.stderr()?, &["/no/such/file.yaml"])
}

#[tokio::test]
async fn bad13_the_configuration_in_force_is_printed_whole_and_reads_back() -> Result<()> {
    let args = ["--print-config", "--workers", "3"];
    let (success, printed, error) = run("instance: blue\ncontroller: { workers: 9 }\n", &args).await?;
    ensure!(success && error.is_empty(), "{error}");
    let fields =
        ["instance: blue", "operatorNamespace: nsclass-system", "allowReserved:", "allow:", "deny:", "permit:"];
    says(
        &printed,
        &[&fields[..], &["guardedKeys:", "workers: 3", "periodicPassSeconds: 600", "namespaceFinalizer: WhenOwed"]]
            .concat(),
    )?;
    let (success, again, error) = run(&printed, &["--print-config"]).await?;
    ensure!(success && again == printed, "{again}{error}");
    Ok(())
}

#[tokio::test]
async fn bad13_a_bad_file_on_reload_keeps_the_old_one_and_says_so() -> Result<()> {
    let world = Stage::open("bad13").await?;
    let configured = Configured::begin(&world).await?;
    let extra = format!("kube-{}", world.name("extra"));
    configured.set(&format!("scope: {{ allowReserved: [{extra}] }}"))?;
    world.class("std", items(&[config_map("a", &json!({}))])).await?;
    labelled(&world, &extra, "std").await?;
    eventually("the new configuration is in force", async || {
        world.bindings().get(&extra).await?;
        Ok(())
    })
    .await?;
    configured.set("policy: { deny: [ConfigMap] }")?;
    eventually("the refusal is in the metric", async || {
        let refused = world.operator.metric(REFUSED).await?;
        ensure!(refused > 0.0, "{refused}");
        Ok(())
    })
    .await?;
    let (status, ready) = world.operator.get("/readyz?verbose").await?;
    ensure!(status == 200, "{ready}");
    says(&ready, &["[!] the configuration file", "refused"])?;
    says(&world.operator.log()?, &["policy.deny[0]", "nsclass.yaml", "the old one stays in force"])?;
    // What the old one allows still is.
    let second = format!("kube-{}", world.name("second"));
    labelled(&world, &second, "std").await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    ensure!(world.bindings().get(&extra).await?.spec.class_name == world.name("std"), "lost");
    ensure!(world.bindings().get_opt(&second).await?.is_none(), "a reserved namespace is bound");
    configured.end().await?;
    let (_, ready) = world.operator.get("/readyz?verbose").await?;
    ensure!(!ready.contains("[!] the configuration file"), "{ready}");
    Ok(())
}

/// A namespace of any name, labelled with a class of the world.
async fn labelled(world: &World, name: &str, class: &str) -> Result<()> {
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace",
        "metadata": { "name": name, "labels": { CLASS_LABEL: world.name(class) } } });
    let params = PatchParams::apply("test-admin").force();
    world.namespaces().patch(name, &params, &Patch::Apply(&namespace)).await?;
    Ok(())
}

#[tokio::test]
async fn c07_a_reserved_namespace_is_bound_only_by_its_exact_name() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let config = "operatorNamespace: the-operator\nscope: { allowReserved: [kube-public] }\n".to_owned();
    ensure_namespace(&cp.admin(), "the-operator").await?;
    let _operator = Operator::start(&cp, OperatorOptions { config, ..OperatorOptions::default() }).await?;
    let world = World::new(&cp, "c07");
    world.class("std", items(&[config_map("a", &json!({}))])).await?;
    for name in ["default", "kube-system", "kube-public-too", "the-operator", "kube-public"] {
        labelled(&world, name, "std").await?;
    }
    world.namespace("last").of_class("std").create().await?;
    world.ready("last", "std").await?;
    eventually("the namespace named is bound", async || {
        world.bindings().get("kube-public").await.context("kube-public")?;
        Ok(())
    })
    .await?;
    let mut bound: Vec<String> =
        world.bindings().list(&ListParams::default()).await?.into_iter().map(|b| b.spec.namespace_name).collect();
    bound.sort();
    ensure!(bound == [world.name("last"), "kube-public".to_owned()], "{bound:?}");
    Ok(())
}
