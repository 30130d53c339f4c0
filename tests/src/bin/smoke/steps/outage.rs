//! No webhook at all, and back.

use anyhow::{Result, bail, ensure};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::Api;
use kube::api::PostParams;
use nsclass_shared::names::CLASS_LABEL;
use serde_json::json;

use crate::components::{NAMESPACE, WEBHOOK};
use crate::load;
use crate::stage::Stage;

pub async fn play(stage: &Stage<'_>) -> Result<()> {
    stage.screen.step(
        "All webhooks are gone, and come back",
        "Classes cannot be written meanwhile (failurePolicy: Fail); everything else goes on.",
    );
    stage.scale(WEBHOOK, 0).await?;
    stage.claim("no webhook pod is left", async || stage.ensure_pods(WEBHOOK, 0).await.map(drop)).await?;
    let dry = PostParams { dry_run: true, ..PostParams::default() };
    let class = load::class("meanwhile", false)?;
    stage
        .claim("a class is refused, because nobody can judge it", async || {
            let answer = stage.classes().create(&dry, &class).await;
            let Err(kube::Error::Api(status)) = answer else { bail!("{:?}", answer.map(|it| it.metadata)) };
            ensure!(status.message.contains("failed calling webhook"), "{}", status.message);
            Ok(())
        })
        .await?;
    let namespaces: Api<Namespace> = Api::all(stage.client.clone());
    let metadata =
        json!({ "name": "meanwhile", "labels": { CLASS_LABEL: "baseline", "var.nsclass.io/team": "team-red" } });
    let namespace = serde_json::from_value(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata }))?;
    namespaces.create(&PostParams::default(), &namespace).await?;
    stage
        .claim("a new namespace is filled all the same", async || stage.ensure_ready("meanwhile", "baseline").await)
        .await?;
    for namespace in ["kube-system", NAMESPACE] {
        let maps: Api<ConfigMap> = Api::namespaced(stage.client.clone(), namespace);
        let map = serde_json::from_value(json!({ "metadata": { "name": "anything" } }))?;
        stage
            .screen
            .fact(format!("{namespace} is written to as ever"), async || Ok(maps.create(&dry, &map).await?))
            .await?;
    }
    stage.scale(WEBHOOK, 2).await?;
    stage.claim("two webhook pods are ready", async || stage.ensure_pods(WEBHOOK, 2).await.map(drop)).await?;
    stage
        .claim("classes are judged again, and nobody had to help", async || {
            stage.classes().create(&dry, &class).await?;
            let answer = stage.classes().create(&dry, &load::class("faulty", true)?).await;
            ensure!(
                matches!(&answer, Err(kube::Error::Api(status)) if status.message.contains("denied the request")),
                "{answer:?}"
            );
            Ok(())
        })
        .await
}
