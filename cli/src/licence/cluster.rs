//! What a cluster holds of licences: the Secrets, and what the operator has written down.

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::ListParams;
use kube::{Api, Client, ResourceExt};
use nsclass_shared::api::NamespaceClassBinding;
use nsclass_shared::licence::{Found, Paper, PublicKey, RECORD_KEY, Record, SHOWN_KEY, Shown, found};
use nsclass_shared::names::{LICENCE_LABEL, licence_record};
use nsclass_shared::reason::Reason;

/// What the operator has written down.
pub(super) struct Recorded {
    pub(super) record: Record,
    pub(super) shown: Shown,
}

/// Reads it; none where the gate is off, or never was on.
pub(super) async fn recorded(client: &Client, namespace: &str, instance: &str) -> Result<Option<Recorded>> {
    let (maps, name) = (Api::<ConfigMap>::namespaced(client.clone(), namespace), licence_record(instance));
    let title = || format!("ConfigMap {namespace}/{name}");
    let Some(data) = maps.get_opt(&name).await.with_context(title)?.map(|map| map.data.unwrap_or_default()) else {
        return Ok(None);
    };
    let text = |key: &str| data.get(key).map_or("{}", String::as_str);
    let record = serde_json::from_str(text(RECORD_KEY)).with_context(title)?;
    Ok(Some(Recorded { record, shown: serde_json::from_str(text(SHOWN_KEY)).with_context(title)? }))
}

/// Reads the licences.
pub(super) async fn licences(client: &Client, namespace: &str, keys: &[PublicKey]) -> Result<Found> {
    let secrets: Api<Secret> = Api::namespaced(client.clone(), namespace);
    let list = secrets.list(&ListParams::default().labels(LICENCE_LABEL)).await;
    let list = list.with_context(|| format!("Secrets of namespace {namespace} with the label {LICENCE_LABEL}"))?;
    Ok(found(list.iter().flat_map(Paper::of_secret).collect(), keys))
}

/// Namespaces that wait for a licence, by name.
pub(super) async fn waiting(client: &Client, instance: &str) -> Result<Vec<String>> {
    let bindings: Api<NamespaceClassBinding> = Api::all(client.clone());
    let all = bindings.list(&ListParams::default()).await.context("bindings")?;
    let waits = |binding: &NamespaceClassBinding| {
        let conditions = binding.status.iter().flat_map(|status| &status.conditions);
        let mut ready = conditions.filter(|condition| condition.type_ == "Ready");
        binding.spec.instance == instance && ready.any(|ready| ready.reason == Reason::LicenceRequired.as_str())
    };
    Ok(all.iter().filter(|binding| waits(binding)).map(ResourceExt::name_any).collect())
}
