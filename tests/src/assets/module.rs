//! What a `go.mod` says: the one place where versions are written.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// A Go module on disk.
pub(super) struct Module {
    pub(super) dir: PathBuf,
    go_mod: String,
}

impl Module {
    pub(super) fn read(dir: &Path) -> Result<Self> {
        let path = dir.join("go.mod");
        let go_mod = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        Ok(Self { dir: dir.to_owned(), go_mod })
    }

    /// The version that a `require` line gives `module`.
    pub(super) fn version_of(&self, module: &str) -> Result<String> {
        version_in(&self.go_mod, module)
            .map(ToOwned::to_owned)
            .with_context(|| format!("{}: no require line for {module}", self.dir.join("go.mod").display()))
    }
}

/// Lines of a require block are `path version [// indirect]`; a single one starts with the word.
fn version_in<'a>(go_mod: &'a str, module: &str) -> Option<&'a str> {
    go_mod.lines().find_map(|line| {
        let mut words = line.split_whitespace().skip_while(|word| *word == "require");
        (words.next() == Some(module)).then(|| words.next()).flatten().filter(|version| version.starts_with('v'))
    })
}

/// Without these the server reports a version that clients cannot parse. Another set of flags would link everything again.
pub(super) fn component_base_version(version: &str) -> String {
    let base = "-X k8s.io/component-base/version";
    let mut numbers = version.trim_start_matches('v').split('.');
    let (major, minor) = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    format!("{base}.gitVersion={version} {base}.gitMajor={major} {base}.gitMinor={minor}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_from_a_require_block_and_not_from_a_replacement() {
        let go_mod = "replace k8s.io/api => k8s.io/api v0.36.3\n\nrequire (\n\tk8s.io/api v0.0.0\n\tk8s.io/kubernetes v1.36.3 // indirect\n)\n";
        assert_eq!(version_in(go_mod, "k8s.io/kubernetes"), Some("v1.36.3"));
        assert_eq!(version_in(go_mod, "k8s.io/api"), Some("v0.0.0"));
        assert_eq!(version_in(go_mod, "k8s.io/kube"), None);
        assert_eq!(version_in("require example.org/one v1.2.3\n", "example.org/one"), Some("v1.2.3"));
    }

    #[test]
    fn the_flags_carry_the_version_in_the_form_that_clients_parse() {
        let flags = component_base_version("v1.36.3");
        assert!(flags.contains("version.gitVersion=v1.36.3 "), "{flags}");
        assert!(flags.contains("version.gitMajor=1 "), "{flags}");
        assert!(flags.ends_with("version.gitMinor=36"), "{flags}");
    }
}
