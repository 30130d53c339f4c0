//! Kubeconfig files, for kubectl and for our own programs.

use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use super::pki::write_secret;

/// Writes a kubeconfig for one cluster and one `user` (the `user` entry of the format), readable by its owner only.
pub(super) fn write(path: &Path, server: &str, ca: &Path, user: &Value) -> Result<()> {
    let name = "nsclass-tests";
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{ "name": name, "cluster": { "server": server, "certificate-authority": ca } }],
        "users": [{ "name": name, "user": user }],
        "contexts": [{ "name": name, "context": { "cluster": name, "user": name } }],
        "current-context": name,
    });
    write_secret(path, &serde_saphyr::to_string(&config)?)
}
