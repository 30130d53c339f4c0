//! Labelled namespaces get what their classes say.

use anyhow::{Context, Result, ensure};
use nsclass_shared::api::get_condition;
use serde_json::json;

use crate::contents::value;
use crate::demo::Demo;
use crate::examples::{CLASSES, NAMESPACES};

pub async fn play(demo: &Demo<'_>) -> Result<()> {
    demo.screen.step(
        "Namespaces are labelled, and filled",
        "Five classes, each a list of ordinary manifests, and a namespace for each. The label nsclass.io/name is all it takes.",
    );
    if !demo.examples.prefix().is_empty() {
        demo.screen.say(&format!(
            "As this cluster is not the demo's own, the names of the files' namespaces and classes get {} in front.",
            demo.examples.prefix()
        ));
    }
    demo.apply(&CLASSES).await?;
    demo.claim("all five classes are Accepted", async || {
        for file in CLASSES {
            for name in demo.examples.names_in(file)? {
                let class = demo.cluster.class(&name).await?.context("a class is not there")?;
                let conditions = class.status.unwrap_or_default().conditions;
                let accepted = get_condition(&conditions, "Accepted").context("not judged yet")?;
                ensure!(accepted.status == "True", "{name}: {}", accepted.message);
            }
        }
        Ok(())
    })
    .await?;
    demo.apply(&[NAMESPACES]).await?;
    let payments = demo.filled("payments", "baseline").await?;
    demo.filled("playground", "sandbox").await?;
    let registry = demo.filled("registry", "shared-services").await?;
    let checkout = demo.filled("checkout", "typed-values").await?;

    demo.screen.say(&format!("What {} has now:", demo.name("payments")));
    demo.show_contents(&payments);
    demo.fact("the group in RoleBinding team-edit came from the namespace's guarded label: team-blue", async || {
        let group = value(&payments, "RoleBinding team-edit", "/subjects/0/name")?;
        ensure!(group == "team-blue", "{group}");
        Ok(())
    })
    .await?;
    demo.fact("the text of ConfigMap about-this-namespace names its namespace", async || {
        let name = value(&registry, "ConfigMap about-this-namespace", "/data/namespace")?;
        ensure!(*name == demo.name("registry"), "{name}");
        Ok(())
    })
    .await?;
    demo.fact("minReplicas of HorizontalPodAutoscaler web is the number 4, from an annotation", async || {
        let replicas = value(&checkout, "HorizontalPodAutoscaler web", "/spec/minReplicas")?;
        ensure!(*replicas == json!(4), "{replicas}");
        Ok(())
    })
    .await
}
