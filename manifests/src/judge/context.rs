//! The declared namespace context (F36): valid only where rules and documents agree with it.

use super::Case;
use crate::folder::Placed;
use crate::identity::NamespaceSource;
use crate::path::FolderPath;
use crate::verdict::{Finding, Reason};

pub(super) fn judge(case: &mut Case<'_>, documents: &[Placed]) {
    let Some(fixed) = case.options.fixed.clone() else { return };
    for rule in &case.options.rules {
        let what = match &rule.namespaces {
            None => format!("the cluster rule {} selects cluster-scoped objects", rule.name),
            Some(namespaces) if namespaces.iter().all(|namespace| *namespace == fixed) => continue,
            Some(namespaces) => format!("the rule {} selects {}", rule.name, namespaces.join(", ")),
        };
        let what = format!("the namespaceContext is Fixed to {fixed}, and {what}");
        let remedy = "bind only rules of that namespace, or drop the namespaceContext";
        case.findings.push(Finding::new(&FolderPath::root(), Reason::ContextConflict, what, remedy));
    }
    for document in documents {
        let Some(namespace) = document.live.as_ref().and_then(|live| live.namespace.as_ref()) else { continue };
        if *namespace == fixed {
            continue;
        }
        let record = document.record();
        let said_by = match &document.source {
            NamespaceSource::Kustomize(path) => path.to_string(),
            _ => "it".to_owned(),
        };
        let what = format!(
            "{} is in the namespace {namespace}, as {said_by} says, and the namespaceContext is Fixed to {fixed}",
            record.title()
        );
        let remedy = "drop the namespaceContext, or move the document to another folder";
        case.find(&document.file.path, record.number, Reason::ContextConflict, what, remedy);
    }
}
