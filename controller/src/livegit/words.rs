//! The message of a commit (folders.md F57, F59).

use nsclass_shared::livegit::message::{Contents, MessageTemplate, default_message};

use super::{
    batch::{Batch, Work},
    prepare::Prepared,
};

/// Most overruled edits that a message names.
const MOST_NAMED: usize = 20;

/// What a commit says of itself. `overruled` are edits of people, as `path#document object`, that the live objects replace.
pub(super) fn message(
    template: Option<&MessageTemplate>,
    batch: &Batch,
    prepared: &Prepared,
    overruled: &[String],
) -> String {
    let contents = match (&batch.work, prepared.written.as_slice()) {
        (Work::Resync(_), written) => Contents::Resync(written.len()),
        (Work::Changes(_), [one]) => Contents::One { operation: one.operation, object: one.object.clone() },
        (Work::Changes(_), written) => Contents::Several(written.len().max(1)),
    };
    let (target, author) = (batch.target.to_string(), batch.author.to_string());
    let mut message = match template {
        Some(template) => template.render(&contents, &target, &author),
        None => default_message(&contents, &target, &author),
    };
    if !overruled.is_empty() {
        message += "\n\nThe live object replaces what was edited here:\n";
        let named = overruled.iter().take(MOST_NAMED);
        message.extend(named.map(|one| format!("- {}\n", one.replace(char::is_control, " "))));
        let more = overruled.len().saturating_sub(MOST_NAMED);
        message.extend((more > 0).then(|| format!("- and {more} more\n")));
    }
    message
}
