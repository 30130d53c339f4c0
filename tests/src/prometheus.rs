//! A real Prometheus that scrapes what a test tells it to.

use std::fmt::Write as _;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::assets::{PROMETHEUS, find_debian};
use crate::control_plane::Port;
use crate::http::http_get;
use crate::process::{Launch, Process, ScratchDir};

/// A running Prometheus. Killed on drop.
#[derive(Debug)]
pub struct Prometheus {
    process: Process,
    port: Port,
    /// Last, so that it is removed after its user has ended.
    _dir: ScratchDir,
}

impl Prometheus {
    /// Starts it; it scrapes every target (a job's name and where its `/metrics` is) once a second.
    ///
    /// # Errors
    /// When there is no Prometheus on this machine, or it does not get ready, with the end of its log.
    pub async fn start(targets: &[(&str, SocketAddr)]) -> Result<Self> {
        let programs = programs().await?;
        let dir = ScratchDir::new("nsclass-prometheus-")?;
        let port = Port::reserve()?;
        let mut config = String::from("global: { scrape_interval: 1s, scrape_timeout: 1s }\nscrape_configs:\n");
        for (job, address) in targets {
            writeln!(config, "- job_name: {job}\n  static_configs: [{{ targets: [\"{address}\"] }}]")?;
        }
        let file = dir.path().join("prometheus.yml");
        fs::write(&file, config)?;
        let flags = [
            format!("--config.file={}", file.display()),
            format!("--storage.tsdb.path={}", dir.path().join("data").display()),
            format!("--web.listen-address=127.0.0.1:{}", port.number),
        ];
        let process = Process::start(Launch {
            name: "prometheus".into(),
            program: programs.join("prometheus"),
            args: flags.into_iter().map(Into::into).collect(),
            envs: Vec::new(),
            dir: Some(dir.path().to_owned()),
            stdout: dir.path().join("stdout"),
            stderr: dir.path().join("stderr"),
        })?;
        let prometheus = Self { process, port, _dir: dir };
        let ready = async || {
            let (status, body) = prometheus.get("/-/ready").await?;
            ensure!(status == 200, "{status}: {body}");
            Ok(())
        };
        prometheus.process.eventually("Prometheus is ready", ready).await?;
        Ok(prometheus)
    }

    /// What its query API answers to an instant query: each series' labels and value.
    ///
    /// # Errors
    /// When it does not answer, or refuses the query.
    pub async fn query(&self, query: &str) -> Result<Vec<(Value, f64)>> {
        let (status, body) = self.get(&format!("/api/v1/query?query={}", encoded(query))).await?;
        ensure!(status == 200, "{query}: {body}");
        let answer: Value = serde_json::from_str(&body)?;
        let series = answer["data"]["result"].as_array().context("no result")?;
        let read = |one: &Value| Some((one["metric"].clone(), one["value"][1].as_str()?.parse().ok()?));
        series.iter().map(|one| read(one).with_context(|| format!("{one} is no series"))).collect()
    }

    async fn get(&self, path: &str) -> Result<(u16, String)> {
        http_get(SocketAddr::from(([127, 0, 0, 1], self.port.number)), path).await
    }
}

/// What `promtool check metrics` has to say against an exposition; nothing where it is content.
///
/// # Errors
/// When there is no promtool, or it objects.
pub async fn check_metrics(exposition: &str) -> Result<()> {
    let promtool = programs().await?.join("promtool");
    let text = exposition.to_owned();
    let output = tokio::task::spawn_blocking(move || {
        let mut command = Command::new(promtool);
        command.args(["check", "metrics"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        std::io::Write::write_all(&mut child.stdin.take().context("no stdin")?, text.as_bytes())?;
        Ok::<_, anyhow::Error>(child.wait_with_output()?)
    })
    .await??;
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    ensure!(output.status.success() && said.trim().is_empty(), "promtool check metrics: {said}");
    Ok(())
}

/// Runs promtool in a directory; returns whether it is content, and all that it said.
///
/// # Errors
/// When there is no promtool, or it cannot be run.
pub async fn promtool(dir: &Path, arguments: &[&str]) -> Result<(bool, String)> {
    let mut command = Command::new(programs().await?.join("promtool"));
    command.args(arguments).current_dir(dir);
    let output = tokio::task::spawn_blocking(move || command.output()).await??;
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    Ok((output.status.success(), said))
}

async fn programs() -> Result<PathBuf> {
    tokio::task::spawn_blocking(|| find_debian(&PROMETHEUS)).await?
}

/// Percent-encoded for a query string.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            out.push(char::from(byte));
        } else {
            // invariant: writing to a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
