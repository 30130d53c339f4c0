//! What these tests stand on: one control plane and one controller for all, a world for each.

use std::ops::Deref;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, ListParams};
use kube::{Api, ResourceExt};
use nsclass_shared::api::{ClassStatus, NamespaceClassBinding, get_condition};
use nsclass_tests::audit::{Mark, Requests};
use nsclass_tests::{ControlPlane, Operator, World, eventually};
use serde_json::{Value, json};

/// A test's world on the shared control plane.
pub(crate) struct Stage {
    pub(crate) cp: &'static ControlPlane,
    pub(crate) operator: &'static Operator,
    world: World,
}

impl Deref for Stage {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl Stage {
    pub(crate) async fn open(prefix: &str) -> Result<Self> {
        let (cp, operator) = Operator::shared().await?;
        Ok(Self { cp, operator, world: World::new(cp, prefix) })
    }

    pub(crate) async fn mark(&self) -> Result<Mark> {
        self.cp.audit().mark().await
    }

    /// What the controller asked about the namespace `short`, its binding and its objects.
    pub(crate) async fn asked(&self, since: Mark, short: &str) -> Result<Requests> {
        about(self.cp, since, &self.name(short)).await
    }
}

/// What the controller asked about a namespace, its binding and its objects.
pub(crate) async fn about(cp: &ControlPlane, since: Mark, namespace: &str) -> Result<Requests> {
    let all = of_controller(&cp.audit().since(since).await?);
    Ok(all.filter(|r| r.namespace == namespace || r.name == namespace))
}

/// The controller's requests.
pub(crate) fn of_controller(requests: &Requests) -> Requests {
    requests.by_agent("nsclass-controller")
}

/// Requests for objects, and not for our own records.
pub(crate) fn for_objects(requests: &Requests) -> Requests {
    requests.filter(|r| !r.resource.starts_with("namespaceclass") && r.resource != "namespaces")
}

/// An item that is a config map.
pub(crate) fn config_map(name: &str, data: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": data })
}

/// The spec of a class with these items.
pub(crate) fn items(items: &[Value]) -> Value {
    json!({ "resources": items })
}

/// Config maps of the namespace `short`.
pub(crate) fn maps(world: &World, short: &str) -> Api<ConfigMap> {
    Api::namespaced(world.client(), &world.name(short))
}

/// Objects of any kind in the namespace `short`.
pub(crate) fn objects(world: &World, short: &str, api_version: &str, kind: &str, plural: &str) -> Api<DynamicObject> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let resource = ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, version, kind), plural);
    Api::namespaced_with(world.client(), &world.name(short), &resource)
}

/// Fails unless exactly these of our config maps are in the namespace `short`.
pub(crate) async fn ensure_maps(world: &World, short: &str, names: &[&str]) -> Result<()> {
    let mut found: Vec<String> =
        maps(world, short).list(&ListParams::default()).await?.iter().map(ResourceExt::name_any).collect();
    found.retain(|name| name != "kube-root-ca.crt");
    ensure!(found == names, "config maps {found:?} instead of {names:?}");
    Ok(())
}

/// Waits until the namespace `short` is Ready with this very generation of a class.
pub(crate) async fn follows(world: &World, short: &str, class: &DynamicObject) -> Result<NamespaceClassBinding> {
    let (name, generation) = (class.name_any(), class.metadata.generation);
    eventually(format!("{short} follows {name} in generation {generation:?}"), async || {
        let binding = world.binding(short).await?.context("no binding")?;
        let status = binding.status.as_ref().context("no status")?;
        let ready = get_condition(&status.conditions, "Ready").context("no condition")?;
        ensure!(
            binding.spec.class_name == name && status.observed_class_generation == generation && ready.status == "True",
            "{:?} in {:?}, {}: {}",
            binding.spec.class_name,
            status.observed_class_generation,
            ready.reason,
            ready.message
        );
        Ok(binding)
    })
    .await
}

/// Waits until the status of the class `short` is as `check` wants it.
pub(crate) async fn class_says(
    world: &World,
    short: &str,
    check: impl Fn(&ClassStatus) -> Result<()>,
) -> Result<ClassStatus> {
    eventually(format!("the status of class {short}"), async || {
        let class = world.classes().get(&world.name(short)).await?;
        let status: ClassStatus = serde_json::from_value(class.data["status"].clone()).context("no status")?;
        ensure!(
            status.observed_generation == class.metadata.generation,
            "of generation {:?}",
            status.observed_generation
        );
        check(&status)?;
        Ok(status)
    })
    .await
}

/// Waits until the class `short` is not Accepted; returns why.
pub(crate) async fn refused(world: &World, short: &str) -> Result<String> {
    let status = class_says(world, short, |status| {
        let accepted = get_condition(&status.conditions, "Accepted").context("no condition")?;
        ensure!(accepted.status == "False", "{}: {}", accepted.reason, accepted.message);
        Ok(())
    });
    Ok(get_condition(&status.await?.conditions, "Accepted").context("no condition")?.message.clone())
}

/// Fails unless `text` holds all of `parts`.
pub(crate) fn says(text: &str, parts: &[&str]) -> Result<()> {
    let missing: Vec<_> = parts.iter().filter(|part| !text.contains(**part)).collect();
    ensure!(missing.is_empty(), "{missing:?} are not in: {text}");
    Ok(())
}
