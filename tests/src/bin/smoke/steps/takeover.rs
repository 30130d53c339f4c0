//! The leader's pod is deleted.

use std::time::Instant;

use anyhow::{Result, ensure};
use k8s_openapi::api::core::v1::Pod;
use kube::api::PostParams;
use kube::{Api, ResourceExt};

use crate::components::{CONTROLLER, NAMESPACE};
use crate::stage::Stage;

pub async fn play(stage: &Stage<'_>) -> Result<()> {
    stage.screen.step("The leader's pod is deleted", "The other one has warm caches.");
    let leader = stage.leader().await?;
    let pods: Api<Pod> = Api::namespaced(stage.client.clone(), NAMESPACE);
    let standby = stage.pods(CONTROLLER).await?.iter().map(ResourceExt::name_any).find(|pod| *pod != leader);
    stage.screen.command(&format!("kubectl -n {NAMESPACE} delete pod {leader}"));
    stage.delete(&pods, &leader).await?;
    let deleted = Instant::now();
    stage
        .claim("the other one leads", async || {
            let now = stage.leader().await?;
            ensure!(now != leader && standby.as_ref() == Some(&now), "{now} leads");
            Ok(())
        })
        .await?;
    stage.screen.figure("takeover.pod_s", deleted.elapsed().as_secs_f64(), "s");
    let mut class = stage.classes().get("first").await?;
    class.data["spec"]["resources"][0]["data"]["edited"] = "after the takeover".into();
    stage.classes().replace("first", &PostParams::default(), &class).await?;
    let generation = stage.classes().get("first").await?.metadata.generation;
    stage
        .claim("it works on: an edit of a class arrives", async || {
            let binding = stage.ensure_ready("first", "first").await?;
            let observed = binding.status.and_then(|status| status.observed_class_generation);
            ensure!(observed == generation, "generation {observed:?} of {generation:?}");
            Ok(())
        })
        .await?;
    stage
        .claim("there are two ready controller pods again", async || stage.ensure_pods(CONTROLLER, 2).await.map(drop))
        .await
}
