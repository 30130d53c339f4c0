use crate::path::{FolderPath, PathError};

/// Why an entry of `resources` or `bases` cannot be followed (folders.md F13). All of these are told from the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    /// It names another repository or a URL.
    #[error("is remote")]
    Remote,
    /// It starts at the root of the file system.
    #[error("is an absolute path")]
    Absolute,
    /// It climbs out of the folder.
    #[error("leaves the folder")]
    LeavesFolder,
    /// It is empty or cannot be a path.
    #[error("is no path")]
    NoPath,
    /// It names a JSON file.
    #[error("names a JSON file")]
    Json,
}

impl EntryError {
    /// What to change.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Remote => "vendor it into the folder and name the local path",
            Self::Absolute => "name it relative to the kustomization",
            Self::LeavesFolder => "move it into the folder, or widen the target's path to a directory that holds both",
            Self::NoPath => "name a file or a directory of the folder",
            Self::Json => "convert it to YAML",
        }
    }
}

/// Hosts that kustomize, now or in older versions, fetches from without a scheme.
const HOSTS: [&str; 5] = ["github.com", "gitlab.com", "bitbucket.org", "dev.azure.com", "ssh.dev.azure.com"];

/// Where an entry of a kustomization in `directory` points.
///
/// # Errors
/// [`EntryError`], decided from the text alone, before anything is looked up.
pub fn resolve(directory: &FolderPath, entry: &str) -> Result<FolderPath, EntryError> {
    if is_remote(entry) {
        return Err(EntryError::Remote);
    }
    if entry.trim().is_empty() || entry.trim() != entry {
        return Err(EntryError::NoPath);
    }
    let path = directory.join(entry).map_err(|error| match error {
        PathError::Absolute => EntryError::Absolute,
        PathError::Leaves => EntryError::LeavesFolder,
        PathError::Odd => EntryError::NoPath,
    })?;
    let is_json = path.name().rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("json"));
    if is_json { Err(EntryError::Json) } else { Ok(path) }
}

/// Whether the text names something outside of this repository, even if a directory of that name exists here.
fn is_remote(entry: &str) -> bool {
    let lower = entry.to_ascii_lowercase();
    let host = |host: &str| lower.strip_prefix(host).is_some_and(|rest| rest.starts_with('/') || rest.starts_with(':'));
    let double_slash = entry.find("//").is_some_and(|at| !entry[at..].trim_matches('/').is_empty());
    lower.contains("://")
        || ["git::", "http:", "https:"].iter().any(|prefix| lower.starts_with(prefix))
        || HOSTS.iter().any(|known| host(known))
        || has_user(entry)
        || double_slash
        || lower.contains("?ref=")
        || lower.contains("?version=")
}

/// `git@host:path` and its like.
fn has_user(entry: &str) -> bool {
    entry.split_once('@').is_some_and(|(user, rest)| {
        rest.contains(':')
            && user.starts_with(|c: char| c.is_ascii_alphabetic())
            && user.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    }) || entry.starts_with("git@")
}

#[cfg(test)]
mod tests {
    use super::{EntryError, resolve};
    use crate::path::FolderPath;

    #[test]
    fn f13_remote_is_decided_from_the_text() {
        for entry in [
            "https://example.com/x.yaml",
            "HTTP://example.com/x",
            "http:x.yaml",
            "git::https://example.com/a",
            "git@example.com:a/b",
            "ssh://git@example.com/a",
            "github.com/a/b",
            "GitHub.com:a/b",
            "base//overlay",
            "base?ref=v1",
            "org@host:repo",
        ] {
            assert_eq!(resolve(&FolderPath::root(), entry), Err(EntryError::Remote), "{entry}");
        }
        for entry in ["github.computer/a", "base/", "./a//", "a@b.yaml", "a:b"] {
            assert!(resolve(&FolderPath::root(), entry).is_ok(), "{entry}");
        }
    }

    #[test]
    fn f13_entries_that_leave_the_folder_are_told_by_text() {
        let dir = FolderPath::new("a/b").unwrap();
        assert_eq!(resolve(&dir, "../../../x"), Err(EntryError::LeavesFolder));
        assert_eq!(resolve(&dir, "/a/b/x.yaml"), Err(EntryError::Absolute));
        assert_eq!(resolve(&dir, ""), Err(EntryError::NoPath));
        assert_eq!(resolve(&dir, "x.JSON"), Err(EntryError::Json));
        assert_eq!(resolve(&dir, "../c/x.yaml").unwrap().as_str(), "a/c/x.yaml");
    }
}
