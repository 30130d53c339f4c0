//! The folder commands, as a user runs them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail as tests do")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

const WEB: &str = "# the web\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web # its name\nspec:\n  replicas: 2 # raised\n";
const LIVE: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: team-a\n  uid: abc\nspec:\n  replicas: 5\nstatus: {}\n";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

fn valid() -> TempDir {
    folder(&[("kustomization.yaml", "namespace: team-a\nresources:\n- web.yaml\n"), ("web.yaml", WEB)])
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../manifests/tests/folders").join(name).join("folder")
}

fn run(directory: &Path, arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nsclass"))
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn check_says_valid_and_draws_who_supplies_which_namespace() {
    let (code, out, _) = run(valid().path(), &["folder", "check", "."], "");
    assert_eq!(out, "kustomization.yaml assigns team-a\n└─ web.yaml → team-a\n\nvalid: 1 document, 0 remarks\n");
    assert_eq!(code, 0);
}

#[test]
fn check_says_everything_that_is_wrong_in_one_run_and_exits_with_1() {
    let (code, out, _) = run(&example("unsupported/entries-that-lead-nowhere"), &["folder", "check", "."], "");
    assert_eq!(code, 1);
    assert_eq!(out.lines().filter(|line| line.starts_with("error: kustomization.yaml: ")).count(), 5, "{out}");
    assert!(out.ends_with("not valid: 2 documents, 5 of 5 findings must be changed\n"), "{out}");
}

#[test]
fn check_as_json_has_reason_message_and_findings() {
    let (code, out, _) = run(&example("unsupported/no-context"), &["folder", "check", ".", "-o", "json"], "");
    let value: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &value["repositoryValid"], &value["reason"]), (1, &"False".into(), &"NoNamespace".into()));
    assert_eq!(value["findings"][0]["path"], "web.yaml");
}

#[test]
fn colours_are_for_terminals_unless_asked_for() {
    let (_, plain, _) = run(valid().path(), &["folder", "check", "."], "");
    assert!(!plain.contains('\u{1b}'));
    let (_, colored, _) = run(valid().path(), &["--color", "always", "folder", "check", "."], "");
    assert!(colored.contains("\u{1b}[32mvalid\u{1b}[0m"), "{colored:?}");
}

#[test]
fn identify_lists_raw_and_effective_identities_with_their_source() {
    let (code, out, _) = run(&example("supported/nested-base"), &["folder", "identify", "."], "");
    assert_eq!(code, 0);
    assert!(
        out.contains("base/deployment.yaml#1       apps/v1 Deployment team-a/web  Kustomize kustomization.yaml"),
        "{out}"
    );
    let (_, out, _) = run(&example("supported/nested-base"), &["folder", "identify", ".", "-o", "json"], "");
    let value: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(value[1]["raw"]["namespace"], Value::Null);
    assert_eq!(value[1]["effective"]["namespace"], "team-a");
    assert_eq!(value[1]["from"], "kustomization.yaml");
}

#[test]
fn render_prints_objects_with_what_their_context_supplies() {
    let (code, out, _) = run(valid().path(), &["folder", "render", "."], "");
    assert_eq!(code, 0);
    assert!(
        out.starts_with(
            "---\n# web.yaml#1\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: team-a\n"
        ),
        "{out}"
    );
    let (code, out, _) = run(&example("unsupported/diamond"), &["folder", "render", "."], "");
    assert_eq!(code, 1);
    assert!(out.starts_with("error: base/kustomization.yaml: "), "{out}");
}

#[test]
fn put_shows_a_diff_first_and_then_writes_only_what_changed() {
    let directory = valid();
    let (code, out, _) = run(directory.path(), &["folder", "put", ".", "-f", "-", "--dry-run"], LIVE);
    assert_eq!(code, 0);
    assert!(out.starts_with("--- a/web.yaml\n+++ b/web.yaml\n"), "{out}");
    assert!(out.contains("\n-  replicas: 2 # raised\n+  replicas: 5 # raised\n"), "{out}");
    assert_eq!(fs::read_to_string(directory.path().join("web.yaml")).unwrap(), WEB);
    let (code, out, _) = run(directory.path(), &["folder", "put", ".", "-f", "-"], LIVE);
    assert_eq!((code, &*out), (0, "change web.yaml\n"));
    assert_eq!(
        fs::read_to_string(directory.path().join("web.yaml")).unwrap(),
        WEB.replace("replicas: 2", "replicas: 5")
    );
    let (code, out, _) = run(directory.path(), &["folder", "put", ".", "-f", "-"], LIVE);
    assert_eq!((code, &*out), (0, "nothing to write: the folder says what is live\n"));
}

