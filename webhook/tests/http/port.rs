//! An admission port of the test's own.

use std::{
    collections::HashMap,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use futures::{FutureExt, future::BoxFuture};
use nsclass_shared::scope::Verdict;
use nsclass_webhook::{
    answer::Answer,
    failure::Failure,
    gate::{Gate, ScopeView},
    http::App,
    metrics::Metrics,
    review::Request,
    server,
    tls::Tls,
    validator::Validator,
};
use rcgen::{CertificateParams, Issuer, KeyPair, SanType};
use rustls::{
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer},
    sign::{CertifiedKey, SingleCertAndKey},
};
use serde_json::Value;
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// A path that has nothing to do with any kind of ours.
pub(crate) const MAPS: &str = "/admit/configmaps";

/// The port, served by tasks of this runtime.
pub(crate) struct Port {
    pub(crate) address: SocketAddr,
    pub(crate) metrics: Metrics,
    /// Trusts the port.
    pub(crate) root: CertificateDer<'static>,
    pub(crate) tls: Tls,
    /// How often the validator was asked.
    pub(crate) asked: Arc<AtomicUsize>,
    /// How often a namespace was read.
    pub(crate) settled: Arc<AtomicUsize>,
    pub(crate) stopping: CancellationToken,
    pub(crate) closing: CancellationToken,
    pub(crate) served: JoinHandle<anyhow::Result<()>>,
}

impl Port {
    pub(crate) async fn open() -> Self {
        Self::with(16, None).await
    }

    pub(crate) async fn with(max_in_flight: usize, client_ca: Option<&Path>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let (address, metrics) = (listener.local_addr().unwrap(), Metrics::new().unwrap());
        let (asked, settled) = (Arc::default(), Arc::default());
        let (stopping, closing) = (CancellationToken::new(), CancellationToken::new());
        let gate = Gate::new(Arc::new(Names { settled: Arc::clone(&settled) }), metrics.clone())
            .register(MAPS, Maps { asked: Arc::clone(&asked) });
        let app = Arc::new(App::new(gate, metrics.clone(), max_in_flight, stopping.clone()));
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.subject_alt_names.push(SanType::IpAddress(Ipv4Addr::LOCALHOST.into()));
        let root = params.self_signed(&key).unwrap().der().clone();
        let private = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let pair = CertifiedKey::from_der(vec![root.clone()], private, &ring::default_provider()).unwrap();
        let tls = Tls::new(Arc::new(SingleCertAndKey::from(pair)), client_ca).unwrap();
        let served = tokio::spawn(server::serve(listener, tls.clone(), app, closing.clone()));
        Self { address, metrics, root, tls, asked, settled, stopping, closing, served }
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Relaxed)
    }

    pub(crate) fn failures(&self, category: &str) -> u64 {
        self.metrics.failures.with_label_values(&[category]).get()
    }

    pub(crate) fn gate(&self, outcome: &str) -> u64 {
        self.metrics.gate.with_label_values(&[outcome]).get()
    }

    pub(crate) fn connections(&self, event: &str) -> u64 {
        self.metrics.connections.with_label_values(&[event]).get()
    }
}

/// Judges config maps by their name.
struct Maps {
    asked: Arc<AtomicUsize>,
}

impl Validator for Maps {
    fn kind(&self) -> (&'static str, &'static str) {
        ("", "ConfigMap")
    }

    fn judge<'a>(&'a self, request: &'a Request<'a>) -> BoxFuture<'a, Result<Answer, Failure>> {
        self.asked.fetch_add(1, Relaxed);
        async move {
            match &*request.name {
                "panics" => panic!("on purpose"),
                "sleeps" => tokio::time::sleep(Duration::from_secs(60)).await,
                "denied" => return Ok(Answer::forbidden("no such config map".to_owned())),
                "no-api" => return Err(Failure::ApiServer("away".to_owned())),
                _ => {}
            }
            let object: HashMap<String, Value> = request
                .object
                .map(|object| serde_json::from_str(object.get()))
                .transpose()
                .map_err(|error| Failure::Malformed(error.to_string()))?
                .unwrap_or_default();
            Ok(Answer::Allowed { warnings: vec![format!("{} fields", object.len())] })
        }
        .boxed()
    }
}

/// A scope by the namespace's name.
struct Names {
    settled: Arc<AtomicUsize>,
}

impl ScopeView for Names {
    fn verdict(&self, namespace: &str) -> Verdict {
        match namespace {
            "ours" => Verdict::InScope,
            "theirs" => Verdict::OutOfScope,
            _ => Verdict::Unknown,
        }
    }

    fn settle<'a>(&'a self, namespace: &'a str) -> BoxFuture<'a, Result<Verdict, Failure>> {
        self.settled.fetch_add(1, Relaxed);
        let settled = match namespace {
            "new-ours" => Ok(Verdict::InScope),
            "new-theirs" => Ok(Verdict::OutOfScope),
            _ => Err(Failure::Unsettled { namespace: namespace.to_owned(), why: "away".to_owned() }),
        };
        std::future::ready(settled).boxed()
    }
}

/// A certificate authority for clients.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pub(crate) pem: String,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    pub(crate) fn client(&self) -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(["kube-apiserver".to_owned()]).unwrap();
        params.extended_key_usages.push(rcgen::ExtendedKeyUsagePurpose::ClientAuth);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        (certificate.der().clone(), PrivateKeyDer::try_from(key.serialize_der()).unwrap())
    }
}
