//! A tenant who may edit a namespace, and not decide by that what is put into it.

use anyhow::{Context, Result, bail, ensure};
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{Patch, PatchParams};
use kube::{Api, Client};
use nsclass_shared::names::CLASS_LABEL;
use nsclass_tests::ControlPlane;
use serde_json::json;

use crate::demo::Demo;

const TENANT: &str = "tess";

const EDITS_NAMESPACES: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: edit-namespaces }
rules: [{ apiGroups: [''], resources: [namespaces], verbs: [get, list, watch, update, patch] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: edit-namespaces }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit-namespaces }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: tess }]
";

const USES_SANDBOX: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: use-sandbox }
rules: [{ apiGroups: [nsclass.io], resources: [namespaceclasses], resourceNames: [sandbox], verbs: [use] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: use-sandbox }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: use-sandbox }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: tess }]
";

/// On a control plane of our own, where names have no prefix.
pub async fn play(demo: &Demo<'_>, plane: &ControlPlane) -> Result<()> {
    demo.screen.step(
        "A tenant asks for a class",
        "User tess may edit every namespace, as teams often may. Which class a namespace has is another right: the verb use, on that class.",
    );
    plane.apply_yaml(EDITS_NAMESPACES).await?;
    let tess = plane.impersonate(TENANT, &[]);
    demo.claim("tess labels playground as she likes", async || label(&tess, "example.com/owner", TENANT).await).await?;

    demo.screen.command("kubectl --as tess label namespace playground nsclass.io/name=sandbox");
    let message = demo
        .fact("she is refused, and told which right is missing and how it is granted", async || {
            let answer = label(&tess, CLASS_LABEL, "sandbox").await;
            let Err(kube::Error::Api(status)) = answer else { bail!("{answer:?}") };
            let message = status.message;
            let says = |words: &str| message.contains(words);
            let is_whole = says("\"tess\" needs the verb use on the NamespaceClass \"sandbox\"") && says("ClusterRole");
            ensure!(status.code == 403 && is_whole, "{} {message}", status.code);
            Ok(message)
        })
        .await?;
    demo.screen.say(&message);
    demo.fact("playground has no class, and no binding", async || {
        let namespace = demo.cluster.namespace("playground").await?.context("it is gone")?;
        ensure!(namespace.metadata.labels.is_none_or(|labels| !labels.contains_key(CLASS_LABEL)), "it has the label");
        ensure!(demo.cluster.binding("playground").await?.is_none(), "it has a binding");
        Ok(())
    })
    .await?;

    demo.screen.command(
        "kubectl create clusterrole use-sandbox --verb use \\\n       --resource namespaceclasses.nsclass.io --resource-name sandbox",
    );
    demo.screen.command("kubectl create clusterrolebinding use-sandbox --clusterrole use-sandbox --user tess");
    plane.apply_yaml(USES_SANDBOX).await?;
    demo.claim("with that right the same command is accepted", async || label(&tess, CLASS_LABEL, "sandbox").await)
        .await?;
    demo.filled("playground", "sandbox").await.map(drop)
}

/// Labels the namespace `playground`.
async fn label<E: From<kube::Error>>(client: &Client, key: &str, value: &str) -> Result<(), E> {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let patch = json!({ "metadata": { "labels": { key: value } } });
    namespaces.patch("playground", &PatchParams::default(), &Patch::Merge(patch)).await?;
    Ok(())
}
