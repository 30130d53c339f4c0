//! Block sequences: items changed, removed, added, and moved with their comments (F41).

use super::change::{apply, ordered};
use super::emit;
use super::extent::{Extent, column, extent};
use super::hanging::would_change;
use super::matching::matching;
use super::path::Path;
use super::refused::Reason;
use super::walk::{Slot, Walk, holds};
use crate::yaml::{Node, Sequence};
use serde_json::Value;

impl<'f, 'a> Walk<'f, 'a> {
    pub(super) fn block_sequence(
        &mut self,
        path: Path<'_>,
        slot: Slot,
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
        if plan.kept.is_empty() {
            return self.replace(path, slot, node, &whole(), &Value::Array(wanted.to_vec()));
        }
        let extents: Vec<Extent> = (0..sequence.items.len()).map(|index| self.item_extent(sequence, index)).collect();
        let moves = plan.moves();
        let inline = |index: usize| extents[index].inline;
        // Behind another dash on its line an item can be changed, not moved about.
        if (moves && plan.kept.iter().any(|index| inline(*index)))
            || plan.removed.iter().any(|index| inline(*index))
            || (plan.begins_new() && inline(plan.kept[0]))
        {
            return self.refuse(path, node, Reason::Layout, &whole());
        }
        let text = self.text();
        let column_of = |index: usize| column(text, sequence.items[index].dash as usize);
        let careful = self.habits.careful;
        let changes_text = |above: usize, gone: usize| {
            would_change(text, &sequence.items[above].node, extents[gone], column_of(gone), careful)
        };
        let at_end = |index: usize| extents[index].end == text.len();
        let adds = plan.matched.iter().any(Option::is_none);
        // Block texts must not come to stand above what would become part of them, nor lose or gain the file's last line break.
        if plan.removed.iter().any(|index| plan.kept_above(*index).is_some_and(|above| changes_text(above, *index)))
            || (moves && plan.kept.iter().any(|above| plan.kept.iter().any(|gone| changes_text(*above, *gone))))
            || (adds && plan.kept.iter().any(|index| at_end(*index) && changes_text(*index, *index)))
        {
            return self.refuse(path, node, Reason::Layout, &whole());
        }
        let mut result = vec![Value::Null; wanted.len()];
        let mut slots = plan.kept.iter().copied();
        let mut anchor: Option<usize> = None;
        let mut before_first = Vec::new();
        for (at, (matched, value)) in plan.matched.iter().zip(wanted).enumerate() {
            let Some(index) = matched else {
                let written = emit::item(value, column(text, sequence.items[0].dash as usize), self.habits);
                match anchor {
                    Some(end) => self.change(end..end, format!("{}{written}", self.habits.eol)),
                    None => before_first.push(written),
                }
                result[at] = value.clone();
                continue;
            };
            // invariant: there are as many slots as matched items.
            let Some(slot_index) = slots.next() else { break };
            let target = extents[slot_index];
            let outer = std::mem::take(&mut self.changes);
            let dash = sequence.items[*index].dash as usize;
            let item_slot = Slot::Item { dash, column: column(text, dash) };
            result[at] =
                self.node(Path::Index(&path, *index), item_slot, &sequence.items[*index].node, &current[*index], value);
            let inner = std::mem::replace(&mut self.changes, outer);
            if *index == slot_index {
                self.changes.extend(inner);
            } else {
                let source = extents[*index];
                match apply(text, source.start..source.end, &ordered(text, inner)) {
                    Some(lines) => self.change(target.start..target.end, lines),
                    None => return self.refuse(path, node, Reason::Layout, &whole()),
                }
            }
            anchor = Some(target.end);
        }
        if let Some(first) = plan.kept.first() {
            let start = extents[*first].start;
            for written in before_first {
                self.change(start..start, format!("{written}{}", self.habits.eol));
            }
        }
        for index in &plan.removed {
            self.change(extents[*index].deletion(text), "");
        }
        Value::Array(result)
    }

    fn item_extent(&self, sequence: &Sequence<'a>, index: usize) -> Extent {
        let item = &sequence.items[index];
        let floor = match index.checked_sub(1) {
            Some(previous) => sequence.items[previous].node.span.end as usize,
            None => self.document.range.start as usize,
        };
        extent(self.text(), item.dash as usize, item.node.span.end as usize, floor)
    }
}

/// What becomes of a list's items.
pub(super) struct Plan {
    /// For each wanted item, the current one that it is.
    pub matched: Vec<Option<usize>>,
    /// The current items that stay, in file order: their places are the slots that the matched ones take.
    pub kept: Vec<usize>,
    /// The current items that go.
    pub removed: Vec<usize>,
}

impl Plan {
    pub(super) fn new(current: &[Value], wanted: &[Value]) -> Self {
        let matched = matching(current, wanted);
        let (kept, removed) = (0..current.len()).partition(|index| matched.contains(&Some(*index)));
        Self { matched, kept, removed }
    }

    /// Whether items that stay change their order.
    pub(super) fn moves(&self) -> bool {
        !self.matched.iter().flatten().is_sorted()
    }

    /// The last item that stays before one that goes.
    fn kept_above(&self, index: usize) -> Option<usize> {
        self.kept.iter().copied().rfind(|kept| *kept < index)
    }

    /// Whether the list begins with a new item.
    pub(super) fn begins_new(&self) -> bool {
        self.matched.first() == Some(&None)
    }
}
