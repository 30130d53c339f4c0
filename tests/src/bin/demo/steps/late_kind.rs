//! A class uses a kind that the cluster learns later.

use anyhow::{Context, Result, ensure};

use crate::contents::{title, value};
use crate::demo::{Demo, ready};
use crate::examples::PROBES;

pub async fn play(demo: &Demo<'_>) -> Result<()> {
    let namespace = demo.name("storefront");
    demo.screen.step(
        "A kind that comes later",
        &format!(
            "The class of {namespace} holds a custom resource, a Probe, and nobody has installed its definition. That holds up \
             the Probe alone."
        ),
    );
    demo.claim(
        format!("{namespace} is not Ready, for the reason KindNotFound, and the message names Probe"),
        async || {
            let ready = ready(&demo.cluster.binding(&namespace).await?.context("no binding yet")?)?;
            ensure!(ready.reason == "KindNotFound", "{}: {}", ready.reason, ready.message);
            ensure!(
                ready.status == "False" && ready.message.contains("Probe web"),
                "{}: {}",
                ready.status,
                ready.message
            );
            Ok(())
        },
    )
    .await?;
    demo.show_bindings(&["payments", "playground", "registry", "checkout", "storefront"]).await?;
    let before = demo.contents("storefront", "observability").await?;
    demo.fact("the other two objects are there", async || {
        let kinds: Vec<_> = before.values().map(|found| title(&found.entry)).collect();
        let role = format!("ClusterRole observe-{namespace}");
        ensure!(kinds == [role, "NetworkPolicy allow-scraping".to_owned()], "{kinds:?}");
        Ok(())
    })
    .await?;

    demo.apply(&[PROBES]).await?;
    let after = demo.filled("storefront", "observability").await?;
    demo.fact("the Probe is there, with the namespace's name in its url", async || {
        let url = value(&after, "Probe web", "/spec/url")?;
        ensure!(*url == format!("http://web.{namespace}.svc/healthz"), "{url}");
        Ok(())
    })
    .await?;
    demo.show_contents(&after);
    Ok(())
}
