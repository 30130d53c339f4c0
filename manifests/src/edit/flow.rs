//! Flow collections: `{…}` and `[…]`.
//!
//! Values change where they stand. Entries come and go with the comma beside them, unless comments stand between the brackets: whose they
//! are cannot be told there.

use super::change::{apply, ordered};
use super::emit;
use super::mapping::{Changes, compare, keys_stay};
use super::path::Path;
use super::refused::Reason;
use super::sequence::Plan;
use super::walk::{Slot, Walk, holds, same};
use crate::yaml::lines::line_start;
use crate::yaml::{Mapping, Node, Sequence, Style};
use serde_json::{Map, Value};
use std::ops::Range;

impl<'f, 'a> Walk<'f, 'a> {
    pub(super) fn flow_mapping(
        &mut self,
        path: Path<'_>,
        node: &'f Node<'a>,
        mapping: &'f Mapping<'a>,
        current: &Map<String, Value>,
        wanted: &Map<String, Value>,
    ) -> Value {
        let whole = || Value::Object(current.clone());
        let Some(keys) = self.keys(mapping) else { return self.refuse(path, node, Reason::Layout, &whole()) };
        let Changes { removed, added } = compare(&keys, current, wanted);
        let reason = keys_stay(mapping, &removed, &added)
            .or_else(|| removed.iter().find_map(|index| holds(&mapping.entries[*index].value)));
        if let Some(reason) = reason {
            return self.refuse(path, node, reason, &whole());
        }
        let restructured = !removed.is_empty() || !added.is_empty();
        if restructured && (self.has_comment(&node.span.range()) || mapping.entries.iter().any(|entry| entry.explicit))
        {
            return self.refuse(path, node, Reason::Layout, &whole());
        }
        let mut result = current.clone();
        for (entry, key) in mapping.entries.iter().zip(&keys) {
            let (Some(now), Some(then)) = (current.get(key), wanted.get(key)) else { continue };
            if !same(now, then) {
                let slot = Slot::Flow { colon: entry.colon.map(|colon| colon as usize) };
                let said = self.node(Path::Key(&path, key), slot, &entry.value, now, then);
                result.insert(key.clone(), said);
            }
        }
        let ranges: Vec<Range<usize>> = mapping
            .entries
            .iter()
            .map(|entry| entry.key.full_start() as usize..entry.value.span.end as usize)
            .collect();
        let style = match mapping.entries.last().and_then(|entry| entry.key.as_scalar()) {
            Some(key) if matches!(key.style, Style::Double | Style::Single) => key.style,
            _ => Style::Plain,
        };
        let written: Vec<String> = added.iter().map(|(key, value)| emit::flow_entry(key, value, style)).collect();
        if removed.len() == ranges.len() {
            let inside = ranges[0].start..ranges[ranges.len() - 1].end;
            self.change(inside, written.join(", "));
        } else {
            self.take_out(&ranges, &removed);
            self.append(&ranges, &removed, &written);
        }
        for index in &removed {
            result.remove(&keys[*index]);
        }
        result.extend(added.into_iter().map(|(key, value)| (key.clone(), value.clone())));
        Value::Object(result)
    }

    pub(super) fn flow_sequence(
        &mut self,
        path: Path<'_>,
        node: &'f Node<'a>,
        sequence: &'f Sequence<'a>,
        current: &[Value],
        wanted: &[Value],
    ) -> Value {
        let whole = || Value::Array(current.to_vec());
        let plan = Plan::new(current, wanted);
        if let Some(reason) = plan.removed.iter().find_map(|index| holds(&sequence.items[*index].node)) {
            return self.refuse(path, node, reason, &whole());
        }
        let in_place = plan.removed.is_empty() && !plan.moves() && plan.matched.iter().all(Option::is_some);
        if !in_place && self.has_comment(&node.span.range()) {
            return self.refuse(path, node, Reason::Layout, &whole());
        }
        let text = self.text();
        let ranges: Vec<Range<usize>> =
            sequence.items.iter().map(|item| item.node.full_start() as usize..item.node.span.end as usize).collect();
        // New items stand at the end, or the list is written again item by item: old ones as they are written, apart from their own changes.
        let appends = !plan.moves() && plan.matched.iter().skip_while(|matched| matched.is_some()).all(Option::is_none);
        let outer = std::mem::take(&mut self.changes);
        let mut result = Vec::with_capacity(wanted.len());
        let mut items = Vec::with_capacity(wanted.len());
        let mut inner = Vec::new();
        for (matched, value) in plan.matched.iter().zip(wanted) {
            let Some(index) = matched else {
                items.push(emit::flow(value, style_of(sequence)));
                result.push(value.clone());
                continue;
            };
            result.push(self.node(
                Path::Index(&path, *index),
                Slot::Flow { colon: None },
                &sequence.items[*index].node,
                &current[*index],
                value,
            ));
            let changes = std::mem::take(&mut self.changes);
            if appends {
                inner.extend(changes);
            } else {
                items.push(apply(text, ranges[*index].clone(), &ordered(text, changes)).unwrap_or_default());
            }
        }
        self.changes = outer;
        if appends && !plan.kept.is_empty() {
            self.changes.extend(inner);
            self.take_out(&ranges, &plan.removed);
            self.append(&ranges, &plan.removed, &items);
        } else {
            let separator = separator(text, &ranges);
            self.change(ranges[0].start..ranges[ranges.len() - 1].end, items.join(&separator));
        }
        Value::Array(result)
    }

    /// Takes entries out, each with the comma that the next one, or the one before, no longer needs. Not all of them.
    fn take_out(&mut self, ranges: &[Range<usize>], removed: &[usize]) {
        let last_kept = (0..ranges.len()).rev().find(|index| !removed.contains(index)).unwrap_or_default();
        for index in removed {
            if *index < last_kept {
                self.change(ranges[*index].start..ranges[index + 1].start, "");
            } else {
                self.change(ranges[index - 1].end..ranges[*index].end, "");
            }
        }
    }

    /// Adds entries behind the last one that stays, on lines of their own if that one has its own.
    fn append(&mut self, ranges: &[Range<usize>], removed: &[usize], written: &[String]) {
        let Some(last) = (0..ranges.len()).rev().find(|index| !removed.contains(index)) else { return };
        let separator = separator(self.text(), &ranges[..=last]);
        for entry in written {
            self.change(ranges[last].end..ranges[last].end, format!("{separator}{entry}"));
        }
    }
}

/// What stands between entries: a comma and a space, or a comma and a new line where the last entry begins one.
fn separator(text: &str, ranges: &[Range<usize>]) -> String {
    let Some(last) = ranges.last() else { return ", ".to_owned() };
    let line = line_start(text, last.start);
    let before = &text[line..last.start];
    if line == 0 || !before.trim().is_empty() {
        return ", ".to_owned();
    }
    let eol = if text[..line].ends_with("\r\n") { "\r\n" } else { "\n" };
    format!(",{eol}{before}")
}

/// How the strings of a list are written.
fn style_of(sequence: &Sequence<'_>) -> Style {
    match sequence.items.last().and_then(|item| item.node.as_scalar()) {
        Some(scalar) if matches!(scalar.style, Style::Double | Style::Single) => scalar.style,
        _ => Style::Plain,
    }
}
