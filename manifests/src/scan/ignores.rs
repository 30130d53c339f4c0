use std::path::Path;
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::path::FolderPath;

/// The file whose patterns take paths out of a scan.
pub(super) const FILE_NAME: &str = ".sourceignore";

/// The `.sourceignore` files that apply in a directory, nearest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ignores(Option<Arc<Level>>);

#[derive(Debug)]
struct Level {
    patterns: Gitignore,
    above: Ignores,
}

impl Ignores {
    /// The patterns of a `.sourceignore` in `directory`, before the ones that applied so far. Returns the first line
    /// that is no pattern.
    pub(super) fn with(&self, directory: &FolderPath, text: &str) -> Result<Self, String> {
        let mut builder = GitignoreBuilder::new(Path::new("/").join(directory.as_str()));
        for line in text.lines() {
            builder.add_line(None, line).map_err(|_| line.to_owned())?;
        }
        let patterns = builder.build().map_err(|error| error.to_string())?;
        Ok(Self(Some(Arc::new(Level { patterns, above: self.clone() }))))
    }

    /// Whether the path is taken out. Directories above it have been asked before.
    pub(super) fn ignores(&self, path: &FolderPath, is_directory: bool) -> bool {
        let absolute = Path::new("/").join(path.as_str());
        let mut level = self.0.as_deref();
        while let Some(Level { patterns, above }) = level {
            match patterns.matched(&absolute, is_directory) {
                ignore::Match::Ignore(_) => return true,
                ignore::Match::Whitelist(_) => return false,
                ignore::Match::None => level = above.0.as_deref(),
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::Ignores;
    use crate::path::FolderPath;

    #[test]
    fn f09_the_nearest_sourceignore_decides() {
        let top = Ignores::default().with(&FolderPath::root(), "*.tmp.yaml\n/docs/\n").unwrap();
        let near = top.with(&FolderPath::new("a").unwrap(), "!keep.tmp.yaml\n").unwrap();
        let ignored = |ignores: &Ignores, path, dir| ignores.ignores(&FolderPath::new(path).unwrap(), dir);
        assert!(ignored(&top, "a/x.tmp.yaml", false));
        assert!(ignored(&top, "docs", true));
        assert!(!ignored(&top, "a/docs", true));
        assert!(!ignored(&near, "a/keep.tmp.yaml", false));
        assert!(ignored(&near, "a/x.tmp.yaml", false));
    }
}
