//! The demo as a person runs it, and what it leaves on a cluster that is not its own.

use std::process::{Command, ExitStatus};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::admissionregistration::v1::{ValidatingAdmissionPolicy, ValidatingWebhookConfiguration};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::api::rbac::v1::ClusterRole;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ApiResource, DeleteParams, DynamicObject, ListParams};
use kube::{Api, Client, ResourceExt};
use nsclass_shared::api::{NamespaceClass, NamespaceClassBinding, crds};
use nsclass_tests::install::ensure_namespace;
use nsclass_tests::{ControlPlane, Identity, OPERATOR_NAMESPACE, Options, Program, World, eventually};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio::sync::{Mutex, MutexGuard};

/// Far above what a demo takes, on a machine that is busy with others.
const DEADLINE: Duration = Duration::from_secs(300);

/// What the person reads above each step.
const HEADLINES: [&str; 14] = [
    "A control plane",
    "The operator",
    "Namespaces are labelled, and filled",
    "A kind that comes later",
    "A class is switched",
    "A class is edited, and every namespace follows",
    "A namespace is unlabelled",
    "A namespace with a cluster-scoped object is deleted",
    "A class is deleted",
    "A tenant asks for a class",
    "A class with five faults",
    "A namespace leaves the scope and comes back",
    "All processes agree",
    "The leader is killed",
];

/// The same of the story of the licence.
const LICENCE_HEADLINES: [&str; 7] = [
    "A control plane",
    "An issuer",
    "An operator that wants a licence",
    "Without a licence the set is frozen where it is",
    "A licence frees what waits, at once",
    "Expiry freezes again",
    "What is used is reported, and stays in the cluster",
];

/// The same of the story of Git.
const GIT_HEADLINES: [&str; 6] = [
    "A control plane",
    "The operator",
    "A folder in Git, and its objects in the cluster",
    "What is written, and where to",
    "A live object is changed",
    "Somebody puts a key into the kustomization that changes names",
];

/// Those of them that need a webhook which the API server reaches, or policies for everybody.
const ONLY_AT_HOME: [&str; 2] = ["A tenant asks for a class", "A class with five faults"];

/// A cluster that one demo at a time visits.
struct Host {
    cp: &'static ControlPlane,
    before: Vec<String>,
    _turn: MutexGuard<'static, ()>,
}

impl Host {
    async fn new() -> Result<Self> {
        static TURN: Mutex<()> = Mutex::const_new(());
        let turn = TURN.lock().await;
        let cp = ControlPlane::shared().await?;
        Ok(Self { cp, before: everything(&cp.admin()).await?, _turn: turn })
    }

    async fn visit(&self, args: &[&str]) -> Result<Program> {
        let kubeconfig = self.cp.kubeconfig("demo", &Identity::Admin)?;
        Program::named("demo").arg("--kubeconfig").arg(kubeconfig).args(args).start().await
    }

    async fn ensure_nothing_is_left(&self) -> Result<()> {
        let after = everything(&self.cp.admin()).await?;
        ensure!(after == self.before, "before: {:?}\nafter: {after:?}", self.before);
        Ok(())
    }
}

/// Everything that a demo could leave: kind and name.
async fn everything(client: &Client) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for resource in [
        ApiResource::erase::<Namespace>(&()),
        ApiResource::erase::<ClusterRole>(&()),
        ApiResource::erase::<CustomResourceDefinition>(&()),
        ApiResource::erase::<ValidatingAdmissionPolicy>(&()),
        ApiResource::erase::<ValidatingWebhookConfiguration>(&()),
        ApiResource::erase::<NamespaceClass>(&()),
        ApiResource::erase::<NamespaceClassBinding>(&()),
    ] {
        let objects: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
        let found = match objects.list_metadata(&ListParams::default()).await {
            Err(kube::Error::Api(status)) if status.code == 404 => continue,
            found => found?.items,
        };
        all.extend(found.iter().map(|object| format!("{} {}", resource.kind, object.name_any())));
    }
    let leases: Api<Lease> = Api::namespaced(client.clone(), OPERATOR_NAMESPACE);
    all.extend(leases.list(&ListParams::default()).await?.iter().map(|lease| format!("Lease {}", lease.name_any())));
    all.sort();
    Ok(all)
}

