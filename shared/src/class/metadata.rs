//! What an item may say in its metadata (class.md C15).

use crate::finding::{Finding, ItemRef, Reason};
use crate::json::Json;
use crate::manifest::Manifest;
use crate::names::{DOMAIN, EXACT_ANNOTATION, ITEM_ANNOTATIONS, ON_DELETE_ANNOTATION, TEMPLATE_ANNOTATION};
use crate::path::FieldPath;

/// Fields of metadata that a class sets.
const SETTABLE: [&str; 4] = ["name", "namespace", "labels", "annotations"];

/// Fields of metadata that a class must not set, and who does.
const REFUSED: [(&str, &str); 11] = [
    ("uid", "the API server gives each object its own"),
    ("resourceVersion", "the API server counts it"),
    ("generation", "the API server counts it"),
    ("creationTimestamp", "the API server sets it"),
    ("deletionTimestamp", "the API server sets it"),
    ("deletionGracePeriodSeconds", "the API server sets it"),
    ("managedFields", "the API server keeps it"),
    ("selfLink", "the API server no longer uses it"),
    ("ownerReferences", "the binding owns what a class makes"),
    ("finalizers", "an object that nobody finalizes could never be deleted"),
    ("generateName", "each pass would make another object"),
];

/// What is wrong with the metadata of an item.
pub(super) fn check(item: &ItemRef, resource: &Json<'_>) -> Vec<Finding> {
    let invalid = |path: &[&str], message: String, remedy: &str| {
        let path = path.iter().fold(FieldPath::of(["metadata"]), |path, key| path.key(key));
        item.error(Reason::InvalidManifest, &path, message, remedy)
    };
    let Some(metadata) = resource.get("metadata").and_then(Json::as_map) else {
        return vec![invalid(&[], "missing, or not a map".to_owned(), "give the item metadata with a name")];
    };
    let mut findings = Vec::new();
    if metadata.get("name").and_then(Json::as_text).is_none_or(|name| name.is_empty()) {
        findings.push(invalid(&["name"], "missing, empty or not a string".to_owned(), "give the item a name"));
    }
    for (field, value) in metadata.iter().filter(|(_, value)| !value.is_null()) {
        match field {
            "name" => {}
            "namespace" if value.as_text().is_none() => {
                findings.push(invalid(&[field], "not a string".to_owned(), "leave the field out"));
            }
            "labels" | "annotations" => match value.as_map() {
                Some(map) => findings.extend(map.iter().filter_map(|(key, value)| entry(item, field, key, value))),
                None => findings.push(invalid(&[field], "not a map".to_owned(), "write one key: value pair a line")),
            },
            _ if SETTABLE.contains(&field) => {}
            _ => {
                let why = REFUSED.iter().find(|(refused, _)| *refused == field);
                let why = why.map_or("it is no field of an object's metadata", |(_, why)| why);
                findings.push(invalid(&[field], format!("a class cannot set it: {why}"), "remove the field"));
            }
        }
    }
    findings
}

/// What is wrong with one label or annotation.
fn entry(item: &ItemRef, field: &str, key: &str, value: &Json<'_>) -> Option<Finding> {
    let invalid = |message: String, remedy: String| {
        Some(item.error(Reason::InvalidManifest, &FieldPath::of(["metadata", field, key]), message, remedy))
    };
    let Some(text) = value.as_text() else {
        return invalid("not a string".to_owned(), "put the value in double quotes".to_owned());
    };
    if !is_ours(key) {
        return None;
    }
    let choices: &[&str] = match key {
        TEMPLATE_ANNOTATION | EXACT_ANNOTATION if field == "annotations" => &["true", "false"],
        ON_DELETE_ANNOTATION if field == "annotations" => &["Delete", "Orphan"],
        _ => {
            let known = ITEM_ANNOTATIONS.join(", ");
            return invalid(
                format!("keys under {DOMAIN} are the operator's"),
                format!("remove it; an item may carry the annotations {known}"),
            );
        }
    };
    if choices.contains(&text.as_ref()) {
        return None;
    }
    invalid(format!("neither {:?} nor {:?}", choices[0], choices[1]), "write one of the two".to_owned())
}

/// Whether a key belongs to `nsclass.io` or a domain under it.
fn is_ours(key: &str) -> bool {
    let prefix = key.split_once('/').map_or("", |(prefix, _)| prefix).as_bytes();
    let Some((rest, domain)) = prefix.len().checked_sub(DOMAIN.len()).and_then(|at| prefix.split_at_checked(at)) else {
        return false;
    };
    domain.eq_ignore_ascii_case(DOMAIN.as_bytes()) && (rest.is_empty() || rest.ends_with(b"."))
}

/// Whether the item's strings are templates: unless its annotation says `"false"` (class.md C12).
pub(super) fn is_template(resource: &Json<'_>) -> bool {
    resource.text(&["metadata", "annotations", TEMPLATE_ANNOTATION]) != Some("false")
}

/// Takes out the status, and fields of metadata that are null and so say nothing.
pub(super) fn strip(manifest: &mut Json<'_>) {
    if let Some(fields) = manifest.as_map_mut() {
        fields.remove("status");
        if let Some(metadata) = fields.get_mut("metadata").and_then(Json::as_map_mut) {
            metadata.retain(|value| !value.is_null());
        }
    }
}
