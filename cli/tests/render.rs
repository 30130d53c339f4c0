//! `nsclass render`, as a user runs it.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

const CLASS: &str = r#"apiVersion: nsclass.io/v1alpha1
kind: NamespaceClass
metadata:
  name: std
spec:
  resources:
  - apiVersion: v1
    kind: ConfigMap
    metadata:
      name: about
    data:
      team: "{{ .Namespace.Labels.team }}"
  - apiVersion: rbac.authorization.k8s.io/v1
    kind: ClusterRole
    metadata:
      name: "reader-{{ .Namespace.Name }}"
    rules: []
"#;
const NAMESPACE: &str = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: pay\n  labels:\n    team: blue\n";

fn files(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(directory.path().join(name), text).unwrap();
    }
    directory
}

fn render(directory: &Path, arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nsclass"))
        .arg("render")
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_class_is_rendered_for_a_namespace_of_a_file_or_of_standard_input() {
    let directory = files(&[("class.yaml", CLASS), ("namespace.yaml", NAMESPACE)]);
    let (code, objects, complaints) = render(directory.path(), &["-f", "class.yaml", "-n", "namespace.yaml"], "");
    assert_eq!((code, complaints.as_str()), (0, ""));
    insta::assert_snapshot!(objects, @r#"
    ---
    # v1/ConfigMap about
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: about
      namespace: pay
    data:
      team: blue
    ---
    # rbac.authorization.k8s.io/v1/ClusterRole "reader-{{ .Namespace.Name }}"
    apiVersion: rbac.authorization.k8s.io/v1
    kind: ClusterRole
    metadata:
      name: reader-pay
    rules: []
    "#);
    let streamed = render(directory.path(), &["-f", "class.yaml", "-n", "-"], NAMESPACE);
    assert_eq!(streamed, (0, objects.clone(), String::new()));
    let both = format!("{CLASS}---\n{NAMESPACE}");
    assert_eq!(render(directory.path(), &["-f", "-"], &both), (0, objects, String::new()));
}

#[test]
fn everything_that_is_wrong_is_said_at_once_and_nothing_is_printed() {
    let class = CLASS.replace("Labels.team", "Lables.team").replace("    rules: []", "      ownerReferences: []");
    let directory = files(&[("class.yaml", class.as_str()), ("namespace.yaml", NAMESPACE)]);
    let (code, objects, complaints) = render(directory.path(), &["-f", "class.yaml", "-n", "namespace.yaml"], "");
    assert_eq!((code, objects.as_str()), (1, ""));
    insta::assert_snapshot!(complaints, @r#"
    error: spec.resources[0].data.team (v1/ConfigMap about): ".Namespace.Lables.team" is no variable (at character 4); the variables are .Namespace.Name, .Namespace.UID, .Namespace.Labels.<key>, .Namespace.Annotations.<key> and .Class.Name; for literal braces write {{ "{{" }}, or annotate the item with nsclass.io/template: "false" (RenderFailed)
    error: spec.resources[1].metadata.ownerReferences (rbac.authorization.k8s.io/v1/ClusterRole "reader-{{ .Namespace.Name }}"): a class cannot set it: the binding owns what a class makes; remove the field (InvalidManifest)
    "#);
}

#[test]
fn c12_a_label_that_is_missing_is_named() {
    let namespace = NAMESPACE.replace("team: blue", "other: blue");
    let directory = files(&[("class.yaml", CLASS), ("namespace.yaml", namespace.as_str())]);
    let (code, objects, complaints) = render(directory.path(), &["-f", "class.yaml", "-n", "namespace.yaml"], "");
    assert_eq!((code, objects.as_str()), (1, ""));
    insta::assert_snapshot!(complaints, @r#"error: spec.resources[0].data.team (v1/ConfigMap about): the namespace has no .Namespace.Labels.team; set it on the namespace, or write {{ .Namespace.Labels.team | default "…" }} (RenderFailed)"#);
}

#[test]
fn policy_comes_from_the_operators_configuration_and_kinds_from_the_clusters_list() {
    let class = CLASS.replace("apiVersion: v1\n    kind: ConfigMap", "apiVersion: example.com/v1\n    kind: Widget");
    let kinds = "NAME  SHORTNAMES  APIVERSION  NAMESPACED  KIND\nwidgets  w  example.com/v1  true  Widget\n";
    let config = "policy: { deny: [rbac.authorization.k8s.io/v1/ClusterRole] }\n";
    let directory = files(&[
        ("class.yaml", class.as_str()),
        ("namespace.yaml", NAMESPACE),
        ("kinds", kinds),
        ("nsclass.yaml", config),
    ]);
    let base = ["-f", "class.yaml", "-n", "namespace.yaml"];
    let (code, objects, complaints) = render(directory.path(), &base, "");
    assert!(code == 0 && complaints.contains("--api-resources") && objects.contains("kind: Widget"), "{complaints}");
    let known = render(directory.path(), &[&base[..], &["--api-resources", "kinds"]].concat(), "");
    assert!(known.0 == 0 && known.2.is_empty() && known.1.contains("namespace: pay"), "{known:?}");
    let denied = render(directory.path(), &[&base[..], &["--config", "nsclass.yaml"]].concat(), "");
    assert!(denied.0 == 1 && denied.1.is_empty() && denied.2.contains("policy.deny"), "{denied:?}");
}

#[test]
fn what_cannot_be_read_is_another_exit_code() {
    let directory = files(&[("class.yaml", CLASS), ("namespace.yaml", NAMESPACE), ("bad.yaml", "a: [")]);
    let told = |arguments: &[&str]| {
        let (code, _, complaints) = render(directory.path(), arguments, "");
        assert_eq!(code, 2, "{complaints}");
        complaints
    };
    assert!(told(&["-f", "absent.yaml", "-n", "namespace.yaml"]).contains("absent.yaml"));
    assert!(told(&["-f", "bad.yaml", "-n", "namespace.yaml"]).contains("bad.yaml"));
    insta::assert_snapshot!(told(&["-f", "class.yaml"]), @"error: class.yaml: there is no Namespace in it");
}
