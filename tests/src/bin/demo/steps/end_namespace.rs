//! A namespace is deleted that has objects outside of itself.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail, ensure};
use k8s_openapi::api::core::v1::Namespace;
use kube::Api;
use kube::ResourceExt;
use kube::api::DeleteParams;
use nsclass_shared::names::FINALIZER;

use crate::demo::Demo;
use crate::preflight::cluster_role;

pub async fn play(demo: &Demo<'_>) -> Result<()> {
    let namespace = demo.name("storefront");
    let role = cluster_role(&namespace);
    demo.screen.step(
        "A namespace with a cluster-scoped object is deleted",
        &format!(
            "Kubernetes deletes what is in a namespace. ClusterRole {role} is not in it; the operator deletes that."
        ),
    );
    let contents = demo.contents("storefront", "observability").await?;
    demo.fact(
        format!("before: ClusterRole {role} is there, and the namespace waits for it by a finalizer"),
        async || {
            ensure!(contents.contains_key(&format!("ClusterRole {role}")), "it is not there");
            let there = demo.cluster.namespace(&namespace).await?.context("the namespace is gone")?;
            ensure!(there.finalizers().iter().any(|it| it == FINALIZER), "finalizers: {:?}", there.finalizers());
            Ok(())
        },
    )
    .await?;

    demo.screen.command(&format!("kubectl delete namespace {namespace}"));
    let namespaces: Api<Namespace> = Api::all(demo.cluster.client());
    namespaces.delete(&namespace, &DeleteParams::default()).await?;
    demo.claim(format!("{namespace} terminates, and is gone"), async || {
        let Some(there) = demo.cluster.namespace(&namespace).await? else { return Ok(()) };
        let status = there.status.clone().unwrap_or_default();
        let held =
            if there.finalizers().is_empty() { String::new() } else { format!(", held by {:?}", there.finalizers()) };
        let conditions = status.conditions.unwrap_or_default();
        let said = conditions.iter().filter(|it| it.status == "True").filter_map(|it| it.message.as_deref());
        let said: Vec<&str> = said.collect();
        bail!("it is {}{held} {}", status.phase.unwrap_or_default(), said.join("; "))
    })
    .await?;
    let entries: Vec<_> = contents.values().map(|found| found.entry.clone()).collect();
    let kinds: BTreeSet<_> = entries.iter().map(|entry| entry.kind.as_str()).collect();
    let kinds = kinds.into_iter().collect::<Vec<_>>().join(", ");
    demo.all_gone(&format!("what it had is gone: {kinds}"), &entries).await?;
    demo.claim("its binding is gone", async || {
        ensure!(demo.cluster.binding(&namespace).await?.is_none(), "it is there");
        Ok(())
    })
    .await?;
    let class = demo.name("observability");
    demo.claim(format!("class {class} is free: no namespace has it, and it carries no finalizer"), async || {
        let there = demo.cluster.class(&class).await?.context("the class is gone")?;
        ensure!(there.finalizers().is_empty(), "finalizers {:?}", there.finalizers());
        let bound = there.status.unwrap_or_default().namespaces.bound;
        ensure!(bound == 0, "{bound} namespaces are counted");
        Ok(())
    })
    .await
}
