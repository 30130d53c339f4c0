//! The directory with the pair that a webhook serves.

use std::fs;
use std::net::Ipv4Addr;
use std::path::Path;

use anyhow::Result;
use rcgen::{CertificateParams, ExtendedKeyUsagePurpose, KeyPair, SanType};

use crate::process::ScratchDir;

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
        fs::write(self.dir.path().join("tls.crt"), &self.ca)?;
        Ok(fs::write(self.dir.path().join("tls.key"), key.serialize_pem())?)
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
