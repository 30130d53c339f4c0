//! Why git could not do what it was asked.

use nsclass_shared::livegit::failure::Failure;
use thiserror::Error;

/// Why a step failed. The text holds no secret: what git said went through `redact`.
#[derive(Error, Clone, Debug, PartialEq, Eq)]
#[error("{}{}", .failure.sentence(), if .said.is_empty() { String::new() } else { format!(" ({said})") })]
pub struct GitError {
    /// What kind of failure it is.
    pub failure: Failure,
    /// What git, or the system, said; redacted and bounded.
    pub said: String,
}

impl GitError {
    pub(super) fn new(failure: Failure, said: impl Into<String>) -> Self {
        Self { failure, said: said.into() }
    }

    /// Something the system said about our own files.
    pub(super) fn io(error: &std::io::Error) -> Self {
        let full = matches!(error.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded);
        Self::new(if full { Failure::DiskFull } else { Failure::GitFailed }, error.to_string())
    }
}
