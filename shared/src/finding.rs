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

    /// Place and mistake in at most 120 characters: what the API server's clients show of a warning.
    pub fn brief(&self) -> String {
        const LONGEST: usize = 120;
        let text = format!("{}: {}", self.path, self.message);
        match text.char_indices().nth(LONGEST) {
            // The ellipsis stands for one character more.
            Some(_) => text.chars().take(LONGEST - 1).chain(['…']).collect(),
            None => text,
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

/// The findings of one item, or of a huge one the first and the number of the others: an item has room for ten
/// thousands of mistakes, and a class of them is rendered for ten thousand namespaces.
pub(crate) fn most_of(mut findings: Vec<Finding>) -> Vec<Finding> {
    const MOST: usize = 50;
    if findings.len() > MOST {
        let more = findings.len() - MOST;
        findings.truncate(MOST);
        findings.extend(findings[0].item.as_ref().map(|item| {
            let message = format!("has {more} mistakes more");
            item.error(findings[0].reason, &FieldPath::default(), message, "mend the others first")
        }));
    }
    findings
}

/// All findings in one text, in their order.
pub fn sentences(findings: &[Finding]) -> String {
    findings.iter().map(ToString::to_string).collect::<Vec<_>>().join(". ")
}

/// As many findings as fit into `limit` bytes, and the number of the others: the message of a condition has a limit,
/// and a class of a megabyte has room for many mistakes.
pub fn summary(findings: &[Finding], limit: usize) -> String {
    let all = sentences(findings);
    if all.len() <= limit {
        return all;
    }
    let more = |left: usize| format!(" (and {left} more)");
    let mut text = String::new();
    for (index, finding) in findings.iter().enumerate() {
        let sentence = if index == 0 { finding.to_string() } else { format!(". {finding}") };
        if text.len() + sentence.len() + more(findings.len() - index).len() > limit {
            return text + &more(findings.len() - index);
        }
        text += &sentence;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(count: usize) -> Vec<Finding> {
        let finding = |index| {
            let item = ItemRef { index, label: "v1/Pod x".to_owned() };
            item.error(Reason::RenderFailed, &FieldPath::of(["spec"]), "is wrong", "mend it")
        };
        (0..count).map(finding).collect()
    }

    #[test]
    fn a_finding_is_one_sentence_of_place_mistake_and_remedy() {
        insta::assert_snapshot!(findings(1)[0], @"spec.resources[0].spec (v1/Pod x): is wrong; mend it");
        let item = ItemRef { index: 3, label: String::new() };
        let finding = item.warning(Reason::InvalidManifest, &FieldPath::default(), "looks odd", "");
        insta::assert_snapshot!(finding, @"spec.resources[3]: looks odd");
    }

    #[test]
    fn a05_a_brief_finding_has_at_most_120_characters() {
        let mut finding = findings(1).remove(0);
        insta::assert_snapshot!(finding.brief(), @"spec.resources[0].spec: is wrong");
        finding.message = "ü".repeat(120 - "spec.resources[0].spec: ".len());
        assert!(finding.brief().ends_with('ü') && finding.brief().chars().count() == 120);
        finding.message.push('ü');
        assert!(finding.brief().ends_with("ü…") && finding.brief().chars().count() == 120);
    }

    #[test]
    fn a05_a_summary_holds_what_fits_and_counts_the_rest() {
        let findings = findings(9);
        assert_eq!(summary(&findings, sentences(&findings).len()), sentences(&findings));
        insta::assert_snapshot!(summary(&findings, 150), @"spec.resources[0].spec (v1/Pod x): is wrong; mend it. spec.resources[1].spec (v1/Pod x): is wrong; mend it (and 7 more)");
        for limit in 20..600 {
            assert!(summary(&findings, limit).len() <= limit, "{limit}");
        }
    }
}
