//! Load as the API server makes it: a few connections, one request after the other on each.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore, crypto::ring};

use crate::away::Away;
use crate::client::Client;

/// A look at all connections takes a tenth of this at most, where the client's core is there.
const LOOK: Duration = Duration::from_micros(250);
/// Where reviews of classes are sent.
pub(crate) const PATH: &str = "/admit/namespaceclasses";
const CONNECTIONS: usize = 16;
/// Of the dice that say when requests come: the same for every server.
const SEED: u64 = 7;

/// The same request again and again. Nothing in the server remembers a review, so the same one is as much work as another.
pub(crate) struct Load {
    config: Arc<ClientConfig>,
    request: Vec<u8>,
    body: usize,
}

/// A request that was answered.
#[derive(Clone, Copy)]
pub(crate) struct Sample {
    /// When it should have been sent, and was unless all connections were busy.
    pub(crate) due: Instant,
    /// When its answer was there.
    pub(crate) done: Instant,
}

/// What became of requests at a steady rate.
pub(crate) struct Paced {
    pub(crate) samples: Vec<Sample>,
    /// When the client itself could neither send nor listen.
    pub(crate) away: Vec<Away>,
}

/// When requests come.
#[derive(Clone, Copy)]
pub(crate) enum Arrivals {
    /// At equal distances.
    Even,
    /// Each by itself, whatever the others do (a Poisson process), so that some come while others are under way.
    Random,
}

impl fmt::Display for Arrivals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Even => "evenly spaced",
            Self::Random => "at random",
        })
    }
}

impl Load {
    /// A review that is sent to a path, to a server that is known by the authority `ca`.
    pub(crate) fn new(ca: &str, path: &str, body: &str) -> Result<Self> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(ca.as_bytes())?)?;
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let head = format!(
            "POST {path}?timeout=3s HTTP/1.1\r\nHost: webhook\r\nUser-Agent: kube-apiserver-admission\r\n\
            Content-Length: {}\r\nAccept: application/json, */*\r\nContent-Type: application/json\r\nAccept-Encoding: gzip\r\n\r\n",
            body.len()
        );
        Ok(Self { config: Arc::new(config), request: (head + body).into_bytes(), body: body.len() })
    }

    /// Bytes of the body.
    pub(crate) fn len(&self) -> usize {
        self.body
    }

    /// As many requests as the server takes, all connections always busy; their number.
    pub(crate) fn full(&self, clients: &mut [Client], span: Duration) -> Result<usize> {
        let (end, mut requests) = (Instant::now() + span, 0);
        loop {
            let now = Instant::now();
            let mut busy = false;
            for client in &mut *clients {
                if client.is_busy() {
                    requests += usize::from(client.poll()?.is_some());
                }
                if !client.is_busy() && now < end {
                    client.send(&self.request, now)?;
                }
                busy |= client.is_busy();
            }
            if !busy {
                return Ok(requests);
            }
        }
    }

    /// So many requests a second, sent when they are due whether or not others are answered. Each counts from when it was due, waiting for
    /// a connection included.
    pub(crate) fn paced(&self, clients: &mut [Client], rate: f64, arrivals: Arrivals, span: Duration) -> Result<Paced> {
        let mut dice = fastrand::Rng::with_seed(SEED);
        let mut gap = || match arrivals {
            Arrivals::Even => Duration::from_secs_f64(1.0 / rate),
            Arrivals::Random => Duration::from_secs_f64(-(1.0 - dice.f64()).ln() / rate),
        };
        let mut due = Instant::now() + gap();
        let (end, mut samples, mut away) = (due + span, Vec::new(), Vec::new());
        let mut last = Instant::now();
        // The one that was used last first, as Go's transport does.
        let (mut idle, mut busy): (Vec<usize>, Vec<usize>) = ((0..clients.len()).collect(), Vec::new());
        while due < end || !busy.is_empty() {
            let now = Instant::now();
            if now.duration_since(last) > LOOK {
                away.push(Away { from: last, to: now });
            }
            last = now;
            // What is due goes out before anything else is looked at.
            if due < end
                && now >= due
                && let Some(index) = idle.pop()
            {
                clients[index].send(&self.request, due)?;
                busy.push(index);
                due += gap();
                continue;
            }
            let mut position = 0;
            while let Some(index) = busy.get(position) {
                if let Some(due) = clients[*index].poll()? {
                    samples.push(Sample { due, done: Instant::now() });
                    idle.push(busy.swap_remove(position));
                } else {
                    position += 1;
                }
            }
        }
        Ok(Paced { samples, away })
    }

    /// Connections through their handshakes.
    pub(crate) fn connect(&self, address: SocketAddr) -> Result<Vec<Client>> {
        (0..CONNECTIONS).map(|_| Client::connect(address, &self.config)).collect()
    }
}
