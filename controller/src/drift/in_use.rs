//! Which kinds inventories hold, counted as inventories change: exactly these are watched.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use nsclass_shared::{
    api::InventoryEntry,
    identity::{Gvk, ObjectIdentity},
};

/// Group and kind: what one watch is for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct GroupKind {
    pub(super) group: String,
    pub(super) kind: String,
}

/// Kinds by how many namespaces have objects of them.
#[derive(Debug, Default)]
pub(super) struct InUse {
    kinds: BTreeMap<GroupKind, Used>,
    namespaces: HashMap<String, Has>,
    /// Whom cluster-scoped objects were made for: their labels do not prove it.
    owners: HashMap<ObjectIdentity, String>,
}

#[derive(Debug, Default)]
struct Used {
    namespaces: usize,
    /// One that an inventory names; which one is served is asked when it is watched.
    version: String,
    /// Short for the kind in [`Has`].
    number: u32,
}

/// What one namespace has. Numbers instead of kinds: thousands of namespaces have the same ones.
#[derive(Debug, Default, PartialEq, Eq)]
struct Has {
    kinds: Box<[u32]>,
    cluster_scoped: Box<[ObjectIdentity]>,
}

impl InUse {
    /// The namespace has these objects now. Returns whether the set of kinds changed.
    pub(super) fn set(&mut self, namespace: &str, inventory: &[InventoryEntry]) -> bool {
        let before: BTreeSet<GroupKind> = self.kinds_of(namespace).collect();
        let now: BTreeMap<GroupKind, &str> = inventory
            .iter()
            .map(|e| (GroupKind { group: e.group.clone(), kind: e.kind.clone() }, e.version.as_str()))
            .collect();
        let mut changed = false;
        for (kind, version) in now.iter().filter(|(kind, _)| !before.contains(kind)) {
            changed |= self.take_up(kind, version);
        }
        for kind in before.iter().filter(|kind| !now.contains_key(*kind)) {
            changed |= self.let_go(kind);
        }
        self.own(namespace, inventory);
        let has = Has {
            kinds: now.keys().filter_map(|kind| self.kinds.get(kind)).map(|used| used.number).collect(),
            cluster_scoped: inventory.iter().filter(|e| e.is_cluster_scoped()).map(InventoryEntry::identity).collect(),
        };
        if inventory.is_empty() {
            self.namespaces.remove(namespace);
        } else if self.namespaces.get(namespace) != Some(&has) {
            self.namespaces.insert(namespace.to_owned(), has);
        }
        changed
    }

    /// The kinds, each in a version that some inventory names.
    pub(super) fn kinds(&self) -> BTreeMap<GroupKind, Gvk> {
        let gvk = |(kind, used): (&GroupKind, &Used)| {
            let gvk = Gvk { group: kind.group.clone(), version: used.version.clone(), kind: kind.kind.clone() };
            (kind.clone(), gvk)
        };
        self.kinds.iter().map(gvk).collect()
    }

    /// The namespace that a cluster-scoped object was made for.
    pub(super) fn owner_of(&self, object: &ObjectIdentity) -> Option<String> {
        self.owners.get(object).cloned()
    }

    fn kinds_of(&self, namespace: &str) -> impl Iterator<Item = GroupKind> {
        let numbers = self.namespaces.get(namespace).map(|has| &has.kinds[..]).unwrap_or_default();
        self.kinds.iter().filter(|(_, used)| numbers.contains(&used.number)).map(|(kind, _)| kind.clone())
    }

    fn take_up(&mut self, kind: &GroupKind, version: &str) -> bool {
        let next = self.kinds.values().map(|used| used.number + 1).max().unwrap_or_default();
        let used = self.kinds.entry(kind.clone()).or_insert_with(|| Used { number: next, ..Used::default() });
        used.namespaces += 1;
        version.clone_into(&mut used.version);
        used.namespaces == 1
    }

    fn let_go(&mut self, kind: &GroupKind) -> bool {
        let Some(used) = self.kinds.get_mut(kind) else { return false };
        used.namespaces -= 1;
        if used.namespaces > 0 {
            return false;
        }
        self.kinds.remove(kind);
        true
    }

    fn own(&mut self, namespace: &str, inventory: &[InventoryEntry]) {
        let before = self.namespaces.get(namespace).map(|has| has.cluster_scoped.clone()).unwrap_or_default();
        for object in &before {
            if self.owners.get(object).is_some_and(|owner| owner == namespace) {
                self.owners.remove(object);
            }
        }
        for entry in inventory.iter().filter(|e| e.is_cluster_scoped()) {
            self.owners.insert(entry.identity(), namespace.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inventory(kinds: &[&str]) -> Vec<InventoryEntry> {
        let entry = |kind: &&str| InventoryEntry {
            version: "v1".into(),
            kind: (*kind).into(),
            namespace: if kind.starts_with("Cluster") { String::new() } else { "n".into() },
            name: "x".into(),
            ..InventoryEntry::default()
        };
        kinds.iter().map(entry).collect()
    }

    fn kinds(in_use: &InUse) -> Vec<String> {
        in_use.kinds().into_keys().map(|kind| kind.kind).collect()
    }

    #[test]
    fn c34_a_kind_is_in_use_while_any_inventory_holds_it() {
        let mut in_use = InUse::default();
        assert!(in_use.set("a", &inventory(&["ConfigMap", "Secret", "Secret"])));
        assert!(!in_use.set("b", &inventory(&["Secret"])), "known");
        assert!(!in_use.set("b", &inventory(&["Secret"])), "the same again");
        assert_eq!(kinds(&in_use), ["ConfigMap", "Secret"]);
        assert!(in_use.set("a", &inventory(&["Role"])));
        assert_eq!(kinds(&in_use), ["Role", "Secret"]);
        assert!(in_use.set("b", &[]) && in_use.set("a", &[]));
        assert_eq!(kinds(&in_use), Vec::<String>::new());
        assert!(in_use.namespaces.is_empty() && in_use.owners.is_empty());
    }

    #[test]
    fn c34_a_cluster_scoped_object_leads_to_the_namespace_that_it_was_made_for() {
        let mut in_use = InUse::default();
        let objects = inventory(&["ClusterRole"]);
        let role = objects[0].identity();
        in_use.set("a", &objects);
        assert_eq!(in_use.owner_of(&role).as_deref(), Some("a"));
        in_use.set("b", &objects);
        in_use.set("a", &[]);
        assert_eq!(in_use.owner_of(&role).as_deref(), Some("b"), "the later one has it");
        in_use.set("b", &[]);
        assert_eq!(in_use.owner_of(&role), None);
    }
}
