//! What the git program's complaints mean for whoever has to mend them (folders.md F55, F56).

use crate::reason::vocabulary;

vocabulary! {
    /// Why a repository could not be read or written; also a reason of conditions and the label of a metric.
    Failure {
        /// The server does not take the credentials, or wants some.
        AuthenticationFailed,
        /// The server takes the credentials, and they do not give the right to this.
        PermissionDenied,
        /// The server's host key is not the known one, or is not known.
        HostKeyMismatch,
        /// The server's certificate is not trusted.
        CertificateNotTrusted,
        /// The server has no such repository, or hides it from these credentials.
        RepositoryNotFound,
        /// The server answers with another address, which is not followed.
        Redirected,
        /// No answer, or one that breaks off.
        ServerUnreachable,
        /// The server took longer than it may.
        TimedOut,
        /// The repository is larger than git.repositoryMegabytes allows.
        TooLarge,
        /// There is no room on the controller's disk.
        DiskFull,
        /// The controller's copy of the repository is broken.
        CopyBroken,
        /// The server took the commits and refused them: a hook, a protected branch, a quota.
        PushRefused,
        /// The program git, or for SSH addresses ssh, is not on the controller's PATH.
        ProgramMissing,
        /// Git failed in another way.
        GitFailed,
    }
}

/// What git says where it fails so, in lower case; the first that matches counts.
const PHRASES: &[(&str, Failure)] = &[
    ("no space left on device", Failure::DiskFull),
    ("disk quota exceeded", Failure::DiskFull),
    ("host key verification failed", Failure::HostKeyMismatch),
    ("remote host identification has changed", Failure::HostKeyMismatch),
    ("host key is known for", Failure::HostKeyMismatch),
    ("ssl certificate problem", Failure::CertificateNotTrusted),
    ("certificate verification failed", Failure::CertificateNotTrusted),
    ("certificate verify failed", Failure::CertificateNotTrusted),
    ("error setting certificate", Failure::CertificateNotTrusted),
    ("authentication failed", Failure::AuthenticationFailed),
    ("could not read username", Failure::AuthenticationFailed),
    ("could not read password", Failure::AuthenticationFailed),
    ("returned error: 401", Failure::AuthenticationFailed),
    ("permission denied (publickey", Failure::AuthenticationFailed),
    ("no supported authentication methods", Failure::AuthenticationFailed),
    ("returned error: 403", Failure::PermissionDenied),
    ("write access to repository not granted", Failure::PermissionDenied),
    ("access denied", Failure::PermissionDenied),
    ("returned error: 30", Failure::Redirected),
    ("unable to update url base from redirection", Failure::Redirected),
    ("returned error: 404", Failure::RepositoryNotFound),
    ("repository not found", Failure::RepositoryNotFound),
    ("does not appear to be a git repository", Failure::RepositoryNotFound),
    ("' not found", Failure::RepositoryNotFound),
    ("no such file or directory", Failure::RepositoryNotFound),
    ("could not resolve host", Failure::ServerUnreachable),
    ("could not connect", Failure::ServerUnreachable),
    ("failed to connect", Failure::ServerUnreachable),
    ("couldn't connect", Failure::ServerUnreachable),
    ("connection refused", Failure::ServerUnreachable),
    ("connection reset", Failure::ServerUnreachable),
    ("connection timed out", Failure::ServerUnreachable),
    ("connection closed", Failure::ServerUnreachable),
    ("operation too slow", Failure::TimedOut),
    ("timeout, server", Failure::TimedOut),
    ("returned error: 5", Failure::ServerUnreachable),
    ("empty reply from server", Failure::ServerUnreachable),
    ("the remote end hung up", Failure::ServerUnreachable),
    ("unexpected disconnect", Failure::ServerUnreachable),
    ("early eof", Failure::ServerUnreachable),
    ("rpc failed", Failure::ServerUnreachable),
    ("gnutls_handshake", Failure::ServerUnreachable),
    ("unable to access", Failure::ServerUnreachable),
    ("bad object", Failure::CopyBroken),
    ("not a tree object", Failure::CopyBroken),
    ("not a valid object name", Failure::CopyBroken),
    ("could not parse object", Failure::CopyBroken),
    ("not a valid commit", Failure::CopyBroken),
    ("object file", Failure::CopyBroken),
    ("loose object", Failure::CopyBroken),
    ("missing blob", Failure::CopyBroken),
    ("missing tree", Failure::CopyBroken),
    ("unable to read tree", Failure::CopyBroken),
    ("packfile", Failure::CopyBroken),
    ("shallow file has changed", Failure::CopyBroken),
    ("not a git repository", Failure::CopyBroken),
    (".lock': file exists", Failure::CopyBroken),
    ("permission denied", Failure::PermissionDenied),
];

impl Failure {
    /// What git's complaint means.
    pub fn of(complaint: &str) -> Self {
        let complaint = complaint.to_lowercase();
        PHRASES.iter().find(|(phrase, _)| complaint.contains(phrase)).map_or(Self::GitFailed, |(_, failure)| *failure)
    }

