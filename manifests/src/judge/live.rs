//! Two documents that are one live object (F04).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::Case;
use crate::folder::Placed;
use crate::identity::LiveId;
use crate::verdict::Reason;

/// Finds duplicates; returns who is what.
pub(super) fn judge(case: &mut Case<'_>, documents: &[Placed]) -> HashMap<LiveId, usize> {
    let mut by_live = HashMap::with_capacity(documents.len());
    for (index, document) in documents.iter().enumerate() {
        let Some(live) = document.live.clone() else { continue };
        match by_live.entry(live) {
            Entry::Vacant(vacant) => {
                vacant.insert(index);
            }
            Entry::Occupied(occupied) => {
                let what = format!("{} is also {}", occupied.key(), documents[*occupied.get()].title());
                let record = document.record();
                case.find(&document.file.path, record.number, Reason::DuplicateIdentity, what, "remove one of the two");
            }
        }
    }
    by_live
}