#[test]
fn put_takes_a_list_and_refuses_all_of_it_for_one_secret() {
    let directory = valid();
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: team-a}\ndata: {p: c2VjcmV0}\n";
    let list = format!(
        "apiVersion: v1\nkind: List\nitems:\n- {}- {}",
        LIVE.replace('\n', "\n  ").trim_end_matches(' '),
        secret.replace('\n', "\n  ")
    );
    let (code, out, _) = run(directory.path(), &["folder", "put", ".", "-f", "-"], &list);
    assert_eq!(code, 1);
    assert!(out.starts_with("refused: secrets team-a/s is a Secret"), "{out}");
    assert!(!out.contains("c2VjcmV0"));
    assert_eq!(fs::read_to_string(directory.path().join("web.yaml")).unwrap(), WEB);
}

#[test]
fn delete_removes_the_file_and_its_line() {
    let directory = folder(&[
        ("kustomization.yaml", "namespace: team-a\nresources:\n- web.yaml\n- b.yaml\n"),
        ("web.yaml", WEB),
        ("b.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n"),
    ]);
    let (code, out, _) =
        run(directory.path(), &["folder", "delete", ".", "deployment/web", "-n", "team-a", "--dry-run"], "");
    assert_eq!(code, 0);
    assert!(out.contains("+++ /dev/null\n") && out.contains("-- web.yaml\n"), "{out}");
    let (code, out, _) = run(directory.path(), &["folder", "delete", ".", "deployments.apps/web", "-n", "team-a"], "");
    assert_eq!((code, &*out), (0, "change kustomization.yaml\nremove web.yaml\n"));
    assert!(!directory.path().join("web.yaml").exists());
    let (code, _, error) = run(directory.path(), &["folder", "delete", ".", "deployment/web", "-n", "team-a"], "");
    assert_eq!(code, 2);
    assert!(error.contains("no document is deployment/web in the namespace team-a"), "{error}");
}

#[test]
fn kinds_come_from_a_file_with_the_output_of_kubectl() {
    let directory = folder(&[("w.yaml", "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n")]);
    let (code, _, _) = run(directory.path(), &["folder", "check", "."], "");
    assert_eq!(code, 0, "without a list nobody knows");
    fs::write(
        directory.path().join("list.txt"),
        "NAME SHORTNAMES APIVERSION NAMESPACED KIND\nwidgets example.com/v1 true Widget\n",
    )
    .unwrap();
    let (code, out, _) = run(directory.path(), &["folder", "check", ".", "--api-resources", "list.txt"], "");
    assert_eq!(code, 1);
    assert!(out.contains("Widget w has no namespace"), "{out}");
    let (code, _, _) = run(
        directory.path(),
        &["folder", "check", ".", "--api-resources", "list.txt", "--namespace-context", "team-a"],
        "",
    );
    assert_eq!(code, 0);
}

#[test]
fn what_cannot_be_done_exits_with_2_and_says_why() {
    let (code, _, error) = run(Path::new("."), &["folder", "check", "/nowhere/at/all"], "");
    assert_eq!(code, 2);
    assert!(error.starts_with("error: /nowhere/at/all cannot be opened as a directory"), "{error}");
    let (code, _, _) = run(Path::new("."), &["folder", "paint", "."], "");
    assert_eq!(code, 2);
}

#[test]
fn every_command_teaches_by_example_and_completions_exist_for_every_shell() {
    for command in ["check", "identify", "render", "put", "delete"] {
        let (code, out, _) = run(Path::new("."), &["folder", command, "--help"], "");
        assert_eq!(code, 0);
        assert!(out.contains("Examples:\n") && out.contains(&format!("nsclass folder {command} ")), "{out}");
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, out, _) = run(Path::new("."), &["completions", shell], "");
        assert!(code == 0 && out.contains("identify"), "{shell}");
    }
}

#[test]
fn kubectl_finds_it_as_a_plugin() {
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-nsclass")).args(["folder", "--help"]).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("Usage: kubectl nsclass folder"));
}
