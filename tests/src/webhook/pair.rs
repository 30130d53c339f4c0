//! The directory with the pair that a webhook serves.

use std::fs;
use std::net::Ipv4Addr;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use rcgen::{CertificateParams, ExtendedKeyUsagePurpose, KeyPair, SanType};
use tokio::task::JoinHandle;

use crate::process::ScratchDir;

/// Between two looks at a `Secret` that is mounted; a kubelet takes a minute.
const MOUNT_PAUSE: Duration = Duration::from_millis(250);

/// A directory with `tls.crt` and `tls.key`, for loopback.
#[derive(Debug)]
pub struct ServingFiles {
    dir: ScratchDir,
    ca: String,
}

impl ServingFiles {
    /// A fresh pair.
    ///
    /// # Errors
    /// When the files cannot be written.
    pub fn new() -> Result<Self> {
        let mut files = Self::empty()?;
        files.renew()?;
        Ok(files)
    }

    /// A directory without a pair: a mount that is yet to come.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn empty() -> Result<Self> {
        Ok(Self { dir: ScratchDir::new("nsclass-pair-")?, ca: String::new() })
    }

    /// Writes another pair.
    ///
    /// # Errors
    /// When the files cannot be written.
    pub fn renew(&mut self) -> Result<()> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(["nsclass-webhook.nsclass-system.svc".to_owned()])?;
        params.subject_alt_names.push(SanType::IpAddress(Ipv4Addr::LOCALHOST.into()));
        params.extended_key_usages.push(ExtendedKeyUsagePurpose::ServerAuth);
        self.ca = params.self_signed(&key)?.pem();
        write(self.dir(), self.ca.as_bytes(), key.serialize_pem().as_bytes())
    }

    /// Keeps the directory as a mounted `Secret` is kept, for as long as what is returned lives: what is in the `Secret` is in the files
    /// a moment later.
    pub fn mount(&self, secrets: Api<Secret>, name: String) -> Mount {
        let dir = self.dir().to_owned();
        Mount(tokio::spawn(async move {
            let mut written = None;
            loop {
                // A server that does not answer is asked again, as a kubelet would.
                if let Ok(Some(Secret { data: Some(data), .. })) = secrets.get_opt(&name).await
                    && let (Some(certificate), Some(key)) = (data.get("tls.crt"), data.get("tls.key"))
                    && written.as_ref() != Some(&data)
                    && write(&dir, &certificate.0, &key.0).is_ok()
                {
                    written = Some(data);
                }
                tokio::time::sleep(MOUNT_PAUSE).await;
            }
        }))
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// What the pair is trusted by, as PEM.
    pub fn ca(&self) -> &str {
        &self.ca
    }
}

/// A directory that is kept in step with a `Secret`. It ends with this value.
#[derive(Debug)]
pub struct Mount(JoinHandle<()>);

impl Drop for Mount {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn write(dir: &Path, certificate: &[u8], key: &[u8]) -> Result<()> {
    fs::write(dir.join("tls.crt"), certificate)?;
    Ok(fs::write(dir.join("tls.key"), key)?)
}
