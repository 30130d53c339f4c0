//! What the half outside tells the half inside.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// Where things are, and what is known of them.
#[derive(Debug, Serialize, Deserialize)]
pub struct Brief {
    /// Archives of the operator's image, under two tags, and of the pause image.
    pub image: PathBuf,
    pub next_image: PathBuf,
    pub pause: PathBuf,
    /// The hash of the operator's image, as it came out of two builds.
    pub ids: [String; 2],
    /// Paths of this machine that have no business in an image.
    pub paths_of_the_build: Vec<String>,
    pub helm: PathBuf,
}

impl Brief {
    pub fn write(&self, dir: &Path) -> Result<()> {
        Ok(fs::write(file(dir), serde_json::to_vec(self)?)?)
    }

    pub fn read(dir: &Path) -> Result<Self> {
        let text = fs::read(file(dir)).with_context(|| format!("{} is no directory of a smoke run", dir.display()))?;
        Ok(serde_json::from_slice(&text)?)
    }
}

fn file(dir: &Path) -> PathBuf {
    dir.join("brief.json")
}
