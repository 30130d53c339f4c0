//! A binding as the watch decodes it: one that cannot be read hurts only itself (DESIGN decision 12).
//!
//! The API server looks at no entry of the inventory and of the conditions, so what is read without them is read so, as damaged: kube's
//! `DeserializeGuard`, which keeps nothing of such an object but its metadata, could not.

use std::borrow::Cow;

use kube::{Resource, core::ObjectMeta};
use nsclass_shared::api::{InventoryEntry, NamespaceClassBinding};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Value, json};

/// A binding, or why it cannot be read.
#[derive(Clone, Debug)]
pub struct Guarded(pub Result<NamespaceClassBinding, Unreadable>);

/// What is known of a binding that cannot be read.
#[derive(Clone, Debug)]
pub struct Unreadable {
    /// Why.
    pub error: String,
    metadata: ObjectMeta,
}

impl<'de> Deserialize<'de> for Guarded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Whole {
            metadata: ObjectMeta,
        }
        let mut value = Value::deserialize(deserializer)?;
        let error = match NamespaceClassBinding::deserialize(&value) {
            Ok(binding) => return Ok(Self(Ok(binding))),
            Err(error) => error.to_string(),
        };
        if let Some(mended) = mended(&mut value) {
            return Ok(Self(Ok(mended)));
        }
        let Whole { metadata } = Whole::deserialize(&value).map_err(D::Error::custom)?;
        Ok(Self(Err(Unreadable { error, metadata })))
    }
}

/// The binding without conditions, which are made anew, and if that does not help with an inventory of one entry that can be no object,
/// which is rebuilt (class.md C45); none where it cannot be read even so.
fn mended(value: &mut Value) -> Option<NamespaceClassBinding> {
    value.get_mut("status")?.as_object_mut()?.remove("conditions");
    if let Ok(binding) = NamespaceClassBinding::deserialize(&*value) {
        return Some(binding);
    }
    value["status"]["inventory"] = json!([InventoryEntry::default()]);
    NamespaceClassBinding::deserialize(&*value).ok()
}

impl Resource for Guarded {
    type DynamicType = ();
    type Scope = <NamespaceClassBinding as Resource>::Scope;

    fn kind((): &()) -> Cow<'_, str> {
        NamespaceClassBinding::kind(&())
    }

    fn group((): &()) -> Cow<'_, str> {
        NamespaceClassBinding::group(&())
    }

    fn version((): &()) -> Cow<'_, str> {
        NamespaceClassBinding::version(&())
    }

    fn plural((): &()) -> Cow<'_, str> {
        NamespaceClassBinding::plural(&())
    }

    fn meta(&self) -> &ObjectMeta {
        self.0.as_ref().map_or_else(|unreadable| &unreadable.metadata, Resource::meta)
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        self.0.as_mut().map_or_else(|unreadable| &mut unreadable.metadata, Resource::meta_mut)
    }
}

#[cfg(test)]
mod tests {
    use nsclass_shared::plan::damage;

    use super::*;

    fn read(status: &Value) -> Guarded {
        let spec = json!({ "namespaceName": "pay", "className": "std", "instance": "default" });
        let metadata = json!({ "name": "pay", "uid": "a", "resourceVersion": "5" });
        let kind = json!({ "apiVersion": "nsclass.io/v1alpha1", "kind": "NamespaceClassBinding" });
        let mut whole = kind;
        (whole["metadata"], whole["spec"], whole["status"]) = (metadata, spec, status.clone());
        serde_json::from_value(whole).unwrap()
    }

    #[test]
    fn c45_an_inventory_that_cannot_be_read_is_known_to_be_damaged() {
        for inventory in [json!([{ "kind": 7 }]), json!("none"), json!([7])] {
            let status = json!({ "observedNamespaceUID": "u", "inventory": inventory, "objects": 1 });
            let binding = read(&status).0.unwrap();
            assert!(damage(&binding).is_some(), "{:?}", binding.status);
        }
    }

    #[test]
    fn c45_conditions_that_cannot_be_read_cast_no_doubt_on_the_inventory_and_other_damage_is_left_alone() {
        let entry = json!({ "version": "v1", "kind": "ConfigMap", "namespace": "pay", "name": "m" });
        let mut status =
            json!({ "observedNamespaceUID": "u", "inventory": [entry], "objects": 1, "conditions": "fine" });
        assert_eq!(damage(&read(&status).0.unwrap()), None);
        status["objects"] = json!("many");
        let unreadable = read(&status);
        assert_eq!(unreadable.meta().resource_version.as_deref(), Some("5"));
        assert!(unreadable.0.is_err());
    }
}
