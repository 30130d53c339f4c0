//! Why something is not edited.

use crate::yaml::{Position, ValueErrorKind};

/// A field, or a document, that is not edited, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {reason}", if path.is_empty() { "the document" } else { path }, position.map_or(String::new(), |at| format!(" (line {})", at.line)))]
pub struct Refused {
    /// The field, as in `spec.ports[0].port`; empty for the whole document.
    pub path: String,
    /// Where it stands.
    pub position: Option<Position>,
    /// Why.
    pub reason: Reason,
}

/// Why something is not edited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// F42
    #[error(
        "its text holds a `${{…}}` that a later step substitutes, which the new value would lose; change it by hand"
    )]
    SubstitutedValue,
    /// F32
    #[error(
        "it carries an anchor, so that aliases elsewhere would change with it; change it by hand, or write the values out"
    )]
    Anchor,
    /// F32
    #[error("it is an alias of a value that stands elsewhere; change it by hand, or write the value out")]
    Alias,
    /// F32
    #[error("its mapping takes values from elsewhere with `<<`; change it by hand, or write the values out")]
    MergeKey,
    /// F32
    #[error("it carries a tag; change it by hand, or remove the tag")]
    Tag,
    /// F32
    #[error("the document is encrypted (`sops`); change it with the tool that encrypted it")]
    Encrypted,
    /// F32
    #[error(
        "its layout is not one that can be edited without touching what surrounds it; change it by hand, or write it in block style"
    )]
    Layout,
    /// F32: nothing was written.
    #[error("the edited text would not read as what was wanted; change it by hand, and please report this")]
    Mismatch,
    /// The live object has a key `<<`.
    #[error(
        "the live object has a key `<<`, which kustomize takes for a merge even in quotes; it cannot be written here"
    )]
    MergeKeyName,
    /// The document as it stands cannot be read.
    #[error("{0}")]
    Unreadable(ValueErrorKind),
    /// The file has no such document.
    #[error("the file has no document {0}")]
    NoDocument(usize),
    /// The kustomization has no list to edit.
    #[error("`resources` is not a list in this kustomization; add one by hand")]
    NoResources,
    /// The entry to add is there already.
    #[error("`resources` already lists `{0}`")]
    EntryExists(String),
    /// The entry to remove is not there, or there twice.
    #[error("`resources` lists `{0}` {1} times, not once")]
    EntryCount(String, usize),
}

impl Reason {
    /// A word for metrics and reasons of conditions.
    pub fn category(&self) -> &'static str {
        match self {
            Self::SubstitutedValue => "substituted-value",
            Self::Anchor | Self::Alias | Self::MergeKey | Self::MergeKeyName | Self::Tag => "shared-value",
            Self::Encrypted => "encrypted",
            Self::Layout => "unknown-layout",
            Self::Mismatch => "edit-mismatch",
            Self::Unreadable(_) => "unreadable",
            Self::NoDocument(_) | Self::NoResources | Self::EntryExists(_) | Self::EntryCount(..) => "not-found",
        }
    }
}
