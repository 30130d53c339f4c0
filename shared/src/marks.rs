//! The marks on managed objects, and what they prove.
//!
//! Other controllers copy labels and annotations to objects of their own (`EndpointSlices`, `ReplicaSets`), so a mark
//! proves nothing by being there: an object is ours only if its mark names the object itself, and the namespace it
//! was made for is this one, by UID (class.md, "The two kinds").

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::identity::ObjectIdentity;
use crate::names::{
    MANAGED_LABEL, OBJECT_ANNOTATION, OBJECT_CLASS_LABEL, OBJECT_NAMESPACE_LABEL, OWNER_UID_ANNOTATION,
};

/// Whom an object was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner<'a> {
    /// The class it came from; at most 63 characters.
    pub class: &'a str,
    /// Name of the namespace.
    pub namespace: &'a str,
    /// UID of the namespace.
    pub uid: &'a str,
}

/// Puts the marks on a manifest, over whatever stands in their place.
///
/// A manifest that is no object, or whose metadata is none, is left as it is; rendering makes no such manifest.
pub fn mark(manifest: &mut Value, identity: &ObjectIdentity, owner: &Owner<'_>) {
    let marks = [
        ("labels", MANAGED_LABEL, "true"),
        ("labels", OBJECT_CLASS_LABEL, owner.class),
        ("labels", OBJECT_NAMESPACE_LABEL, owner.namespace),
        ("annotations", OBJECT_ANNOTATION, &identity.to_string()),
        ("annotations", OWNER_UID_ANNOTATION, owner.uid),
    ];
    let Some(metadata) = manifest.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    for (field, key, value) in marks {
        let map = metadata.entry(field).or_insert(Value::Null);
        if !map.is_object() {
            *map = Value::Object(Map::new());
        }
        map[key] = Value::from(value);
    }
}

/// What the marks of a live object say, asked for one namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ownership {
    /// The marks name the object itself and this namespace's UID.
    Ours,
    /// The marks name the object itself, but another UID: of another namespace, or of an earlier one of this name
    /// (class.md C44).
    OtherOwner {
        /// The UID in the marks.
        uid: String,
        /// The namespace in the marks, if they hold one.
        namespace: Option<String>,
        /// The class in the marks, if they hold one.
        class: Option<String>,
    },
    /// The marks name another object: somebody copied them. Not ours, whatever else they say.
    CopiedMarks {
        /// The object that they name.
        of: String,
    },
    /// No marks, or not all that prove something.
    Foreign,
}

/// Whose a live object is, by its labels and annotations and what it really is.
///
/// The managed label is not asked: a tenant who takes it off an object has not made it theirs.
pub fn ownership(
    labels: &BTreeMap<String, String>,
    annotations: &BTreeMap<String, String>,
    identity: &ObjectIdentity,
    namespace_uid: &str,
) -> Ownership {
    let Some(of) = annotations.get(OBJECT_ANNOTATION) else { return Ownership::Foreign };
    if *of != identity.to_string() {
        return Ownership::CopiedMarks { of: of.clone() };
    }
    match annotations.get(OWNER_UID_ANNOTATION) {
        // An empty UID proves nothing, not even against an empty one.
        None => Ownership::Foreign,
        Some(uid) if uid.is_empty() => Ownership::Foreign,
        Some(uid) if uid == namespace_uid => Ownership::Ours,
        Some(uid) => Ownership::OtherOwner {
            uid: uid.clone(),
            namespace: labels.get(OBJECT_NAMESPACE_LABEL).cloned(),
            class: labels.get(OBJECT_CLASS_LABEL).cloned(),
        },
    }
}

#[cfg(test)]
mod tests;
