//! One item of a class: a manifest, and the places in it that differ from namespace to namespace.

use std::borrow::Cow;

use super::{leaves, metadata};
use crate::budget::{MAX_LEVELS, MAX_OBJECT_BYTES};
use crate::excerpt::excerpt;
use crate::finding::{Finding, ItemRef, Reason, most_of};
use crate::identity::Gvk;
use crate::json::Json;
use crate::manifest::Manifest;
use crate::object_name::NameRule;
use crate::path::FieldPath;
use crate::template::Template;
use crate::validity::is_path_segment;

/// An item that can be rendered: what is fixed, and the leaves that are not.
#[derive(Debug, Clone)]
pub struct CompiledItem<'t> {
    item: ItemRef,
    gvk: Gvk,
    /// Nothing where the class has none, or none that can be read.
    name: Option<Name<'t>>,
    manifest: Json<'t>,
    leaves: Vec<Leaf>,
}

/// The name of an item.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Name<'t> {
    /// The same in every namespace.
    Constant(Cow<'t, str>),
    /// Made from variables.
    Made(Template),
}

/// A string of a manifest that is a template.
#[derive(Debug, Clone)]
pub struct Leaf {
    /// Where it stands in the manifest.
    pub path: FieldPath,
    /// What stands there.
    pub template: Template,
}

impl<'t> CompiledItem<'t> {
    /// Position and name, for messages.
    pub fn item_ref(&self) -> &ItemRef {
        &self.item
    }

    /// The kind; never a template.
    pub fn gvk(&self) -> &Gvk {
        &self.gvk
    }

    /// The manifest as the class holds it, without what is stripped (class.md C15), templates as they are written.
    pub fn manifest(&self) -> &Json<'t> {
        &self.manifest
    }

    /// The templates in it.
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// Two items with one key are one object in every namespace.
    pub(super) fn static_key(&self) -> Option<impl Ord> {
        Some((self.name.as_ref()?, &self.gvk.kind, &self.gvk.group))
    }
}

impl<'t> Name<'t> {
    /// Nothing where it is a template with mistakes.
    fn of(text: &Cow<'t, str>, is_template: bool) -> Option<Self> {
        if !is_template || !leaves::has_open(text) {
            return Some(Self::Constant(text.clone()));
        }
        let template = Template::parse(text).ok()?;
        Some(template.constant().map_or(Self::Made(template), |constant| Self::Constant(Cow::Owned(constant))))
    }

    /// What it may become. Every character is as good as another, so one stands for all values that a variable can have. Nothing where
    /// it becomes no text.
    fn example(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Constant(text) => Some(Cow::Borrowed(text)),
            Self::Made(template) => {
                let made = template.evaluate(usize::MAX, |_| Some("x")).ok()?;
                made.as_str().map(|text| Cow::Owned(text.to_owned()))
            }
        }
    }
}

/// What became of one item.
pub(super) struct Outcome<'t> {
    /// Nothing where the kind cannot be read, or where the item is too deep to be looked at.
    pub(super) item: Option<CompiledItem<'t>>,
    pub(super) findings: Vec<Finding>,
    /// Bytes as written, where they were counted.
    pub(super) bytes: usize,
}

/// Reads one item. Its bytes are `counted` where it may be too large.
pub(super) fn compile(index: usize, mut manifest: Json<'_>, counted: bool) -> Outcome<'_> {
    let mut item = ItemRef { index, label: String::new() };
    // Before anything that recurses.
    if manifest.is_deeper_than(MAX_LEVELS) {
        let message = format!("maps and lists stand in one another more than {MAX_LEVELS} levels deep");
        let finding = item.error(Reason::RenderFailed, &FieldPath::default(), message, "flatten the manifest");
        return Outcome { item: None, findings: vec![finding], bytes: 0 };
    }
    let mut findings = Vec::new();
    let gvk = Gvk::of_manifest(&manifest);
    let name = manifest.at(&["metadata", "name"]).and_then(Json::as_text).filter(|name| !name.is_empty()).cloned();
    item.label = label(gvk.as_ref().ok(), name.as_deref());
    let bytes = if counted { manifest.bytes() } else { 0 };
    findings.extend(too_large(&item, bytes));
    if let Err(error) = &gvk {
        let remedy = "write apiVersion and kind as text without templates, such as apps/v1 and Deployment";
        let path = FieldPath::of([error.field()]);
        findings.push(item.error(Reason::InvalidManifest, &path, error.to_string(), remedy));
    }
    findings.extend(metadata::check(&item, &manifest));
    if manifest.is_set(&["status"]) {
        let message = "a class does not set the status, so it is left out";
        let path = FieldPath::of(["status"]);
        findings.push(item.warning(Reason::InvalidManifest, &path, message, "remove the field"));
    }
    let is_template = metadata::is_template(&manifest);
    metadata::strip(&mut manifest);
    let (leaves, mistakes) = if is_template { leaves::find(&item, &manifest) } else { (vec![], vec![]) };
    findings.extend(mistakes);
    let name = name.and_then(|name| Name::of(&name, is_template));
    let compiled = gvk.ok().map(|gvk| {
        let example = name.as_ref().and_then(Name::example);
        findings.extend(example.and_then(|example| bad_name(&item, &gvk, &example)));
        CompiledItem { item, gvk, name, manifest, leaves }
    });
    Outcome { item: compiled, findings: most_of(findings), bytes }
}

/// The finding about an object of too many bytes, as written or as rendered.
pub(crate) fn too_large(item: &ItemRef, bytes: usize) -> Option<Finding> {
    (bytes > MAX_OBJECT_BYTES).then(|| {
        let message = format!("{bytes} bytes as JSON, and an object has at most {MAX_OBJECT_BYTES}");
        item.error(Reason::RenderFailed, &FieldPath::default(), message, "split the object")
    })
}

/// The finding about a name that an object of the kind cannot have (class.md C16).
pub(crate) fn bad_name(item: &ItemRef, gvk: &Gvk, name: &str) -> Option<Finding> {
    let rule = NameRule::of(gvk);
    (!rule.admits(name)).then(|| {
        let message = format!("{} is not {rule}", excerpt(name));
        let remedy = format!("change the name or its variables so that every {} gets a valid one", gvk.kind);
        item.error(Reason::RenderFailed, &FieldPath::of(["metadata", "name"]), message, remedy)
    })
}

/// Kind and name, as far as they can be read.
fn label(gvk: Option<&Gvk>, name: Option<&str>) -> String {
    let mut label = gvk.map_or(String::new(), Gvk::to_text);
    if let Some(name) = name {
        if !label.is_empty() {
            label.push(' ');
        }
        if is_path_segment(name) { label.push_str(name) } else { label.push_str(&excerpt(name)) }
    }
    label
}
