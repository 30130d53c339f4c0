//! The kinds that users see, as Rust types. The CRDs under `deploy/crds/` are generated from them.
//!
//! What CEL and the schema can hold is said here; what they cannot (templates, policy, duplicates, sizes) is
//! [`crate::validate`]'s, which admission and the controller both call.

mod binding;
mod class;
mod condition;
mod crd;
mod delay;
mod guard;
mod item;
mod lacking;

pub use binding::{BindingSpec, BindingStatus, InventoryEntry, MAX_INVENTORY, NamespaceClassBinding, ObjectsGone};
pub use class::{Adoption, ClassSpec, ClassStatus, Drift, Immutable, NamespaceClass, NamespaceCounts, OnDelete};
pub use condition::{Assessment, get_condition, set_condition};
pub use crd::{crds, namespace_class_binding_crd, namespace_class_crd};
pub use delay::{BadDelay, OptOutDelay};
pub use guard::{GuardCause, GuardHeld, GuardPassed, GuardStatus};
pub use item::Item;
pub use lacking::lacking;
