//! The chart is installed, and the first namespace is filled.

use std::time::Instant;

use anyhow::{Result, ensure};
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::Api;
use kube::api::PostParams;
use nsclass_shared::names::CLASS_LABEL;
use serde_json::{Value, json};

use crate::components::{CONTROLLER, NAMESPACE, SERVICE, WEBHOOK};
use crate::load;
use crate::outside::TAG;
use crate::stage::Stage;

/// How long a change takes at most until every pod goes by it: within ten seconds a changed `Secret` is in a pod's volume here.
pub const SETTLE_SECONDS: u64 = 12;

/// What an admin decides: the image, and the rights for what the example classes hold.
pub fn values(tag: &str) -> Value {
    let core = ["configmaps", "limitranges", "resourcequotas", "serviceaccounts"];
    json!({
        "image": { "repository": "localhost/nsclass", "tag": tag, "pullPolicy": "Never" },
        "certificates": { "settleSeconds": SETTLE_SECONDS },
        "usage": { "intervalSeconds": 10 },
        "rbac": {
            "kinds": [
                { "apiGroups": [""], "resources": core },
                { "apiGroups": ["networking.k8s.io"], "resources": ["networkpolicies"] },
                { "apiGroups": ["autoscaling"], "resources": ["horizontalpodautoscalers"] },
                { "apiGroups": ["policy"], "resources": ["poddisruptionbudgets"] },
                { "apiGroups": ["example.com"], "resources": ["probes"] },
                { "apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles", "rolebindings", "clusterroles"] },
            ],
            "grants": true,
        },
    })
}

pub async fn play(stage: &Stage<'_>) -> Result<()> {
    stage.screen.step(
        "The chart is installed",
        "Helm waits until all is ready; the leader issues the certificates that the webhooks wait for.",
    );
    let began = Instant::now();
    stage.helm_install(&values(TAG)).await?;
    let installed = began.elapsed().as_secs_f64();
    for component in [CONTROLLER, WEBHOOK] {
        stage.claim(format!("two {component} pods are ready"), async || stage.ensure_pods(component, 2).await).await?;
    }
    // What the API server knows of the webhook it knows a moment later than the leader has written it.
    stage
        .claim("a faulty class is refused by the webhook, through the Service", async || {
            let params = PostParams { dry_run: true, ..PostParams::default() };
            let answer = stage.classes().create(&params, &load::class("faulty", true)?).await;
            let Err(kube::Error::Api(status)) = answer else { anyhow::bail!("{:?}", answer.map(|it| it.metadata)) };
            let message = status.message;
            ensure!(message.contains("denied the request") && message.contains("Nmae"), "{message}");
            Ok(())
        })
        .await?;
    stage.classes().create(&PostParams::default(), &load::class("first", false)?).await?;
    let namespaces: Api<Namespace> = Api::all(stage.client.clone());
    let metadata = json!({ "name": "first", "labels": { CLASS_LABEL: "first" } });
    let namespace = serde_json::from_value(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata }))?;
    namespaces.create(&PostParams::default(), &namespace).await?;
    stage.claim("the first namespace is filled", async || stage.ensure_ready("first", "first").await).await?;
    let first = began.elapsed().as_secs_f64();
    stage
        .screen
        .fact("pods of the webhook have the pair, and not the authority's key", async || {
            let pods = stage.pods(WEBHOOK).await?;
            let volumes = pods.iter().flat_map(|pod| pod.spec.iter()).flat_map(|spec| spec.volumes.iter().flatten());
            let mounted: Vec<_> = volumes.filter_map(|volume| volume.secret.as_ref()?.secret_name.clone()).collect();
            ensure!(mounted == [format!("{SERVICE}-tls"), format!("{SERVICE}-tls")], "{mounted:?}");
            let secrets: Api<Secret> = Api::namespaced(stage.client.clone(), NAMESPACE);
            secrets.get(&format!("{SERVICE}-ca")).await?;
            Ok(())
        })
        .await?;
    stage.screen.figure("install.helm_s", installed, "s");
    stage.screen.figure("install.first_ready_s", first, "s");
    Ok(())
}
