//! The pair that a TLS port serves, read from a directory and swapped while connections come in (admission.md A20, A21).
//!
//! The directory is looked at every second. A watch would be faster by less than that, and deaf after the first swap of a mounted
//! `Secret`, where `..data` is a link to a directory that is replaced as a whole. What cannot be served leaves the last good pair in
//! place: a connection never sees half a change.

mod metrics;

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use arc_swap::ArcSwapOption;
use jiff::Timestamp;
use nsclass_certs::pair::{CHAIN_FILE, KEY_FILE, Pair, PairError};
use rustls::{
    ServerConfig,
    crypto::ring,
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

pub use metrics::PairMetrics;

/// How often the directory is looked at.
const EVERY: Duration = Duration::from_secs(1);
/// In a mounted `Secret` or `ConfigMap`: a link to the directory with the files of one version.
const MOUNTED_VERSION: &str = "..data";

/// Why the directory's pair is not served.
#[derive(Error, Debug)]
pub enum LookError {
    /// A file cannot be read.
    #[error("{} cannot be read: {why}; mount the serving pair there", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        why: io::Error,
    },
    /// The pair is bad.
    #[error("{}: {why}", .dir.display())]
    Pair {
        /// The directory.
        dir: PathBuf,
        /// What is wrong.
        why: PairError,
    },
}

/// What one look at the directory changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Look {
    /// Nothing.
    Same,
    /// Another pair is served now.
    Taken,
    /// The directory's pair is bad, in a way that was not known yet; the old one stays.
    Refused(String),
}

/// What is counted, as plain values; whoever has a registry shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairStatus {
    /// When the pair that is served runs out; none before there was one.
    pub not_after: Option<Timestamp>,
    /// Pairs taken.
    pub taken: u64,
    /// Bad pairs refused.
    pub refused: u64,
    /// Why what is in the directory is not what is served; none where it is.
    pub why_refused: Option<String>,
}

/// The pair in force. One for the process; [`Self::server_config`] gives the one configuration that looks here at each handshake.
#[derive(Debug, Default)]
pub struct ServingPair {
    pair: ArcSwapOption<Pair>,
    why_refused: ArcSwapOption<String>,
    taken: AtomicU64,
    refused: AtomicU64,
    /// Of the pair that is served, to know a change. Only looks lock it.
    files: Mutex<Files>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Files {
    chain: Vec<u8>,
    key: Vec<u8>,
}

impl ServingPair {
    /// TLS 1.2 and 1.3 with whatever pair is in force at the handshake; without one, the handshake fails.
    ///
    /// # Errors
    /// Never with the provider that is built in; rustls cannot know that.
    pub fn server_config(self: &Arc<Self>) -> Result<ServerConfig, rustls::Error> {
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let versions = builder.with_safe_default_protocol_versions()?;
        Ok(versions.with_no_client_auth().with_cert_resolver(Arc::clone(self) as Arc<dyn ResolvesServerCert>))
    }

    /// The pair in force.
    pub fn current(&self) -> Option<Arc<Pair>> {
        self.pair.load_full()
    }

    /// What is counted.
    pub fn status(&self) -> PairStatus {
        PairStatus {
            not_after: self.pair.load().as_ref().map(|pair| pair.not_after),
            taken: self.taken.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
            why_refused: self.why_refused.load().as_deref().cloned(),
        }
    }

    /// Whether handshakes can succeed at `now`.
    ///
    /// # Errors
    /// Why they cannot, for `/readyz`.
    pub fn is_valid(&self, now: Timestamp) -> Result<(), String> {
        let why = || self.why_refused.load().as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        match self.pair.load().as_ref() {
            None => Err(format!("no serving pair yet{}", why())),
            Some(pair) if now > pair.not_after => {
                Err(format!("the serving pair expired at {}{}", pair.not_after, why()))
            }
            Some(_) => Ok(()),
        }
    }

    /// Looks at the directory once. State first, then the answer.
    pub fn look(&self, dir: &Path, now: Timestamp) -> Look {
        let mut served = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        match self.read(dir, &served, now) {
            Ok(None) => {
                self.why_refused.store(None);
                Look::Same
            }
            Ok(Some((pair, files))) => {
                self.pair.store(Some(Arc::new(pair)));
                *served = files;
                self.why_refused.store(None);
                self.taken.fetch_add(1, Ordering::Relaxed);
                Look::Taken
            }
            Err(why) => {
                let why = why.to_string();
                if self.why_refused.load().as_deref() == Some(&why) {
                    return Look::Same;
                }
                self.why_refused.store(Some(Arc::new(why.clone())));
                self.refused.fetch_add(1, Ordering::Relaxed);
                Look::Refused(why)
            }
        }
    }

    fn read(&self, dir: &Path, served: &Files, now: Timestamp) -> Result<Option<(Pair, Files)>, LookError> {
        let files = Files::read(dir)?;
        if files == *served && self.pair.load().is_some() {
            return Ok(None);
        }
        let pair = Pair::parse(&files.chain, &files.key, now);
        pair.map(|pair| Some((pair, files))).map_err(|why| LookError::Pair { dir: dir.to_owned(), why })
    }

    /// Looks at the directory at once and then every second, until shutdown. A supervised task.
    ///
    /// # Errors
    /// None; the signature is that of a supervised task.
    pub async fn follow(self: Arc<Self>, dir: PathBuf, shutdown: CancellationToken) -> anyhow::Result<()> {
        loop {
            match self.look(&dir, Timestamp::now()) {
                Look::Same => {}
                Look::Taken => {
                    let not_after = self.status().not_after.map(tracing::field::display);
                    tracing::info!(dir = %dir.display(), not_after, "a serving pair is in force");
                }
                Look::Refused(why) => tracing::error!(why, "the serving pair is refused; the last good one stays"),
            }
            tokio::select! {
                () = shutdown.cancelled() => return Ok(()),
                () = tokio::time::sleep(EVERY) => {}
            }
        }
    }
}

impl ResolvesServerCert for ServingPair {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.pair.load().as_ref().map(|pair| Arc::clone(&pair.key))
    }
}

impl Files {
    /// Both files of one version where the directory is a mounted one, and else as they stand.
    fn read(dir: &Path) -> Result<Self, LookError> {
        let base = fs::read_link(dir.join(MOUNTED_VERSION)).map_or_else(|_| dir.to_owned(), |link| dir.join(link));
        let read = |name| {
            let path = base.join(name);
            fs::read(&path).map_err(|why| LookError::Read { path: dir.join(name), why })
        };
        Ok(Self { chain: read(CHAIN_FILE)?, key: read(KEY_FILE)? })
    }
}

#[cfg(test)]
mod tests;
