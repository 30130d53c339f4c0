//! The chart on a real API server: installed, upgraded and uninstalled by Helm. No pod runs there, so that hooks are left out.

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::rbac::v1::ClusterRole;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, ListParams};
use kube::{Api, Client, ResourceExt};
use nsclass_tests::helm::{CHART, Helm, RELEASE, set};
use nsclass_tests::install::ensure_taken;
use nsclass_tests::{ControlPlane, Identity, Options, eventually};

use crate::stage::{Rendered, title};
use crate::values::COMBINATIONS;

/// Kinds that a release has, as far as the chart's own API server serves them.
const KINDS: [(&str, &str, &str); 14] = [
    ("", "v1", "ConfigMap"),
    ("", "v1", "Service"),
    ("", "v1", "ServiceAccount"),
    ("apps", "v1", "Deployment"),
    ("batch", "v1", "Job"),
    ("coordination.k8s.io", "v1", "Lease"),
    ("networking.k8s.io", "v1", "NetworkPolicy"),
    ("policy", "v1", "PodDisruptionBudget"),
    ("rbac.authorization.k8s.io", "v1", "Role"),
    ("rbac.authorization.k8s.io", "v1", "RoleBinding"),
    ("rbac.authorization.k8s.io", "v1", "ClusterRole"),
    ("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding"),
    ("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy"),
    ("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicyBinding"),
];

/// Every object of a release, by its label.
async fn objects(client: &Client, release: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for (group, version, kind) in KINDS {
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
        let ours = ListParams::default().labels(&format!("app.kubernetes.io/instance={release}"));
        let list = Api::<DynamicObject>::all_with(client.clone(), &resource).list_metadata(&ours).await?;
        found.extend(
            list.items
                .iter()
                .map(|object| format!("{kind} {}/{}", object.namespace().unwrap_or_default(), object.name_any())),
        );
    }
    found.sort();
    Ok(found)
}

/// `helm COMMAND` of the release `[name, namespace]` with these values.
pub(crate) fn helm(helm: &Helm, command: &[&str], [name, namespace]: [&str; 2], values: &[&str]) -> Result<String> {
    let arguments = [name, CHART, "--namespace", namespace, "--create-namespace", "--no-hooks"];
    helm.run(command.iter().copied().chain(arguments).chain(set(values)))?.ok()
}

async fn rules(client: &Client, role: &str) -> Result<usize> {
    let roles: Api<ClusterRole> = Api::all(client.clone());
    Ok(roles.get(role).await?.rules.unwrap_or_default().len())
}

#[tokio::test]
async fn what_the_chart_installs_is_valid_is_upgraded_in_place_and_goes_but_for_the_definitions() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let client = cp.admin();
    let admin = Helm::find()?.on(cp.kubeconfig("helm", &Identity::Admin)?);
    helm(&admin, &["install"], RELEASE, &[])?;
    let installed = objects(&client, RELEASE[0]).await?;
    let rendered = Rendered::parse(&admin.manifests()?)?;
    let expected = rendered.names().into_iter().filter(|name| !name.starts_with("CustomResourceDefinition")).count();
    ensure!(installed.len() == expected, "{expected} rendered, and there are {installed:#?}");

    // What the API server takes of the defaults, it takes of every combination, as far as it serves the kinds.
    for (name, values) in COMBINATIONS {
        for object in Rendered::with(values)?.all() {
            let version = object["apiVersion"].as_str().unwrap_or_default();
            let is_foreign = version.starts_with("cert-manager.io/") || version.starts_with("monitoring.coreos.com/");
            // Done in full above, and slow.
            if !is_foreign && object["kind"] != "CustomResourceDefinition" {
                ensure_taken(&client, object).await.with_context(|| format!("{name}: {}", title(object)))?;
            }
        }
    }
    helm(&admin, &["upgrade", "--reset-values"], RELEASE, &["rbac.grants=true", "policies.lock.enabled=true"])?;
    helm(&admin, &["upgrade", "--reset-values"], RELEASE, &[])?;
    ensure!(objects(&client, RELEASE[0]).await? == installed, "upgrades leave something behind");

    // The API server sums up what classes may make; an upgrade takes none of it.
    let kinds = ["rbac.kinds=[{\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"]}]"];
    helm(&admin, &["upgrade", "--reset-values"], RELEASE, &kinds)?;
    let summed_up = async || {
        eventually("the rights are summed up", async || {
            ensure!(rules(&client, "nsclass-default-kinds").await? == 1, "they are not");
            Ok(())
        })
        .await
    };
    summed_up().await?;
    helm(&admin, &["upgrade"], RELEASE, &["scope.namespaces=[\"a\"]", kinds[0]])?;
    summed_up().await?;
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), RELEASE[1]);
    let config = maps.get("nsclass-config").await?.data.unwrap_or_default().remove("nsclass.yaml").unwrap_or_default();
    ensure!(config.contains("namespaces: [\"a\"]"), "{config}");

    admin.run(["uninstall", RELEASE[0], "--namespace", RELEASE[1], "--no-hooks"])?.ok()?;
    let left = objects(&client, RELEASE[0]).await?;
    ensure!(left.is_empty(), "left behind: {left:?}");
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    ensure!(definitions.get_opt("namespaceclasses.nsclass.io").await?.is_some(), "the definitions are gone");

    // Installed again, under another name: one line takes the definitions over.
    let other = ["other", RELEASE[1]];
    let refused = admin.run(["install", other[0], CHART, "--namespace", other[1], "--no-hooks"])?;
    ensure!(!refused.is_success && refused.complaints.contains("CustomResourceDefinition"), "{refused}");
    helm(&admin, &["install", "--take-ownership"], other, &[])?;
    let leases: Api<Lease> = Api::namespaced(client, other[1]);
    leases.get("nsclass-controller-default").await?;
    Ok(())
}

#[tokio::test]
async fn the_committed_manifests_are_valid() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/manifests.yaml");
    let applied = cp.apply_file(path).await?;
    ensure!(applied.len() > 20, "{}", applied.len());
    Ok(())
}
