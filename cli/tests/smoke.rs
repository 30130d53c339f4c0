//! `nsclass smoke` without a cluster; with one it is tried in the suite `nsclass_smoke`.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::process::Command;

/// Exit code and all that it said.
fn smoke(arguments: &[&str]) -> (i32, String) {
    let nowhere = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_nsclass"));
    command.arg("smoke").args(arguments).env("KUBECONFIG", nowhere.path().join("none"));
    let output = command.env_remove("KUBERNETES_SERVICE_HOST").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout) + &text(output.stderr))
}

#[test]
fn the_help_says_what_is_tried_what_is_made_what_it_takes_and_how_it_ends() {
    let (code, said) = smoke(&["--help"]);
    assert_eq!(code, 0);
    for word in
        ["What it tries", "What it makes", "deleted at the end", "rights of a cluster admin", "--grant", "Exit code 0"]
    {
        assert!(said.contains(word), "{word}: {said}");
    }
}

#[test]
fn without_a_cluster_it_cannot_be_tried() {
    let (code, said) = smoke(&[]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("no cluster: set KUBECONFIG"), "{said}");
}

#[test]
fn a_label_without_a_value_is_refused() {
    let (code, said) = smoke(&["--label", "team"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("write KEY=VALUE"), "{said}");
}
