//! Values that a later substitution replaces (F42): listed here, refused when an edit would touch one.

use super::Case;
use crate::folder::Placed;
use crate::verdict::Reason;

/// How many fields of one document are named.
const NAMED: usize = 5;

pub(super) fn judge(case: &mut Case<'_>, documents: &[Placed]) {
    for document in documents {
        let record = document.record();
        let Some(fields) = record.extra().map(|extra| &extra.substituted).filter(|fields| !fields.is_empty()) else {
            continue;
        };
        let mut named = fields[..fields.len().min(NAMED)].join(", ");
        if fields.len() > NAMED {
            named.push_str(" and others");
        }
        let what = format!("substituted-value: {named} cannot be written, since the substitution would be lost");
        case.find(&document.file.path, record.number, Reason::SubstitutedValue, what, "");
    }
}
