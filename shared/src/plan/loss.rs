//! What the mass-delete guard is asked about (class.md C47), before anything is written.

use super::{Intent, Observed, prune::PruneTask};
use crate::{api::InventoryEntry, guard::Loss, plan::ClassState};

/// The class to ask and what takes objects from the namespace, if its pass is about to.
///
/// What is owed to a namespace that goes (C42) is not asked about, nor a switch: the other class's objects are there first. An entry
/// without UID is not known to be an object at all.
pub(super) fn loss(observed: &Observed, intent: &Intent, prunes: &[&PruneTask]) -> Option<(String, Loss)> {
    let binding = observed.binding.as_ref()?;
    if !prunes.iter().any(|task| task.deletes()) {
        return None;
    }
    let class = binding.spec.class_name.clone();
    let label_lost = observed.requested.is_none() && !matches!(observed.bound, Some(ClassState::Deleting(_)));
    match intent {
        Intent::Leave(..) if label_lost => {
            let pending = binding.status.as_ref().and_then(|status| status.objects_go.as_ref());
            Some((class, Loss::LabelLost { since: pending.map_or(observed.now, |gone| gone.since.0) }))
        }
        Intent::Leave(..) => Some((class, Loss::ClassDeleted)),
        Intent::Converge(goal) if goal.class == class => {
            Some((class, Loss::ClassEdited { generation: goal.facts.generation }))
        }
        _ => None,
    }
}

/// Why the namespace keeps its objects. Without numbers, which would change with every other namespace; the class's condition has them.
pub(super) fn message(class: &str, kept: &[&InventoryEntry]) -> String {
    const MOST_NAMED: usize = 3;
    let names: Vec<String> = kept.iter().take(MOST_NAMED).map(|e| format!("{} {}", e.kind, e.name)).collect();
    let more = kept.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(
        "{}{more} would be deleted, and too many namespaces would lose objects of NamespaceClass {class} within ten minutes; see \
         the condition GuardEngaged of the class",
        names.join(", ")
    )
}
