//! The look at the result that no edit goes without (F32).

use super::refused::{Reason, Refused};
use super::walk::same;
use crate::yaml::{Document, FeatureKind, File, Reader, parse};
use serde_json::Value;

pub(super) fn whole(reason: Reason) -> Refused {
    Refused { path: String::new(), position: None, reason }
}

/// Whether `edited` is `file` with its document `number` saying `wanted`, and nothing else changed.
pub(super) fn edited(
    file: &File<'_>,
    number: usize,
    edited: &str,
    reader: Reader,
    wanted: &Value,
) -> Result<(), Refused> {
    let mismatch = || whole(Reason::Mismatch);
    let result = parse(edited.as_bytes()).map_err(|_| mismatch())?;
    if result.documents.len() != file.documents.len() || result.bom != file.bom {
        return Err(mismatch());
    }
    for (before, after) in file.documents.iter().zip(&result.documents) {
        if before.number != number {
            if file.slice(before.range) != result.slice(after.range) {
                return Err(mismatch());
            }
            continue;
        }
        let says = after.to_value(reader).map_err(|_| mismatch())?;
        // Anchors and the like must be those that were there.
        if after.unknown_layout.is_some()
            || !same(&says, wanted)
            || !same(wanted, &says)
            || shared(after) > shared(before)
        {
            return Err(mismatch());
        }
    }
    Ok(())
}

fn shared(document: &Document<'_>) -> usize {
    let is_shared = |kind: &FeatureKind| {
        matches!(kind, FeatureKind::Anchor(_) | FeatureKind::Alias | FeatureKind::Tag(_) | FeatureKind::Directive)
    };
    document.features().iter().filter(|feature| is_shared(&feature.kind)).count()
}

/// Whether `rest` is `file` without its document `number`.
pub(super) fn removed(file: &File<'_>, number: usize, rest: &str) -> Result<(), Refused> {
    let mismatch = || whole(Reason::Mismatch);
    let result = parse(rest.as_bytes()).map_err(|_| mismatch())?;
    let kept: Vec<_> = file.documents.iter().filter(|document| document.number != number).collect();
    let same = kept.len() == result.documents.len()
        && kept
            .iter()
            .zip(&result.documents)
            .all(|(before, after)| file.slice(before.range) == result.slice(after.range));
    if same && result.bom == file.bom { Ok(()) } else { Err(mismatch()) }
}
