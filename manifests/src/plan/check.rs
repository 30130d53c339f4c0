//! The last look before files are written (F33): what was wanted is there, and nothing else changed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::Refusal;
use super::same::difference;
use super::work::Work;
use crate::folder::{Folder, Placed};
use crate::identity::LiveId;
use crate::path::FolderPath;
use crate::render::FieldPath;

/// Compares the folder before and after.
pub(super) fn check(before: &Folder, after: &Folder, work: &Work) -> Result<(), Refusal> {
    if !after.verdict().is_valid() {
        let what = format!("the folder would no longer be valid: {}", after.verdict().message());
        return Err(Refusal::Check { document: "the files to be written".to_owned(), what });
    }
    if before.shares_judgement(after) {
        // Nothing is there that was not, nothing is gone, and no context supplies anything else.
        return work.files.keys().try_for_each(|path| file(before, after, work, path));
    }
    let targets: HashSet<&LiveId> = work.puts.keys().chain(&work.deletes).collect();
    for (live, index) in before.by_live.iter() {
        let is_written = targets.contains(live) && work.files.contains_key(&before.documents[*index].file.path);
        if !is_written && !work.deletes.contains(live) {
            untouched(before, after, *index, live)?;
        }
    }
    if let Some((_, index)) =
        after.by_live.iter().find(|(live, _)| !before.by_live.contains_key(*live) && !targets.contains(live))
    {
        return Err(wrong(&after.documents[*index], "it would appear although nothing put it there"));
    }
    for path in work.files.keys() {
        file(before, after, work, path)?;
    }
    for live in &work.deletes {
        if let Some(placed) = after.find(live) {
            return Err(wrong(placed, "it would still be there after its deletion"));
        }
    }
    Ok(())
}

fn wrong(placed: &Placed, what: impl Into<String>) -> Refusal {
    Refusal::Check { document: placed.title(), what: what.into() }
}

/// A document that nothing should change: in an untouched file only its context can.
fn untouched(before: &Folder, after: &Folder, index: usize, live: &LiveId) -> Result<(), Refusal> {
    let placed = &before.documents[index];
    let Some(now) = after.by_live.get(live).copied() else {
        return Err(wrong(placed, format!("{live} would be gone; change one thing at a time")));
    };
    let is_same_file = Arc::ptr_eq(&placed.file, &after.documents[now].file);
    if is_same_file && before.supplied(index) != after.supplied(now) {
        let what = "what its kustomizations supply would change with this; change it together with this, by hand";
        return Err(wrong(placed, what));
    }
    Ok(())
}

/// The documents of a file that is written.
fn file(before: &Folder, after: &Folder, work: &Work, path: &FolderPath) -> Result<(), Refusal> {
    let old = values(before, path)?;
    let named = old.iter().filter_map(|(index, value)| Some((before.documents[*index].live.as_ref()?, value)));
    let named: HashMap<&LiveId, &Value> = named.collect();
    let mut anonymous = Vec::new();
    for (index, mut value) in values(after, path)? {
        let placed = &after.documents[index];
        let Some(live) = &placed.live else {
            anonymous.push(value);
            continue;
        };
        let expected = work.puts.get(live).or_else(|| named.get(live).copied());
        let expected = expected.ok_or_else(|| wrong(placed, "it would come from another file"))?;
        let mut expected = expected.clone();
        if live.namespace.is_none() {
            // A cluster-scoped document keeps the namespace that it states, and the object has none (F08).
            let stated = FieldPath::keys(&["metadata", "namespace"]);
            stated.remove(&mut value);
            stated.remove(&mut expected);
        }
        if let Some(field) = difference(&value, &expected) {
            let field = if field.is_empty() { "it".to_owned() } else { field };
            return Err(wrong(placed, format!("{field} would not be what is live; change it by hand")));
        }
    }
    let was = old.iter().filter(|(index, _)| before.documents[*index].live.is_none());
    if !was.map(|(_, value)| value).eq(&anonymous) {
        let document = path.to_string();
        return Err(Refusal::Check { document, what: "a document that owns no live object would change".to_owned() });
    }
    Ok(())
}

fn values(folder: &Folder, path: &FolderPath) -> Result<Vec<(usize, Value)>, Refusal> {
    folder
        .values(path)
        .map_err(|(index, error)| wrong(&folder.documents[index], format!("it could not be read: {error}")))
}
