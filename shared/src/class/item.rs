//! One item of a class: a manifest, and the places in it that differ from namespace to namespace.

use std::borrow::Cow;

use serde_json::Value;

use super::{leaves, metadata};
use crate::budget::{self, MAX_LEVELS, MAX_OBJECT_BYTES};
use crate::excerpt::excerpt;
use crate::finding::{Finding, ItemRef, Reason, most_of};
use crate::identity::{GroupKind, Gvk};
use crate::object_name::NameRule;
use crate::path::FieldPath;
use crate::template::Template;
use crate::validity::is_path_segment;

/// An item that can be rendered: what is fixed, and the leaves that are not.
#[derive(Debug, Clone)]
pub struct CompiledItem {
    item: ItemRef,
    gvk: Gvk,
    /// Nothing where the class has none, or none that can be read.
    name: Option<Template>,
    manifest: Value,
    leaves: Vec<Leaf>,
}

/// A string of a manifest that is a template.
#[derive(Debug, Clone)]
pub struct Leaf {
    /// Where it stands in the manifest.
    pub path: FieldPath,
    /// What stands there.
    pub template: Template,
}

impl CompiledItem {
    /// Position and name, for messages.
    pub fn item_ref(&self) -> &ItemRef {
        &self.item
    }

    /// The kind; never a template.
    pub fn gvk(&self) -> &Gvk {
        &self.gvk
    }

    /// The manifest as the class holds it, without what is stripped (class.md C15), templates as they are written.
    pub fn manifest(&self) -> &Value {
        &self.manifest
    }

    /// The templates in it.
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// Two items with one key are one object in every namespace.
    pub(super) fn static_key(&self) -> Option<(GroupKind, Template)> {
        let name = self.name.clone()?;
        let name = name.constant().map_or(name, |constant| Template::verbatim(&constant));
        Some((self.gvk.group_kind(), name))
    }
}

/// What became of one item.
pub(super) struct Outcome {
    /// Nothing where the kind cannot be read, or where the item is too deep to be looked at.
    pub(super) item: Option<CompiledItem>,
    pub(super) findings: Vec<Finding>,
    /// Bytes as written.
    pub(super) bytes: usize,
}

/// Reads one item.
pub(super) fn compile(index: usize, given: Cow<'_, Value>) -> Outcome {
    let resource = given.as_ref();
    let mut item = ItemRef { index, label: String::new() };
    let root = FieldPath::default();
    // Before anything that recurses.
    if budget::is_deeper_than(resource, MAX_LEVELS) {
        let message = format!("maps and lists stand in one another more than {MAX_LEVELS} levels deep");
        let finding = item.error(Reason::RenderFailed, &root, message, "flatten the manifest");
        return Outcome { item: None, findings: vec![finding], bytes: 0 };
    }
    let mut findings = Vec::new();
    let gvk = Gvk::of_manifest(resource);
    let name = resource["metadata"]["name"].as_str().filter(|name| !name.is_empty());
    item.label = label(gvk.as_ref().ok(), name);
    let bytes = budget::json_bytes(resource);
    findings.extend(too_large(&item, bytes));
    if let Err(error) = &gvk {
        let remedy = "write apiVersion and kind as text without templates, such as apps/v1 and Deployment";
        findings.push(item.error(Reason::InvalidManifest, &root.key(error.field()), error.to_string(), remedy));
    }
    findings.extend(metadata::check(&item, resource));
    if !resource["status"].is_null() {
        let message = "a class does not set the status, so it is left out";
        findings.push(item.warning(Reason::InvalidManifest, &root.key("status"), message, "remove the field"));
    }
    let name = name.map(ToOwned::to_owned);
    let is_template = metadata::is_template(resource);
    let manifest = metadata::strip(given.into_owned());
    let (leaves, mistakes) = if is_template { leaves::find(&item, &manifest) } else { (vec![], vec![]) };
    findings.extend(mistakes);
    let name = name.and_then(|name| leaves::template_of(&name, is_template));
    let compiled = gvk.ok().map(|gvk| {
        // Every character is as good as another, so one stands for all values that a variable can have.
        let example = name.as_ref().and_then(|name| name.evaluate(usize::MAX, |_| Some("x")).ok());
        findings.extend(example.as_ref().and_then(Value::as_str).and_then(|example| bad_name(&item, &gvk, example)));
        CompiledItem { item, gvk, name, manifest, leaves }
    });
    Outcome { item: compiled, findings: most_of(findings), bytes }
}

/// The finding about an object of too many bytes, as written or as rendered.
pub(crate) fn too_large(item: &ItemRef, bytes: usize) -> Option<Finding> {
    let message = format!("{bytes} bytes as JSON, and an object has at most {MAX_OBJECT_BYTES}");
    (bytes > MAX_OBJECT_BYTES)
        .then(|| item.error(Reason::RenderFailed, &FieldPath::default(), message, "split the object"))
}

/// The finding about a name that an object of the kind cannot have (class.md C16).
pub(crate) fn bad_name(item: &ItemRef, gvk: &Gvk, name: &str) -> Option<Finding> {
    let rule = NameRule::of(&gvk.group_kind());
    let message = format!("{} is not {rule}", excerpt(name));
    (!rule.admits(name)).then(|| {
        let remedy = format!("change the name or its variables so that every {} gets a valid one", gvk.kind);
        item.error(Reason::RenderFailed, &FieldPath::of(["metadata", "name"]), message, remedy)
    })
}

/// Kind and name, as far as they can be read.
fn label(gvk: Option<&Gvk>, name: Option<&str>) -> String {
    let kind = gvk.map(ToString::to_string);
    let name = name.map(|name| if is_path_segment(name) { name.to_owned() } else { excerpt(name) });
    [kind, name].into_iter().flatten().collect::<Vec<_>>().join(" ")
}