async fn end_of(demo: &Program) -> Result<(ExitStatus, String, String)> {
    let status = demo.wait(DEADLINE).await.with_context(|| demo.stdout().unwrap_or_default())?;
    Ok((status, demo.stdout()?, demo.stderr()?))
}

/// Waits until the demo has written `text`.
async fn until_it_says(demo: &Program, text: &str) -> Result<()> {
    demo.eventually(format!("the demo says {text:?}"), async || {
        let out = demo.stdout()?;
        ensure!(out.contains(text), "{out}");
        Ok(())
    })
    .await
}

/// The two controllers that a demo has started.
fn controllers_of(demo: &Program) -> Result<[Pid; 2]> {
    let listing = Command::new("ps").args(["-A", "-o", "pid=,ppid=,comm="]).output()?.stdout;
    let listing = String::from_utf8(listing)?;
    let parent = demo.pid().to_string();
    let mut controllers = Vec::new();
    for line in listing.lines() {
        if let [pid, ppid, command] = line.split_whitespace().collect::<Vec<_>>()[..]
            && ppid == parent
            && command.contains("nsclass-control")
        {
            controllers.push(Pid::from_raw(pid.parse()?).context("not a process id")?);
        }
    }
    controllers.try_into().map_err(|found| anyhow::anyhow!("the demo has controllers {found:?}, and not two"))
}

/// Sends `signal` to all of them.
fn send(controllers: [Pid; 2], signal: Signal) -> Result<()> {
    Ok(controllers.into_iter().try_for_each(|controller| kill_process(controller, signal))?)
}

fn ensure_whole_story(out: &str, headlines: &[&str]) -> Result<()> {
    let at = |index: usize| out.find(&format!("\n{}  {}\n", index + 1, headlines[index]));
    let places = (0..headlines.len()).map(at).collect::<Option<Vec<_>>>();
    let mut places = places.with_context(|| format!("a headline is missing:\n{out}"))?;
    ensure!(places.is_sorted(), "the steps are out of order:\n{out}");
    places.push(out.len());
    for (index, step) in places.windows(2).enumerate() {
        ensure!(out[step[0]..step[1]].contains("✓ "), "{} claims nothing:\n{out}", headlines[index]);
    }
    let sum = format!("{} steps, {} claims checked, none false", headlines.len(), out.matches("✓ ").count() - 1);
    ensure!(out.contains(&sum), "no {sum:?}:\n{out}");
    ensure!(!out.contains('\x1b'), "colours, and this is no terminal:\n{out}");
    Ok(())
}

#[tokio::test]
async fn the_demo_tells_the_whole_story_on_a_control_plane_of_its_own() -> Result<()> {
    let demo = Program::named("demo").start().await?;
    let (status, out, err) = end_of(&demo).await?;
    ensure!(status.success(), "{status}\n{out}\n{err}");
    ensure_whole_story(&out, &HEADLINES)
}

#[tokio::test]
async fn s60_the_demo_of_the_licence_freezes_frees_and_freezes_again() -> Result<()> {
    let demo = Program::named("demo").arg("--licence").start().await?;
    let (status, out, err) = end_of(&demo).await?;
    ensure!(status.success(), "{status}\n{out}\n{err}");
    ensure_whole_story(&out, &LICENCE_HEADLINES)
}

#[tokio::test]
async fn f43_the_demo_of_git_writes_a_live_change_back_refuses_a_broken_folder_and_catches_up() -> Result<()> {
    let demo = Program::named("demo").arg("--git").start().await?;
    let (status, out, err) = end_of(&demo).await?;
    ensure!(status.success(), "{status}\n{out}\n{err}");
    ensure_whole_story(&out, &GIT_HEADLINES)
}

#[tokio::test]
async fn a_cluster_that_was_there_is_left_as_it_was() -> Result<()> {
    let host = Host::new().await?;
    let demo = host.visit(&[]).await?;
    let (status, out, err) = end_of(&demo).await?;
    ensure!(status.success(), "{status}\n{out}\n{err}");
    let mut headlines: Vec<&str> = HEADLINES.into_iter().filter(|it| !ONLY_AT_HOME.contains(it)).collect();
    headlines[0] = "A cluster that is there";
    headlines.push("Cleaning up");
    ensure_whole_story(&out, &headlines)?;
    ensure!(out.contains("Only the two controllers run here"), "it does not say what is left out:\n{out}");
    host.ensure_nothing_is_left().await
}

