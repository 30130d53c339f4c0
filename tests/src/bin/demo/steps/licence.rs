//! `cargo demo -- --licence`: a licence that gates the scope, without ever locking anybody out.

mod issuer;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use k8s_openapi::api::events::v1::Event;
use kube::Api;
use kube::api::{DeleteParams, ListParams};
use nsclass_shared::api::{NamespaceClassBinding, crds};
use nsclass_shared::names::usage_report;
use nsclass_shared::usage::{REPORT_KEY, UsageReport};
use nsclass_tests::OPERATOR_NAMESPACE;
use nsclass_tests::install::{ensure_namespace, install_crds};
use serde_json::{Value, json};

use super::operator::start_controllers;
use crate::demo::{Demo, ready};
use crate::settings::config;
use crate::stage::Stage;
use issuer::Issuer;

/// How long the licence lasts that is to expire while somebody watches, in seconds.
const SHORT: u32 = 6;
const CLASS: &str = "baseline";

/// Plays all of it.
///
/// # Errors
/// At the first claim that is false, and at what cannot be done.
pub async fn play(demo: &Demo<'_>, stage: &Stage) -> Result<()> {
    let issuer = issue_keys(demo, stage).await?;
    start(demo, stage, &issuer).await?;
    freezes(demo, &issuer).await?;
    frees(demo, &issuer).await?;
    expires(demo, &issuer).await?;
    reports(demo, &issuer).await?;
    demo.screen.end_step();
    Ok(())
}

async fn issue_keys(demo: &Demo<'_>, stage: &Stage) -> Result<Issuer> {
    demo.screen.step(
        "An issuer",
        "Anybody who runs the operator for others can issue licences: a pair of keys is all it takes, and no cluster.",
    );
    let issuer = Issuer::new(stage).await?;
    demo.screen.command("nsclass licence keygen --key issuer.pem");
    demo.screen.say(issuer.public_key());
    demo.fact("the public key is 32 bytes in base64, for gate.publicKeys", async || {
        ensure!(issuer.public_key().len() == 44, "{}", issuer.public_key());
        Ok(())
    })
    .await?;
    Ok(issuer)
}

async fn start(demo: &Demo<'_>, stage: &Stage, issuer: &Issuer) -> Result<()> {
    demo.screen.step(
        "An operator that wants a licence",
        "Its configuration says gate.mode: Hybrid. A namespace is there already, with a class, when it starts for the first time.",
    );
    demo.screen.command("kubectl apply -f deploy/crds");
    install_crds(&demo.cluster.client(), &crds()).await?;
    demo.screen.command(&format!("kubectl create namespace {OPERATOR_NAMESPACE}"));
    ensure_namespace(&demo.cluster.client(), OPERATOR_NAMESPACE).await?;
    demo.apply(&["baseline.yaml"]).await?;
    namespace(demo, "old").await?;
    let mut config: Value = serde_json::from_str(&config(&[], stage.git.path()))?;
    config["gate"] = json!({ "mode": "Hybrid", "publicKeys": [issuer.public_key()] });
    config["usage"] = json!({ "intervalSeconds": 2 });
    demo.screen.say(&format!("gate: {}", config["gate"]));
    start_controllers(demo, stage, &config.to_string()).await?;
    demo.filled("old", CLASS).await?;
    Ok(())
}

async fn freezes(demo: &Demo<'_>, issuer: &Issuer) -> Result<()> {
    demo.screen.step(
        "Without a licence the set is frozen where it is",
        "What was there at the first start is gone on with. What comes later waits, and says so.",
    );
    namespace(demo, "new").await?;
    waits(demo, "new").await?;
    demo.show_bindings(&["old", "new"]).await?;
    repaired(demo).await?;
    let events: Api<Event> = Api::namespaced(demo.cluster.client(), OPERATOR_NAMESPACE);
    let note = demo
        .claim("a Warning event says it, on the operator's Lease here, and on its pod in a cluster", async || {
            let all = events.list(&ListParams::default()).await?.items;
            let event = all.into_iter().find(|event| event.reason.as_deref() == Some("LicenceAbsent"));
            event.context("there is none")?.note.context("it says nothing")
        })
        .await?;
    demo.screen.say(&note);
    issuer.show(demo, "Absent").await
}

async fn frees(demo: &Demo<'_>, issuer: &Issuer) -> Result<()> {
    demo.screen
        .step("A licence frees what waits, at once", "It is one line, in a Secret with the label nsclass.io/licence.");
    issuer.put(demo, &["--days", "365"]).await?;
    demo.filled("new", CLASS).await?;
    issuer.show(demo, "Valid").await
}

