//! Fields that cannot change once they are set.

use anyhow::{Result, ensure};
use nsclass_tests::eventually;
use serde_json::{Value, json};

use crate::server::Server;

fn pod(image: &str) -> Value {
    json!({ "containers": [{ "name": "main", "image": image }], "restartPolicy": "Never" })
}

#[tokio::test]
async fn bad11_a_change_of_role_ref_job_template_or_cluster_ip_is_an_immutable_field() -> Result<()> {
    let server = Server::open("bad11").await?;
    let binding = server.object("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings", "team");
    let role = |name: &str| json!({ "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name } });
    let uid = binding.made(role("view")).await?;
    binding.check("immutable-role-ref", binding.update(&uid, role("edit")).await?)?;

    let job = server.object("batch/v1", "Job", "jobs", "setup");
    let template = |image: &str| json!({ "spec": { "template": { "spec": pod(image) } } });
    let uid = job.made(template("setup:1")).await?;
    job.check("immutable-job-template", job.update(&uid, template("setup:2")).await?)?;
    let mut both = template("setup:2");
    both["spec"]["parallelism"] = json!(-1);
    job.check("immutable-and-invalid", job.update(&uid, both).await?)?;

    let web = server.object("v1", "Service", "services", "web");
    let address = |ip: &str| json!({ "spec": { "clusterIP": ip, "ports": [{ "port": 80 }] } });
    let uid = web.made(address("10.0.0.40")).await?;
    web.check("immutable-cluster-ip", web.update(&uid, address("10.0.0.41")).await?)?;
    let taken = server.object("v1", "Service", "services", "taken");
    taken.check("cluster-ip-taken", taken.create(address("10.0.0.40")).await?)
}

#[tokio::test]
async fn bad11_a_change_of_a_claim_is_an_immutable_field() -> Result<()> {
    let server = Server::open("bad11-claim").await?;
    let claim = |class: &str, size: &str, volume: &str| {
        json!({ "spec": {
            "storageClassName": class,
            "accessModes": ["ReadWriteOnce"],
            "resources": { "requests": { "storage": size } },
            "volumeName": volume,
        } })
    };
    let volume = server.cluster_object("v1", "PersistentVolume", "persistentvolumes", "bad11");
    volume
        .made(json!({ "spec": {
            "storageClassName": "slow",
            "accessModes": ["ReadWriteOnce"],
            "capacity": { "storage": "2Gi" },
            "hostPath": { "path": "/nowhere" },
            "persistentVolumeReclaimPolicy": "Retain",
        } }))
        .await?;
    let data = server.object("v1", "PersistentVolumeClaim", "persistentvolumeclaims", "data");
    let uid = data.made(claim("slow", "2Gi", "bad11")).await?;
    data.check("immutable-claim-class", data.update(&uid, claim("fast", "2Gi", "bad11")).await?)?;
    eventually("the claim is bound", async || {
        let (_, read) = data.read().await?;
        let phase = read.map(|claim| claim["status"]["phase"].clone())?;
        ensure!(phase == "Bound", "{phase}");
        Ok(())
    })
    .await?;
    data.check("immutable-claim-size", data.update(&uid, claim("slow", "1Gi", "bad11")).await?)
}

#[tokio::test]
async fn c37_an_immutable_field_is_told_in_each_of_the_servers_ways() -> Result<()> {
    let server = Server::open("c37-immutable").await?;
    let frozen = server.config_map("frozen");
    let data = |value: &str| json!({ "immutable": true, "data": { "a": value } });
    let uid = frozen.made(data("1")).await?;
    frozen.check("immutable-config-map", frozen.update(&uid, data("2")).await?)?;

    let secret = server.object("v1", "Secret", "secrets", "token");
    let uid = secret.made(json!({ "type": "example.com/a" })).await?;
    secret.check("immutable-secret-type", secret.update(&uid, json!({ "type": "example.com/b" })).await?)?;

    let workload = |app: &str, service: &str| {
        let labels = json!({ "app": app });
        let mut spec = json!({
            "selector": { "matchLabels": labels },
            "template": { "metadata": { "labels": labels }, "spec": { "containers": pod("web:1")["containers"] } },
        });
        if !service.is_empty() {
            spec["serviceName"] = json!(service);
        }
        json!({ "spec": spec })
    };
    let web = server.object("apps/v1", "Deployment", "deployments", "web");
    let uid = web.made(workload("web", "")).await?;
    web.check("immutable-selector", web.update(&uid, workload("shop", "")).await?)?;
    let store = server.object("apps/v1", "StatefulSet", "statefulsets", "store");
    let uid = store.made(workload("store", "a")).await?;
    store.check("immutable-stateful-set", store.update(&uid, workload("store", "b")).await?)?;

    let worker = server.object("v1", "Pod", "pods", "worker");
    let uid = worker.made_at_last(json!({ "spec": pod("a:1") })).await?;
    let mut other = pod("a:1");
    other["nodeName"] = json!("node-1");
    worker.check("immutable-pod", worker.update(&uid, json!({ "spec": other })).await?)?;

    let gizmo = crate::absence::serve(&server, "Gizmo", "gizmos").await?;
    let uid = gizmo.made(json!({ "spec": { "size": 2, "zone": "a" } })).await?;
    gizmo.check("immutable-custom", gizmo.update(&uid, json!({ "spec": { "size": 2, "zone": "b" } })).await?)
}
