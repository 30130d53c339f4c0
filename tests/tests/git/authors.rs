//! Who made a change, as the audit webhook of a real API server tells it (folders.md F52).

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{DeleteParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::runtime::watcher::{Config as WatchConfig, Event};
use kube::{Api, Client};
use nsclass_controller::livegit::audit::{Audit, Receiver, serve};
use nsclass_controller::livegit::change::{Change, Message, What};
use nsclass_controller::livegit::metrics::GitMetrics;
use nsclass_manifests::live;
use nsclass_shared::runtime::watch_cluster;
use nsclass_tests::git_server::Origin;
use nsclass_tests::{ControlPlane, Options, eventually};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::stage::{Live, Stage, Wanted, id, local, target};

/// Bodies of the kind that is watched; of everything else what the harness's own log needs.
const POLICY: &str = "\
apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: None
  nonResourceURLs: ['/healthz*', '/livez*', '/readyz*']
- level: RequestResponse
  resources: [{ group: '', resources: [configmaps] }]
- level: Metadata
";
const PEOPLE: [&str; 3] = ["ann@example.com", "bob", "carl <evil>"];
const ROBOT: &str = "system:serviceaccount:team-a:robot";
const ROUNDS: usize = 12;

/// A control plane that sends its audit events to the receiver that is returned with it.
async fn audited(audit: &Arc<Audit>, shutdown: &CancellationToken) -> Result<(ControlPlane, tempfile::TempDir)> {
    // Fails when a provider is there already, and any is right.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let dir = tempfile::tempdir()?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(vec!["127.0.0.1".to_owned()])?;
    let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let tls = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![cert.der().clone()], key)?;
    let receiver =
        Receiver::new(audit.clone(), "only-the-api-server".into(), GitMetrics::new(&prometheus::Registry::new())?);
    tokio::spawn(serve(listener, tls, Arc::new(receiver), shutdown.clone()));

    let file = |name: &str, text: &str| -> Result<String> {
        let path = dir.path().join(name);
        std::fs::write(&path, text)?;
        Ok(path.display().to_string())
    };
    let ca = file("ca.crt", &cert.pem())?;
    let kubeconfig = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "audit",
        "clusters": [{ "name": "audit", "cluster": { "server": format!("https://{address}/"), "certificate-authority": ca } }],
        "users": [{ "name": "server", "user": { "token": "only-the-api-server" } }],
        "contexts": [{ "name": "audit", "context": { "cluster": "audit", "user": "server" } }],
    });
    let options = Options::default()
        .api_server_flag(format!("--audit-policy-file={}", file("policy.yaml", POLICY)?))
        .api_server_flag(format!("--audit-webhook-config-file={}", file("kubeconfig.json", &kubeconfig.to_string())?))
        .api_server_flag("--audit-webhook-batch-max-wait=200ms")
        .api_server_flag("--audit-webhook-batch-max-size=50");
    Ok((ControlPlane::start(options).await?, dir))
}

/// Tells the worker what a watch sees.
async fn stream(client: Client, live: Arc<Live>, stage: Arc<Stage>) -> Result<()> {
    let api: Api<ConfigMap> = Api::namespaced(client, "team-a");
    let mut events = std::pin::pin!(watch_cluster(api, WatchConfig::default()));
    while let Some(event) = events.next().await {
        let (object, is_there) = match event? {
            Event::Apply(object) => (object, true),
            Event::Delete(object) => (object, false),
            Event::Init | Event::InitApply(_) | Event::InitDone => continue,
        };
        let metadata = object.metadata.clone();
        let name = metadata.name.context("a name")?;
        if name.starts_with("kube-") {
            continue;
        }
        let what = if is_there {
            let mut value = serde_json::to_value(object)?;
            value["apiVersion"] = json!("v1");
            value["kind"] = json!("ConfigMap");
            let value = live::clean(&value, None);
            live.put(id("configmaps", &name), value.clone());
            What::Put(Arc::new(value))
        } else {
            live.delete(&name);
            What::Delete
        };
        let change = Change {
            target: target(),
            id: id("configmaps", &name),
            what,
            uid: metadata.uid.context("a uid")?.into(),
            resource_version: metadata.resource_version.context("a version")?.into(),
        };
        stage.worker.send(Message::Change(change)).await?;
    }
    Ok(())
}

