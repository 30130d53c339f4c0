//! Flux and Argo CD objects that apply this very folder (F24). They are never a source of a namespace.

use super::Case;
use crate::folder::Placed;
use crate::path::FolderPath;
use crate::record::Applier;
use crate::source::EntryKind;
use crate::verdict::Reason;

pub(super) fn judge(case: &mut Case<'_>, documents: &[Placed]) {
    for document in documents {
        let Some(applier) = document.record().extra().and_then(|extra| extra.applies.as_ref()) else { continue };
        let directories: Vec<_> = applier.paths.iter().filter_map(|path| inside(case, path)).collect();
        for directory in directories {
            report(case, document, applier, &directory);
        }
    }
}

/// The directory of this folder that a path of the repository is, or that it holds.
fn inside(case: &Case<'_>, path: &str) -> Option<FolderPath> {
    let location = case.options.location.clone().unwrap_or_else(FolderPath::root);
    let path = FolderPath::new(path.trim_start_matches('/')).ok()?;
    if location.is_within(&path) {
        return Some(FolderPath::root());
    }
    let below = FolderPath::new(path.below(&location)?).ok()?;
    (case.tree.listing.get(&below) == Some(&EntryKind::Directory)).then_some(below)
}

fn report(case: &mut Case<'_>, document: &Placed, applier: &Applier, directory: &FolderPath) {
    let record = document.record();
    let (what, name) = (applier.what, record.name.as_deref().unwrap_or_default());
    let subject = format!("{what} {name} applies {directory}");
    let narrow = "narrow the target's path to what it does not change";
    let is_flux = applier.what.contains("Flux");
    let mut find = |reason, text: String, remedy: &str| {
        case.find(&document.file.path, record.number, reason, text, remedy);
    };
    if !applier.changes.is_empty() {
        let text = format!("{subject} with {}, so that the cluster gets something else", applier.changes.join(", "));
        find(Reason::ForeignContext, text, narrow);
    }
    if !applier.substitutes.is_empty() {
        let text =
            format!("{subject} with {}: values with ${{NAME}} cannot be written", applier.substitutes.join(", "));
        find(Reason::AppliedElsewhere, text, narrow);
    }
    let Some((field, namespace)) = &applier.namespace else { return };
    if case.options.fixed.as_deref() == Some(namespace) {
        return;
    }
    let remedy = format!("{narrow}, or declare a namespaceContext Fixed to {namespace}");
    let text = format!("{subject} with {field} {namespace}, which is no source of a namespace here");
    let reason = if is_flux { Reason::ForeignContext } else { Reason::AppliedElsewhere };
    case.find(&document.file.path, record.number, reason, text, remedy);
}