    /// What is wrong, and what to change.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::AuthenticationFailed => "the server does not accept the credentials; put valid ones into the Secret",
            Self::PermissionDenied => {
                "the credentials do not give the right to this; grant it on the server, or use others"
            }
            Self::HostKeyMismatch => {
                "the server shows a host key that known_hosts does not have; find out why, then correct known_hosts"
            }
            Self::CertificateNotTrusted => {
                "the server's certificate is not trusted; put its authority into the Secret as ca.crt"
            }
            Self::RepositoryNotFound => {
                "the server has no such repository, or hides it from these credentials; correct spec.url"
            }
            Self::Redirected => {
                "the server answers with another address, which is not followed, since credentials would go with it; write that address into spec.url"
            }
            Self::ServerUnreachable => "the server does not answer, or breaks off; it is tried again",
            Self::TimedOut => "the server took too long; it is tried again",
            Self::TooLarge => {
                "the repository is larger than git.repositoryMegabytes allows; use a smaller one, or raise the limit"
            }
            Self::DiskFull => "there is no room left on the controller's disk; make git.directory larger",
            Self::CopyBroken => "the controller's copy of the repository is broken; it is fetched anew",
            Self::PushRefused => "the server refused the commits; let it accept pushes of this user to the branch",
            Self::ProgramMissing => {
                "the git program (or, for SSH, ssh) is not on the controller's PATH; install it in its image"
            }
            Self::GitFailed => "git failed; it is tried again",
        }
    }

    /// Conditions that have this reason, with the kind whose condition it is, in the form of
    /// [`conditions`](crate::reason::GitRemark::conditions) of a remark.
    pub fn conditions(self) -> &'static str {
        match self {
            Self::PushRefused => "target: Ready",
            _ => "provider, target: Ready",
        }
    }

    /// The part of [`Self::sentence`] that says what to do, in the form of [`crate::reason::Reason::remedy`].
    pub fn remedy(self) -> &'static str {
        self.sentence().rsplit("; ").next().unwrap_or_default()
    }
}

/// How the server answered a push, as `git push --porcelain` tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushAnswer {
    /// The branch is there now.
    Taken,
    /// The branch is no longer where it was thought to be: fetch, and begin again.
    Moved,
    /// The server refused, in these words.
    Refused(String),
    /// No word about the branch: the push died on its way, and may have arrived.
    Unknown,
}

impl PushAnswer {
    /// Reads the line about the one branch that was pushed.
    pub fn of(porcelain: &str) -> Self {
        for line in porcelain.lines() {
            let mut parts = line.split('\t');
            let (Some(flag), Some(_refs), Some(summary)) = (parts.next(), parts.next(), parts.next()) else { continue };
            return match flag {
                "!" => {
                    let lower = summary.to_lowercase();
                    let moved = [
                        "stale info",
                        "fetch first",
                        "non-fast-forward",
                        "cannot lock ref",
                        "failed to update ref",
                        "reference already exists",
                        "needs force",
                        "remote ref updated since checkout",
                    ];
                    if moved.iter().any(|word| lower.contains(word)) {
                        Self::Moved
                    } else if lower.contains("[remote failure]") || lower.contains("did not report status") {
                        Self::Unknown
                    } else {
                        Self::Refused(summary.to_owned())
                    }
                }
                " " | "*" | "=" | "+" => Self::Taken,
                _ => Self::Unknown,
            };
        }
        Self::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f55_what_git_says_is_sorted_by_who_can_mend_it() {
        for (said, failure) in [
            ("fatal: Authentication failed for 'https://h/a.git/'", Failure::AuthenticationFailed),
            (
                "fatal: could not read Username for 'https://h': terminal prompts disabled",
                Failure::AuthenticationFailed,
            ),
            (
                "git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.",
                Failure::AuthenticationFailed,
            ),
            (
                "fatal: unable to access 'https://h/a.git/': The requested URL returned error: 403",
                Failure::PermissionDenied,
            ),
            ("fatal: unable to access 'https://h/a.git/': The requested URL returned error: 301", Failure::Redirected),
            ("Host key verification failed.\nfatal: Could not read from remote repository.", Failure::HostKeyMismatch),
            ("fatal: repository 'https://h/a.git/' not found", Failure::RepositoryNotFound),
            ("fatal: unable to access 'https://h/': Could not resolve host: h", Failure::ServerUnreachable),
            (
                "fatal: unable to access 'https://h/': SSL certificate problem: unable to get local issuer certificate",
                Failure::CertificateNotTrusted,
            ),
            ("fatal: write error: No space left on device", Failure::DiskFull),
            ("error: RPC failed; curl 28 Operation too slow.", Failure::TimedOut),
            ("something new", Failure::GitFailed),
        ] {
            assert_eq!(Failure::of(said), failure, "{said}");
        }
    }

    #[test]
    fn f51_a_push_was_taken_overtaken_refused_or_nobody_knows() {
        let answer = |line: &str| PushAnswer::of(&format!("To https://h/a.git\n{line}\nDone\n"));
        assert_eq!(answer(" \tabc:refs/heads/main\t1..2"), PushAnswer::Taken);
        assert_eq!(answer("*\tabc:refs/heads/main\t[new branch]"), PushAnswer::Taken);
        assert_eq!(answer("=\tabc:refs/heads/main\t[up to date]"), PushAnswer::Taken);
        assert_eq!(answer("!\tabc:refs/heads/main\t[rejected] (stale info)"), PushAnswer::Moved);
        assert_eq!(
            answer(
                "!\tabc:refs/heads/main\t[remote rejected] (cannot lock ref 'refs/heads/main': is at 1 but expected 2)"
            ),
            PushAnswer::Moved
        );
        assert_eq!(
            answer("!\tabc:refs/heads/main\t[remote rejected] (pre-receive hook declined)"),
            PushAnswer::Refused("[remote rejected] (pre-receive hook declined)".into())
        );
        assert_eq!(
            answer("!\tabc:refs/heads/main\t[remote failure] (remote failed to report status)"),
            PushAnswer::Unknown
        );
        assert_eq!(answer(""), PushAnswer::Unknown);
    }
}
