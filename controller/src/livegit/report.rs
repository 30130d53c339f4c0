//! What a worker tells: how each target and the repository stand. Whoever hears it writes statuses and events.

use std::sync::Arc;

use jiff::Timestamp;
use nsclass_manifests::verdict;
use nsclass_shared::{livegit::failure::Failure, reason::GitRemark};

use super::change::{RepositoryKey, TargetKey};

/// `True`, `False` or `Unknown` of a condition, with its reason and a bounded message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// `None` for `Unknown`.
    pub status: Option<bool>,
    /// What is the matter.
    pub reason: StateReason,
    /// One sentence; what is wrong and what to change.
    pub message: String,
}

/// The reason of a state: a word of one of these vocabularies, each of which says what its words mean and what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateReason {
    /// How it goes.
    Remark(GitRemark),
    /// What refuses the folder.
    Folder(verdict::Reason),
    /// Why git failed.
    Failure(Failure),
}

impl StateReason {
    /// The word in the condition.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Remark(remark) => remark.as_str(),
            Self::Folder(reason) => reason.as_str(),
            Self::Failure(failure) => failure.as_str(),
        }
    }
}

/// How a target stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetReport {
    /// The generation of the spec that this is about.
    pub generation: i64,
    /// The condition `RepositoryValid` (folders.md F20).
    pub repository_valid: State,
    /// Whether what is live has arrived on the server: `Pushed`, `Pending`, `FolderNotValid`, or why it cannot be fetched or pushed.
    pub synced: State,
    /// Commit of the branch that the folder was judged at.
    pub revision: Option<String>,
    /// The last commit of ours in this folder, and when it was pushed.
    pub last_push: Option<(String, Timestamp)>,
    /// Documents that hold an object.
    pub documents: usize,
    /// Changes that wait.
    pub pending: usize,
    /// Objects that are not written, and why.
    pub refused: Refused,
}

/// Objects that are not written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// How many.
    pub count: usize,
    /// How many of them are Secrets (F39).
    pub secrets: usize,
    /// The first ten in order of their names.
    pub first: Vec<RefusedObject>,
}

impl Refused {
    /// How many, and the first by name, with why and what to change.
    pub fn sentence(&self) -> String {
        let named: Vec<_> = self.first.iter().map(|it| format!("{}: {}", it.object, it.message)).collect();
        let more = match self.count - self.first.len() {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        let objects = if self.count == 1 { "object is" } else { "objects are" };
        format!("{} {objects} not written. {}{more}", self.count, named.join(". "))
    }
}

/// An object that is not written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RefusedObject {
    /// Which.
    pub object: String,
    /// A word of a closed set.
    pub category: &'static str,
    /// Why, and what to change.
    pub message: String,
}

/// How a repository stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryReport {
    /// Whether it could be read when it was last tried.
    pub reachable: State,
    /// The tip of the branch, `None` where there is no such branch yet.
    pub tip: Option<String>,
}

/// Something that a person should hear of once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Whether it is a warning.
    pub warns: bool,
    /// In upper camel case.
    pub reason: &'static str,
    /// One sentence.
    pub message: String,
}

/// Hears how things stand. Called only when something really changed, from the worker's task: it must not block.
pub trait Reports: Send + Sync + 'static {
    /// A target stands otherwise than before.
    fn target(&self, target: &TargetKey, report: Arc<TargetReport>);
    /// A repository does.
    fn repository(&self, repository: &RepositoryKey, report: Arc<RepositoryReport>);
    /// The worker needs the complete set of this target: the branch was rewritten, the folder is gone, or more was pending than is kept.
    fn resync(&self, target: &TargetKey, why: &'static str);
    /// Something for an event.
    fn notice(&self, target: &TargetKey, notice: Notice);
}

/// Asked before every push: only the leader writes.
pub trait Gate: Send + Sync + 'static {
    /// What a write holds until it has ended; `None` where none may begin.
    fn begin(&self) -> Option<Box<dyn Send>>;
}

impl Gate for crate::leader::LeaderGuard {
    fn begin(&self) -> Option<Box<dyn Send>> {
        self.begin_write().ok().map(|permit| Box::new(permit) as Box<dyn Send>)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_objects_are_named_with_why_and_the_rest_is_counted() {
        let object = |object: &str| RefusedObject {
            object: object.to_owned(),
            category: "secret",
            message: "a Secret is not written in clear; set git.encryptTo".to_owned(),
        };
        let mut refused = Refused { count: 1, secrets: 1, first: vec![object("secrets pay/db")] };
        insta::assert_snapshot!(refused.sentence(), @"1 object is not written. secrets pay/db: a Secret is not written in clear; set git.encryptTo");
        refused.count = 3;
        insta::assert_snapshot!(refused.sentence(), @"3 objects are not written. secrets pay/db: a Secret is not written in clear; set git.encryptTo (and 2 more)");
    }
}
