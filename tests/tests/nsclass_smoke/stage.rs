//! What these tests stand on.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::api::{ApiResource, DynamicObject, ListParams};
use kube::{Api, ResourceExt};
use nsclass_shared::api::{NamespaceClass, NamespaceClassBinding};
use nsclass_tests::{ControlPlane, Identity, Program};

/// Longest that a run takes: its own deadlines, one after the other.
const LONGEST: Duration = Duration::from_secs(300);

/// `nsclass smoke` as the admin, started.
pub(crate) async fn start(cp: &ControlPlane, arguments: &[&str]) -> Result<Program> {
    let kubeconfig = cp.kubeconfig("nsclass-smoke", &Identity::Admin)?;
    Program::named("nsclass").arg("smoke").args(arguments).env("KUBECONFIG", kubeconfig).start().await
}

/// Its exit code and all that it said.
pub(crate) async fn end(program: &Program) -> Result<(i32, String)> {
    let status = program.wait(LONGEST).await?;
    Ok((status.code().context("killed")?, format!("{}{}", program.stdout()?, program.stderr()?)))
}

/// [`start`] and [`end`].
pub(crate) async fn smoke(cp: &ControlPlane, arguments: &[&str]) -> Result<(i32, String)> {
    end(&start(cp, arguments).await?).await
}

/// Everything of the cluster that a run has made.
pub(crate) async fn made(cp: &ControlPlane) -> Result<Vec<String>> {
    let client = cp.admin();
    let all = ListParams::default();
    let mut found = Vec::new();
    let mut note = |kind: &str, names: Vec<String>| {
        found.extend(
            names.into_iter().filter(|name| name.starts_with("nsclass-smoke")).map(|name| format!("{kind} {name}")),
        );
    };
    let namespaces: Api<Namespace> = Api::all(client.clone());
    note("Namespace", namespaces.list_metadata(&all).await?.iter().map(ResourceExt::name_any).collect());
    let roles: Api<ClusterRole> = Api::all(client.clone());
    note("ClusterRole", roles.list_metadata(&all).await?.iter().map(ResourceExt::name_any).collect());
    let ours = [ApiResource::erase::<NamespaceClass>(&()), ApiResource::erase::<NamespaceClassBinding>(&())];
    for kind in ours {
        let objects: Api<DynamicObject> = Api::all_with(client.clone(), &kind);
        match objects.list_metadata(&all).await {
            Ok(list) => note(&kind.kind, list.iter().map(ResourceExt::name_any).collect()),
            // There is no such kind, and so none of it.
            Err(kube::Error::Api(status)) if status.code == 404 => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(found)
}

/// That a run has left nothing.
pub(crate) async fn ensure_clean(cp: &ControlPlane) -> Result<()> {
    let left = made(cp).await?;
    ensure!(left.is_empty(), "left behind: {left:?}");
    Ok(())
}

/// That a run has failed, and said all of this.
pub(crate) fn ensure_says((code, said): &(i32, String), expected: i32, words: &[&str]) -> Result<()> {
    ensure!(*code == expected, "{code}: {said}");
    let missing: Vec<&&str> = words.iter().filter(|word| !said.contains(**word)).collect();
    ensure!(missing.is_empty(), "it does not say {missing:?}: {said}");
    Ok(())
}
