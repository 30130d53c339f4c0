//! A tenant, and the policies that the chart installed.

use anyhow::{Result, bail, ensure};
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{Patch, PatchParams};
use kube::{Api, Client};
use nsclass_shared::names::CLASS_LABEL;
use serde_json::json;

use crate::stage::Stage;

const RIGHTS: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: tenant }
rules: [{ apiGroups: [''], resources: [namespaces, configmaps], verbs: [get, list, watch, update, patch] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: tenant }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: tenant }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: tess }]
";

pub async fn play(stage: &Stage<'_>) -> Result<()> {
    stage.screen.step("A tenant", "tess may edit namespaces; which class a namespace has is another right.");
    stage.plane().apply_yaml(RIGHTS).await?;
    let tess = stage.plane().impersonate("tess", &[]);
    stage
        .claim("she labels playground as she likes", async || Ok(label(&tess, "example.com/owner", "tess").await?))
        .await?;
    stage
        .screen
        .fact("another class she is refused, by a policy of the chart", async || {
            let answer = label(&tess, CLASS_LABEL, "baseline").await;
            let Err(kube::Error::Api(status)) = answer else { bail!("{answer:?}") };
            let is_whole = status.message.contains("\"tess\" needs the verb use on the NamespaceClass");
            ensure!(status.code == 403 && is_whole, "{} {}", status.code, status.message);
            Ok(())
        })
        .await
}

async fn label(client: &Client, key: &str, value: &str) -> kube::Result<()> {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let patch = json!({ "metadata": { "labels": { key: value } } });
    namespaces.patch("playground", &PatchParams::default(), &Patch::Merge(patch)).await.map(drop)
}
