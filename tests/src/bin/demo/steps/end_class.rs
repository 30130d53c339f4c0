//! A class is deleted while a namespace has it.

use anyhow::{Context, Result, ensure};
use kube::Api;
use kube::api::DeleteParams;
use nsclass_shared::api::NamespaceClass;

use super::leave::is_active;
use crate::demo::{Demo, ready};

pub async fn play(demo: &Demo<'_>) -> Result<()> {
    let (namespace, class) = (demo.name("registry"), demo.name("shared-services"));
    demo.screen.step(
        "A class is deleted",
        &format!(
            "{namespace} has it. The class stays until its objects are gone, so that nothing is left without an owner."
        ),
    );
    let contents = demo.contents("registry", "shared-services").await?;
    demo.screen.command(&format!("kubectl delete namespaceclass {class}"));
    let classes: Api<NamespaceClass> = Api::all(demo.cluster.client());
    classes.delete(&class, &DeleteParams::default()).await?;
    demo.claim(format!("class {class} is gone"), async || {
        ensure!(demo.cluster.class(&class).await?.is_none(), "it is there");
        Ok(())
    })
    .await?;
    let entries: Vec<_> = contents.values().map(|found| found.entry.clone()).collect();
    demo.all_gone(&format!("its {} objects are gone", entries.len()), &entries).await?;
    let claim =
        format!("{namespace} still asks for it by its label: the binding says ClassNotFound, and records nothing");
    demo.claim(claim, async || {
        let binding = demo.cluster.binding(&namespace).await?.context("no binding")?;
        let ready = ready(&binding)?;
        ensure!(ready.reason == "ClassNotFound", "{}: {}", ready.reason, ready.message);
        let recorded = binding.status.unwrap_or_default().inventory.len();
        ensure!(recorded == 0, "{recorded} objects are recorded");
        Ok(())
    })
    .await?;
    demo.show_bindings(&["payments", "registry", "checkout"]).await?;
    demo.fact(format!("{namespace} itself is there, and Active"), async || is_active(demo, &namespace).await).await
}
