//! A controller that cannot work says so in one sentence, and ends (issue 9, bad input).

use anyhow::{Context, Result, ensure};
use nsclass_shared::api::crds;
use nsclass_tests::install::ensure_namespace;
use nsclass_tests::{ControlPlane, GENEROUS, Identity, Operator, OperatorOptions, Options, Program};
use serde_json::Value;

/// The last line of a controller that ends by itself, which is for the person at the terminal.
async fn sentence(cp: &ControlPlane, name: &str, identity: &Identity, arguments: &[&str]) -> Result<String> {
    let program = Program::named("nsclass-controller")
        .args(["--log-format", "text", "--log", "off", "--admin-address", "127.0.0.1:0"])
        .args(arguments)
        .env("KUBECONFIG", cp.kubeconfig(name, identity)?)
        .start()
        .await?;
    let status = program.wait(GENEROUS).await?;
    ensure!(!status.success(), "it ended well");
    let said = program.stderr()?;
    Ok(said.trim().lines().last().context("it says nothing")?.to_owned())
}

#[tokio::test]
async fn a_missing_definition_an_old_one_a_missing_right_and_a_second_installation_end_it_in_a_sentence() -> Result<()>
{
    let cp = ControlPlane::start(Options::default()).await?;
    let admin = Identity::Admin;
    insta::assert_snapshot!(sentence(&cp, "missing", &admin, &[]).await?, @"nsclass-controller: CustomResourceDefinition namespaceclasses.nsclass.io is missing; apply deploy/crds, or install the chart with crds.enabled");

    let mut old = serde_json::to_value(crds())?;
    let guard = old[0].pointer_mut("/spec/versions/0/schema/openAPIV3Schema/properties/status/properties");
    let removed = guard.and_then(Value::as_object_mut).and_then(|properties| properties.remove("guard"));
    ensure!(removed.is_some(), "the definition has no status.guard");
    cp.install_crds(&serde_json::from_value::<Vec<_>>(old)?).await?;
    insta::assert_snapshot!(sentence(&cp, "old", &admin, &[]).await?, @"nsclass-controller: CustomResourceDefinition namespaceclasses.nsclass.io is older than this controller: it has no field status.guard; apply deploy/crds of this version, or upgrade the release that has the definitions");

    cp.install_crds(&crds()).await?;
    let nobody = Identity::user("nobody", &[]);
    insta::assert_snapshot!(sentence(&cp, "nobody", &nobody, &[]).await?, @r#"nsclass-controller: customresourcedefinitions.apiextensions.k8s.io "namespaceclasses.nsclass.io" is forbidden: User "nobody" cannot get resource "customresourcedefinitions" in API group "apiextensions.k8s.io" at the cluster scope; grant the controller's ServiceAccount the rights that the chart gives it"#);

    let first = Operator::start(&cp, OperatorOptions::default()).await?;
    ensure_namespace(&cp.admin(), "second").await?;
    let said = sentence(&cp, "second", &admin, &["--operator-namespace", "second"]).await?;
    ensure!(said.contains("instance default is installed in namespace nsclass-system too, and led by "), "{said}");
    ensure!(said.contains("give one of the two another name"), "{said}");
    first.program().ensure_running()
}
