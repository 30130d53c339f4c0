//! One class for one namespace: items become objects (class.md C10–C19).

use std::collections::BTreeMap;

use serde_json::Value;
use thiserror::Error;

use crate::budget::{self, MAX_CLASS_BYTES, MAX_OBJECT_BYTES};
use crate::class::{CompiledClass, CompiledItem, bad_name, too_large, too_many_bytes};
use crate::duplicates;
use crate::finding::{Finding, ItemRef, Reason, most_of, sentences};
use crate::guarded::GuardedKeys;
use crate::identity::{Gvk, ObjectIdentity};
use crate::kinds::{Kinds, Scope};
use crate::path::FieldPath;
use crate::placement;
use crate::policy::Policy;
use crate::template::{EvaluateError, Template};
use crate::trust;
use crate::variables::Variables;

/// All objects of a class for one namespace.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// The objects, in the order of the class.
    pub objects: Vec<RenderedObject>,
    /// The variables that were used and that the namespace has, by name, for `status.values` of the binding.
    ///
    /// One that is missing is not here, even where a default stood in: [`Variables::recorded`] with these values
    /// therefore renders exactly the same again, also where two places have different defaults.
    pub values: BTreeMap<String, String>,
}

/// An item as it became for one namespace, without our marks.
#[derive(Debug, Clone, PartialEq)]
pub struct RenderedObject {
    /// Position in `spec.resources`, kind and name as the class writes them, for messages.
    pub item: ItemRef,
    /// The kind.
    pub gvk: Gvk,
    /// `metadata.name`.
    pub name: String,
    /// The identity; nothing while nobody knows whether the kind is namespaced ([`Scope::Unknown`]).
    pub identity: Option<ObjectIdentity>,
    /// What to apply. It has a namespace exactly where the kind is known to be namespaced, or the class wrote one.
    pub manifest: Value,
}

/// Why a class yields nothing for a namespace: every reason, first what concerns the class, then item by item.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", sentences(.findings))]
pub struct RenderError {
    /// Never empty.
    pub findings: Vec<Finding>,
}

impl RenderError {
    /// What the first finding is about: the reason that a condition shows.
    pub fn reason(&self) -> Reason {
        self.findings.first().map_or(Reason::RenderFailed, |finding| finding.reason)
    }
}

impl CompiledClass<'_> {
    /// Renders all items for one namespace, or none.
    ///
    /// Policy is asked afterwards ([`Rendered::denials`]), as are the objects that are there.
    ///
    /// # Errors
    /// All that is wrong, not the first: a class with errors of its own is refused for every namespace.
    pub fn render(
        &self,
        variables: &Variables<'_>,
        kinds: &dyn Kinds,
        guarded: &GuardedKeys,
    ) -> Result<Rendered, RenderError> {
        let errors: Vec<Finding> = self.findings().iter().filter(|finding| finding.is_error()).cloned().collect();
        if !errors.is_empty() {
            return Err(RenderError { findings: errors });
        }
        let (mut objects, mut findings, mut bytes) = (Vec::with_capacity(self.items().len()), Vec::new(), 0);
        for item in self.items() {
            let scope = kinds.scope(item.gvk());
            let mut mistakes = trust::check(item, scope, guarded);
            mistakes.extend(placement::check(item, scope));
            match manifest(item, variables) {
                Ok(manifest) => {
                    let size = budget::json_bytes(&manifest);
                    bytes += size;
                    mistakes.extend(too_large(item.item_ref(), size));
                    mistakes.extend(judge(item, &manifest, variables.namespace()));
                    objects.push(place(item, scope, manifest, variables.namespace()));
                }
                Err(errors) => mistakes.extend(errors),
            }
            findings.extend(most_of(mistakes));
        }
        if bytes > MAX_CLASS_BYTES {
            findings.push(too_many_bytes(bytes));
        }
        findings.extend(duplicates::find(
            objects.iter().map(|object| ((object.gvk.group_kind(), object.name.as_str()), &object.item)),
        ));
        if findings.is_empty() {
            return Ok(Rendered { objects, values: self.values(variables) });
        }
        findings.sort_by_key(|finding| finding.item.as_ref().map(|item| item.index));
        Err(RenderError { findings })
    }

    fn values(&self, variables: &Variables<'_>) -> BTreeMap<String, String> {
        let used = self.items().iter().flat_map(CompiledItem::leaves).flat_map(|leaf| leaf.template.variables());
        used.filter_map(|variable| Some((variable.to_string(), variables.get(variable)?.to_owned()))).collect()
    }
}

