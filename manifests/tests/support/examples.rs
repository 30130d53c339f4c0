//! The example folders: `tests/folders/{supported,unsupported}/NAME/{folder/, options.yaml, expected.yaml, kustomize.json}`.
//!
//! `NSCLASS_RECORD=1` writes `expected.yaml` and `kustomize.json` anew, to be read before they are committed.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nsclass_manifests::folder::{Folder, Options, Placed};
use nsclass_manifests::identity::NamespaceSource;
use nsclass_manifests::judge;
use nsclass_manifests::kinds::KindTable;
use nsclass_manifests::limits::Limits;
use nsclass_manifests::scan::scan;
use nsclass_manifests::source::DirSource;
use nsclass_manifests::verdict::Validity;
use serde_json::{Map, Value, json};

use super::kustomize;
use super::world::comparable;

/// One example.
pub struct Example {
    pub name: String,
    pub is_supported: bool,
    pub directory: PathBuf,
}

/// Every example, by name.
pub fn all() -> Vec<Example> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/folders");
    let mut examples = Vec::new();
    for (kind, is_supported) in [("supported", true), ("unsupported", false)] {
        for entry in fs::read_dir(root.join(kind)).unwrap() {
            let directory = entry.unwrap().path();
            let name = directory.file_name().unwrap().to_str().unwrap().to_owned();
            examples.push(Example { name, is_supported, directory });
        }
    }
    examples.sort_by(|a, b| a.name.cmp(&b.name));
    examples
}

/// Whether to write what is expected instead of comparing with it.
pub fn records() -> bool {
    std::env::var_os("NSCLASS_RECORD").is_some_and(|value| value == "1")
}

impl Example {
    /// What the target of the example declares.
    pub fn options(&self) -> Options {
        let Ok(text) = fs::read(self.directory.join("options.yaml")) else { return Options::default() };
        let file = nsclass_manifests::yaml::parse(&text).unwrap();
        let fixed = file.documents[0].root.get("fixed").and_then(|node| node.as_str()).map(Arc::from);
        Options { fixed, ..Options::default() }
    }

    /// The folder, read from disk and judged with the built-in kinds and those of its own CRDs.
    pub fn folder(&self) -> Folder {
        let source = DirSource::open(&self.directory.join("folder")).unwrap();
        let tree = scan(&source, &Limits::default());
        let mut kinds = KindTable::builtin();
        for kind in tree.definitions() {
            kinds.insert_if_unknown(&kind.group, &kind.kind, &kind.resource, kind.scope);
        }
        judge(tree, &kinds, &self.options())
    }

    /// Compares `text` with a file of the example, or writes it.
    pub fn expect(&self, file: &str, text: &str) -> Result<(), String> {
        let path = self.directory.join(file);
        if records() {
            fs::write(&path, text).unwrap();
        }
        let expected = fs::read_to_string(&path).map_err(|error| format!("{}: {file}: {error}", self.name))?;
        if expected == text {
            return Ok(());
        }
        let mut message = format!("{}: {file} differs\n", self.name);
        for line in text.lines().filter(|line| !expected.lines().any(|other| other == *line)) {
            writeln!(message, "  is      {line}").unwrap();
        }
        for line in expected.lines().filter(|line| !text.lines().any(|other| other == *line)) {
            writeln!(message, "  was     {line}").unwrap();
        }
        Err(message)
    }

    /// What the real kustomize makes of each root: documents, `"refused"`, or `"not run"` where it would need a
    /// network, or all of the memory.
    pub fn kustomize(&self, folder: &Folder) -> Map<String, Value> {
        let path = self.directory.join("kustomize.json");
        let recorded = fs::read_to_string(&path).ok().map(|text| serde_json::from_str::<Map<_, _>>(&text).unwrap());
        let Some(binary) = kustomize::find() else { return recorded.expect("a recorded golden") };
        // kustomize expands this one until the machine has no memory left.
        let is_bomb = self.name == "alias-bomb";
        let is_remote = folder.verdict().findings().iter().any(|finding| finding.what.contains("is remote"));
        let nodes = folder.graph().roots().iter().map(|root| folder.graph().node(*root));
        let roots = nodes.map(|node| {
            let at = node.directory.as_str();
            let output = if is_bomb || is_remote {
                json!("not run")
            } else {
                let built = kustomize::build_directory(binary, &self.directory.join("folder").join(at));
                built.map_or_else(|_| json!("refused"), |documents| Value::Array(comparable(documents)))
            };
            (if at.is_empty() { ".".to_owned() } else { at.to_owned() }, output)
        });
        roots.collect()
    }
}

/// Everything that is said of a folder, as YAML.
pub fn describe(folder: &Folder) -> String {
    let mut text = String::new();
    let verdict = folder.verdict();
    match verdict.validity() {
        Validity::True => text.push_str("verdict: \"True\"\n"),
        Validity::False(reason) => writeln!(text, "verdict: \"False\"\nreason: {reason}").unwrap(),
        Validity::Unknown => text.push_str("verdict: Unknown\n"),
    }
    writeln!(text, "message: {}", quoted(&verdict.message())).unwrap();
    text.push_str("findings:\n");
    for finding in verdict.findings() {
        let line = format!("{:?} {}: {finding}", finding.reason.severity(), finding.reason);
        writeln!(text, "- {}", quoted(&line)).unwrap();
    }
    text.push_str("documents:\n");
    for document in folder.documents() {
        placed(&mut text, document);
    }
    text
}

fn placed(text: &mut String, document: &Placed) {
    writeln!(text, "- document: {}", quoted(&document.title())).unwrap();
    let show = |identity: Option<nsclass_manifests::identity::Identity>| {
        identity.map_or("null".to_owned(), |identity| quoted(&identity.to_string()))
    };
    writeln!(text, "  raw: {}", show(document.raw())).unwrap();
    writeln!(text, "  effective: {}", show(document.effective())).unwrap();
    writeln!(text, "  source: {}", document.source.as_str()).unwrap();
    if let NamespaceSource::Kustomize(path) = &document.source {
        writeln!(text, "  from: {}", quoted(path.as_str())).unwrap();
    }
    if let Some(diagnostic) = document.diagnostic {
        writeln!(text, "  diagnostic: {}", diagnostic.as_str()).unwrap();
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
