//! Our two kinds are installed, and the controller runs.

use anyhow::{Result, anyhow, ensure};
use kube::ResourceExt;
use nsclass_shared::api::crds;
use nsclass_tests::install::{ensure_namespace, install_crds};
use nsclass_tests::{OPERATOR_NAMESPACE, Operator};

use crate::demo::Demo;
use crate::stage::Stage;

pub async fn start(demo: &Demo<'_>, stage: &Stage) -> Result<()> {
    demo.screen.step(
        "The operator",
        "Two kinds: NamespaceClass is what an admin writes, NamespaceClassBinding the controller's record of what it put into a \
         namespace. The controller is the real binary, as a process beside the cluster.",
    );
    let crds = stage.guest_of.as_ref().map_or_else(crds, |before| before.missing.clone());
    if crds.is_empty() {
        demo.screen.say("The definitions are there already; they are used as they are, and stay.");
    } else {
        demo.screen.command("kubectl apply -f deploy/crds");
        install_crds(&demo.cluster.client(), &crds).await?;
        let names: Vec<String> = crds.iter().map(ResourceExt::name_any).collect();
        demo.screen.tick(&format!("the API server serves {}", names.join(" and ")));
    }
    demo.screen.command(&format!("kubectl create namespace {OPERATOR_NAMESPACE}"));
    ensure_namespace(&demo.cluster.client(), OPERATOR_NAMESPACE).await?;
    demo.screen.command("nsclass-controller --admin-address 127.0.0.1:0");
    let operator = Operator::start_with(stage.kubeconfig.clone(), "", &[]).await?;
    let operator = stage.operator.get_or_init(|| operator);
    demo.fact("the controller is ready: it has seen every namespace, class and binding", async || {
        let (status, body) = operator.get("/readyz").await?;
        ensure!(status == 200, "/readyz says {status}: {body}");
        Ok(())
    })
    .await
    .map_err(|error| anyhow!("{error:#}"))
}
