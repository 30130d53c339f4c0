//! The one-line edit of a kustomization's `resources`: the only write to a kustomization (F34, F35).

use super::document::{document, edit};
use super::extent::column;
use super::quote::{self, Context};
use super::refused::{Reason, Refused};
use super::verify::whole;
use crate::yaml::{File, Reader, Sequence, Style, parse};
use serde_json::Value;

/// The kustomization's text with `entry` behind the last live item of `resources`, written as that one is. Entries that are commented out stay.
///
/// # Errors
/// Where `resources` is not a list, lists the entry already, or cannot be edited without touching what surrounds it.
pub fn add_resource(file: &File<'_>, entry: &str) -> Result<String, Refused> {
    let list = resources(file)?;
    if list.items.iter().any(|item| item.node.as_str() == Some(entry)) {
        return Err(whole(Reason::EntryExists(entry.to_owned())));
    }
    let Some(final_item) = list.items.last() else {
        return by_value(file, |entries| entries.push(Value::from(entry)));
    };
    let style = final_item.node.as_scalar().map_or(Style::Plain, |scalar| scalar.style);
    let text = file.text;
    let end = final_item.node.span.end as usize;
    let edited = if list.flow {
        let written = quote::string(entry, style, Context::Flow);
        format!("{}, {written}{}", &text[..end], &text[end..])
    } else {
        let dash = final_item.dash as usize;
        let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let blanks = &text[dash + 1..final_item.node.span.start as usize];
        let written = quote::string(entry, style, Context::Block);
        let line = crate::yaml::lines::line_end(text, end);
        let indent = " ".repeat(column(text, dash));
        format!("{}{eol}{indent}-{blanks}{written}{}", &text[..line], &text[line..])
    };
    checked(file, edited, |entries| entries.push(Value::from(entry)))
}

/// The kustomization's text without the line of `entry`, its comments gone with it. The last one leaves `[]`, which kustomize accepts.
///
/// # Errors
/// Where `resources` is not a list, does not hold the entry exactly once, or cannot be edited without touching what surrounds it.
pub fn remove_resource(file: &File<'_>, entry: &str) -> Result<String, Refused> {
    let list = resources(file)?;
    match list.items.iter().filter(|item| item.node.as_str() == Some(entry)).count() {
        1 => by_value(file, |entries| entries.retain(|value| value.as_str() != Some(entry))),
        count => Err(whole(Reason::EntryCount(entry.to_owned(), count))),
    }
}

/// The edit of a document, for what needs no style of its own.
fn by_value(file: &File<'_>, change: impl FnOnce(&mut Vec<Value>)) -> Result<String, Refused> {
    let document = document(file, 1)?;
    let mut wanted = document.to_value(Reader::Kustomize).map_err(|error| whole(Reason::Unreadable(error.kind)))?;
    match wanted.get_mut("resources") {
        Some(Value::Array(entries)) => change(entries),
        _ => return Err(whole(Reason::NoResources)),
    }
    let edited = edit(file, 1, &wanted, Reader::Kustomize)?;
    match edited.refused.first() {
        Some(refused) => Err(refused.clone()),
        None => Ok(edited.text),
    }
}

fn resources<'f, 'a>(file: &'f File<'a>) -> Result<&'f Sequence<'a>, Refused> {
    let document = document(file, 1)?;
    let list =
        document.root.get("resources").filter(|node| node.properties.is_none()).and_then(|node| node.as_sequence());
    let list = list.filter(|list| {
        list.items.iter().all(|item| {
            item.node.as_scalar().is_some_and(|scalar| single_line(scalar.style)) && item.node.properties.is_none()
        })
    });
    match list {
        Some(list) if document.unknown_layout.is_none() => Ok(list),
        Some(_) => Err(whole(Reason::Layout)),
        None => Err(whole(Reason::NoResources)),
    }
}

fn single_line(style: Style) -> bool {
    matches!(style, Style::Plain | Style::Single | Style::Double)
}

/// The edited text, if it reads as the old one with its list changed in this way alone.
fn checked(file: &File<'_>, edited: String, change: impl FnOnce(&mut Vec<Value>)) -> Result<String, Refused> {
    let mismatch = || whole(Reason::Mismatch);
    let read = |file: &File<'_>| {
        file.documents.iter().map(|document| document.to_value(Reader::Kustomize)).collect::<Result<Vec<_>, _>>()
    };
    let mut wanted = read(file).map_err(|error| whole(Reason::Unreadable(error.kind)))?;
    match wanted.first_mut().and_then(|value| value.get_mut("resources")) {
        Some(Value::Array(entries)) => change(entries),
        _ => return Err(whole(Reason::NoResources)),
    }
    let says = parse(edited.as_bytes()).ok().and_then(|result| read(&result).ok());
    if says == Some(wanted) { Ok(edited) } else { Err(mismatch()) }
}
