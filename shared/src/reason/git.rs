//! Reasons of the conditions of the Git kinds that say how it goes. What is wrong with a specification, and why git failed, have vocabularies
//! of their own.

use super::vocabulary;

vocabulary! {
    /// Reason of a condition of a `GitProvider`, a `GitTarget`, a `WatchRule` or a `ClusterWatchRule`: the set is closed.
    GitRemark {
        /// The specification is sound; of a folder: everything in it is explained.
        Valid,
        /// No `GitTarget` names the provider, so that its repository has not been tried.
        Unused,
        /// The repository has not answered yet.
        Connecting,
        /// The repository was read.
        Reachable,
        /// Nothing is read, watched or written before the specification is sound and can be followed.
        NotStarted,
        /// The folder has not been read yet.
        Scanning,
        /// The path of the target is something else than a directory.
        NoDirectory,
        /// There is no such branch, and the provider lets nobody make it.
        BranchNotFound,
        /// No rule names the target.
        NoRules,
        /// Everything that is asked for is watched.
        Streaming,
        /// Something that is asked for is not watched, or has not been listed whole yet.
        Incomplete,
        /// Some kinds are on their way; nothing failed so far.
        Starting,
        /// A watch broke; it is taken up again by itself.
        WatchBroken,
        /// Of a target: changes wait to be pushed. Of a rule: its target cannot take anything now.
        Pending,
        /// Nothing is written before the folder is valid; then it catches up.
        FolderNotValid,
        /// Some objects are not written.
        ObjectsRefused,
        /// What was seen is in the branch.
        Pushed,
        /// The object is ready, so that this does not hold.
        Ready,
        /// It goes on by itself, so that nobody is needed.
        Reconciling,
        /// Somebody is needed, so that it does not go on by itself.
        Stalled,
    }
}

impl GitRemark {
    /// Conditions that have this reason, with the kind whose condition it is. `rule` stands for both kinds of rules; where `Ready` is named,
    /// the one of `Reconciling` and `Stalled` that is true has the reason too.
    pub fn conditions(self) -> &'static str {
        match self {
            Self::Valid => "provider, target, rule: Validated; target: RepositoryValid",
            Self::Unused | Self::Connecting | Self::Reachable => "provider: Ready",
            Self::NotStarted => "target: RepositoryValid, Streaming; rule: Streaming",
            Self::Scanning | Self::NoDirectory | Self::BranchNotFound => "target: RepositoryValid, Ready",
            Self::NoRules => "target: Streaming, Ready",
            Self::Streaming => "target: Streaming; rule: Streaming, Ready",
            Self::Incomplete => "target: Streaming, Ready; rule: Streaming",
            Self::Starting | Self::WatchBroken => "rule: Ready",
            Self::Pending => "target, rule: Ready",
            Self::FolderNotValid | Self::ObjectsRefused | Self::Pushed => "target: Ready",
            Self::Ready => "provider, target, rule: Reconciling, Stalled",
            Self::Reconciling => "provider, target, rule: Stalled",
            Self::Stalled => "provider, target, rule: Reconciling",
        }
    }

    /// One sentence that says what to do, in the form of [`super::Reason::remedy`].
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Valid
            | Self::Connecting
            | Self::Reachable
            | Self::Scanning
            | Self::Streaming
            | Self::Starting
            | Self::Pushed
            | Self::Ready
            | Self::Reconciling => "nothing to do",
            Self::Unused => "nothing to do; make a GitTarget if it is to be used",
            Self::NotStarted => "see the condition Validated",
            Self::NoDirectory => "move what stands there, or choose another path",
            Self::BranchNotFound => "make the branch, or set createBranches on the GitProvider",
            Self::NoRules => "make a WatchRule or a ClusterWatchRule that names the target",
            Self::Incomplete => {
                "nothing to do if it passes; otherwise see the condition Ready of the rules that name the target"
            }
            Self::WatchBroken => "nothing to do if it passes; otherwise mend what the message says",
            Self::Pending => "nothing to do of a target; of a rule, see its condition Validated",
            Self::FolderNotValid => "see the condition RepositoryValid",
            Self::ObjectsRefused => {
                "mend what the message names; Secrets take git.encryptTo in the operator's configuration"
            }
            Self::Stalled => "see the condition Ready",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::livegit::failure::Failure;
    use crate::livegit::fault;

    fn check(word: &str, conditions: &str, meaning: &str, remedy: &str) {
        assert!(word.chars().all(char::is_alphanumeric), "{word}");
        assert!(meaning.ends_with('.') && !meaning.starts_with(' '), "{word}");
        assert!(remedy.len() > 10 && !remedy.ends_with('.'), "{word}");
        for of_kinds in conditions.split("; ") {
            let (kinds, types) = of_kinds.split_once(": ").unwrap();
            assert!(kinds.split(", ").all(|kind| ["provider", "target", "rule"].contains(&kind)), "{word}: {kinds}");
            let all = ["Validated", "RepositoryValid", "Streaming", "Ready", "Reconciling", "Stalled"];
            assert!(types.split(", ").all(|one| all.contains(&one)), "{word}: {types}");
        }
    }

    #[test]
    fn f20_every_reason_of_the_git_kinds_is_one_word_that_says_what_it_means_and_what_to_do() {
        for remark in GitRemark::ALL {
            check(remark.as_str(), remark.conditions(), remark.meaning(), remark.remedy());
        }
        for reason in fault::Reason::ALL {
            check(reason.as_str(), reason.conditions(), reason.meaning(), reason.remedy());
        }
        for failure in Failure::ALL {
            check(failure.as_str(), failure.conditions(), failure.meaning(), failure.remedy());
            assert_eq!(failure.sentence().split("; ").count(), 2, "{failure}: what is wrong, and what to do");
        }
    }
}
