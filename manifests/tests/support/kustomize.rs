//! The real kustomize: found, or built from its Go module, once for every test process.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

const MODULE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/control-plane/kustomize");
const PACKAGE: &str = "sigs.k8s.io/kustomize/kustomize/v5";

/// The binary, or `None` where it is neither here nor can be built because Go is missing.
pub fn find() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(look).as_deref()
}

/// In this order: the variable `KUSTOMIZE`; the cache that the control-plane harness fills too; a build into it.
fn look() -> Option<PathBuf> {
    if let Some(path) = env::var_os("KUSTOMIZE") {
        let path = PathBuf::from(path);
        assert!(path.is_file(), "KUSTOMIZE={} is no file", path.display());
        return Some(path);
    }
    let go_mod = fs::read_to_string(Path::new(MODULE).join("go.mod")).unwrap();
    let version = go_mod.lines().find_map(|line| line.trim().strip_prefix(PACKAGE)?.strip_prefix(' ')).unwrap();
    let version = version.split_whitespace().next().unwrap();
    let home = || env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home).unwrap().join("nsclass/control-plane");
    let directory = cache.join(format!("kustomize-{version}-{}-{}", env::consts::OS, env::consts::ARCH));
    let binary = directory.join("kustomize");
    if binary.is_file() {
        return Some(binary);
    }
    fs::create_dir_all(&directory).unwrap();
    let lock = File::create(cache.join("kustomize.lock")).unwrap();
    lock.lock().unwrap();
    if binary.is_file() || build(&binary) { Some(binary) } else { None }
}

fn build(binary: &Path) -> bool {
    let unfinished = binary.with_extension("unfinished");
    let go = Command::new("go")
        .args(["build", "-o"])
        .arg(&unfinished)
        .arg(PACKAGE)
        .env("CGO_ENABLED", "0")
        .current_dir(MODULE)
        .output();
    let Ok(output) = go else { return false };
    assert!(output.status.success(), "kustomize does not build: {}", String::from_utf8_lossy(&output.stderr));
    fs::rename(unfinished, binary).unwrap();
    true
}

/// What `kustomize build` says of a directory: its documents, or its error.
pub fn build_directory(kustomize: &Path, directory: &Path) -> Result<Vec<Value>, String> {
    let output = Command::new(kustomize).arg("build").arg(directory).output().unwrap();
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(documents(&String::from_utf8(output.stdout).unwrap()))
}

/// The documents of kustomize's output.
pub fn documents(text: &str) -> Vec<Value> {
    let file = nsclass_manifests::yaml::parse(text.as_bytes()).unwrap();
    let documents = file.documents.iter().filter(|document| !document.is_empty());
    documents.map(|document| document.to_value(nsclass_manifests::yaml::Reader::Kubernetes).unwrap()).collect()
}
