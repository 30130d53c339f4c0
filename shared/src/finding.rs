//! What is wrong with a class, said so that its author can mend it.

use std::fmt;

use crate::path::{FieldPath, Step};
pub use crate::reason::Reason;

/// Whether a finding stops the class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The class is refused, or nothing of it is applied.
    Error,
    /// Allowed, but worth a look.
    Warning,
}

/// An item of a class, as a message names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemRef {
    /// Position in `spec.resources`.
    pub index: usize,
    /// Kind and name as far as they can be read: `v1/ConfigMap about`. Empty when nothing can.
    pub label: String,
}

impl ItemRef {
    /// Something in this item that stops the class.
    pub fn error(
        &self,
        reason: Reason,
        path: &FieldPath,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Finding {
        Finding {
            severity: Severity::Error,
            reason,
            path: self.root().join(path).to_string(),
            item: Some(self.clone()),
            message: message.into(),
            remedy: remedy.into(),
        }
    }

    /// Something in this item that is allowed, but worth a look.
    pub fn warning(
        &self,
        reason: Reason,
        path: &FieldPath,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Finding {
        Finding { severity: Severity::Warning, ..self.error(reason, path, message, remedy) }
    }

    /// Where the item stands in its class.
    pub fn root(&self) -> FieldPath {
        FieldPath::of(["spec", "resources"]).then(Step::Index(self.index))
    }
}

/// One thing to mend, or to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Whether it stops the class.
    pub severity: Severity,
    /// What it is about.
    pub reason: Reason,
    /// The item, unless it is the class as a whole.
    pub item: Option<ItemRef>,
    /// The field, from the class's root on: `spec.resources[3].metadata.ownerReferences`.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

impl Finding {
    /// Something about the class as a whole that stops it.
    pub fn of_class(reason: Reason, path: &FieldPath, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            reason,
            path: path.to_string(),
            item: None,
            message: message.into(),
            remedy: remedy.into(),
        }
    }

    /// Whether it stops the class.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// One sentence: where, what is wrong, what to do.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        if let Some(item) = self.item.as_ref().filter(|item| !item.label.is_empty()) {
            write!(f, " ({})", item.label)?;
        }
        write!(f, ": {}", self.message)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(f, "; {}", self.remedy) }
    }
}

/// All findings in one text, in their order.
pub fn sentences(findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        if !text.is_empty() {
            text.push_str(". ");
        }
        text.push_str(&finding.to_string());
    }
    text
}
