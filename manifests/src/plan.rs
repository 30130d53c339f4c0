//! From changed live objects to changed files (folders.md F30-F39): whole-file bytes, checked before anybody writes them.

mod check;
mod delete;
mod new_file;
mod put;
mod same;
mod sealed;
mod wanted;
mod work;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::folder::{Folder, Options};
use crate::identity::LiveId;
use crate::kinds::Kinds;
use crate::path::FolderPath;
use crate::verdict::Finding;

pub use sealed::{STAMP, stamp};
pub use work::plan;

/// What a target says about files that are written (F35).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Policy {
    /// How new objects are written.
    pub new_files: NewFiles,
    /// What becomes of the namespace of objects that have a document.
    pub existing: Existing,
}

/// How new objects are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NewFiles {
    /// With their namespace, in a file that needs no context.
    #[default]
    Explicit,
    /// Without it, where the one kustomization that assigns it is told.
    Contextual,
}

/// What becomes of the namespace of objects that have a document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Existing {
    /// It stays where it is supplied.
    #[default]
    Preserve,
    /// It is written down with the next update.
    Explicit,
}

/// One thing that happened to a live object.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// It is now so.
    Put(Value),
    /// It is gone.
    Delete(LiveId),
}

/// Why a change is not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The folder is not valid, so nothing is written to it.
    #[error("the folder is not valid: {0}")]
    NotValid(String),
    /// The object is a Secret, and there is nothing to encrypt it with (F39).
    #[error("{0} is a Secret, which is never written in clear; encrypt it by hand and commit it")]
    Secret(String),
    /// The Secret stands in the folder in clear, or beside others in one file, so that its document cannot be replaced whole (F39).
    #[error(
        "{0} is a Secret that was not encrypted by us alone in its file; remove the document, and it is written anew"
    )]
    Clear(String),
    /// The live object is no object: a required field is missing or of the wrong type.
    #[error("the live object has no {0}; pass a whole object")]
    NoObject(&'static str),
    /// The look-up does not know the kind.
    #[error(
        "the kind {0} is unknown, so that its namespace and file cannot be told; pass the API resources of the cluster"
    )]
    UnknownKind(String),
    /// The document is written in another version than the live object.
    #[error("{document} is written in {written}, and the live object in {live}; read it in {written}")]
    Version {
        /// The document.
        document: String,
        /// Its apiVersion.
        written: String,
        /// The live object's.
        live: String,
    },
    /// The context overrides the field, so that writing it would change nothing (F31).
    #[error("{document}: {field} is set by {by}, so that it cannot be changed here; change it there")]
    Overridden {
        /// The document.
        document: String,
        /// The field.
        field: String,
        /// What sets it.
        by: String,
    },
    /// The editor refuses (F32, F42).
    #[error("{document}: {reason}")]
    Edit {
        /// The document.
        document: String,
        /// Why.
        reason: crate::edit::Refused,
    },
    /// No document is this object.
    #[error("no document is {0}; there is nothing to delete")]
    NotFound(String),
    /// A new file cannot be put where it belongs.
    #[error("{path}: {what}")]
    NewFile {
        /// Where it belongs.
        path: FolderPath,
        /// Why not, and what to change.
        what: String,
    },
    /// A document that kustomize leaves out has this identity (F18).
    #[error(
        "{document} has this identity and is taken out of the render by config.kubernetes.io/local-config; rename or remove it"
    )]
    Local {
        /// The document.
        document: String,
    },
    /// The file is named in a way that no line can be removed for (F34).
    #[error("{kustomization}: the entry for {file} cannot be removed: {reason}")]
    Entry {
        /// The kustomization.
        kustomization: FolderPath,
        /// The file that goes.
        file: FolderPath,
        /// Why.
        reason: String,
    },
    /// What would be written is not what is live, or changes another document (F33).
    #[error("{document}: {what}")]
    Check {
        /// The document that would be wrong.
        document: String,
        /// How, and what to change.
        what: String,
    },
}

impl Refusal {
    /// A word for metrics and reasons.
    pub fn category(&self) -> &'static str {
        match self {
            Self::NotValid(_) => "folder-not-valid",
            Self::Secret(_) | Self::Clear(_) => "secret",
            Self::NoObject(_) => "no-object",
            Self::UnknownKind(_) => "unknown-kind",
            Self::Version { .. } => "other-version",
            Self::Overridden { .. } => "overridden",
            Self::Edit { reason, .. } => reason.reason.category(),
            Self::NotFound(_) => "not-found",
            Self::NewFile { .. } => "new-file",
            Self::Local { .. } => "local-config",
            Self::Entry { .. } => "entry",
            Self::Check { .. } => "check",
        }
    }
}

/// The bytes of one file before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// What it held when the folder was scanned; `None` for a new file.
    pub before: Option<Arc<[u8]>>,
    /// What it shall hold; `None` where it goes.
    pub after: Option<Arc<[u8]>>,
}

/// Files to write, all of them or none.
#[derive(Debug, Default)]
pub struct Plan {
    /// Only files whose bytes change.
    pub files: BTreeMap<FolderPath, FileChange>,
    /// Changes that are not written, by their position among the changes.
    pub refused: Vec<(usize, Refusal)>,
    /// Fields that keep their text although the live value differs (F42), by position.
    pub kept: Vec<(usize, Refusal)>,
    /// What somebody should know, such as a new file that no kustomization deploys.
    pub notes: Vec<Finding>,
    /// The folder as it will be; `None` where no file changes.
    pub folder: Option<Folder>,
}

impl Plan {
    /// Whether nothing would be written.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// How many Secrets were refused (F39).
    pub fn secrets(&self) -> usize {
        self.refused.iter().filter(|(_, refusal)| matches!(refusal, Refusal::Secret(_))).count()
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (path, change) in &self.files {
            let verb = match (&change.before, &change.after) {
                (None, _) => "create",
                (_, None) => "remove",
                _ => "change",
            };
            writeln!(f, "{verb} {path}")?;
        }
        Ok(())
    }
}

/// What planning needs beside the folder.
struct Ground<'g> {
    folder: &'g Folder,
    kinds: &'g dyn Kinds,
    options: &'g Options,
    policy: Policy,
}
