//! Folders in memory.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use nsclass_manifests::folder::{Folder, Options};
use nsclass_manifests::judge;
use nsclass_manifests::kinds::KindTable;
use nsclass_manifests::limits::Limits;
use nsclass_manifests::path::FolderPath;
use nsclass_manifests::scan::scan;
use nsclass_manifests::source::MapSource;

/// The files of a folder, by path.
pub type Files = BTreeMap<String, Vec<u8>>;

/// A folder of these texts.
pub fn files(list: &[(&str, &str)]) -> Files {
    list.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
}

/// Every file below a directory on disk.
pub fn load(directory: &Path) -> Files {
    let mut files = Files::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(at) = pending.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                pending.push(entry.path());
            } else {
                let path = entry.path().strip_prefix(directory).unwrap().to_str().unwrap().to_owned();
                files.insert(path, fs::read(entry.path()).unwrap());
            }
        }
    }
    files
}

/// Writes the files below a directory.
pub fn store(files: &Files, directory: &Path) {
    for (path, bytes) in files {
        let path = directory.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// The files as a source.
pub fn source(files: &Files) -> MapSource {
    MapSource::new(files.iter().map(|(path, bytes)| (FolderPath::new(path).unwrap(), Arc::from(bytes.as_slice()))))
}

/// The folder, judged with the built-in kinds and those of its own CRDs.
pub fn folder(files: &Files, options: &Options) -> Folder {
    folder_with(files, options, KindTable::builtin())
}

/// The same, with other kinds.
pub fn folder_with(files: &Files, options: &Options, mut kinds: KindTable) -> Folder {
    let tree = scan(&source(files), &Limits::default());
    for kind in tree.definitions() {
        kinds.insert_if_unknown(&kind.group, &kind.kind, &kind.resource, kind.scope);
    }
    judge(tree, &kinds, options)
}

/// What our renderer makes of one root, in a form that can be compared: sorted, without empty mappings.
pub fn rendered(folder: &Folder, root: &nsclass_manifests::render::Rendered) -> Vec<serde_json::Value> {
    let kept = root.documents.iter().filter(|document| !document.is_dropped);
    let values = kept.map(|document| {
        let placed = &folder.documents()[document.index];
        let file = nsclass_manifests::yaml::parse(&placed.file.bytes).unwrap();
        let number = placed.record().number as usize;
        let parsed = file.documents.iter().find(|document| document.number == number).unwrap();
        nsclass_manifests::render::render(parsed, &document.supplied).unwrap()
    });
    comparable(values.collect())
}

/// Documents as a set: sorted by their text, without empty mappings (folders.md F18).
pub fn comparable(mut values: Vec<serde_json::Value>) -> Vec<serde_json::Value> {
    values.iter_mut().for_each(prune);
    values.sort_by_key(serde_json::Value::to_string);
    values
}

fn prune(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(map) => {
            map.values_mut().for_each(prune);
            map.retain(|_, value| value.as_object().is_none_or(|map| !map.is_empty()));
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(prune),
        _ => {}
    }
}

/// The files as text, for messages.
pub fn show(files: &Files) -> String {
    let texts = files.iter().map(|(path, bytes)| ["==> ", path, "\n", &String::from_utf8_lossy(bytes), "\n"].concat());
    texts.collect()
}

/// The value without nulls in mappings: to the API server they are absent.
pub fn without_nulls(value: &serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::Object(map) => {
            let kept = map.iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(key, value)| (key.clone(), without_nulls(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_nulls).collect()),
        value => value.clone(),
    }
}

/// Every regular file below a directory on disk; symlinks are left out.
pub fn load_files(directory: &Path) -> Files {
    let mut files = load(directory);
    files.retain(|path, _| fs::symlink_metadata(directory.join(path)).unwrap().is_file());
    files
}
