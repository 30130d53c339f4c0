//! Which rights a class takes: what its author must be allowed to do, because the class will do it (admission.md A01), and what the
//! controller must be allowed to do (class.md C49).
//!
//! What our own processes may do besides is in [`own`].
//!
//! All of them are asked for in all namespaces, because a class works in whichever namespace is labelled with it. RBAC items take `escalate`
//! and `bind` whatever the author holds besides: a class keeps granting after its author has lost a right.

pub mod grant;
mod missing;
pub mod own;
mod refer;

use std::collections::BTreeMap;

pub use missing::{Missing, missing};

use crate::class::{CompiledClass, CompiledItem};
use crate::finding::ItemRef;
use crate::identity::Gvk;
use crate::json::Json;

/// The most rights that a class is judged by one by one. One that takes more is judged by the right to do everything.
pub const MAX_RIGHTS: usize = 64;

/// The group of Roles and their bindings.
pub const RBAC_GROUP: &str = "rbac.authorization.k8s.io";

/// What may be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verb {
    /// Reading an object before it is touched.
    Get,
    /// Looking for objects, of which inventories may know nothing.
    List,
    /// Being told of drift.
    Watch,
    /// A server-side apply of what is not there.
    Create,
    /// A server-side apply.
    Patch,
    /// Pruning.
    Delete,
    /// Writing a role that grants more than one holds.
    Escalate,
    /// Binding a role that grants more than one holds.
    Bind,
    /// All of them, and every other.
    Any,
}

impl Verb {
    /// As RBAC spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::Escalate => "escalate",
            Self::Bind => "bind",
            Self::Any => "*",
        }
    }
}

/// What it is done to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Object {
    /// Objects of a kind; RBAC asks for their resource, which discovery knows. The version is one that the class uses, and no part of the
    /// right.
    Kind {
        /// The kind.
        gvk: Gvk,
        /// The only object, by name; all where none.
        name: Option<String>,
    },
    /// Everything there is.
    Everything,
}

/// A right: in all namespaces, or in the cluster.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Right {
    /// To what.
    pub object: Object,
    /// To do what.
    pub verb: Verb,
}

/// A right, and the items that take it, in the order of the class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needed {
    /// The right.
    pub right: Right,
    /// The items.
    pub items: Vec<ItemRef>,
}

/// The rights that the items of `new` take which are not in `old` as they are: each right once, at most [`MAX_RIGHTS`].
///
/// Items whose kind cannot be read take none; they are findings of the class, and refuse it.
pub fn needed(old: Option<&CompiledClass<'_>>, new: &CompiledClass<'_>) -> Vec<Needed> {
    let kept: Vec<&Json<'_>> = old.iter().flat_map(|class| class.items()).map(CompiledItem::manifest).collect();
    let changed: Vec<&CompiledItem<'_>> = new.items().iter().filter(|item| !kept.contains(&item.manifest())).collect();
    // By group and kind: another version of a kind is the same right.
    let mut versions = BTreeMap::new();
    let mut rights: BTreeMap<Right, Vec<ItemRef>> = BTreeMap::new();
    for item in &changed {
        for mut right in rights_of(item) {
            if let Object::Kind { gvk, .. } = &mut right.object {
                *gvk = versions.entry(gvk.group_kind()).or_insert_with(|| gvk.clone()).clone();
            }
            rights.entry(right).or_default().push(item.item_ref().clone());
        }
    }
    if rights.len() > MAX_RIGHTS {
        let right = Right { object: Object::Everything, verb: Verb::Any };
        return vec![Needed { right, items: changed.iter().map(|item| item.item_ref().clone()).collect() }];
    }
    rights.into_iter().map(|(right, items)| Needed { right, items }).collect()
}

/// The rights that the controller takes for a class: what its items take, and what it looks after them by. Each right once, however many
/// there are.
pub fn needed_by_controller(class: &CompiledClass<'_>) -> Vec<Needed> {
    let mut needed: BTreeMap<Right, Vec<ItemRef>> = BTreeMap::new();
    for item in class.items() {
        let looked_after = [Verb::Get, Verb::List, Verb::Watch]
            .map(|verb| Right { object: Object::Kind { gvk: item.gvk().clone(), name: None }, verb });
        for right in looked_after.into_iter().chain(rights_of(item)) {
            needed.entry(right).or_default().push(item.item_ref().clone());
        }
    }
    needed.into_iter().map(|(right, items)| Needed { right, items }).collect()
}

/// The rights that one item takes.
fn rights_of(item: &CompiledItem<'_>) -> Vec<Right> {
    let gvk = item.gvk();
    let right = |verb: Verb| Right { object: Object::Kind { gvk: gvk.clone(), name: None }, verb };
    let mut rights: Vec<Right> = [Verb::Create, Verb::Patch, Verb::Delete].into_iter().map(right).collect();
    if gvk.group == RBAC_GROUP {
        match gvk.kind.as_str() {
            "Role" | "ClusterRole" => rights.push(right(Verb::Escalate)),
            "RoleBinding" | "ClusterRoleBinding" => rights.extend(refer::bound_roles(item)),
            _ => {}
        }
    }
    rights
}

#[cfg(test)]
mod tests;
