//! Tokens, keys and hosts, right ones and wrong ones (folders.md F55).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use nsclass_controller::livegit::change::Remote;
use nsclass_shared::livegit::credentials::Credentials;
use nsclass_shared::livegit::url::Transport;
use nsclass_tests::git_server::{Https, Origin, Right, Ssh};

use crate::stage::{FILES, Live, Stage, Wanted, remote};

fn secret(entries: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
    entries.iter().map(|(key, value)| ((*key).to_owned(), value.as_bytes().to_vec())).collect()
}

fn over_https(server: &Https, entries: &[(&str, &str)]) -> Result<Remote> {
    let mut data = secret(entries);
    data.insert("ca.crt".into(), server.ca().into());
    remote(&server.url(), Credentials::read(Transport::Https, Some(&data))?)
}

fn over_ssh(ssh: &Ssh, identity: &str, known_hosts: &str) -> Result<Remote> {
    let data = secret(&[("identity", identity), ("known_hosts", known_hosts)]);
    remote(&ssh.url(), Credentials::read(Transport::Ssh, Some(&data))?)
}

/// Every file below a directory, as text.
fn contents(dir: &Path) -> Result<String> {
    let mut all = String::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        all += &path.display().to_string();
        all += &if path.is_dir() { contents(&path)? } else { String::from_utf8_lossy(&fs::read(&path)?).into_owned() };
    }
    Ok(all)
}

#[tokio::test]
async fn f55_https_takes_a_token_as_password_or_bearer_and_leaves_no_trace_of_it() -> Result<()> {
    for entries in [
        &[("username", "bot"), ("password", "pä ss:w@rd/%")][..],
        &[("token", "t0k3n-s3cr3t")],
        &[("bearerToken", "b34rer-s3cr3t")],
    ] {
        let origin = Origin::with(FILES)?;
        let server = Https::start(&origin).await?;
        server.admit("bot", "pä ss:w@rd/%", Right::Write);
        server.admit("git", "t0k3n-s3cr3t", Right::Write);
        server.admit_bearer("b34rer-s3cr3t", Right::Write);
        let directory = tempfile::tempdir()?;
        let live = Live::with(&[("one", "debug")]);
        let wanted = Wanted { directory: Some(directory.path().to_owned()), ..Wanted::default() };
        let stage = Stage::start(over_https(&server, entries)?, &live, wanted).await?;
        stage.arrived(&origin).await?;
        let heard = stage.heard.everything();
        stage.stop().await?;
        let (_, secret) = entries[entries.len() - 1];
        let all = format!("{heard}{}{}", contents(directory.path())?, contents(&origin.path())?);
        ensure!(!all.contains(secret), "{secret} was left behind");
    }
    Ok(())
}

#[tokio::test]
async fn bad20_a_wrong_token_and_one_without_push_right_are_told_apart_and_mended_by_the_secret() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let server = Https::start(&origin).await?;
    server.admit("git", "reads", Right::Read);
    server.admit("git", "writes", Right::Write);
    let live = Live::with(&[("one", "debug")]);
    let stage = Stage::start(over_https(&server, &[("token", "wrong-t0ken")])?, &live, Wanted::default()).await?;
    let report = stage.report("refused", |report| report.synced.reason.as_str() == "AuthenticationFailed").await?;
    ensure!(report.repository_valid.status.is_none(), "nobody has seen the folder: {report:?}");
    ensure!(!stage.heard.everything().contains("wrong-t0ken"), "{}", stage.heard.everything());
    let repository = stage.heard.repository();
    ensure!(repository.is_some_and(|repository| repository.reachable.reason.as_str() == "AuthenticationFailed"));

    stage.correct(over_https(&server, &[("token", "reads")])?);
    let report = stage.report("may not push", |report| report.synced.reason.as_str() == "PermissionDenied").await?;
    ensure!(report.repository_valid.status == Some(true), "{report:?}");
    ensure!(origin.log()?.len() == 1);

    stage.correct(over_https(&server, &[("token", "writes")])?);
    stage.arrived(&origin).await?;
    stage.stop().await
}

#[tokio::test]
async fn f55_a_server_whose_authority_is_not_trusted_is_shown_no_credentials() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let (server, other) = (Https::start(&origin).await?, Https::start(&origin).await?);
    let mut data = secret(&[("token", "t")]);
    data.insert("ca.crt".into(), other.ca().into());
    let remote = remote(&server.url(), Credentials::read(Transport::Https, Some(&data))?)?;
    let live = Live::with(&[("one", "debug")]);
    let stage = Stage::start(remote, &live, Wanted::default()).await?;
    stage.report("refused", |report| report.synced.reason.as_str() == "CertificateNotTrusted").await?;
    ensure!(server.shown().is_empty() && server.requests() == 0);
    stage.stop().await
}

#[tokio::test]
async fn bad20_a_repository_that_is_not_there_is_told() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let server = Https::start(&origin).await?;
    server.admit("git", "t", Right::Write);
    let mut wrong = over_https(&server, &[("token", "t")])?;
    wrong = remote(&server.url().replace("apps.git", "other.git"), wrong.credentials)?;
    let live = Live::with(&[("one", "debug")]);
    let stage = Stage::start(wrong, &live, Wanted::default()).await?;
    stage.report("refused", |report| report.synced.reason.as_str() == "RepositoryNotFound").await?;
    stage.stop().await
}

#[tokio::test]
async fn f55_ssh_works_with_a_key_and_known_hosts_and_refuses_strangers_on_both_sides() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let mut ssh = Ssh::start(&origin).await?;
    let live = Live::with(&[("one", "debug")]);
    let stage = Stage::start(over_ssh(&ssh, &ssh.stranger()?, &ssh.known_hosts()?)?, &live, Wanted::default()).await?;
    stage.report("the key is not known", |report| report.synced.reason.as_str() == "AuthenticationFailed").await?;
    ensure!(origin.log()?.len() == 1);

    let (identity, known) = (ssh.identity()?, ssh.known_hosts()?);
    stage.correct(over_ssh(&ssh, &identity, &known)?);
    stage.arrived(&origin).await?;
    let heard = stage.heard.everything();
    ensure!(identity.lines().filter(|line| line.len() > 40).all(|line| !heard.contains(line)));

    ssh.change_host_key().await?;
    stage.set("one", "trace").await?;
    let report = stage.report("another host", |report| report.synced.reason.as_str() == "HostKeyMismatch").await?;
    ensure!(report.synced.message.contains("known_hosts"), "{report:?}");
    ensure!(origin.log()?.len() == 2, "{:?}", origin.log()?);
    stage.correct(over_ssh(&ssh, &identity, &ssh.known_hosts()?)?);
    stage.arrived(&origin).await?;
    stage.stop().await
}

#[tokio::test]
async fn bad20_a_key_with_a_passphrase_is_refused_before_anybody_is_asked() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let ssh = Ssh::start(&origin).await?;
    let refused = over_ssh(&ssh, &ssh.locked()?, &ssh.known_hosts()?).unwrap_err().to_string();
    ensure!(refused.starts_with("its key identity is protected by a passphrase"), "{refused}");
    Ok(())
}
