//! `policy:` what classes may hold.

use serde::{Deserialize, Serialize};

/// Which kinds classes may hold (class.md C20–C22), and which namespace keys count as trusted (C19).
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PolicyConfig {
    /// Entries `version/Kind` or `group/version/Kind`; empty allows all that is not denied.
    pub allow: Vec<String>,
    /// Added to the built-in denies, never replacing them.
    pub deny: Vec<String>,
    /// Lifts single built-in denies.
    pub permit: Vec<String>,
    /// Namespace labels and annotations that only trusted hands can set, besides those under `var.nsclass.io/`.
    pub guarded_keys: Vec<String>,
}
