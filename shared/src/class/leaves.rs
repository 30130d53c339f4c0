//! The strings of a manifest that are templates. Keys never are.

use super::Leaf;
use crate::finding::{Finding, ItemRef, Reason};
use crate::json::Json;
use crate::path::{FieldPath, Step};
use crate::template::{OPEN, Template};

/// Every template in the manifest, and the mistakes in what looks like one.
pub(super) fn find(item: &ItemRef, manifest: &Json<'_>) -> (Vec<Leaf>, Vec<Finding>) {
    let mut walk = Walk { item, path: Vec::new(), leaves: Vec::new(), findings: Vec::new() };
    walk.value(manifest);
    (walk.leaves, walk.findings)
}

/// Whether there is an expression in a text, or what looks like one.
pub(super) fn has_open(text: &str) -> bool {
    // Looking for one byte is much faster, and hardly any text has it.
    text.as_bytes().contains(&b'{') && text.contains(OPEN)
}

struct Walk<'i, 'v> {
    item: &'i ItemRef,
    /// Borrowed: of the many places in a manifest, few are kept.
    path: Vec<At<'v>>,
    leaves: Vec<Leaf>,
    findings: Vec<Finding>,
}

enum At<'v> {
    Key(&'v str),
    Index(usize),
}

impl<'v> Walk<'_, 'v> {
    fn value(&mut self, value: &'v Json<'_>) {
        match value {
            Json::Text(text) if has_open(text) => self.text(&self.here(), text),
            Json::Map(map) => {
                for (key, inner) in map.iter() {
                    self.path.push(At::Key(key));
                    self.value(inner);
                    self.path.pop();
                }
            }
            Json::List(list) => {
                for (index, inner) in list.iter().enumerate() {
                    self.path.push(At::Index(index));
                    self.value(inner);
                    self.path.pop();
                }
            }
            _ => {}
        }
    }

    fn here(&self) -> FieldPath {
        let mut path = FieldPath::default();
        for at in &self.path {
            path.push(match at {
                At::Key(key) => Step::Key((*key).to_owned()),
                At::Index(index) => Step::Index(*index),
            });
        }
        path
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
