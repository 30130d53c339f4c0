//! An inventory that cannot be trusted (class.md C45): what counts as damaged, and what is made of it. Nothing is deleted in such a pass;
//! the next one stands on an inventory that is whole again.

use std::collections::BTreeSet;

use super::{LiveObject, ObjectRef, Observed, Ownership};
use crate::api::{BindingStatus, InventoryEntry, MAX_INVENTORY, NamespaceClassBinding};

/// What was found of objects that carry our labels for the namespace, of all kinds in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// All of them.
    Found(Vec<(ObjectRef, LiveObject)>),
    /// Some kind could not be listed, for this reason: nothing may be concluded.
    Incomplete(String),
}

/// What to do about the inventory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rebuild {
    /// It is written so; the sentence says why.
    Write(Vec<InventoryEntry>, String),
    /// It stays damaged for now.
    Wait(String),
}

/// What is wrong with a binding that can be decoded: somebody edited it, or lost a part of it.
pub fn damage(binding: &NamespaceClassBinding) -> Option<String> {
    let Some(status) = &binding.status else {
        return (!binding.spec.class_name.is_empty()).then(|| "its status is missing".to_owned());
    };
    let BindingStatus { inventory, objects, observed_namespace_uid, .. } = status;
    if observed_namespace_uid.is_empty() && !(inventory.is_empty() && binding.spec.class_name.is_empty()) {
        return Some("status.observedNamespaceUID is missing".to_owned());
    }
    if usize::try_from(*objects).ok() != Some(inventory.len()) {
        return Some(format!("status.objects says {objects}, and the inventory lists {}", inventory.len()));
    }
    let mut seen = BTreeSet::new();
    inventory.iter().enumerate().find_map(|(index, entry)| {
        let why = if !is_sound(entry, binding) {
            "cannot be an object of this namespace"
        } else if !seen.insert(entry.identity()) {
            "is listed twice"
        } else {
            return None;
        };
        Some(format!("status.inventory[{index}] ({} {}) {why}", entry.kind, entry.name))
    })
}

fn is_sound(entry: &InventoryEntry, binding: &NamespaceClassBinding) -> bool {
    let named = !entry.version.is_empty() && !entry.kind.is_empty() && !entry.name.is_empty();
    named && (entry.namespace.is_empty() || entry.namespace == binding.spec.namespace_name)
}

/// Decides over the inventory, where something about it is in doubt.
pub(super) fn rebuild(observed: &Observed) -> Option<Rebuild> {
    let binding = observed.binding.as_ref()?;
    let damage = damage(binding);
    let found = match (&observed.search, &damage) {
        (None | Some(Search::Incomplete(_)), None) => return None,
        // It was whole when the objects were looked for, or nobody looked yet.
        (None, Some(why)) => return Some(Rebuild::Wait(why.clone())),
        (Some(Search::Incomplete(why)), Some(damage)) => return Some(Rebuild::Wait(format!("{damage}; {why}"))),
        (Some(Search::Found(found)), _) => found,
    };
    let uid = uid(observed, binding);
    let mut inventory: Vec<InventoryEntry> = Vec::new();
    let stored = binding.status.iter().flat_map(|status| &status.inventory).filter(|entry| is_sound(entry, binding));
    for entry in stored {
        if !inventory.iter().any(|known| known.is(&entry.identity())) {
            inventory.push(entry.clone());
        }
    }
    let before = inventory.len();
    for (object, live) in found {
        let is_ours = live.ownership(&object.identity, &observed.name, uid) == Ownership::Ours;
        if is_ours && !inventory.iter().any(|known| known.is(&object.identity)) {
            let reserved = InventoryEntry::reserved(&object.identity, &object.version);
            inventory.push(InventoryEntry { uid: live.uid.clone(), ..reserved });
        }
    }
    if damage.is_none() && inventory.len() == before {
        return None;
    }
    let why = damage.unwrap_or_else(|| "the binding was lost".to_owned());
    if inventory.len() > MAX_INVENTORY {
        let count = inventory.len();
        return Some(Rebuild::Wait(format!("{why}; {count} objects are ours, and an inventory holds {MAX_INVENTORY}")));
    }
    inventory.sort_by_key(InventoryEntry::identity);
    let added = inventory.len() - before;
    Some(Rebuild::Write(
        inventory,
        format!("{why}; {added} live objects were found by their marks and are listed again"),
    ))
}

/// Whose the objects must be: of the namespace that the inventory was written for.
fn uid<'a>(observed: &'a Observed, binding: &'a NamespaceClassBinding) -> &'a str {
    let recorded = binding.status.as_ref().map_or("", |status| &status.observed_namespace_uid);
    match &observed.namespace {
        super::NamespaceState::Present(facts) if recorded.is_empty() => &facts.uid,
        _ => recorded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::BindingSpec;

    fn entry(namespace: &str, name: &str) -> InventoryEntry {
        InventoryEntry {
            version: "v1".into(),
            kind: "ConfigMap".into(),
            namespace: namespace.into(),
            name: name.into(),
            ..InventoryEntry::default()
        }
    }

    fn binding(inventory: Vec<InventoryEntry>, objects: u32) -> NamespaceClassBinding {
        let spec = BindingSpec { namespace_name: "pay".into(), class_name: "std".into(), ..BindingSpec::default() };
        let mut binding = NamespaceClassBinding::new("pay", spec);
        let status =
            BindingStatus { inventory, objects, observed_namespace_uid: "u".into(), ..BindingStatus::default() };
        binding.status = Some(status);
        binding
    }

    #[test]
    fn c45_an_inventory_that_does_not_fit_together_is_damaged() {
        assert_eq!(damage(&binding(vec![entry("pay", "a"), entry("", "a")], 2)), None);
        let mut lost = binding(vec![], 0);
        lost.status = None;
        let damages = [
            lost,
            binding(vec![], 2),
            binding(vec![entry("pay", "a"), entry("pay", "a")], 2),
            binding(vec![entry("tax", "a")], 1),
            binding(vec![entry("pay", "")], 1),
        ];
        let said: Vec<String> = damages.iter().map(|binding| damage(binding).unwrap()).collect();
        insta::assert_snapshot!(said.join("\n"), @r"
        its status is missing
        status.objects says 2, and the inventory lists 0
        status.inventory[1] (ConfigMap a) is listed twice
        status.inventory[0] (ConfigMap a) cannot be an object of this namespace
        status.inventory[0] (ConfigMap ) cannot be an object of this namespace
        ");
    }
}