/// Somebody changes objects: their own, and one that all change. What was answered is noted by object and version.
async fn work(client: Client, who: &str, made: &Mutex<HashMap<(String, String), String>>) -> Result<()> {
    let maps: Api<ConfigMap> = Api::namespaced(client, "team-a");
    let short: String = who.chars().filter(char::is_ascii_lowercase).take(3).collect();
    let note = |map: &ConfigMap, level: &str| {
        let name = map.metadata.name.clone().unwrap_or_default();
        let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
        made.insert((name, level.to_owned()), who.to_owned());
    };
    let own = format!("own-{short}");
    let data = |level: &str| Some([("level".to_owned(), level.to_owned())].into());
    let metadata = ObjectMeta { name: Some(own.clone()), ..ObjectMeta::default() };
    let level = format!("{short}-0");
    let map = maps
        .create(&PostParams::default(), &ConfigMap { metadata, data: data(&level), ..ConfigMap::default() })
        .await?;
    note(&map, &level);
    for round in 1..=ROUNDS {
        let level = format!("{short}-{round}");
        let patch = Patch::Merge(json!({ "data": { "level": level } }));
        note(&maps.patch(&own, &PatchParams::default(), &patch).await?, &level);
        note(&maps.patch("shared", &PatchParams::default(), &patch).await?, &level);
        // Changes nothing, and its answer names the version that somebody else may have made.
        maps.patch("shared", &PatchParams::default(), &Patch::Merge(json!({ "data": { "other": "same" } }))).await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f52_three_people_and_a_controller_at_once_each_get_their_commits_or_nobody_does() -> Result<()> {
    let shutdown = CancellationToken::new();
    let audit = Arc::new(Audit::new(Duration::from_secs(15)));
    let (plane, _dir) = audited(&audit, &shutdown).await?;
    let admin = plane.admin();
    let namespaces: Api<Namespace> = Api::all(admin.clone());
    let metadata = ObjectMeta { name: Some("team-a".into()), ..ObjectMeta::default() };
    namespaces.create(&PostParams::default(), &Namespace { metadata, ..Namespace::default() }).await?;
    let maps: Api<ConfigMap> = Api::namespaced(admin.clone(), "team-a");

    let origin = Origin::with(&[("apps/kustomization.yaml", "namespace: team-a\nresources: []\n")])?;
    let live = Live::with(&[]);
    let wanted = Wanted { audit: Some(audit.clone()), window: Duration::ZERO, ..Wanted::default() };
    let stage = Arc::new(Stage::start(local(&origin)?, &live, wanted).await?);
    stage.report("pushed", |report| report.synced.reason.as_str() == "Pushed").await?;
    let streaming = tokio::spawn(stream(admin.clone(), live.clone(), stage.clone()));
    // A change that arrives proves that the watch is on.
    let first = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "shared" }, "data": { "level": "first", "other": "same" } });
    maps.patch("shared", &PatchParams::apply("test").force(), &Patch::Apply(first)).await?;
    let mut touched = 0;
    eventually("the watch is on", async || {
        touched += 1;
        let patch = Patch::Merge(json!({ "data": { "touched": touched.to_string() } }));
        maps.patch("shared", &PatchParams::default(), &patch).await?;
        ensure!(!live.all().is_empty(), "nothing was seen");
        Ok(())
    })
    .await?;

    let made = Mutex::new(HashMap::new());
    let groups = &["system:masters"];
    let [ann, bob, carl] = PEOPLE.map(|who| work(plane.impersonate(who, groups), who, &made));
    let robot = work(plane.impersonate(ROBOT, groups), ROBOT, &made);
    let (ann, bob, carl, robot) = tokio::join!(ann, bob, carl, robot);
    ann.and(bob).and(carl).and(robot)?;
    let bob: Api<ConfigMap> = Api::namespaced(plane.impersonate("bob", groups), "team-a");
    bob.delete("own-ann", &DeleteParams::default()).await?;

    eventually("the folder says what is live", async || {
        let files = origin.files()?;
        ensure!(!files.contains_key("apps/team-a/core/configmaps/own-ann.yaml"), "own-ann is still there");
        for (id, value) in live.all() {
            let text = files.get(&format!("apps/team-a/core/configmaps/{}.yaml", id.name)).context("no file yet")?;
            let level = value["data"]["level"].as_str().unwrap_or_default();
            ensure!(text.contains(&format!("level: {level}\n")), "{text} is not {level}; {:?}", stage.heard.last());
        }
        Ok(())
    })
    .await?;
    let made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (right, unknown) = compare(&origin, &made)?;
    // What an own object was changed to by its only author is never in doubt; what all change may be.
    ensure!(right > 4 * ROUNDS, "{right} right, {unknown} unknown");
    let log = origin.log()?;
    ensure!(
        log[0].subject == "[DELETE] v1/configmaps team-a/own-ann" && log[0].author.starts_with("bob <"),
        "{:?}",
        log[0]
    );
    shutdown.cancel();
    streaming.abort();
    Ok(())
}

