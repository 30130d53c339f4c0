//! The engine's verdict as a condition (folders.md F20 to F24).

use nsclass_manifests::verdict::{Validity, Verdict};
use nsclass_shared::{livegit::failure::Failure, reason::GitRemark};

use super::{
    git::GitError,
    report::{State, StateReason},
};

/// The condition `RepositoryValid` of a judged folder.
pub(super) fn of_verdict(verdict: &Verdict) -> State {
    let (status, reason) = match verdict.validity() {
        Validity::True => (Some(true), StateReason::Remark(GitRemark::Valid)),
        Validity::False(reason) => (Some(false), StateReason::Folder(reason)),
        Validity::Unknown => (None, StateReason::Remark(GitRemark::Scanning)),
    };
    State { status, reason, message: verdict.message() }
}

/// While nothing was judged yet.
pub(super) fn scanning() -> State {
    of_verdict(&Verdict::unknown())
}

/// The path of the target is something else than a directory.
pub(super) fn no_directory(path: &str) -> State {
    let message = format!("{path} is no directory in this branch; move what stands there, or choose another path");
    State { status: Some(false), reason: StateReason::Remark(GitRemark::NoDirectory), message }
}

/// There is no such branch, and it is not ours to make.
pub(super) fn no_branch(branch: &str) -> State {
    let message = format!("the branch {branch} does not exist; make it, or set createBranches on the GitProvider");
    State { status: Some(false), reason: StateReason::Remark(GitRemark::BranchNotFound), message }
}

/// What is true of a repository, or of what waits to be pushed, after git failed.
pub(super) fn failed(error: &GitError) -> State {
    State { status: Some(false), reason: StateReason::Failure(error.failure), message: error.to_string() }
}

/// Whether trying again by itself makes sense soon, or somebody has to mend something first.
pub(super) fn is_passing(failure: Failure) -> bool {
    matches!(failure, Failure::ServerUnreachable | Failure::TimedOut | Failure::CopyBroken | Failure::GitFailed)
}

#[cfg(test)]
mod tests {
    use nsclass_manifests::{
        path::FolderPath,
        verdict::{Finding, Reason},
    };

    use super::*;

    #[test]
    fn f20_a_verdict_is_a_condition_with_a_reason_for_each_kind_of_fault() {
        assert_eq!((scanning().status, scanning().reason.as_str()), (None, "Scanning"));
        assert_eq!(of_verdict(&Verdict::new(Vec::new())).status, Some(true));
        for reason in Reason::ALL {
            let finding = Finding::new(&FolderPath::root(), *reason, "x", "do y");
            let state = of_verdict(&Verdict::new(vec![finding.clone()]));
            assert_eq!(state.status, Some(!finding.refuses()));
            assert!(!finding.refuses() || state.reason.as_str() == reason.as_str());
        }
    }
}
