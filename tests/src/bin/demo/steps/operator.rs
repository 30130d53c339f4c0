//! Our kinds are installed, and the operator runs: two controllers, and on a control plane of our own all that judges.

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use kube::{Api, ResourceExt};
use nsclass_shared::api::crds;
use nsclass_tests::install::{ensure_namespace, install_crds};
use nsclass_tests::policies::POLICIES;
use nsclass_tests::{ControlPlane, OPERATOR_NAMESPACE};

use crate::admission::Admission;
use crate::demo::Demo;
use crate::pair::{Pair, ensure_leads};
use crate::settings::config;
use crate::stage::Stage;

pub async fn start(demo: &Demo<'_>, stage: &Stage) -> Result<()> {
    demo.screen.step(
        "The operator",
        "NamespaceClass is what an admin writes, NamespaceClassBinding the controller's record of what it put into a namespace; four kinds \
         more are about Git. Controllers and webhooks are the real binaries, as processes beside the cluster.",
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
    if let Some(plane) = &stage.plane {
        start_all(demo, stage, plane).await?;
    } else {
        demo.screen.say(
                "Only the two controllers run here: this cluster cannot reach a webhook on 127.0.0.1 of this machine, and policies would \
                 judge everybody's namespaces. What needs them is left out.",
            );
        start_controllers(demo, stage, &config(&[], stage.git.path())).await?;
    }
    show_processes(demo, stage).await
}

/// What judges first, so that nothing of the demo goes unjudged.
async fn start_all(demo: &Demo<'_>, stage: &Stage, plane: &ControlPlane) -> Result<()> {
    demo.screen.command("kubectl apply -f deploy/policies");
    demo.screen.while_waiting("the policies come into force", String::new, plane.install_policies()).await?;
    demo.screen.tick(&format!("{} policies were seen to deny, in the API server itself", POLICIES.len()));
    demo.screen.command("nsclass-webhook   # twice, behind one port as behind a Service");
    let admission = Admission::start(plane, &config(&[], stage.git.path())).await?;
    let admission = stage.admission.get_or_init(|| admission);
    start_controllers(demo, stage, &config(&admission.addresses(), stage.git.path())).await?;
    demo.screen.command("kubectl apply -f deploy/webhook-configuration.yaml   # as a ConfigMap, for the leader");
    admission.install_template(plane).await?;
    demo.claim("both webhooks are ready: they serve the certificate that the leader issued", async || {
        for webhook in &admission.webhooks {
            let (status, body) = webhook.get("/readyz").await?;
            ensure!(status == 200, "/readyz says {status}: {body}");
        }
        Ok(())
    })
    .await?;
    let configurations: Api<ValidatingWebhookConfiguration> = Api::all(demo.cluster.client());
    demo.claim("the leader has made the webhook configuration, and put its authority into it", async || {
        let configuration = configurations.get("nsclass").await?;
        let webhook = configuration.webhooks.unwrap_or_default().pop().context("it has no webhook")?;
        ensure!(webhook.client_config.ca_bundle.is_some(), "it has no CA bundle");
        Ok(())
    })
    .await
}

/// Starts two, and claims how they stand.
pub async fn start_controllers(demo: &Demo<'_>, stage: &Stage, config: &str) -> Result<()> {
    demo.screen.command("nsclass-controller   # twice");
    let starting = Pair::start(&stage.kubeconfig, config);
    let pair = demo.screen.while_waiting("the controllers start", String::new, starting).await?;
    let pair = stage.pair.get_or_init(|| pair);
    demo.fact("one controller leads", async || ensure_leads(pair.leader()).await).await?;
    demo.claim("the other stands by, as ready: it has seen every namespace, class and binding", async || {
        let standby = pair.alive().pop().context("there is none")?;
        let (status, body) = standby.get("/readyz?verbose").await?;
        ensure!(status == 200 && body.contains("\n[i] standby; the leader is "), "/readyz says {status}: {body}");
        Ok(())
    })
    .await
}

/// What each process says of itself.
async fn show_processes(demo: &Demo<'_>, stage: &Stage) -> Result<()> {
    let mut rows = Vec::new();
    for process in stage.processes() {
        let (status, body) = process.get("/readyz?verbose").await?;
        let said = body.lines().filter(|line| !line.starts_with("[+]"));
        let said: Vec<&str> = said.map(|line| line.trim_start_matches("[i] ")).collect();
        rows.push(vec![process.name.to_owned(), process.pid.to_string(), status.to_string(), said.join("; ")]);
    }
    demo.screen.command("curl 127.0.0.1:ADMIN_PORT/readyz?verbose   # of each process");
    demo.screen.table(&["PROCESS", "PID", "STATUS", "SAYS"], &rows);
    Ok(())
}
