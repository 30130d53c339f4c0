//! 409: fields that others hold, or an object that is not the one meant.

use super::{Action, Answer, Reading, text};

/// A field that another manager holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FieldConflict {
    /// The field manager.
    pub manager: String,
    /// Path of the field, as in `.spec.template.spec.containers[name="web"].image`.
    pub field: String,
}

pub(super) fn rule(reading: Reading<'_>) -> Option<Answer> {
    let details = reading.status.details.as_ref().filter(|_| reading.code() == 409)?;
    let mut conflicts: Vec<FieldConflict> =
        details.causes.iter().filter(|cause| cause.reason == "FieldManagerConflict").map(held).collect();
    // The server's order is that of a Go map, and a condition that flickers is a write each time.
    conflicts.sort();
    if !conflicts.is_empty() {
        // The server compares fields before it looks whether the object may exist.
        let exists = reading.asked.action == Action::Create;
        return Some(if exists { Answer::PreconditionFailed } else { Answer::Conflict(conflicts) });
    }
    // A quota that is counted by two requests at once is answered with the quota's name, and passes.
    reading.names_the_object().then_some(Answer::PreconditionFailed)
}

/// `conflict with "MANAGER" …`
fn held(cause: &kube::core::response::StatusCause) -> FieldConflict {
    let manager = cause.message.strip_prefix("conflict with ").and_then(text::quoted);
    FieldConflict {
        manager: manager.map_or_else(|| cause.message.clone(), |(name, _)| name),
        field: cause.field.clone(),
    }
}

/// `"helm" holds .data.a, .data.b; "kubectl" holds .data.c`
pub(super) fn phrase(conflicts: &[FieldConflict]) -> String {
    let mut managers: Vec<&str> = conflicts.iter().map(|conflict| conflict.manager.as_str()).collect();
    managers.dedup();
    let held = |manager: &&str| {
        let of_manager = conflicts.iter().filter(|conflict| conflict.manager == **manager);
        let fields: Vec<String> = of_manager.map(|conflict| conflict.field.clone()).collect();
        format!("{manager:?} holds {}", text::few(&fields, 3, ", "))
    };
    let held: Vec<String> = managers.iter().map(held).collect();
    text::few(&held, 3, "; ")
}
