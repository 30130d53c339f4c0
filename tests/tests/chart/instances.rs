//! Two instances on one cluster, and what only a cluster can tell about values (issue 9, bad input).

use anyhow::{Result, ensure};
use nsclass_tests::helm::{CHART, Helm, RELEASE, set};
use nsclass_tests::{ControlPlane, Identity, Options};

use crate::installed::helm;
use crate::refused::sentence_of_fail;

const SHARED: [&str; 3] = ["instance=\"blue\"", "crds.enabled=false", "policies.enabled=false"];

/// The sentence with which an installation is refused.
fn refused(helm: &Helm, [name, namespace]: [&str; 2], values: &[&str]) -> Result<String> {
    let arguments = ["install", name, CHART, "--namespace", namespace, "--create-namespace", "--no-hooks"];
    let said = helm.run(arguments.into_iter().chain(set(values)))?;
    ensure!(!said.is_success, "{values:?} are taken");
    Ok(sentence_of_fail(said.complaints.trim()).to_owned())
}

#[tokio::test]
async fn what_the_cluster_lacks_and_an_instance_that_is_there_already_are_refused_in_a_sentence() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let admin = Helm::find()?.on(cp.kubeconfig("helm", &Identity::Admin)?);
    let blue = ["blue", "blue-system"];
    insta::assert_snapshot!(refused(&admin, blue, &SHARED)?, @"crds: enabled is false and the cluster has no CustomResourceDefinition namespaceclasses.nsclass.io; set it to true, or apply deploy/crds first");
    insta::assert_snapshot!(refused(&admin, blue, &["instance=\"blue\"", "policies.enabled=false"])?, @"policies: enabled is false and the cluster has no ValidatingAdmissionPolicy nsclass-namespace-keys; set it to true, or apply deploy/policies first");

    helm(&admin, &["install"], RELEASE, &["policy.guardedKeys=[\"example.com/owner\"]"])?;
    insta::assert_snapshot!(refused(&admin, ["second", "second-system"], &[])?, @r#"instance: "default" is installed already, as release nsclass in namespace nsclass-system; give this one another name in the value instance, or upgrade that release"#);
    insta::assert_snapshot!(refused(&admin, ["second", RELEASE[1]], &SHARED[1..])?, @r#"instance: "default" is installed already, as release nsclass in namespace nsclass-system; give this one another name in the value instance, or upgrade that release"#);
    let keys = "policy.guardedKeys=[\"example.com/owner\",\"cost-centre\"]";
    insta::assert_snapshot!(refused(&admin, blue, &[&SHARED[..], &[keys]].concat())?, @r#"policy: guardedKeys lists "cost-centre", which the policy nsclass-namespace-keys of the cluster does not guard, so that a tenant could choose it; list it in the installation that has the policies, too"#);

    // With another name it is installed beside the first, with its own namespace or in the same one.
    helm(&admin, &["install"], blue, &SHARED)?;
    helm(&admin, &["install"], ["green", RELEASE[1]], &["instance=\"green\"", SHARED[1], SHARED[2]])?;
    helm(&admin, &["upgrade"], blue, &SHARED)?;
    Ok(())
}