/// Looks at each commit's own change: whoever wrote that level is its author, or `unknown`.
fn compare(origin: &Origin, made: &HashMap<(String, String), String>) -> Result<(usize, usize)> {
    let (mut right, mut unknown) = (0, 0);
    for commit in origin.log()? {
        let diff = origin.git(["show", "--format=", "--unified=0", &commit.id])?;
        let level = diff.lines().find_map(|line| line.strip_prefix("+  level: ")).map(str::to_owned);
        let name = commit.subject.rsplit('/').next().unwrap_or_default().to_owned();
        let Some(who) = level.and_then(|level| made.get(&(name, level))) else { continue };
        let shown = nsclass_shared::livegit::person::Person::of_user(who).to_string();
        if commit.author == shown {
            right += 1;
        } else {
            ensure!(
                commit.author.starts_with("unknown <"),
                "{who} made it, and {} is its author: {diff}",
                commit.author
            );
            unknown += 1;
        }
    }
    Ok((right, unknown))
}

#[tokio::test]
async fn f52_nobody_without_the_token_names_an_author() -> Result<()> {
    let shutdown = CancellationToken::new();
    let audit = Arc::new(Audit::new(Duration::from_millis(100)));
    let _ = rustls::crypto::ring::default_provider().install_default();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(vec!["127.0.0.1".to_owned()])?;
    let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let tls = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![cert.der().clone()], key)?;
    let metrics = GitMetrics::new(&prometheus::Registry::new())?;
    tokio::spawn(serve(
        listener,
        tls,
        Arc::new(Receiver::new(audit.clone(), "right".into(), metrics)),
        shutdown.clone(),
    ));

    let event: Value = json!({ "items": [{
        "stage": "ResponseComplete", "verb": "create", "requestURI": "/x", "user": { "username": "mallory" },
        "responseStatus": { "code": 201 }, "responseObject": { "metadata": { "uid": "uid-one", "resourceVersion": "1" } },
    }] });
    let mut config = kube::Config::new(format!("https://{address}").parse()?);
    config.root_cert = Some(vec![cert.der().to_vec()]);
    config.default_retry = false;
    for (token, status) in [(None, 401), (Some("wrong"), 401), (Some("right"), 200)] {
        let client = Client::try_from(config.clone())?;
        let mut request = http::Request::post("/").body(serde_json::to_vec(&event)?.into())?;
        if let Some(token) = token {
            request.headers_mut().insert("authorization", format!("Bearer {token}").parse()?);
        }
        let answer = client.send(request).await?;
        ensure!(answer.status() == status, "{token:?}: {}", answer.status());
        ensure!(audit.is_empty() == (status != 200), "{token:?}");
    }
    shutdown.cancel();
    Ok(())
}
