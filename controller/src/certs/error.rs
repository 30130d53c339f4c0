//! Why certificates or the webhook configuration are not in order.

use std::{io, path::PathBuf};

use nsclass_certs::{authority::AuthorityError, bundle::BundleError};
use thiserror::Error;

use crate::webhook_configuration::TemplateError;

/// Why something is not in order. The text names the object and says what would do.
#[derive(Error, Debug)]
pub enum CertsError {
    /// A request failed.
    #[error("{doing}: {source}")]
    Request {
        /// What it was for.
        doing: String,
        /// The API server's answer, or what kept it away.
        source: kube::Error,
    },
    /// The template cannot be used.
    #[error("ConfigMap {config_map}: {why}")]
    Template {
        /// Where it is.
        config_map: String,
        /// What is wrong.
        why: TemplateError,
    },
    /// There is an authority, and it is damaged. It is never replaced for that: what it has issued may be in use.
    #[error(
        "Secret {secret}, {key}: {why}; nothing is rotated. Restore the Secret from a backup, or delete it to have a new authority made \
         (until all replicas have the new pair, classes cannot be written then)"
    )]
    Authority {
        /// The `Secret`.
        secret: String,
        /// Its key.
        key: &'static str,
        /// What is wrong.
        why: AuthorityError,
    },
    /// The `Secret` is there and holds no authority.
    #[error("Secret {secret}: holds no {key}; it is not ours to fill. Delete it to have an authority made")]
    NoAuthority {
        /// The `Secret`.
        secret: String,
        /// The missing key.
        key: &'static str,
    },
    /// No certificate could be made.
    #[error("a certificate cannot be made: {0}")]
    Make(AuthorityError),
    /// The bundle's file cannot be read.
    #[error("certificates.bundleFile {}: {why}", .path.display())]
    BundleFile {
        /// The file.
        path: PathBuf,
        /// Why.
        why: io::Error,
    },
    /// The bundle's file is no bundle.
    #[error("certificates.bundleFile {}: {why}; the last good one stays", .path.display())]
    Bundle {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: BundleError,
    },
}

impl CertsError {
    /// For `map_err` of a request.
    pub fn request(doing: impl Into<String>) -> impl FnOnce(kube::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Request { doing, source }
    }

    /// Whether somebody else was faster, so that another look is all it takes.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Request { source: kube::Error::Api(status), .. } if status.code == 409)
    }

    /// Every [`Self::category`].
    pub const CATEGORIES: [&'static str; 5] = ["request", "template", "authority", "make", "bundle"];

    /// For a metric.
    pub fn category(&self) -> &'static str {
        match self {
            Self::Request { .. } => "request",
            Self::Template { .. } => "template",
            Self::Authority { .. } | Self::NoAuthority { .. } => "authority",
            Self::Make(_) => "make",
            Self::BundleFile { .. } | Self::Bundle { .. } => "bundle",
        }
    }
}
