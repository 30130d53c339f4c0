//! The strings of a manifest that are templates. Keys never are.

use serde_json::Value;

use super::Leaf;
use crate::finding::{Finding, ItemRef, Reason};
use crate::path::{FieldPath, Step};
use crate::template::{OPEN, Template};

/// Every template in the manifest, and the mistakes in what looks like one.
pub(super) fn find(item: &ItemRef, manifest: &Value) -> (Vec<Leaf>, Vec<Finding>) {
    let mut walk = Walk { item, leaves: Vec::new(), findings: Vec::new() };
    walk.value(&mut FieldPath::default(), manifest);
    (walk.leaves, walk.findings)
}

/// The template that a string is; nothing where it has mistakes.
pub(super) fn template_of(text: &str, is_template: bool) -> Option<Template> {
    if is_template { Template::parse(text).ok() } else { Some(Template::verbatim(text)) }
}

struct Walk<'i> {
    item: &'i ItemRef,
    leaves: Vec<Leaf>,
    findings: Vec<Finding>,
}

impl Walk<'_> {
    /// Recurses, which is safe behind the check of levels.
    fn value(&mut self, path: &mut FieldPath, value: &Value) {
        match value {
            Value::String(text) if text.contains(OPEN) => self.text(path, text),
            Value::Object(map) => {
                for (key, inner) in map {
                    path.push(Step::Key(key.clone()));
                    self.value(path, inner);
                    path.pop();
                }
            }
            Value::Array(list) => {
                for (index, inner) in list.iter().enumerate() {
                    path.push(Step::Index(index));
                    self.value(path, inner);
                    path.pop();
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, path: &FieldPath, text: &str) {
        // A template there is no kind, and has been reported as that.
        if path.matches(&["apiVersion"]) || path.matches(&["kind"]) {
            return;
        }
        match Template::parse(text) {
            Ok(template) if template.is_typed() && path.starts_with(&["metadata"]) => {
                let message = "metadata holds strings, no numbers or truth values";
                let finding = self.item.error(Reason::RenderFailed, path, message, "leave out | int or | bool");
                self.findings.push(finding);
            }
            Ok(template) => self.leaves.push(Leaf { path: path.clone(), template }),
            Err(mistakes) => {
                let finding = |mistake: crate::template::TemplateError| {
                    self.item.error(Reason::RenderFailed, path, mistake.to_string(), mistake.kind.remedy())
                };
                self.findings.extend(mistakes.into_iter().map(finding));
            }
        }
    }
}
