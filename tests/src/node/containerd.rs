//! containerd, which runs the pods' containers, and how pods get their addresses.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::json;

use super::image::PAUSE;
use super::network::PODS_HERE;
use super::{command, programs, until_it_succeeds};
use crate::process::{Launch, Process};

/// Where containerd listens.
pub(super) fn socket(dir: &Path) -> PathBuf {
    dir.join("containerd.sock")
}

pub(super) async fn start(dir: &Path) -> Result<Process> {
    let config = dir.join("containerd.toml");
    fs::write(&config, configuration(dir)?)?;
    let plugins = dir.join("cni");
    fs::create_dir_all(&plugins)?;
    fs::write(plugins.join("10-pods.conflist"), pod_network(dir).to_string())?;
    let log = dir.join("containerd.log");
    let containerd = Process::start(Launch {
        name: "containerd".to_owned(),
        program: programs::path("containerd")?,
        args: vec!["--config".into(), config.into()],
        envs: Vec::new(),
        dir: Some(dir.to_owned()),
        stdout: log.clone(),
        stderr: log,
    })?;
    let socket = socket(dir);
    let socket = socket.to_str().context("the path of containerd's socket is not UTF-8")?;
    until_it_succeeds(&containerd, programs::path("ctr")?, &["--address", socket, "version"]).await?;
    Ok(containerd)
}

/// Puts an image into the store that kubelet looks into.
pub(super) async fn import(dir: &Path, archive: &Path) -> Result<()> {
    let (socket, archive) = (socket(dir), archive.display().to_string());
    let socket = socket.display().to_string();
    let args = ["--address", &socket, "--namespace", "k8s.io", "images", "import", &archive];
    command(programs::path("ctr")?, &args).await.map(drop)
}

fn configuration(dir: &Path) -> Result<String> {
    let (dir, plugins) = (dir.display(), programs::cni_plugins()?);
    Ok(format!(
        r#"version = 2
root = "{dir}/containerd/root"
state = "{dir}/containerd/state"
[grpc]
  address = "{dir}/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{PAUSE}"
  # Root in here may lack CAP_SYS_RESOURCE.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{}"
    conf_dir = "{dir}/cni"
"#,
        plugins.display()
    ))
}

fn pod_network(dir: &Path) -> serde_json::Value {
    json!({
        "cniVersion": "0.4.0",
        "name": "pods",
        "plugins": [{
            "type": "bridge",
            "bridge": "cni0",
            "isGateway": true,
            "ipMasq": false,
            "hairpinMode": true,
            "ipam": {
                "type": "host-local",
                "dataDir": dir.join("addresses"),
                "ranges": [[{ "subnet": PODS_HERE }]],
                "routes": [{ "dst": "0.0.0.0/0" }],
            },
        }],
    })
}
