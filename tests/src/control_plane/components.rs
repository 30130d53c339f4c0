//! The three programs, their flags, and when each of them is ready.

use std::ffi::OsString;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::json;
use tokio::net::TcpStream;

use super::node::NodeNetwork;
use super::options::Options;
use super::pki::Pki;
use super::ports::Port;
use super::{api_server, kubeconfig};
use crate::process::{Launch, Process};

/// What is needed to start, and to start again.
#[derive(Debug)]
pub(super) struct Components {
    programs: PathBuf,
    pub(super) dir: PathBuf,
    pub(super) pki: Pki,
    pub(super) options: Options,
    etcd_port: Port,
    pub(super) api_server_port: Port,
    url: String,
}

impl Components {
    pub(super) fn prepare(programs: PathBuf, dir: &Path, options: Options) -> Result<Self> {
        let pki = Pki::issue(dir)?;
        let (etcd_port, api_server_port) = (Port::reserve()?, Port::reserve()?);
        let url = format!("https://127.0.0.1:{}", api_server_port.number);
        fs::write(api_server::audit_policy(dir), api_server::AUDIT_POLICY)?;
        // An audit log that is there from the start needs no special case in its readers.
        fs::write(api_server::audit_log(dir), "")?;
        let controller_manager = json!({
            "client-certificate": pki.controller_manager.certificate,
            "client-key": pki.controller_manager.key,
        });
        kubeconfig::write(&dir.join("controller-manager.yaml"), &url, &pki.ca, &controller_manager)?;
        Ok(Self { programs, dir: dir.to_owned(), pki, options, etcd_port, api_server_port, url })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn etcd_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.etcd_port.number)
    }

    pub(super) async fn start_etcd(&self) -> Result<Process> {
        let etcd = self.launch(
            "etcd",
            vec![
                format!("--data-dir={}", self.dir.join("etcd").display()),
                format!("--listen-client-urls={}", self.etcd_url()),
                format!("--advertise-client-urls={}", self.etcd_url()),
                // One member: nobody connects to it, so any port that the kernel has left will do.
                "--listen-peer-urls=http://127.0.0.1:0".to_owned(),
                // A crash of the machine loses test data, and nothing else.
                "--unsafe-no-fsync".to_owned(),
                "--log-level=warn".to_owned(),
            ],
        )?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.etcd_port.number));
        etcd.eventually("etcd accepts connections", async || Ok(TcpStream::connect(address).await?)).await?;
        Ok(etcd)
    }

    pub(super) fn start_controller_manager(&self) -> Result<Process> {
        let mut flags = vec![
            format!("--kubeconfig={}", self.dir.join("controller-manager.yaml").display()),
            // Its parts act as ServiceAccounts with the bootstrap roles, as in a real cluster.
            "--use-service-account-credentials".to_owned(),
            format!("--service-account-private-key-file={}", self.pki.service_account_key.display()),
            format!("--root-ca-file={}", self.pki.ca.display()),
            "--leader-elect=false".to_owned(),
            // It serves nothing that a test needs.
            "--secure-port=0".to_owned(),
            // The defaults (20 requests a second) are made for a shared server; thousands of namespaces would wait on them.
            "--kube-api-qps=1000".to_owned(),
            "--kube-api-burst=2000".to_owned(),
        ];
        flags.extend(self.options.node.iter().flat_map(NodeNetwork::controller_manager_flags));
        flags.extend(self.options.controller_manager_flags.iter().cloned());
        self.launch("kube-controller-manager", flags)
    }

    /// Starts one of the programs with its log in this control plane's directory.
    pub(super) fn launch(&self, program: &str, flags: Vec<String>) -> Result<Process> {
        let log = self.dir.join(format!("{program}.log"));
        Process::start(Launch {
            name: program.to_owned(),
            program: self.programs.join(program),
            args: flags.into_iter().map(OsString::from).collect(),
            envs: Vec::new(),
            dir: Some(self.dir.clone()),
            stdout: log.clone(),
            stderr: log,
        })
    }
}