async fn expires(demo: &Demo<'_>, issuer: &Issuer) -> Result<()> {
    demo.screen.step(
        "Expiry freezes again",
        &format!("The licence is replaced by one that ends in {SHORT} s. Nothing is restarted, and nothing is taken from anybody."),
    );
    let seconds = SHORT.to_string();
    issuer.put(demo, &["--seconds", &seconds]).await?;
    demo.claim("the operator says that it has expired", async || {
        let told = issuer.nsclass(&["licence", "show"]).await?;
        ensure!(told.contains("state:    Expired"), "{told}");
        Ok(())
    })
    .await?;
    namespace(demo, "newest").await?;
    waits(demo, "newest").await?;
    demo.filled("new", CLASS).await?;
    repaired(demo).await?;
    issuer.show(demo, "Expired").await
}

async fn reports(demo: &Demo<'_>, issuer: &Issuer) -> Result<()> {
    demo.screen.step(
        "What is used is reported, and stays in the cluster",
        "One ConfigMap in the operator's namespace, every ten minutes; here every two seconds.",
    );
    let maps: Api<ConfigMap> = Api::namespaced(demo.cluster.client(), OPERATOR_NAMESPACE);
    demo.claim("it counts two namespaces of the class, and one that waits", async || {
        let data = maps.get(&usage_report("default")).await?.data.context("no data")?;
        let report: UsageReport = serde_json::from_str(&data[REPORT_KEY])?;
        let ready = report.classes.get(&demo.name(CLASS)).map(|class| class.ready);
        ensure!(ready == Some(2) && report.unlicensed == 1, "{report:?}");
        Ok(())
    })
    .await?;
    demo.screen.command("nsclass usage");
    say_lines(demo, &issuer.nsclass(&["usage"]).await?);
    Ok(())
}

/// Makes a namespace with the class.
async fn namespace(demo: &Demo<'_>, short: &str) -> Result<()> {
    let name = demo.name(short);
    demo.screen.command(&format!("kubectl create namespace {name}"));
    let namespaces: Api<Namespace> = Api::all(demo.cluster.client());
    let namespace: Namespace = serde_json::from_value(json!({ "metadata": { "name": name } }))?;
    namespaces.create(&kube::api::PostParams::default(), &namespace).await?;
    demo.label(short, Some(CLASS)).await
}

/// Claims that a namespace waits and has nothing, and shows its message.
async fn waits(demo: &Demo<'_>, short: &str) -> Result<NamespaceClassBinding> {
    let name = demo.name(short);
    let binding = demo
        .claim(format!("{name} waits: LicenceRequired"), async || {
            let binding = demo.cluster.binding(&name).await?.context("it has no binding yet")?;
            let said = ready(&binding)?;
            ensure!(said.reason == "LicenceRequired", "{}: {}", said.reason, said.message);
            Ok(binding)
        })
        .await?;
    demo.screen.say(&ready(&binding)?.message);
    demo.fact("nothing was made there", async || {
        let inventory = demo.cluster.inventory(&name).await?;
        ensure!(inventory.is_empty(), "{inventory:?}");
        Ok(())
    })
    .await?;
    Ok(binding)
}

/// Deletes an object of the namespace that is known, and claims that it is put back.
async fn repaired(demo: &Demo<'_>) -> Result<()> {
    let name = demo.name("old");
    let entry = demo.cluster.inventory(&name).await?.into_iter().find(|entry| entry.kind == "NetworkPolicy");
    let entry = entry.context("it has no NetworkPolicy")?;
    demo.screen.command(&format!("kubectl -n {name} delete networkpolicy {}", entry.name));
    let policies: Api<k8s_openapi::api::networking::v1::NetworkPolicy> = Api::namespaced(demo.cluster.client(), &name);
    policies.delete(&entry.name, &DeleteParams::default()).await?;
    demo.claim(format!("drift in {name}, which is known, is repaired"), async || {
        let there = demo.cluster.object(&entry).await?.context("it is not there")?;
        ensure!(there.metadata.uid.as_deref() != Some(entry.uid.as_str()), "the old one is still there");
        Ok(())
    })
    .await
}

fn say_lines(demo: &Demo<'_>, text: &str) {
    text.lines().filter(|line| !line.is_empty()).for_each(|line| demo.screen.say(line));
}
