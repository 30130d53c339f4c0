//! Whether a definition in a cluster keeps every field that this program knows. One that is older takes fields away from what is written,
//! silently: a record would lose them, and be written again, for ever.

use std::collections::BTreeMap;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};

/// The first thing of `needed` that `live` lacks: a version, or the path of a field.
pub fn lacking(needed: &CustomResourceDefinition, live: &CustomResourceDefinition) -> Option<String> {
    needed.spec.versions.iter().filter(|version| version.served).find_map(|version| {
        let found = live.spec.versions.iter().find(|it| it.name == version.name && it.served);
        let Some(found) = found else { return Some(format!("version {}", version.name)) };
        let schemas = [version, found].map(|version| version.schema.as_ref()?.open_api_v3_schema.as_ref());
        // Without a schema it keeps nothing but what every object has.
        let [Some(needed), live] = schemas else { return None };
        let nothing = JSONSchemaProps::default();
        field(needed, live.unwrap_or(&nothing), "").map(|path| format!("field {}", path.trim_start_matches('.')))
    })
}

fn field(needed: &JSONSchemaProps, live: &JSONSchemaProps, path: &str) -> Option<String> {
    if live.x_kubernetes_preserve_unknown_fields == Some(true) {
        return None;
    }
    if needed.x_kubernetes_preserve_unknown_fields == Some(true) {
        // It keeps what it knows, and who knows what that is.
        return Some(path.to_owned());
    }
    let empty = BTreeMap::new();
    let there = live.properties.as_ref().unwrap_or(&empty);
    for (name, below) in needed.properties.iter().flatten() {
        let path = format!("{path}.{name}");
        match there.get(name) {
            None => return Some(path),
            Some(there) => {
                if let Some(lacking) = field(below, there, &path) {
                    return Some(lacking);
                }
            }
        }
    }
    if let (Some(JSONSchemaPropsOrArray::Schema(needed)), Some(JSONSchemaPropsOrArray::Schema(live))) =
        (&needed.items, &live.items)
        && let Some(lacking) = field(needed, live, &format!("{path}[]"))
    {
        return Some(lacking);
    }
    match (&needed.additional_properties, &live.additional_properties) {
        (Some(JSONSchemaPropsOrBool::Schema(needed)), Some(JSONSchemaPropsOrBool::Schema(live))) => {
            field(needed, live, &format!("{path}.*"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::Index;
    use serde_json::{Value, json};

    use super::*;
    use crate::api::crds;

    /// Paths of all properties, as pointers into the definition; where unknown ones are kept, none is needed.
    fn properties(value: &Value, path: &str, into: &mut Vec<String>) {
        if let Some(map) = value.as_object().filter(|map| map.get("x-kubernetes-preserve-unknown-fields").is_none()) {
            for (key, below) in map {
                let below_path = format!("{path}/{key}");
                if path.ends_with("/properties") {
                    into.push(below_path.clone());
                }
                properties(below, &below_path, into);
            }
        }
    }

    #[test]
    fn bad13_what_is_ours_lacks_nothing_and_what_serves_another_version_lacks_ours() {
        for crd in crds() {
            assert_eq!(lacking(&crd, &crd), None);
            let mut other = crd.clone();
            other.spec.versions[0].name = "v1alpha0".into();
            assert_eq!(lacking(&crd, &other).as_deref(), Some("version v1alpha1"));
            other.spec.versions[0].name = "v1alpha1".into();
            other.spec.versions[0].schema = None;
            assert!(lacking(&crd, &other).is_some());
        }
    }

    #[test]
    fn bad13_a_definition_that_looks_at_entries_of_an_inventory_is_another_one() {
        let ours = crds().into_iter().find(|crd| crd.spec.names.kind == "NamespaceClassBinding").unwrap();
        let mut value = serde_json::to_value(&ours).unwrap();
        let inventory = "/spec/versions/0/schema/openAPIV3Schema/properties/status/properties/inventory";
        *value.pointer_mut(inventory).unwrap() = json!({ "type": "array", "items": { "type": "object" } });
        let older: CustomResourceDefinition = serde_json::from_value(value).unwrap();
        assert_eq!(lacking(&ours, &older).as_deref(), Some("field status.inventory"));
        assert_eq!(lacking(&older, &ours), None);
    }

    proptest! {
        /// Whichever field an older definition lacks, it is named; a newer one, which has more, lacks nothing.
        #[test]
        fn bad13_an_older_definition_lacks_a_field_and_a_newer_one_none(which in 0..2_usize, at in any::<Index>()) {
            let crd = crds().swap_remove(which);
            let mut value = serde_json::to_value(&crd).unwrap();
            let mut all = Vec::new();
            properties(&value["spec"]["versions"][0]["schema"]["openAPIV3Schema"], "/spec/versions/0/schema/openAPIV3Schema", &mut all);
            let path = at.get(&all);
            let (parent, name) = path.rsplit_once('/').unwrap();
            value.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(name);
            let other: CustomResourceDefinition = serde_json::from_value(value).unwrap();
            let found = lacking(&crd, &other).unwrap();
            prop_assert!(found.ends_with(name), "{found} for {path}");
            prop_assert_eq!(lacking(&other, &crd), None);
        }
    }
}
