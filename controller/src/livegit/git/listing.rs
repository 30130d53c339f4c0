//! What a commit's tree holds, as `git ls-tree -r -z` tells it.

use std::collections::BTreeMap;

use nsclass_manifests::{path::FolderPath, source::EntryKind};

/// A file of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The mode, as `100644`.
    pub mode: u32,
    /// The name of its object.
    pub object: String,
}

impl Node {
    /// What it is for the folder engine.
    pub fn kind(&self) -> EntryKind {
        match self.mode {
            0o100_644 | 0o100_755 | 0o100_664 => EntryKind::File,
            0o120_000 => EntryKind::Symlink,
            _ => EntryKind::Other,
        }
    }
}

/// The files below one directory of a commit, by their path from there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The files.
    pub files: BTreeMap<FolderPath, Node>,
    /// Names that cannot be part of a path here, with their odd bytes replaced.
    pub odd: Vec<String>,
    /// The directory itself is something else: a file, a symlink, a submodule.
    pub is_no_directory: bool,
}

impl Listing {
    /// Reads what `git ls-tree -r -z OID -- FOLDER` printed; `folder` is where it looked.
    pub fn read(printed: &[u8], folder: &FolderPath) -> Self {
        let mut listing = Self::default();
        for entry in printed.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
            let Some((head, name)) = split(entry, b'\t') else { continue };
            let head = String::from_utf8_lossy(head);
            let mut words = head.split_whitespace();
            let (Some(mode), Some(_), Some(object)) = (words.next(), words.next(), words.next()) else { continue };
            let node = Node { mode: u32::from_str_radix(mode, 8).unwrap_or_default(), object: object.to_owned() };
            let path = std::str::from_utf8(name).ok().and_then(|name| {
                let path = FolderPath::new(name).ok()?;
                (path.as_str() == name).then_some(path)
            });
            let Some(path) = path else {
                listing.odd.push(String::from_utf8_lossy(name).escape_debug().to_string());
                continue;
            };
            if path == *folder {
                listing.is_no_directory = true;
            } else if let Some(Ok(path)) = path.below(folder).map(FolderPath::new) {
                listing.files.insert(path, node);
            }
        }
        listing
    }

    /// The paths whose objects differ, or that only one of the two has.
    pub fn changed<'l>(&'l self, other: &'l Self) -> Vec<&'l FolderPath> {
        let mut changed: Vec<&FolderPath> = self
            .files
            .iter()
            .filter(|(path, node)| other.files.get(path) != Some(node))
            .map(|(path, _)| path)
            .collect();
        changed.extend(other.files.keys().filter(|path| !self.files.contains_key(path)));
        changed
    }
}

fn split(bytes: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let position = bytes.iter().position(|byte| *byte == at)?;
    Some((&bytes[..position], &bytes[position + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> FolderPath {
        FolderPath::new(text).unwrap()
    }

    #[test]
    fn f56_a_tree_is_read_with_odd_names_links_and_submodules_told_apart() {
        let printed = b"100644 blob aa\tapps/web/a.yaml\x00120000 blob bb\tapps/web/link\x00160000 commit cc\tapps/web/sub\x00100644 blob dd\tapps/web/\xff.yaml\x00";
        let listing = Listing::read(printed, &path("apps/web"));
        let kinds: Vec<_> = listing.files.iter().map(|(path, node)| (path.as_str(), node.kind())).collect();
        assert_eq!(kinds, [("a.yaml", EntryKind::File), ("link", EntryKind::Symlink), ("sub", EntryKind::Other)]);
        assert_eq!(listing.odd.len(), 1);
        assert!(Listing::read(b"120000 blob bb\tapps/web\0", &path("apps/web")).is_no_directory);
        assert_eq!(Listing::read(b"100644 blob aa\ta.yaml\0", &FolderPath::root()).files.len(), 1);
    }

    #[test]
    fn f57_what_another_commit_changed_is_told_by_path() {
        let one = Listing::read(b"100644 blob aa\ta\x00100644 blob bb\tb\0", &FolderPath::root());
        let other =
            Listing::read(b"100644 blob aa\ta\x00100644 blob cc\tb\x00100644 blob dd\td\0", &FolderPath::root());
        assert_eq!(one.changed(&other), [&path("b"), &path("d")]);
        assert!(one.changed(&one).is_empty());
    }
}
