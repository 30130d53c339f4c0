//! Block mappings: entries changed, removed and added.

use super::emit;
use super::extent::{Extent, column, extent};
use super::hanging::{ends_in_block_text, would_change};
use super::path::Path;
use super::refused::Reason;
use super::walk::{Slot, Walk, holds, same};
use crate::yaml::{Mapping, Node, Style};
use serde_json::{Map, Value};

type Object = Map<String, Value>;

impl<'f, 'a> Walk<'f, 'a> {
    pub(super) fn block_mapping(
        &mut self,
        path: Path<'_>,
        slot: Slot,
        node: &'f Node<'a>,
        mapping: &'f Mapping<'a>,
        current: &Object,
        wanted: &Object,
    ) -> Value {
        let whole = || Value::Object(current.clone());
        let Some(keys) = self.keys(mapping) else { return self.refuse(path, node, Reason::Layout, &whole()) };
        let Changes { removed, added } = compare(&keys, current, wanted);
        if let Some(reason) = keys_stay(mapping, &removed, &added) {
            return self.refuse(path, node, reason, &whole());
        }
        if removed.len() == mapping.entries.len() {
            return self.replace(path, slot, node, &whole(), &Value::Object(wanted.clone()));
        }
        let mut result = current.clone();
        for (entry, key) in mapping.entries.iter().zip(&keys) {
            let (Some(now), Some(then)) = (current.get(key), wanted.get(key)) else { continue };
            if same(now, then) {
                continue;
            }
            let here = Path::Key(&path, key);
            let said = match entry.colon {
                Some(colon) if !entry.explicit => {
                    let slot = Slot::Value {
                        colon: colon as usize,
                        column: column(self.text(), entry.key.full_start() as usize),
                    };
                    self.node(here, slot, &entry.value, now, then)
                }
                _ => self.refuse(here, &entry.key, Reason::Layout, now),
            };
            result.insert(key.clone(), said);
        }
        let gone = self.remove_entries(path, mapping, &keys, removed, &mut result);
        self.add_entries(path, mapping, &keys, &gone, &added, &mut result);
        Value::Object(result)
    }

    /// The keys as the reader has them, if each entry has one of its own.
    pub(super) fn keys(&self, mapping: &Mapping<'a>) -> Option<Vec<String>> {
        mapping.entries.iter().map(|entry| self.document.key_text(&entry.key, self.reader).ok()).collect()
    }

    /// Removes entries, or refuses to; returns those that are gone.
    fn remove_entries(
        &mut self,
        path: Path<'_>,
        mapping: &Mapping<'a>,
        keys: &[String],
        removed: Vec<usize>,
        result: &mut Object,
    ) -> Vec<usize> {
        let says = result.clone();
        let refuse = |walk: &mut Self, index: usize, reason| {
            let now = says.get(&keys[index]).cloned().unwrap_or_default();
            walk.refuse(Path::Key(&path, &keys[index]), &mapping.entries[index].key, reason, &now);
        };
        let fixed = |index: usize| {
            let entry = &mapping.entries[index];
            holds(&entry.value).or_else(|| (entry.explicit || entry.colon.is_none()).then_some(Reason::Layout))
        };
        let mut gone: Vec<usize> = removed.iter().copied().filter(|index| fixed(*index).is_none()).collect();
        for index in removed {
            let reason = fixed(index).or_else(|| self.remove_entry(mapping, index, &gone));
            if let Some(reason) = reason {
                refuse(self, index, reason);
                gone.retain(|other| *other != index);
            } else {
                result.remove(&keys[index]);
            }
        }
        gone
    }

