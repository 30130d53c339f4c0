//! Fields that the server lets nobody change (class.md C37, bad input 11).

use anyhow::{Context, Result, ensure};
use kube::ResourceExt;
use nsclass_tests::eventually;
use serde_json::{Value, json};

use crate::stage::{Stage, follows, objects, refused, says};

const RBAC: &str = "rbac.authorization.k8s.io/v1";

/// One kind with a field that cannot change, in two versions.
struct Case {
    short: &'static str,
    api_version: &'static str,
    kind: &'static str,
    plural: &'static str,
    item: fn(u8) -> Value,
    /// How the server names the field.
    path: &'static str,
}

const CASES: [Case; 3] = [
    Case {
        short: "role",
        api_version: RBAC,
        kind: "RoleBinding",
        plural: "rolebindings",
        item: |version| {
            let role = if version == 1 { "view" } else { "edit" };
            json!({ "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role } })
        },
        path: "roleRef",
    },
    Case {
        short: "job",
        api_version: "batch/v1",
        kind: "Job",
        plural: "jobs",
        item: |version| {
            let container = json!({ "name": "main", "image": format!("example.com/a:{version}") });
            json!({ "spec": { "template": { "spec": { "containers": [container], "restartPolicy": "Never" } } } })
        },
        path: "spec.template",
    },
    Case {
        short: "service",
        api_version: "v1",
        kind: "Service",
        plural: "services",
        item: |version| {
            let address = format!("10.0.0.{}", 250 + version);
            json!({ "spec": { "ports": [{ "port": 80 }], "clusterIP": address } })
        },
        path: "spec.clusterIP",
    },
];

impl Case {
    fn class(&self, version: u8, immutable: &str) -> Value {
        let mut item = (self.item)(version);
        item["apiVersion"] = json!(self.api_version);
        item["kind"] = json!(self.kind);
        item["metadata"]["name"] = json!("fixed");
        json!({ "resources": [item], "immutable": immutable })
    }
}

#[tokio::test]
async fn bad11_a_field_that_cannot_change_is_named_and_the_object_made_anew_only_where_asked() -> Result<()> {
    let world = Stage::open("bad11").await?;
    for case in &CASES {
        world.class(case.short, case.class(1, "Report")).await?;
        world.namespace(case.short).of_class(case.short).create().await?;
    }
    for case in &CASES {
        let api = objects(&world, case.short, case.api_version, case.kind, case.plural);
        world.ready(case.short, case.short).await?;
        let before = api.get("fixed").await?;
        world.class(case.short, case.class(2, "Report")).await?;
        let message = world.not_ready(case.short, "ImmutableField").await?;
        says(&message, &[&format!("{} fixed", case.kind), case.path, "immutable: Recreate"])?;
        ensure!(api.get("fixed").await?.uid() == before.uid(), "{message}: it was made anew all the same");
        let asked = world.class(case.short, case.class(2, "Recreate")).await?;
        let binding = follows(&world, case.short, &asked).await?;
        let after = eventually("the new one", async || Ok(api.get("fixed").await?)).await?;
        ensure!(after.uid() != before.uid(), "{} was not made anew", case.kind);
        let inventory = binding.status.context("status")?.inventory;
        ensure!(Some(&inventory[0].uid) == after.uid().as_ref(), "{inventory:?}");
    }
    Ok(())
}

#[tokio::test]
async fn bad11_c48_an_object_that_holds_data_is_never_made_anew() -> Result<()> {
    let world = Stage::open("bad11-data").await?;
    let class = |storage: &str, immutable: &str| {
        let spec = json!({ "accessModes": ["ReadWriteOnce"], "storageClassName": storage,
            "resources": { "requests": { "storage": "1Gi" } } });
        let claim = json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": { "name": "data" }, "spec": spec });
        json!({ "resources": [claim], "immutable": immutable })
    };
    world.class("std", class("slow", "Report")).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let claims = objects(&world, "pay", "v1", "PersistentVolumeClaim", "persistentvolumeclaims");
    let before = claims.get("data").await?;
    world.class("std", class("fast", "Report")).await?;
    says(&world.not_ready("pay", "ImmutableField").await?, &["PersistentVolumeClaim data", "spec"])?;
    // A class that would have it made anew is not accepted.
    world.class("std", class("fast", "Recreate")).await?;
    says(&refused(&world, "std").await?, &["spec.resources[0].kind", "holds data", "immutable: Report"])?;
    says(&world.not_ready("pay", "ClassInvalid").await?, &["holds data"])?;
    let after = claims.get("data").await?;
    ensure!(after.uid() == before.uid() && after.metadata.deletion_timestamp.is_none(), "{:?}", after.metadata);
    Ok(())
}
