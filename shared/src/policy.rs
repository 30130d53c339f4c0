//! Which kinds a class may hold (class.md C20–C23).
//!
//! Four lists, asked in one order: the administrator's `deny`, then `permit`, which lifts built-in denies, then the
//! built-in denies, then `allow`, where an empty list is everything. What denies or permits ignores the version, since
//! every served version of a kind is the same objects.

mod builtin;
mod entry;

use std::fmt;

pub use builtin::BuiltinDeny;
pub use entry::{Entry, PolicyError};

use crate::finding::{Finding, ItemRef, Reason};
use crate::identity::Gvk;
use crate::manifest::Manifest;
use crate::path::FieldPath;

/// The compiled policy of an instance. The default denies what is built in, and nothing else.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    allow: Vec<Entry>,
    deny: Vec<Entry>,
    permit: Vec<Entry>,
}

/// Why a manifest is denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denial {
    /// An entry of `policy.deny`.
    Deny(Entry),
    /// A rule that holds without being configured.
    Builtin(&'static BuiltinDeny),
    /// `policy.allow` has entries, and none of them is this kind.
    NotAllowed,
}

impl Policy {
    /// Compiles the three lists of the configuration.
    ///
    /// # Errors
    /// The first malformed entry, with its list and position.
    pub fn new<S: AsRef<str>>(allow: &[S], deny: &[S], permit: &[S]) -> Result<Self, PolicyError> {
        Ok(Self {
            allow: entry::list("allow", allow)?,
            deny: entry::list("deny", deny)?,
            permit: entry::list("permit", permit)?,
        })
    }

    /// Judges one manifest, raw or rendered.
    ///
    /// Some rules look at what the manifest holds, so one that a template is still in can pass here and be denied
    /// once it is rendered; both are asked (C23).
    ///
    /// # Errors
    /// The rule that denies it.
    pub fn judge(&self, gvk: &Gvk, manifest: &dyn Manifest) -> Result<(), Denial> {
        if let Some(entry) = self.deny.iter().find(|entry| entry.covers_kind(gvk)) {
            return Err(Denial::Deny(entry.clone()));
        }
        if !self.permit.iter().any(|entry| entry.covers_kind(gvk))
            && let Some(rule) = builtin::find(gvk, manifest)
        {
            return Err(Denial::Builtin(rule));
        }
        if self.allow.is_empty() || self.allow.iter().any(|entry| entry.covers(gvk)) {
            Ok(())
        } else {
            Err(Denial::NotAllowed)
        }
    }

    /// The verdict on an item as a finding, if it is denied: item, rule and way out (C23).
    pub fn finding(&self, item: &ItemRef, gvk: &Gvk, manifest: &dyn Manifest) -> Option<Finding> {
        let denial = self.judge(gvk, manifest).err()?;
        let message = format!("{gvk} is denied by {denial}");
        Some(item.error(Reason::GVKDenied, &FieldPath::of(["kind"]), message, denial.remedy(gvk)))
    }
}

impl Denial {
    /// What the author, or whoever configures the operator, can do.
    pub fn remedy(&self, gvk: &Gvk) -> String {
        match self {
            Self::Deny(_) => "take the item out of the class".to_owned(),
            Self::Builtin(_) => {
                format!("take the item out, or have {:?} put into policy.permit", Entry::of(gvk).to_string())
            }
            Self::NotAllowed => {
                format!("take the item out, or have {:?} put into policy.allow", Entry::of(gvk).to_string())
            }
        }
    }
}

/// Goes on behind "is denied by ".
impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deny(entry) => write!(f, "the entry {:?} of policy.deny", entry.to_string()),
            Self::Builtin(rule) => write!(f, "the built-in rule that {}", rule.reason),
            Self::NotAllowed => f.write_str("policy.allow, which has no entry for it"),
        }
    }
}

#[cfg(test)]
mod tests;
