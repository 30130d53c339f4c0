//! One list of a kind: what inventories hold when it begins must be in it.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use nsclass_shared::{
    api::{InventoryEntry, NamespaceClassBinding},
    identity::ObjectIdentity,
};

use super::in_use::GroupKind;

/// What a list has not shown yet, as hashes with a key that nobody knows: thousands of objects may be expected.
#[derive(Debug, Default)]
pub(super) struct Listing {
    expected: HashSet<u64>,
    key: RandomState,
}

impl Listing {
    /// A list begins. Everything that was recorded before is expected.
    pub(super) fn begins(&mut self) {
        *self = Self::default();
    }

    /// This is in an inventory.
    pub(super) fn expect(&mut self, kind: &GroupKind, binding: &NamespaceClassBinding) {
        for entry in recorded(kind, binding) {
            self.expected.insert(self.key.hash_one((entry.identity(), &entry.uid)));
        }
    }

    /// This is in the list.
    pub(super) fn shows(&mut self, object: &ObjectIdentity, uid: &str) {
        if !self.expected.is_empty() {
            let hash = self.key.hash_one((object, uid));
            self.expected.remove(&hash);
        }
    }

    /// What the list should have shown, of those that this inventory still holds.
    pub(super) fn missing(&self, kind: &GroupKind, binding: &NamespaceClassBinding) -> Vec<ObjectIdentity> {
        if self.expected.is_empty() {
            return vec![];
        }
        let entries = recorded(kind, binding).map(|entry| (entry.identity(), &entry.uid));
        let missing = entries.filter(|entry| self.expected.contains(&self.key.hash_one(entry)));
        missing.map(|(object, _)| object).collect()
    }
}

/// Entries of the kind whose object is known to have been there.
fn recorded<'a>(kind: &'a GroupKind, binding: &'a NamespaceClassBinding) -> impl Iterator<Item = &'a InventoryEntry> {
    let entries = binding.status.iter().flat_map(|status| &status.inventory);
    entries.filter(|e| e.group == kind.group && e.kind == kind.kind && !e.uid.is_empty() && !e.applied.is_empty())
}

#[cfg(test)]
mod tests {
    use nsclass_shared::api::{BindingSpec, BindingStatus};

    use super::*;

    fn binding(names: &[&str]) -> NamespaceClassBinding {
        let spec = BindingSpec {
            namespace_name: "pay".into(),
            class_name: "std".into(),
            instance: "default".into(),
            ..BindingSpec::default()
        };
        let mut binding = NamespaceClassBinding::new("pay", spec);
        let entry = |name: &&str| InventoryEntry {
            kind: "ConfigMap".into(),
            namespace: "pay".into(),
            name: (*name).into(),
            uid: format!("uid of {name}"),
            applied: "a-b".into(),
            ..InventoryEntry::default()
        };
        binding.status =
            Some(BindingStatus { inventory: names.iter().map(entry).collect(), ..BindingStatus::default() });
        binding
    }

    #[test]
    fn c34_what_vanished_while_nobody_watched_is_missing_and_what_is_new_is_not() {
        let kind = GroupKind { group: String::new(), kind: "ConfigMap".into() };
        let before = binding(&["kept", "deleted", "pruned", "replaced"]);
        let mut listing = Listing::default();
        listing.begins();
        listing.expect(&kind, &before);
        let of =
            |name: &str| before.status.as_ref().unwrap().inventory.iter().find(|e| e.name == name).unwrap().identity();
        listing.shows(&of("kept"), "uid of kept");
        listing.shows(&of("replaced"), "another");
        let after = binding(&["kept", "deleted", "replaced", "made meanwhile"]);
        assert_eq!(listing.missing(&kind, &after), [of("deleted"), of("replaced")]);
        let other = GroupKind { group: String::new(), kind: "Secret".into() };
        assert_eq!(listing.missing(&other, &after), []);
    }
}