impl Rendered {
    /// What the policy denies of these objects (class.md C23).
    pub fn denials(&self, policy: &Policy) -> Vec<Finding> {
        self.objects.iter().filter_map(|object| policy.finding(&object.item, &object.gvk, &object.manifest)).collect()
    }
}

/// The manifest with a value in place of each template; nothing else of it changes.
fn manifest(item: &CompiledItem<'_>, variables: &Variables<'_>) -> Result<Value, Vec<Finding>> {
    let mut manifest = item.manifest().to_value();
    let mut findings = Vec::new();
    // Values are counted before they are built: one long annotation used a thousand times must not fill the memory.
    let mut left = MAX_OBJECT_BYTES;
    for leaf in item.leaves() {
        match leaf.template.evaluate(left, |variable| variables.get(variable)) {
            Ok(value) => {
                left -= value.as_str().map_or(0, str::len);
                // Compiling found the leaf in this very manifest, and no leaf stands inside another.
                if let Some(place) = leaf.path.find_mut(&mut manifest) {
                    *place = value;
                }
            }
            Err(errors) => {
                let stop = errors.iter().any(|error| matches!(error, EvaluateError::TooLong { .. }));
                findings.extend(errors.iter().map(|error| refused(item, &leaf.path, &leaf.template, error)));
                if stop {
                    break;
                }
            }
        }
    }
    if findings.is_empty() { Ok(manifest) } else { Err(findings) }
}

fn refused(item: &CompiledItem<'_>, path: &FieldPath, template: &Template, error: &EvaluateError) -> Finding {
    let (message, remedy) = match error {
        EvaluateError::Missing(variable) => (
            format!("the namespace has no {variable}"),
            format!("set it on the namespace, or write {{{{ {variable} | default \"…\" }}}}"),
        ),
        EvaluateError::NotInt(_) | EvaluateError::NotBool(_) => {
            let names: Vec<String> = template.variables().map(ToString::to_string).collect();
            (format!("{error} (from {})", names.join(", ")), "correct it on the namespace".to_owned())
        }
        EvaluateError::TooLong { .. } => (
            format!("with its values the object has more than {MAX_OBJECT_BYTES} bytes"),
            "shorten the values on the namespace, or use them less often".to_owned(),
        ),
    };
    item.item_ref().error(Reason::RenderFailed, path, message, remedy)
}

/// What can be wrong with a manifest only once the values are in it.
fn judge(item: &CompiledItem<'_>, manifest: &Value, target: &str) -> Vec<Finding> {
    let name = manifest["metadata"]["name"].as_str().unwrap_or_default();
    let mut findings = trust::system_names(item, manifest);
    findings.extend(bad_name(item.item_ref(), item.gvk(), name));
    findings.extend(placement::check_rendered(item, manifest, target));
    findings
}

fn place(item: &CompiledItem<'_>, scope: Scope, mut manifest: Value, target: &str) -> RenderedObject {
    let name = manifest["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let kind = item.gvk().group_kind();
    let identity = match scope {
        Scope::Namespaced => {
            // Metadata is a map: compiling refuses an item where it is not.
            manifest["metadata"]["namespace"] = Value::from(target);
            Some(ObjectIdentity::new(&kind, Some(target), &name))
        }
        Scope::ClusterScoped => Some(ObjectIdentity::new(&kind, None, &name)),
        Scope::Unknown => None,
    };
    RenderedObject { item: item.item_ref().clone(), gvk: item.gvk().clone(), name, identity, manifest }
}

#[cfg(test)]
mod tests;
