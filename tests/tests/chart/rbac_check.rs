//! `nsclass rbac-check`: with a cluster and without one, before and after the role that it prints is there (class.md C49).

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use nsclass_tests::helm::{Helm, RELEASE};
use nsclass_tests::{ControlPlane, GENEROUS, Identity, Options, Program, World, eventually};
use serde_json::json;

use crate::installed::helm;
use crate::stage::Rendered;

/// Exit code and output of `nsclass rbac-check`.
async fn check(kubeconfig: &Path, arguments: &[&str]) -> Result<(i32, String)> {
    let program =
        Program::named("nsclass").arg("rbac-check").args(arguments).env("KUBECONFIG", kubeconfig).start().await?;
    let status = program.wait(GENEROUS).await?;
    let code = status.code().context("killed")?;
    ensure!(code != 2, "{}", program.stderr()?);
    Ok((code, program.stdout()?))
}

const CLASS: &str = "
apiVersion: nsclass.io/v1alpha1
kind: NamespaceClass
metadata: { name: team }
spec:
  resources:
  - { apiVersion: v1, kind: ConfigMap, metadata: { name: about } }
  - { apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: { name: deny }, spec: { podSelector: {} } }
  - apiVersion: rbac.authorization.k8s.io/v1
    kind: RoleBinding
    metadata: { name: team }
    roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit }
";

#[tokio::test]
async fn c49_what_is_missing_is_named_and_the_role_that_is_printed_mends_it() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let admin = cp.kubeconfig("admin", &Identity::Admin)?;
    let kinds = "rbac.kinds=[{\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"]}]";
    helm(&Helm::find()?.on(&admin), &["install"], RELEASE, &[kinds])?;
    let dir = tempfile::tempdir()?;
    let file = dir.path().join("class.yaml");
    fs::write(&file, CLASS)?;
    let file = file.to_str().context("a path")?;

    // The first call may have to build the program.
    check(&admin, &["-f", file]).await?;
    let said = eventually("the rights of the chart are in force", async || {
        let (code, said) = check(&admin, &["-f", file]).await?;
        ensure!(code == 1 && !said.contains("delete configmaps"), "{code}: {said}");
        Ok(said)
    });
    let said = said.await?;
    let told: Vec<&str> = said.lines().filter(|line| line.starts_with('#')).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    # class team: the controller may not bind clusterroles.rbac.authorization.k8s.io/edit, for rbac.authorization.k8s.io/v1/RoleBinding team
    # class team: the controller may not get, list, watch, create, patch, delete networkpolicies.networking.k8s.io, for networking.k8s.io/v1/NetworkPolicy deny
    # class team: the controller may not get, list, watch, create, patch, delete rolebindings.rbac.authorization.k8s.io, for rbac.authorization.k8s.io/v1/RoleBinding team
    # With escalate and bind for the controller, whoever may write classes can become cluster admin.
    ");
    cp.apply_yaml(&said).await?;
    eventually("nothing is missing", async || {
        let (code, said) = check(&admin, &["-f", file]).await?;
        ensure!(code == 0 && said == "# class team: nothing is missing\n", "{code}: {said}");
        Ok(())
    })
    .await?;

    // The classes of the cluster, and a kind that nobody serves.
    let world = World::new(&cp, "c49");
    let widget = json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "w" } });
    world.class("odd", json!({ "resources": [widget] })).await?;
    let (code, said) = check(&admin, &[]).await?;
    ensure!(code == 1 && said.contains("nobody serves example.com/Widget here"), "{code}: {said}");
    // Another account has nothing.
    let (code, said) = check(&admin, &["-f", file, "--service-account", "default/default"]).await?;
    ensure!(code == 1 && said.contains("delete configmaps"), "{code}: {said}");
    Ok(())
}

#[tokio::test]
async fn c49_without_a_cluster_the_charts_own_roles_are_asked() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let write = |name: &str, text: &str| -> Result<String> {
        let path = dir.path().join(name);
        fs::write(&path, text)?;
        Ok(path.to_str().context("a path")?.to_owned())
    };
    let roles = |values: &[&str]| -> Result<String> {
        let rendered = Rendered::with(values)?;
        Ok(rendered.kind("ClusterRole").iter().map(ToString::to_string).collect::<Vec<_>>().join("\n---\n"))
    };
    let (class, nowhere) = (write("class.yaml", CLASS)?, dir.path().join("no-kubeconfig"));
    let few = write("few.yaml", &roles(&[])?)?;
    let (code, said) = check(&nowhere, &["-f", &class, "--roles", &few]).await?;
    ensure!(code == 1 && said.contains("may not get, list, watch, create, patch, delete configmaps"), "{code}: {said}");
    let kinds = "rbac.kinds=[{\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"]},{\"apiGroups\":[\"networking.k8s.io\"],\"resources\":[\"networkpolicies\"]}]";
    let all = write("all.yaml", &roles(&[kinds, "rbac.grants=true"])?)?;
    let (code, said) = check(&nowhere, &["-f", &class, "--roles", &all]).await?;
    ensure!(code == 0, "{code}: {said}");
    Ok(())
}
