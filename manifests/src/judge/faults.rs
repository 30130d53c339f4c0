//! What is wrong with a file or a document by itself, as far as it matters where the file is (F07, F09, F19).

use super::Case;
use crate::record::{Fault, FileContent, When};
use crate::verdict::{Finding, Reason};

pub(super) fn judge(case: &mut Case<'_>) {
    for file in case.tree.files.values() {
        let reached = case.reached(file);
        let is_assigned = reached.is_some_and(|reached| !reached.context.namespaces.is_empty());
        let named_by = reached.and_then(|reached| reached.named_by.first()).map(|id| case.graph.path(*id).clone());
        match (&file.content, named_by) {
            (FileContent::Faulty(faults), _) => {
                case.findings.extend(faults.iter().map(|fault| finding(file, fault)));
            }
            (FileContent::Foreign, Some(kustomization)) => {
                let what = format!("{kustomization} names it, but it has no document with apiVersion and kind");
                case.findings.push(Finding::new(&file.path, Reason::UnsupportedDocument, what, "remove the entry"));
            }
            (FileContent::Foreign, None) => {}
            (FileContent::Objects(documents), named_by) => {
                let matters = |fault: &&Fault| match fault.when {
                    When::Always => true,
                    When::InGraph => named_by.is_some(),
                    When::OutsideGraph => named_by.is_none(),
                    When::UnderNamespace => is_assigned,
                };
                let extras = documents.iter().filter_map(|document| document.extra());
                let faults = extras.flat_map(|extra| &extra.faults).filter(matters);
                case.findings.extend(faults.map(|fault| finding(file, fault)));
            }
        }
    }
}

fn finding(file: &crate::record::FileRecord, fault: &Fault) -> Finding {
    let mut finding = Finding::new(&file.path, fault.reason, fault.what.clone(), fault.remedy.clone());
    finding.document = fault.document;
    finding
}
