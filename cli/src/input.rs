//! Files with manifests, and standard input.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

/// The text of a file, or of standard input.
pub(crate) fn text(path: &Path) -> Result<String> {
    if path == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).context("standard input cannot be read")?;
        return Ok(text);
    }
    fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))
}

/// Every document of a file, read as the API server reads YAML: 0644 is a number.
pub(crate) fn documents(path: &Path) -> Result<Vec<Value>> {
    let options = serde_saphyr::options! { legacy_octal_numbers: true };
    serde_saphyr::from_multiple_with_options(&text(path)?, options).with_context(|| shown(path))
}

/// What messages call it.
pub(crate) fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}
