//! `nsclass licence`, as an issuer runs it: no cluster is there.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

/// Exit code, standard output and standard error of `nsclass licence …`.
fn licence(directory: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nsclass"));
    let output =
        command.arg("licence").args(arguments).current_dir(directory).env_remove("KUBECONFIG").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// A directory with a private key, and the public one.
fn issuer() -> (TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let (code, public, _) = licence(directory.path(), &["keygen", "--key", "issuer.pem"]);
    assert_eq!(code, 0);
    (directory, public.trim().to_owned())
}

fn issue(directory: &Path, file: &str, more: &[&str]) {
    let arguments = [&["issue", "--key", "issuer.pem", "--holder", "Team Blue"], more].concat();
    let (code, document, error) = licence(directory, &arguments);
    assert_eq!(code, 0, "{error}");
    fs::write(directory.join(file), document).unwrap();
}

#[test]
fn a_key_is_made_once_and_is_nobody_elses_to_read() {
    let (directory, public) = issuer();
    let file = directory.path().join("issuer.pem");
    let before = fs::read_to_string(&file).unwrap();
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&file).unwrap().permissions()) & 0o777, 0o600);
    let (code, out, error) = licence(directory.path(), &["keygen", "--key", "issuer.pem"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(error.contains("issuer.pem"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    assert_eq!(public.len(), 44);
}

#[test]
fn what_was_issued_is_verified_and_what_is_wrong_with_it_is_said_in_words() {
    let (directory, public) = issuer();
    let directory = directory.path();
    issue(directory, "good", &["--days", "30", "--namespaces", "5"]);
    issue(directory, "old", &["--not-before", "2020-01-01T00:00:00Z", "--expiry", "2021-01-01T00:00:00Z"]);
    let verify = |file: &str, key: &str| licence(directory, &["verify", "-f", file, "--public-key", key]);
    let (code, out, _) = verify("good", &public);
    assert!(code == 0 && out.starts_with("good: the licence of Team Blue for 5 namespaces is valid until "), "{out}");
    let (code, out, _) = verify("old", &public);
    assert_eq!((code, out.as_str()), (1, "old: the licence of Team Blue has expired at 2021-01-01T00:00:00Z\n"));
    let (_other, stranger) = issuer();
    let (code, out, _) = verify("good", &stranger);
    assert!(code == 1 && out.contains("ask its issuer, or add the key"), "{out}");
    let changed = fs::read_to_string(directory.join("good")).unwrap().replacen(".ey", ".fy", 1);
    fs::write(directory.join("changed"), changed).unwrap();
    let (code, out, _) = verify("changed", &public);
    assert!(code == 1 && out.contains("it was changed since it was issued"), "{out}");
    fs::write(directory.join("large"), "x".repeat(100_000)).unwrap();
    let (code, out, _) = verify("large", &public);
    assert!(code == 1 && out.contains("100000 bytes are too many"), "{out}");
    let (code, _, error) = licence(directory, &["verify", "-f", "good"]);
    assert!(code == 2 && error.contains("no public key is given"), "{error}");
    // From the operator's own configuration, which names it.
    fs::write(directory.join("nsclass.yaml"), format!("gate: {{ mode: Hybrid, publicKeys: [\"{public}\"] }}\n"))
        .unwrap();
    let (code, out, error) = licence(directory, &["verify", "-f", "good", "-f", "old", "--config", "nsclass.yaml"]);
    assert_eq!((code, out.lines().count()), (1, 2), "{out}{error}");
}

#[test]
fn it_is_shown_what_is_done_now_what_will_be_and_when() {
    let (directory, public) = issuer();
    let directory = directory.path();
    issue(directory, "two", &["--not-before", "2020-01-01T00:00:00Z", "--expiry", "2999-01-01T00:00:00Z"]);
    let (code, out, error) = licence(directory, &["show", "-f", "two", "--public-key", &public, "--mode", "Strict"]);
    assert_eq!(code, 0, "{error}");
    let key = out.split(", key ").nth(1).and_then(|rest| rest.lines().next()).unwrap();
    insta::assert_snapshot!(out.replace(key, "KEY"), @r"
    licence:  two: Team Blue, 2020-01-01T00:00:00Z to 2999-01-01T00:00:00Z, any number of namespaces, key KEY
    state:    Valid
    now:      the licence of Team Blue is valid until 2999-01-01T00:00:00Z
              every namespace in scope is gone on with
    then:     2999-01-01T00:00:00Z: the licence of Team Blue has expired at 2999-01-01T00:00:00Z: nothing is made, changed or repaired in any namespace; what is there stays, and what goes away is let go
    ");
}

#[test]
fn a_secret_is_printed_as_it_is_to_be_applied() {
    let (directory, _) = issuer();
    issue(directory.path(), "secret", &["--days", "1", "-o", "secret", "--operator-namespace", "ops"]);
    let secret = fs::read_to_string(directory.path().join("secret")).unwrap();
    let mut secret: Value = serde_saphyr::from_str(&secret).unwrap();
    let licence = secret["stringData"]["licence"].take();
    assert!(licence.as_str().unwrap().starts_with("nsclass-licence."), "{licence}");
    let metadata = json!({ "name": "nsclass-licence", "namespace": "ops", "labels": { "nsclass.io/licence": "true" } });
    let expected =
        json!({ "apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": { "licence": null } });
    assert_eq!(secret, expected);
    let (code, _, error) = self::licence(directory.path(), &["issue", "--key", "issuer.pem", "--holder", "a"]);
    assert!(code == 2 && error.contains("--expiry"), "{error}");
    let (code, _, error) = self::licence(
        directory.path(),
        &["issue", "--key", "issuer.pem", "--holder", "a", "--days", "1", "--namespaces", "0"],
    );
    assert!(code == 2 && error.contains("a licence for 0 namespaces is none"), "{error}");
}