#[tokio::test]
async fn a_false_claim_ends_the_demo_with_what_was_seen_and_it_cleans_up() -> Result<()> {
    let host = Host::new().await?;
    let demo = host.visit(&["--patience", "10"]).await?;
    until_it_says(&demo, "7  A namespace is unlabelled").await?;
    let controllers = controllers_of(&demo)?;
    send(controllers, Signal::STOP)?;
    until_it_says(&demo, "Cleaning up").await?;
    send(controllers, Signal::CONT)?;
    let (status, out, err) = end_of(&demo).await?;
    ensure!(status.code() == Some(1), "{status}\n{out}\n{err}");
    ensure!(err.contains("this claim is false: ") && err.contains("what was seen: "), "{err}");
    ensure!(!out.contains("none false"), "{out}");
    host.ensure_nothing_is_left().await
}

#[tokio::test]
async fn a_demo_that_is_interrupted_cleans_up_but_for_definitions_and_the_namespace_that_were_there() -> Result<()> {
    let mut host = Host::new().await?;
    host.cp.install_crds(&crds()).await?;
    ensure_namespace(&host.cp.admin(), OPERATOR_NAMESPACE).await?;
    host.before = everything(&host.cp.admin()).await?;
    let demo = host.visit(&[]).await?;
    until_it_says(&demo, "7  A namespace is unlabelled").await?;
    kill_process(Pid::from_raw(demo.pid().try_into()?).context("no process id")?, Signal::INT)?;
    let (status, out, err) = end_of(&demo).await?;
    ensure!(status.code() == Some(130), "{status}\n{out}\n{err}");
    host.ensure_nothing_is_left().await?;

    let definitions: Api<CustomResourceDefinition> = Api::all(host.cp.admin());
    let namespaces: Api<Namespace> = Api::all(host.cp.admin());
    namespaces.delete(OPERATOR_NAMESPACE, &DeleteParams::default()).await?;
    for crd in crds() {
        definitions.delete(&crd.name_any(), &DeleteParams::default()).await?;
    }
    eventually("the next visitor finds no definitions of ours, and no namespace", async || {
        ensure!(namespaces.get_opt(OPERATOR_NAMESPACE).await?.is_none(), "{OPERATOR_NAMESPACE} is there");
        let there = definitions.list_metadata(&ListParams::default()).await?.items.len();
        ensure!(there == 0, "{there} are there");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_demo_whose_controllers_die_says_so_and_does_its_last_work_by_hand() -> Result<()> {
    let host = Host::new().await?;
    let demo = host.visit(&[]).await?;
    until_it_says(&demo, "7  A namespace is unlabelled").await?;
    send(controllers_of(&demo)?, Signal::KILL)?;
    let (status, out, err) = end_of(&demo).await?;
    ensure!(status.code() == Some(1), "{status}\n{out}\n{err}");
    ensure!(err.contains("nsclass-controller ended"), "{err}");
    host.ensure_nothing_is_left().await
}

#[tokio::test]
async fn a_demo_that_would_be_in_the_way_refuses_and_changes_nothing() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let kubeconfig = cp.kubeconfig("demo", &Identity::Admin)?;
    let refusal = async |found: &str| {
        let before = everything(&cp.admin()).await?;
        let demo = Program::named("demo").arg("--kubeconfig").arg(&kubeconfig).start().await?;
        let (status, out, err) = end_of(&demo).await?;
        ensure!(status.code() == Some(1), "{status}\n{out}\n{err}");
        let last = err.lines().last().unwrap_or_default();
        ensure!(last.starts_with("cargo demo: ") && last.contains(found), "{err}");
        ensure!(everything(&cp.admin()).await? == before, "something was changed");
        Ok(())
    };
    let namespace = |name: &str, labels| {
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name, "labels": labels } }).to_string()
    };
    cp.apply_yaml(&namespace("pay", json!({ "nsclass.io/name": "gold" }))).await?;
    refusal("Namespace pay has the label nsclass.io/name").await?;
    cp.apply_yaml(&namespace("nsclass-demo-payments", json!({}))).await?;
    refusal("Namespace nsclass-demo-payments is there already").await?;
    cp.install_crds(&crds()).await?;
    let items = json!([{ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" } }]);
    World::new(&cp, "demo").class("gold", json!({ "resources": items })).await?;
    refusal("NamespaceClass demo-gold-").await
}
