//! 422 because of what is there already: another UID, or a field that cannot change.

use super::{Action, Answer, Reading, complaint::Complaint, text};
use crate::reason::Reason;

/// How the built-in kinds, and most authors of CRDs, say that a field cannot change.
const WORDINGS: [&str; 10] = [
    "is immutable",
    "are immutable",
    "may not change",
    "may not be changed",
    "may not be updated",
    "cannot change ",
    "cannot be changed",
    "can not be changed",
    "can not be less than",
    "can not be unset",
];

pub(super) fn rule(reading: Reading<'_>) -> Option<Answer> {
    if reading.code() != 422 || reading.asked.action != Action::Update {
        return None;
    }
    let complaints = Complaint::all(reading.status);
    // To an apply, the UID of its precondition is a field like any other.
    if complaints.iter().any(|complaint| complaint.field == "metadata.uid" && cannot_change(complaint)) {
        return Some(Answer::PreconditionFailed);
    }
    // All of them: who deletes the object to make it again must not find that the manifest is invalid as well.
    if complaints.is_empty() || !complaints.iter().all(cannot_change) {
        return None;
    }
    let phrases: Vec<String> = complaints.iter().map(Complaint::phrase).collect();
    Some(Answer::failed(Reason::ImmutableField, &text::few(&phrases, 3, "; ")))
}

fn cannot_change(complaint: &Complaint) -> bool {
    let rule = complaint.rule.as_str();
    WORDINGS.iter().any(|wording| rule.contains(wording))
        // "updates to statefulset spec for fields other than … are forbidden"
        || (rule.starts_with("updates to ") && rule.trim_end_matches('.').ends_with("forbidden"))
}
