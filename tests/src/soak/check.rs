//! Whether the cluster is what it should be.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use kube::api::{DynamicObject, ListParams};
use kube::{Api, ResourceExt};
use serde_json::Value;

use super::model::Key;
use super::pool::Item;
use crate::World;

/// Every object with our marks is as expected, and nothing is missing.
pub(super) async fn ensure_equal(world: &World, expected: &BTreeMap<Key, Value>) -> Result<()> {
    let found = managed(world).await?;
    let missing: Vec<&Key> = expected.keys().filter(|key| !found.contains_key(*key)).collect();
    let extra: Vec<&Key> = found.keys().filter(|key| !expected.contains_key(*key)).collect();
    let other: Vec<_> = expected
        .iter()
        .filter_map(|(key, wanted)| Some((key, wanted, found.get(key)?)))
        .filter(|(_, wanted, found)| wanted != found)
        .collect();
    ensure!(
        missing.is_empty() && extra.is_empty() && other.is_empty(),
        "{} missing, such as {:?}; {} too many, such as {:?}; {} different, such as {:?}",
        missing.len(),
        missing.first(),
        extra.len(),
        extra.first(),
        other.len(),
        other.first()
    );
    Ok(())
}

/// Every object with our marks is in an inventory, now.
pub(super) async fn ensure_nothing_untracked(world: &World) -> Result<()> {
    // Objects first: one that is created in between is in the inventory that is read after it.
    let found: Vec<Key> = managed(world).await?.into_keys().collect();
    let bindings = world.bindings().list(&ListParams::default()).await?;
    let recorded: BTreeSet<Key> = bindings
        .into_iter()
        .filter_map(|binding| binding.status)
        .flat_map(|status| status.inventory)
        .map(|entry| (entry.kind, entry.namespace, entry.name))
        .collect();
    let suspects: Vec<&Key> = found.iter().filter(|key| !recorded.contains(*key)).collect();
    if suspects.is_empty() {
        return Ok(());
    }
    // One may have been deleted, and its entry with it, between the two lists.
    let still = managed(world).await?;
    let untracked: Vec<&Key> = suspects.into_iter().filter(|key| still.contains_key(*key)).collect();
    ensure!(untracked.is_empty(), "ours and in no inventory: {untracked:?}");
    Ok(())
}

async fn managed(world: &World) -> Result<BTreeMap<Key, Value>> {
    let mut found = BTreeMap::new();
    let ours = ListParams::default().labels("nsclass.io/managed=true");
    let kinds: BTreeMap<String, Item> = Item::ALL.into_iter().map(|item| (item.resource().kind, item)).collect();
    for item in kinds.into_values() {
        let resource = item.resource();
        let api: Api<DynamicObject> = Api::all_with(world.client(), &resource);
        let objects = match api.list(&ours).await {
            Ok(objects) => objects.items,
            Err(kube::Error::Api(status)) if status.code == 404 && item == Item::Widget => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        for object in objects.into_iter().filter(|object| object.metadata.deletion_timestamp.is_none()) {
            let essence = Item::live_essence(&object);
            found.insert((resource.kind.clone(), object.namespace().unwrap_or_default(), object.name_any()), essence);
        }
    }
    Ok(found)
}