    /// Removes the lines of one entry; returns why not.
    fn remove_entry(&mut self, mapping: &Mapping<'a>, index: usize, removed: &[usize]) -> Option<Reason> {
        let entry = &mapping.entries[index];
        let text = self.text();
        let extent = self.entry_extent(mapping, index);
        let above = (0..index).rev().find(|above| !removed.contains(above)).map(|above| &mapping.entries[above].value);
        let column = column(text, entry.key.full_start() as usize);
        if above.is_some_and(|above| would_change(text, above, extent, column, self.habits.careful)) {
            return Some(Reason::Layout);
        }
        if !extent.inline {
            self.change(extent.deletion(text), "");
            return None;
        }
        // Behind a dash: the next entry that stays moves up to it, unless comments or blank lines stand between.
        let next = (index + 1..mapping.entries.len()).find(|next| !removed.contains(next))?;
        let next_key = mapping.entries[next].key.full_start() as usize;
        let between_removed = next > index + 1;
        let gap = &text[extent.end..if between_removed { extent.end } else { next_key }];
        if !between_removed && gap.trim().is_empty() && gap.matches('\n').count() == 1 {
            self.change(extent.start..next_key, "");
        } else {
            let blanks = text[..extent.start].len() - text[..extent.start].trim_end_matches(' ').len();
            self.change(extent.start - blanks..extent.end, "");
        }
        None
    }

    pub(super) fn entry_extent(&self, mapping: &Mapping<'a>, index: usize) -> Extent {
        let entry = &mapping.entries[index];
        let floor = match index.checked_sub(1) {
            Some(previous) => mapping.entries[previous].value.span.end as usize,
            None => self.document.range.start as usize,
        };
        extent(self.text(), entry.key.full_start() as usize, entry.value.span.end as usize, floor)
    }

    fn add_entries(
        &mut self,
        path: Path<'_>,
        mapping: &'f Mapping<'a>,
        keys: &[String],
        removed: &[usize],
        added: &[(&String, &Value)],
        result: &mut Object,
    ) {
        let text = self.text();
        let column = column(text, mapping.entries[0].key.full_start() as usize);
        let kept: Vec<usize> = (0..mapping.entries.len()).filter(|index| !removed.contains(index)).collect();
        // invariant: the caller replaces a mapping of which nothing is kept.
        let (Some(first), Some(last)) = (kept.first().copied(), kept.last().copied()) else { return };
        for (key, value) in added {
            let style = match mapping.entries[last].key.as_scalar().map(|key| key.style) {
                Some(style @ (Style::Double | Style::Single)) => style,
                _ => Style::Plain,
            };
            let written = emit::entry(key, value, style, column, self.habits);
            // The namespace belongs beside the name; everything else goes to the end.
            let after = if path.is(&["metadata"]) && *key == "namespace" {
                keys.iter().position(|key| key == "name")
            } else {
                None
            };
            let after = after.filter(|index| kept.contains(index)).unwrap_or(last);
            let extent = self.entry_extent(mapping, after);
            if extent.end == text.len() && ends_in_block_text(text, &mapping.entries[after].value).is_some() {
                // A line below would end the text's last line, which has no line break now.
                let before = self.entry_extent(mapping, first);
                if before.inline {
                    let indent = " ".repeat(column);
                    self.change(
                        before.start..before.start,
                        format!("{}{}{indent}", written.trim_start_matches(' '), self.habits.eol),
                    );
                } else {
                    self.change(before.start..before.start, format!("{written}{}", self.habits.eol));
                }
            } else {
                self.change(extent.end..extent.end, format!("{}{written}", self.habits.eol));
            }
            result.insert((*key).clone(), (*value).clone());
        }
    }
}

/// Why entries cannot be removed or added: a key that a later step substitutes would be removed, or doubled.
pub(super) fn keys_stay(mapping: &Mapping<'_>, removed: &[usize], added: &[(&String, &Value)]) -> Option<Reason> {
    if removed.is_empty() && added.is_empty() {
        return None;
    }
    mapping.entries.iter().find_map(|entry| holds(&entry.key))
}

/// What to do with a mapping's keys.
pub(super) struct Changes<'w> {
    /// Entries to remove, by index.
    pub removed: Vec<usize>,
    /// Keys to add, with their values.
    pub added: Vec<(&'w String, &'w Value)>,
}

/// Compares keys. A null of the document that is not wanted says nothing, and stays.
pub(super) fn compare<'w>(keys: &[String], current: &Object, wanted: &'w Object) -> Changes<'w> {
    let gone = |key: &String| !wanted.contains_key(key) && current.get(key).is_some_and(|value| !value.is_null());
    let removed = keys.iter().enumerate().filter(|(_, key)| gone(key)).map(|(index, _)| index).collect();
    let added = wanted.iter().filter(|(key, _)| !keys.contains(key)).collect();
    Changes { removed, added }
}
