//! What is said of a folder: every finding, and the one answer that follows from them (folders.md F20).

mod message;
mod reason;

use std::fmt;

pub use reason::{Reason, Severity};

use crate::path::FolderPath;

/// One thing found in a folder. As text: `path[#document]: what is wrong, what to change`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file or directory it is about.
    pub path: FolderPath,
    /// The document in that file, from 1; `None` where it is about the whole file.
    pub document: Option<u32>,
    /// The kind of fault.
    pub reason: Reason,
    /// What is wrong, in lower case.
    pub what: String,
    /// What to change, in the imperative; empty for a note that needs nothing.
    pub remedy: String,
}

impl Finding {
    /// A finding about a file or directory.
    pub fn new(path: &FolderPath, reason: Reason, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { path: path.clone(), document: None, reason, what: what.into(), remedy: remedy.into() }
    }

    /// The same, about one document of the file.
    #[must_use]
    pub fn in_document(mut self, document: u32) -> Self {
        self.document = Some(document);
        self
    }

    /// Whether it refuses the folder.
    pub fn refuses(&self) -> bool {
        self.reason.severity() == Severity::Refusal
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path)?;
        if let Some(document) = self.document {
            write!(f, "#{document}")?;
        }
        write!(f, ": {}", message::shown(&self.what))?;
        if self.remedy.is_empty() { Ok(()) } else { write!(f, "; {}", message::shown(&self.remedy)) }
    }
}

/// The condition `RepositoryValid` of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validity {
    /// Everything in it is explained; it may be written.
    True,
    /// Something is not; nothing may be written, swept or committed.
    False(Reason),
    /// Not judged yet.
    Unknown,
}

/// Every finding of a folder, first offender first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    findings: Vec<Finding>,
    judged: bool,
}

impl Verdict {
    /// The verdict of a folder that is still being scanned.
    pub fn unknown() -> Self {
        Self { findings: Vec::new(), judged: false }
    }

    /// The verdict that follows from these findings. Refusals come first, each group by path, document and reason, so
    /// that one folder always gives one order.
    pub fn new(mut findings: Vec<Finding>) -> Self {
        findings.sort_by(|a, b| b.refuses().cmp(&a.refuses()).then_with(|| a.cmp(b)));
        findings.dedup();
        Self { findings, judged: true }
    }

    /// Every finding: refusals, warnings and notes.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The findings that refuse the folder.
    pub fn refusals(&self) -> &[Finding] {
        let count = self.findings.iter().take_while(|finding| finding.refuses()).count();
        &self.findings[..count]
    }

    /// The condition.
    pub fn validity(&self) -> Validity {
        match self.refusals().first() {
            _ if !self.judged => Validity::Unknown,
            None => Validity::True,
            Some(first) => Validity::False(first.reason),
        }
    }

    /// Whether the folder may be written.
    pub fn is_valid(&self) -> bool {
        self.validity() == Validity::True
    }

    /// The bounded text of the condition: the first offender, and how many more there are.
    pub fn message(&self) -> String {
        message::summary(self.judged, self.refusals())
    }
}
