//! The authority replaced under load, and bad pairs on the way (fault 16); what goes on while all replicas are down (admission.md A15).

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use jiff::{SignedDuration, Timestamp};
use kube::api::{Api, ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams};
use nsclass_certs::{authority::Authority, bundle, pair::Pair};
use nsclass_tests::eventually;
use serde_json::{Value, json};

use crate::replica::Replica;
use crate::stage::{Stage, metric};

const HOST: &str = "127.0.0.1";
const ROTATED: &str = "nsclass_certificate_steps_total{step=\"promote\"}";
const MINUTE: SignedDuration = SignedDuration::from_mins(1);

/// The template that is shipped, for a webhook that is reached by a URL.
fn shipped(address: SocketAddr) -> Result<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/webhook-configuration.yaml");
    let mut template: Value = serde_saphyr::from_str(&fs::read_to_string(file)?)?;
    let client = &mut template["webhooks"][0]["clientConfig"];
    let path = client["service"]["path"].as_str().context("no path")?.to_owned();
    *client = json!({ "url": format!("https://{address}{path}") });
    Ok(template)
}

fn classes(stage: &Stage) -> Api<DynamicObject> {
    let gvk = GroupVersionKind::gvk("nsclass.io", "v1alpha1", "NamespaceClass");
    Api::all_with(stage.cp.admin(), &ApiResource::from_gvk_with_plural(&gvk, "namespaceclasses"))
}

fn class(name: &str, data: &str) -> Value {
    let item = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" }, "data": { "k": data } });
    json!({ "apiVersion": "nsclass.io/v1alpha1", "kind": "NamespaceClass", "metadata": { "name": name },
        "spec": { "resources": [item] } })
}

async fn write(stage: &Stage, name: &str, data: &str) -> kube::Result<DynamicObject> {
    let params = PatchParams::apply("test-admin").force();
    classes(stage).patch(name, &params, &Patch::Apply(class(name, data))).await
}

/// Writes classes, and shakes hands with both replicas as a client of the published bundle, until it is told to stop.
async fn load(
    stage: Arc<Stage>,
    replicas: Arc<[Replica; 2]>,
    stop: Arc<AtomicBool>,
    done: Arc<AtomicUsize>,
) -> Result<()> {
    while !stop.load(Ordering::SeqCst) {
        let count = done.fetch_add(1, Ordering::SeqCst);
        write(&stage, "fault16", &count.to_string()).await.with_context(|| format!("write {count}"))?;
        for replica in replicas.iter() {
            let trusted = bundle::certificates(&stage.bundle("nsclass").await?)?;
            replica.handshake(&trusted).await.with_context(|| format!("handshake {count} with {}", replica.address))?;
        }
    }
    Ok(())
}

