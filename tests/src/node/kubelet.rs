//! kubelet, which makes pods of what the API server says, and kube-proxy, which makes Services of rules in the kernel.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::json;

use super::network::NETWORK;
use super::{NAME, cgroup, containerd};

/// Writes kubelet's configuration.
pub(super) fn configure(dir: &Path, authority: &Path) -> Result<PathBuf> {
    let config = json!({
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "containerRuntimeEndpoint": format!("unix://{}", containerd::socket(dir).display()),
        "authentication": {
            "anonymous": { "enabled": false },
            "webhook": { "enabled": true },
            "x509": { "clientCAFile": authority },
        },
        "authorization": { "mode": "Webhook" },
        // containerd 1.6 cannot tell the driver.
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": format!("/{}", cgroup::NAME),
        "enforceNodeAllocatable": [],
        "failCgroupV1": false,
        "failSwapOn": false,
        // The machine's disk may be nearly full, and that is not what is tested.
        "evictionHard": {},
        "imageGCHighThresholdPercent": 100,
        "imageGCLowThresholdPercent": 99,
        "localStorageCapacityIsolation": false,
        // There is no DNS in here.
        "resolvConf": "",
        // How soon a changed Secret or ConfigMap is in a pod's volume; a minute without this.
        "syncFrequency": "5s",
        "podLogsDir": dir.join("pods"),
        "volumePluginDir": dir.join("volume-plugins"),
    });
    let path = dir.join("kubelet.yaml");
    fs::write(&path, config.to_string())?;
    Ok(path)
}

pub(super) fn flags(dir: &Path, config: &Path) -> Vec<String> {
    vec![
        format!("--config={}", config.display()),
        format!("--hostname-override={NAME}"),
        format!("--node-ip={}", NETWORK.node),
        format!("--root-dir={}", dir.join("kubelet").display()),
        format!("--cert-dir={}", dir.join("kubelet/pki").display()),
    ]
}

pub(super) fn proxy_flags() -> Vec<String> {
    vec![
        "--proxy-mode=iptables".to_owned(),
        format!("--hostname-override={NAME}"),
        // These settings belong to the machine and cannot be changed from in here.
        "--conntrack-max-per-core=0".to_owned(),
        "--conntrack-tcp-timeout-established=0s".to_owned(),
        "--conntrack-tcp-timeout-close-wait=0s".to_owned(),
    ]
}
