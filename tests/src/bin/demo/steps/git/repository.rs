//! The demo's repository: an example folder behind a Git server.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use nsclass_manifests::folder::Options;
use nsclass_manifests::kinds::KindTable;
use nsclass_manifests::limits::Limits;
use nsclass_manifests::path::FolderPath;
use nsclass_manifests::source::MapSource;
use nsclass_manifests::{judge, scan::scan};
use nsclass_tests::git_server::{Https, Origin, Right};
use serde_json::{Value, json};

const FOLDER: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../manifests/tests/folders/supported/comments-everywhere/folder");
const KUSTOMIZATION: &str = "apps/kustomization.yaml";

/// The repository, until it is dropped.
pub struct Repository {
    files: Vec<(String, String)>,
    server: Https,
    origin: Origin,
}

impl Repository {
    /// Makes it from the folder, as `apps`, and serves it.
    pub async fn start() -> Result<Self> {
        let mut files = Vec::new();
        for entry in fs::read_dir(Path::new(FOLDER)).context(FOLDER)? {
            let entry = entry?;
            let name = entry.file_name().into_string().ok().context("a name that is no text")?;
            files.push((format!("apps/{name}"), fs::read_to_string(entry.path())?));
        }
        files.sort();
        let named: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let origin = Origin::with(&named)?;
        let server = Https::start(&origin).await?;
        server.admit("robot", "a-token-of-the-demo", Right::Write);
        Ok(Self { files, server, origin })
    }

    /// Its address.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// What opens it.
    pub fn secret(&self) -> Value {
        json!({ "username": "robot", "password": "a-token-of-the-demo", "ca.crt": self.server.ca() })
    }

    /// Each file by name and size.
    pub fn shown(&self) -> Vec<Vec<String>> {
        let row = |(path, text): &(String, String)| {
            let comments = text.lines().filter(|line| line.contains('#')).count();
            vec![path.clone(), format!("{} lines, {comments} of them with a comment", text.lines().count())]
        };
        self.files.iter().map(row).collect()
    }

    /// What `kubectl apply -k` would apply: the folder as the engine renders it, which gives what kustomize gives.
    pub fn rendered(&self) -> Result<Vec<Value>> {
        let mut files = Vec::new();
        for (path, text) in &self.files {
            files.push((FolderPath::new(path.trim_start_matches("apps/"))?, text.as_bytes().into()));
        }
        let folder =
            judge(scan(&MapSource::new(files), &Limits::default()), &KindTable::builtin(), &Options::default());
        let mut objects = Vec::new();
        let paths: BTreeSet<FolderPath> =
            folder.documents().iter().map(|document| document.file.path.clone()).collect();
        for path in paths {
            let values = folder.values(&path).map_err(|(_, error)| anyhow::anyhow!("{path}: {error}"))?;
            objects.extend(values.into_iter().map(|(_, value)| value));
        }
        Ok(objects)
    }

    /// How many commits there are.
    pub fn commits(&self) -> Result<usize> {
        Ok(self.origin.log()?.len())
    }

    /// Author and subject of the last one.
    pub fn last_subject(&self) -> Result<String> {
        let log = self.origin.log()?;
        let last = log.first().context("no commit")?;
        Ok(format!("{}: {}", last.author, last.subject))
    }

    /// What the last one changed, without headers.
    pub fn last_diff(&self) -> Result<Vec<String>> {
        let shown = self.origin.git(["show", "--format=", "--unified=2", "main"])?;
        let body = shown.lines().skip_while(|line| !line.starts_with("@@")).map(str::to_owned).collect();
        Ok(body)
    }

    /// A person appends a line to the kustomization and pushes; what it said before.
    pub fn append(&self, line: &str) -> Result<String> {
        let person = self.origin.person("jane")?;
        let before = person.read(KUSTOMIZATION)?;
        person.write(KUSTOMIZATION, &format!("{before}{line}"))?;
        person.push("Prefix")?;
        Ok(before)
    }

    /// A person makes the kustomization what it was, and pushes.
    pub fn restore(&self, text: &str) -> Result<()> {
        let person = self.origin.person("jane")?;
        person.write(KUSTOMIZATION, text)?;
        person.push("Revert \"Prefix\"")
    }
}
