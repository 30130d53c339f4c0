//! Least rights: both processes and `nsclass release` under the chart's roles alone. The API server's audit log shows that nothing was
//! denied, and nothing granted for nothing.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Api;
use kube::api::{Patch, PatchParams};
use nsclass_shared::config::Config;
use nsclass_shared::rights::RBAC_GROUP;
use nsclass_shared::rights::own::{Grant, for_kinds};
use nsclass_tests::audit::Requests;
use nsclass_tests::helm::{Helm, RELEASE};
use nsclass_tests::rights::{own_objects, unused};
use nsclass_tests::webhook::{ServingFiles, Webhook};
use nsclass_tests::{ControlPlane, GENEROUS, Identity, Operator, Options, Program, World, eventually};
use serde_json::{Value, json};

use crate::installed::helm;
use crate::stage::Rendered;

const KINDS: &str = "rbac.kinds=[{\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"]},{\"apiGroups\":[\"networking.k8s.io\"],\"resources\":[\"networkpolicies\"]},{\"apiGroups\":[\"rbac.authorization.k8s.io\"],\"resources\":[\"clusterroles\"]}]";

/// Granted, and not used here: why.
const FOR_OTHER_DAYS: [(&str, &str); 15] = [
    ("create configmaps", "the first usage report, a minute after the election"),
    ("update configmaps", "every further usage report"),
    ("get configmaps", "the usage report and the template have one resource between them"),
    ("manage namespaceclassbindings.nsclass.io", "what policies ask for; no request"),
    ("get namespaceclassbindings.nsclass.io", "after a write that came too late"),
    ("create leases.coordination.k8s.io", "where somebody deleted the chart's"),
    ("patch events.events.k8s.io", "an event that repeats for minutes"),
    ("list endpointslices.discovery.k8s.io", "while an authority is replaced"),
    ("update secrets", "when a certificate is renewed"),
    ("get namespaces", "webhook: a namespaced object in a namespace that was never seen; release: a conflict"),
    ("get namespaceclasses.nsclass.io", "release: a conflict"),
    ("get customresourcedefinitions.apiextensions.k8s.io", "when a class is deleted while namespaces have it"),
    ("patch networkpolicies.networking.k8s.io", "the verb of every apply; the kind is one of several"),
    ("patch namespaceclassbindings.nsclass.io", "release: bindings that are left"),
    ("delete namespaceclassbindings.nsclass.io", "a binding whose namespace goes"),
];

fn class(value: &str) -> Value {
    json!({ "optOutDelay": "0s", "resources": [
        { "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "about" }, "data": { "value": value } },
        { "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": { "name": "deny" },
          "spec": { "podSelector": {}, "policyTypes": ["Ingress"] } },
        { "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
          "metadata": { "name": "made-for-{{ .Namespace.Name }}" }, "rules": [] },
    ] })
}

/// What a class does for its namespaces from the first to the last day.
async fn basic_flow(world: &World) -> Result<()> {
    world.class("std", class("1")).await?;
    for short in ["pay", "tax"] {
        world.namespace(short).of_class("std").create().await?;
        world.ready(short, "std").await?;
    }
    let maps: Api<ConfigMap> = Api::namespaced(world.client(), &world.name("pay"));
    let is = async |wanted: &str| {
        eventually(format!("the map says {wanted}"), async || {
            let data = maps.get("about").await?.data.unwrap_or_default();
            ensure!(data == BTreeMap::from([("value".to_owned(), wanted.to_owned())]), "{data:?}");
            Ok(())
        })
        .await
    };
    let drift = Patch::Merge(json!({ "data": { "value": "theirs" } }));
    maps.patch("about", &PatchParams::default(), &drift).await?;
    is("1").await?;
    world.class("std", class("2")).await?;
    is("2").await?;
    world.delete_namespace("tax").await?;
    world.gone("tax").await?;
    world.leave("pay").await?;
    world.unbound("pay").await?;
    world.join("pay", "std").await?;
    world.ready("pay", "std").await?;
    Ok(())
}

/// The accounts and roles of the hooks, which Helm makes for as long as one runs.
async fn install_hook_rights(cp: &ControlPlane, rendered: &Rendered) -> Result<()> {
    for object in rendered.all() {
        let is_hook = object["metadata"]["annotations"]["helm.sh/hook"].is_string();
        if is_hook && object["kind"] != "Job" {
            cp.apply_yaml(&object.to_string()).await?;
        }
    }
    Ok(())
}

fn ensure_all_used(who: &str, grants: &[Grant], config: &Config, requests: &Requests) -> Result<()> {
    let own = own_objects(config, "nsclass-default");
    let mut rules: Vec<_> = grants.iter().flat_map(|grant| grant.rules(&own)).collect();
    if grants.contains(&Grant::ControllerCluster) {
        let kinds = [("", "configmaps"), ("networking.k8s.io", "networkpolicies"), (RBAC_GROUP, "clusterroles")];
        rules.extend(kinds.map(|(group, resource)| for_kinds(group, &[resource])));
    }
    let mut left = unused(&rules, requests);
    left.retain(|right| !FOR_OTHER_DAYS.iter().any(|(allowed, _)| allowed == right));
    ensure!(left.is_empty(), "{who} may do what no test does: {left:#?}");
    Ok(())
}

#[tokio::test]
async fn under_the_charts_roles_nothing_is_denied_and_nothing_is_granted_for_nothing() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let mark = cp.audit().mark().await?;
    let admin = Helm::find()?.on(cp.kubeconfig("helm", &Identity::Admin)?);
    helm(&admin, &["install"], RELEASE, &[KINDS])?;
    let account = async |name: &str| cp.service_account(RELEASE[1], name).await;

    // Pods do not run here, and no Service leads anywhere: the API server reaches the webhook by a URL.
    let files = ServingFiles::empty()?;
    let secrets: Api<Secret> = Api::namespaced(cp.admin(), RELEASE[1]);
    let _mount = files.mount(secrets.clone(), "nsclass-webhook-tls".to_owned());
    let text = Rendered::with(&[KINDS])?.config()?;
    let webhook = Webhook::start_unready_as(&cp, &files, &text, &account("nsclass-webhook").await?).await?;
    let url = format!("webhook.url=\"https://{}\"", webhook.address());
    let values = [KINDS, url.as_str()];
    helm(&admin, &["upgrade"], RELEASE, &values)?;
    let rendered = Rendered::with(&values)?;
    let text = rendered.config()?;
    let kubeconfig = cp.kubeconfig("controller", &account("nsclass-controller").await?)?;
    let operator = Operator::start_with(kubeconfig, &text, &[]).await?;
    webhook.until_ready().await?;

    let world = World::new(&cp, "rights");
    let refused = eventually("the webhook judges", async || {
        let bad = json!({ "resources": [{ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "x" } }] });
        match world.class("bad", bad).await {
            Ok(_) => anyhow::bail!("it was taken"),
            Err(error) => Ok(format!("{error:#}")),
        }
    });
    let refused = refused.await?;
    ensure!(refused.contains("may not") || refused.contains("denied"), "{refused}");
    basic_flow(&world).await?;
    // The configuration of an upgrade is taken up.
    helm(&admin, &["upgrade"], RELEASE, &[KINDS, &url, "webhook.timeoutSeconds=2"])?;
    let config = Config::parse(&text)?;
    eventually("the webhook configuration is the upgraded one", async || {
        let written = cp.audit().since(mark).await?.verb("update").on(CONFIGURATIONS);
        ensure!(!written.is_empty(), "it was not written");
        Ok(())
    })
    .await?;

    install_hook_rights(&cp, &rendered).await?;
    let kubeconfig = cp.kubeconfig("hooks", &account("nsclass-hooks").await?)?;
    let release = ["release", "--delete-certificates-of", "nsclass-webhook"];
    let program = Program::named("nsclass").args(release).env("KUBECONFIG", &kubeconfig).start().await?;
    let status = program.wait(GENEROUS).await?;
    ensure!(status.success(), "{}{}", program.stdout()?, program.stderr()?);
    operator.program().wait(GENEROUS).await?;
    for name in ["nsclass-webhook-ca", "nsclass-webhook-tls"] {
        ensure!(secrets.get_opt(name).await?.is_none(), "Secret {name} is left behind");
    }
    let undo = Program::named("nsclass").args(["release", "--undo"]).env("KUBECONFIG", kubeconfig).start().await?;
    ensure!(undo.wait(GENEROUS).await?.success(), "{}{}", undo.stdout()?, undo.stderr()?);

    let requests = cp.audit().since(mark).await?;
    let by = |name: &str| requests.by_user(&format!("system:serviceaccount:{}:{name}", RELEASE[1]));
    for (name, grants) in [
        ("nsclass-controller", &Grant::CONTROLLER[..]),
        ("nsclass-webhook", &[Grant::Webhook]),
        ("nsclass-hooks", &[Grant::ReleaseCluster, Grant::ReleaseNamespace]),
    ] {
        let all = by(name);
        ensure!(!all.is_empty(), "{name} asked for nothing");
        let denied = all.filter(|request| matches!(request.code, 401 | 403));
        ensure!(denied.is_empty(), "denied:\n{denied}");
        ensure_all_used(name, grants, &config, &all)?;
    }
    Ok(())
}

const CONFIGURATIONS: &str = "validatingwebhookconfigurations.admissionregistration.k8s.io";
