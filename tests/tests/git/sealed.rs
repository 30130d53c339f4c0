//! Secrets, encrypted with the real `sops` and read back with the key of their recipient (folders.md F39).

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use nsclass_controller::livegit::change::Message;
use nsclass_controller::livegit::seal::Sealer;
use nsclass_tests::assets::{AGE, find_debian, find_sops};
use nsclass_tests::eventually;
use nsclass_tests::git_server::Origin;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::stage::{FILES, Live, Stage, Wanted, id, local};

const PATH: &str = "apps/team-a/core/secrets/pass.yaml";

/// A recipient of Secrets, with the key that opens them.
struct Recipient {
    sops: PathBuf,
    dir: TempDir,
    public: String,
}

impl Recipient {
    async fn new() -> Result<Self> {
        let (sops, age) = tokio::task::spawn_blocking(|| anyhow::Ok((find_sops()?, find_debian(&AGE)?))).await??;
        let dir = tempfile::tempdir()?;
        let made = Command::new(age.join("age-keygen")).arg("-o").arg(dir.path().join("key")).output()?;
        let said = String::from_utf8(made.stderr)?;
        let public = said.split_whitespace().find(|word| word.starts_with("age1")).context("no public key")?.to_owned();
        Ok(Self { sops, dir, public })
    }

    fn sealer(&self) -> Option<Sealer> {
        Sealer::new(self.sops.clone(), std::slice::from_ref(&self.public))
    }

    /// What the recipient reads of a file.
    fn opens(&self, text: &str) -> Result<Value> {
        let path = self.dir.path().join("sealed.yaml");
        std::fs::write(&path, text)?;
        let read = |path: &Path| {
            let key = self.dir.path().join("key");
            Command::new(&self.sops)
                .args(["decrypt", "--output-type", "json"])
                .arg(path)
                .env("SOPS_AGE_KEY_FILE", key)
                .output()
        };
        let output = read(&path)?;
        ensure!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
        Ok(serde_json::from_slice(&output.stdout)?)
    }
}

fn secret(version: &str, password: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
        "metadata": { "name": "pass", "namespace": "team-a", "uid": "u", "resourceVersion": version, "labels": { "b": "yes", "a": "1" } },
        "data": { "password": password, "user": "Ym90", "empty": "" },
    })
}

#[tokio::test]
async fn f39_with_recipients_a_secret_is_encrypted_changed_and_removed_and_only_its_recipient_reads_it() -> Result<()> {
    let recipient = Recipient::new().await?;
    let origin = Origin::with(FILES)?;
    let live = Live::with(&[("one", "info"), ("two", "info")]);
    let wanted = || Wanted { sealer: recipient.sealer(), ..Wanted::default() };
    let stage = Stage::start(local(&origin)?, &live, wanted()).await?;
    let scratch = Live::with(&[]);
    let put = async |stage: &Stage, version: &str, password: &str| {
        let change = scratch.put(id("secrets", "pass"), secret(version, password));
        stage.worker.send(Message::Change(change)).await
    };
    let reads = async |password: &str| {
        eventually("the recipient reads it", async || {
            let files = origin.files()?;
            let text = files.get(PATH).context("no file yet")?;
            ensure!(!text.contains(password) && !text.contains("Ym90"), "in clear: {text}");
            let opened = recipient.opens(text)?;
            ensure!(opened["data"]["password"] == password && opened["data"]["user"] == "Ym90", "{opened}");
            ensure!(opened["metadata"]["uid"].is_null() && opened["type"] == "Opaque", "{opened}");
            Ok(())
        })
        .await
    };
    put(&stage, "1", "c2VzYW1lLW9wZW4=").await?;
    reads("c2VzYW1lLW9wZW4=").await?;
    let report = stage.report("pushed", |report| report.synced.reason.as_str() == "Pushed").await?;
    ensure!(report.refused.count == 0, "{report:?}");
    let commits = origin.log()?.len();
    // The same state again, and after a restart: nothing is encrypted anew.
    put(&stage, "1", "c2VzYW1lLW9wZW4=").await?;
    stage.stop().await?;
    let stage = Stage::start(local(&origin)?, &live, wanted()).await?;
    put(&stage, "1", "c2VzYW1lLW9wZW4=").await?;
    stage.set("one", "debug").await?;
    stage.arrived(&origin).await?;
    ensure!(origin.log()?.len() == commits + 1, "{:?}", origin.log()?);

    put(&stage, "2", "YW5vdGhlcg==").await?;
    reads("YW5vdGhlcg==").await?;
    let all = origin.git(["log", "-p", "--all"])?;
    ensure!(!all.contains("c2VzYW1lLW9wZW4") && !all.contains("YW5vdGhlcg"), "in clear, once");
    ensure!(!stage.heard.everything().contains("YW5vdGhlcg"), "told");
    let change = scratch.remove(&id("secrets", "pass")).context("it was live")?;
    stage.worker.send(Message::Change(change)).await?;
    eventually("its file is gone", async || {
        ensure!(!origin.files()?.contains_key(PATH), "still there");
        Ok(())
    })
    .await?;
    stage.stop().await
}

#[tokio::test]
async fn f39_without_the_program_a_secret_is_refused_and_counted() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let live = Live::with(&[("one", "info"), ("two", "info")]);
    let sealer = Sealer::new("/nowhere/sops".into(), &["age1x".to_owned()]);
    let stage = Stage::start(local(&origin)?, &live, Wanted { sealer, ..Wanted::default() }).await?;
    let scratch = Live::with(&[]);
    stage.worker.send(Message::Change(scratch.put(id("secrets", "pass"), secret("1", "c2VzYW1l")))).await?;
    stage.set("one", "debug").await?;
    stage.arrived(&origin).await?;
    stage.report("the Secret is counted", |report| report.refused.secrets == 1).await?;
    ensure!(!origin.files()?.contains_key(PATH));
    stage.stop().await
}
