//! A namespace loses its label, and after a while its objects.

use std::cell::Cell;

use anyhow::{Context, Result, ensure};
use jiff::Timestamp;

use crate::contents::title;
use crate::demo::{Demo, ready};

pub async fn play(demo: &Demo<'_>) -> Result<()> {
    let (namespace, class) = (demo.name("playground"), demo.name("sandbox"));
    let delay = demo.cluster.class(&class).await?.context("the class is gone")?.spec.opt_out_delay.0;
    demo.screen.step(
        "A namespace is unlabelled",
        &format!(
            "The objects stay for the class's optOutDelay, {} s here, so that a slip costs nothing.",
            delay.as_secs()
        ),
    );
    let contents = demo.contents("playground", "sandbox").await?;
    demo.label("playground", None).await?;
    let at = demo
        .claim(format!("{namespace} is OptingOut, and its binding says when the objects go"), async || {
            let binding = demo.cluster.binding(&namespace).await?.context("no binding")?;
            let ready = ready(&binding)?;
            ensure!(ready.status == "False" && ready.reason == "OptingOut", "{}: {}", ready.reason, ready.message);
            let gone = binding.status.and_then(|status| status.objects_go).context("no time")?;
            Ok(gone.at.0)
        })
        .await?;
    demo.show_bindings(&["playground"]).await?;
    demo.fact(format!("its {} objects are still there", contents.len()), async || {
        let now = demo.contents("playground", "sandbox").await?.len();
        ensure!(now == contents.len(), "{now} are");
        Ok(())
    })
    .await?;

    let first_missing = Cell::new(None::<Timestamp>);
    demo.claim_after(delay, "all of them go, and the binding after them", async || {
        let mut there = Vec::new();
        for found in contents.values() {
            if demo.cluster.object(&found.entry).await?.is_some() {
                there.push(title(&found.entry));
            }
        }
        if there.len() < contents.len() && first_missing.get().is_none() {
            first_missing.set(Some(Timestamp::now()));
        }
        ensure!(there.is_empty(), "{} of {} objects are there", there.len(), contents.len());
        ensure!(demo.cluster.binding(&namespace).await?.is_none(), "the binding is there");
        Ok(())
    })
    .await?;
    demo.fact("none of them was missing before that time", async || {
        let first = first_missing.get().context("none was seen to go")?;
        ensure!(first >= at, "one was missing at {first}, and {at} was said");
        Ok(())
    })
    .await?;
    demo.fact(format!("{namespace} itself is there, and Active"), async || is_active(demo, &namespace).await).await
}

/// Whether a namespace is there and not on its way out.
pub async fn is_active(demo: &Demo<'_>, namespace: &str) -> Result<()> {
    let namespace = demo.cluster.namespace(namespace).await?.context("it is gone")?;
    let phase = namespace.status.and_then(|status| status.phase).unwrap_or_default();
    ensure!(phase == "Active", "it is {phase}");
    Ok(())
}
