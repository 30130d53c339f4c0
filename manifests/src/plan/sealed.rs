//! Secrets that somebody encrypted for us with `sops` (F39): such a document is written and replaced whole, and never edited (F32).

use serde_json::Value;

use super::work::Work;
use super::{Ground, Refusal};
use crate::edit;
use crate::identity::LiveId;
use crate::live;

/// Stands in the `sops` mapping of a document of ours: what it was made from, in words of whoever encrypted it. `sops` leaves it alone, and
/// nothing of that mapping reaches a cluster.
pub const STAMP: &str = "nsclass";

/// What a document of ours was made from; nothing for documents that others encrypted.
pub fn stamp(value: &Value) -> Option<&str> {
    value.get("sops")?.get(STAMP)?.as_str()
}

/// Whether a Secret may be written: `sops` encrypted it, with a message authentication code, and its values are no others.
pub(super) fn is_sealed(live: &Value) -> bool {
    let has_mac = live.get("sops").and_then(|sops| sops.get("mac")).is_some_and(Value::is_string);
    let is_encrypted = |value: &Value| value.as_str().is_some_and(|text| text.is_empty() || text.starts_with("ENC["));
    let mut fields = ["data", "stringData"].into_iter().filter_map(|field| live.get(field));
    let is_whole = |field: &Value| field.as_object().is_some_and(|field| field.values().all(is_encrypted));
    has_mac && stamp(live).is_some() && fields.all(is_whole)
}

/// Puts a sealed Secret in the place of its document. One that is not ours, or not alone in its file, stays.
pub(super) fn replace(
    ground: &Ground<'_>,
    work: &mut Work,
    index: usize,
    id: LiveId,
    sealed: &Value,
) -> Result<(), Refusal> {
    let placed = &ground.folder.documents[index];
    let refused = |reason: edit::Reason| {
        let reason = edit::Refused { path: String::new(), position: None, reason };
        Refusal::Edit { document: placed.title(), reason }
    };
    let path = &placed.file.path;
    let values = ground.folder.values(path).map_err(|(_, error)| refused(edit::Reason::Unreadable(error.kind)))?;
    let is_ours = matches!(&values[..], [(_, value)] if stamp(value).is_some()) && placed.file.documents().len() == 1;
    if !is_ours {
        return Err(if placed.record().is_encrypted() {
            refused(edit::Reason::Encrypted)
        } else {
            Refusal::Clear(placed.title())
        });
    }
    let cleaned = live::clean(sealed, None);
    work.files.insert(path.clone(), Some(edit::new_file(&cleaned).into_bytes().into()));
    work.puts.insert(id, cleaned);
    Ok(())
}