/// Two replicas, the slower one two seconds behind; the authority is due once the configuration says that authorities last for an hour.
#[tokio::test]
async fn fault16_an_authority_is_replaced_under_load_and_bad_pairs_come_by_without_a_failed_handshake() -> Result<()> {
    let stage = Arc::new(Stage::open("fault16").await?);
    let old = Authority::make(Timestamp::now() - MINUTE * 41, MINUTE * 600)?;
    stage.put("nsclass-webhook-ca", &[("current.crt", &old.certificate), ("current.key", &old.key)]).await?;
    let fast = Replica::start(&stage, "fault16-fast", Duration::from_millis(200)).await?;
    let slow = Replica::start(&stage, "fault16-slow", Duration::from_secs(2)).await?;
    stage.template(&shipped(fast.address)?).await?;
    let config = |authority: u32| {
        let replicas = format!("replicas: ['{}', '{}']", fast.address, slow.address);
        let times = format!("authoritySeconds: {authority}, servingSeconds: 1200, settleSeconds: 4");
        format!("certificates: {{ extraNames: ['{HOST}'], {replicas}, {times} }}")
    };
    let (long, short) = (config(36_000), config(3600));
    let operator = stage.operator("fault16", &long).await?;
    stage.in_order("nsclass").await?;
    let replicas = Arc::new([fast, slow]);
    for replica in replicas.iter() {
        replica.ready().await?;
    }
    eventually("the API server goes by the configuration", async || {
        write(&stage, "fault16", "first").await?;
        Ok(())
    })
    .await?;
    let (stop, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let load = tokio::spawn(load(Arc::clone(&stage), Arc::clone(&replicas), Arc::clone(&stop), Arc::clone(&done)));

    // Bad pairs: those that reach a replica are not served, and those in the `Secret` are replaced.
    let authority = Authority::read(&old.certificate, &old.key)?;
    let names = ["nsclass-webhook.ops-fault16.svc".to_owned(), HOST.to_owned()];
    let expired = authority.issue(&names, Timestamp::now() - MINUTE * 20, MINUTE)?;
    let other = authority.issue(&names, Timestamp::now(), MINUTE)?;
    let bad = [
        [("tls.crt", expired.certificate.as_str()), ("tls.key", expired.key.as_str())],
        [("tls.crt", other.certificate.as_str()), ("tls.key", expired.key.as_str())],
        [("tls.crt", &other.certificate[..300]), ("tls.key", other.key.as_str())],
    ];
    for (number, pair) in bad.into_iter().enumerate() {
        for replica in replicas.iter() {
            replica.refuses(&stage, &format!("bad-{number}"), &pair).await?;
        }
        stage.put("nsclass-webhook-tls", &pair).await?;
        eventually("the leader issues a good pair", async || {
            let (chain, key) = (
                stage.file("nsclass-webhook-tls", "tls.crt").await?,
                stage.file("nsclass-webhook-tls", "tls.key").await?,
            );
            Pair::parse(&chain, &key, Timestamp::now())?;
            Ok(())
        })
        .await?;
    }
    for replica in replicas.iter() {
        replica.is_up_to_date(&stage).await?;
    }

    operator.reconfigure(&stage.config("fault16", &short))?;
    metric(&operator, ROTATED, |value| value > 0.5).await?;
    let trusted = stage.in_order("nsclass").await?;
    ensure!(trusted != bundle::trusted(old.certificate.as_bytes()), "the old authority is still trusted");
    let count = done.load(Ordering::SeqCst);
    eventually("some more load on the new authority alone", async || {
        ensure!(done.load(Ordering::SeqCst) > count + 20 || load.is_finished(), "not yet");
        Ok(())
    })
    .await?;
    stop.store(true, Ordering::SeqCst);
    load.await??;
    ensure!(done.load(Ordering::SeqCst) > 50, "hardly any load: {done:?}");

    with_all_replicas_down(&stage, replicas, operator).await
}

/// With nobody to judge, a class's spec cannot be written, and everything else can; when they are back, it works without a hand.
async fn with_all_replicas_down(
    stage: &Stage,
    replicas: Arc<[Replica; 2]>,
    operator: nsclass_tests::Operator,
) -> Result<()> {
    drop(replicas);
    eventually("the spec of a class cannot be written", async || {
        ensure!(write(stage, "fault16", "down").await.is_err(), "it was");
        Ok(())
    })
    .await?;
    let labels = json!({ "metadata": { "labels": { "team": "x" }, "finalizers": ["nsclass.io/finalizer"] } });
    classes(stage).patch("fault16", &PatchParams::default(), &Patch::Merge(labels)).await?;
    let released = json!({ "metadata": { "finalizers": null } });
    classes(stage).patch("fault16", &PatchParams::default(), &Patch::Merge(released)).await?;
    // The operator's own objects, also after a restart.
    drop(operator);
    stage.secrets().delete("nsclass-webhook-tls", &kube::api::DeleteParams::default()).await?;
    let again = stage.operator("fault16-again", "certificates: { extraNames: ['127.0.0.1'] }").await?;
    stage.in_order("nsclass").await?;
    let back = Replica::start(stage, "fault16-back", Duration::from_millis(200)).await?;
    stage.template(&shipped(back.address)?).await?;
    eventually("the spec of a class can be written", async || {
        write(stage, "fault16", "up").await?;
        Ok(())
    })
    .await?;
    again.program().terminate().await?;
    Ok(())
}
