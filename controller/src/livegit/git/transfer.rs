//! What goes over the network: where the branch is, fetching it, pushing to it.

use std::ffi::OsString;

use nsclass_shared::livegit::{
    failure::{Failure, PushAnswer},
    redact::redact,
};

use super::{GitError, Repository, repository::complaint};
use crate::livegit::change::Remote;

/// Keeps the fetched tip alive in the copy.
pub(super) const TIP: &str = "refs/nsclass/tip";
/// How many commits are fetched beside a tip that we know already: so far back is told whether ours is still part of the branch.
const DEPTH: &str = "--depth=64";

/// Where the server's branches are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tips {
    /// The branch, if it exists.
    pub branch: Option<String>,
    /// The repository's default branch; `None` in an empty repository.
    pub head: Option<String>,
}

/// What became of a push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pushed {
    /// It is there.
    Taken,
    /// The branch had moved; nothing was written.
    Moved,
}

impl Repository {
    /// Asks where the branch is: one round trip.
    ///
    /// # Errors
    /// The server cannot be asked.
    pub async fn tips(&self, remote: &Remote, branch: &str) -> Result<Tips, GitError> {
        let name = format!("refs/heads/{branch}");
        let args = ["ls-remote", "--quiet", "--", remote.url.as_str(), &name, "HEAD"].map(OsString::from);
        let ended = self.run(Some(remote), args.into(), Vec::new(), self.budget.transfer).await?;
        let printed = String::from_utf8_lossy(&ended.stdout);
        let find = |wanted: &str| {
            let lines = printed.lines().filter_map(|line| line.split_once('\t'));
            lines.into_iter().find(|(_, name)| *name == wanted).map(|(object, _)| object.to_owned())
        };
        Ok(Tips { branch: find(&name), head: find("HEAD") })
    }

    /// Fetches the tip of the branch, or with `None` of the default branch, and returns it.
    ///
    /// # Errors
    /// It cannot be fetched whole.
    pub async fn fetch(&self, remote: &Remote, branch: Option<&str>) -> Result<String, GitError> {
        let is_first = self.kept_tip().await?.is_none();
        let from = branch.map_or_else(|| "HEAD".to_owned(), |branch| format!("refs/heads/{branch}"));
        let depth = if is_first { "--depth=1" } else { DEPTH };
        // The `+` is for our own reference, which follows a branch that was rewritten.
        let refspec = format!("+{from}:{TIP}");
        let args = [
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--update-shallow",
            depth,
            "--",
            remote.url.as_str(),
            &refspec,
        ];
        self.run(Some(remote), args.map(OsString::from).into(), Vec::new(), self.budget.transfer).await?;
        let tip = self.kept_tip().await?;
        tip.ok_or_else(|| GitError::new(Failure::CopyBroken, "the fetched tip is not there"))
    }

    /// The tip that the copy holds.
    ///
    /// # Errors
    /// The program cannot be run.
    pub async fn kept_tip(&self) -> Result<Option<String>, GitError> {
        let args = ["rev-parse", "--quiet", "--verify", TIP].map(OsString::from);
        let ended = self.try_run(None, args.into(), Vec::new(), self.budget.local).await?;
        let tip = String::from_utf8_lossy(&ended.stdout).trim().to_owned();
        Ok((ended.success && !tip.is_empty()).then_some(tip))
    }

    /// Keeps another tip: the one that was pushed.
    ///
    /// # Errors
    /// The program fails.
    pub async fn keep_tip(&self, tip: &str) -> Result<(), GitError> {
        let args = ["update-ref", TIP, tip].map(OsString::from);
        self.run(None, args.into(), Vec::new(), self.budget.local).await.map(drop)
    }

    /// Whether `old` is in the history of `new`, as far as the copy knows that history.
    ///
    /// # Errors
    /// The program cannot be run.
    pub async fn descends(&self, old: &str, new: &str) -> Result<bool, GitError> {
        let args = ["merge-base", "--is-ancestor", old, new].map(OsString::from);
        let ended = self.try_run(None, args.into(), Vec::new(), self.budget.local).await?;
        Ok(ended.success)
    }

    /// Pushes `new`, which descends from `old`, as the branch. The server takes it only where the branch still is at `old` (`None`:
    /// does not exist): named with `--force-with-lease`, which for a descendant adds that one condition to a fast-forward and forces
    /// nothing. A plain push would also bring back commits that somebody has taken out of the branch since we fetched.
    ///
    /// # Errors
    /// The server refuses, or nobody knows whether it has taken the commits.
    pub async fn push(&self, remote: &Remote, branch: &str, old: Option<&str>, new: &str) -> Result<Pushed, GitError> {
        let lease = format!("--force-with-lease=refs/heads/{branch}:{}", old.unwrap_or_default());
        let refspec = format!("{new}:refs/heads/{branch}");
        let args = [
            "push",
            "--quiet",
            "--porcelain",
            "--no-verify",
            "--no-signed",
            "--recurse-submodules=no",
            &lease,
            "--",
            remote.url.as_str(),
            &refspec,
        ];
        let args = args.map(OsString::from).into();
        let ended = self.try_run(Some(remote), args, Vec::new(), self.budget.transfer).await?;
        match PushAnswer::of(&String::from_utf8_lossy(&ended.stdout)) {
            PushAnswer::Taken => Ok(Pushed::Taken),
            // With `--quiet` a push that was taken prints no line.
            PushAnswer::Unknown if ended.success => Ok(Pushed::Taken),
            PushAnswer::Moved => Ok(Pushed::Moved),
            PushAnswer::Refused(summary) => {
                let said = format!("{summary} {}", ended.stderr);
                Err(GitError::new(Failure::PushRefused, redact(&said, remote.credentials.secrets())))
            }
            PushAnswer::Unknown => Err(complaint(&ended, Some(remote))),
        }
    }
}
