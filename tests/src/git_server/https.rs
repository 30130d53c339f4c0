//! Smart HTTP over TLS, with users, counters and faults.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;

use super::cgi::{self, Asked};
use super::origin::{NAME, Origin};
use super::rights::{Right, Rights};

/// What the server does wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// It takes a push and never answers.
    HangOnPush,
    /// It breaks off before a push has arrived.
    DieBeforePush,
    /// It takes a push and breaks off before it says so.
    DieAfterPush,
    /// It answers everything with another address.
    Redirect(String),
    /// It answers everything with an error of its own.
    Broken,
}

/// A server for one [`Origin`]. It ends with this value.
#[derive(Debug)]
pub struct Https {
    address: SocketAddr,
    ca: String,
    state: Arc<State>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct State {
    root: PathBuf,
    rights: Mutex<Rights>,
    fault: Mutex<Fault>,
    /// Told when the fault changes: what hangs goes on then.
    mended: Notify,
    fetches: AtomicUsize,
    pushes: AtomicUsize,
    asks: AtomicUsize,
    shown: Mutex<Vec<String>>,
}

impl Https {
    /// Serves `origin` on loopback, to nobody yet.
    ///
    /// # Errors
    /// When there is no port.
    pub async fn start(origin: &Origin) -> Result<Self> {
        // Fails when a provider is there already, and any is right.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (config, ca) = tls()?;
        let state = Arc::new(State {
            root: origin.root().to_owned(),
            rights: Mutex::default(),
            fault: Mutex::default(),
            mended: Notify::new(),
            fetches: AtomicUsize::new(0),
            pushes: AtomicUsize::new(0),
            asks: AtomicUsize::new(0),
            shown: Mutex::default(),
        });
        let task = tokio::spawn(serve(listener, TlsAcceptor::from(Arc::new(config)), state.clone()));
        Ok(Self { address, ca, state, task })
    }

    /// The repository's address.
    pub fn url(&self) -> String {
        format!("https://localhost:{}/{NAME}", self.address.port())
    }

    /// The authority that its certificate comes from, in PEM.
    pub fn ca(&self) -> &str {
        &self.ca
    }

    /// Lets a user in.
    pub fn admit(&self, user: &str, password: &str, right: Right) {
        self.state.rights.lock().unwrap_or_else(PoisonError::into_inner).basic(user, password, right);
    }

    /// Lets the holder of a bearer token in.
    pub fn admit_bearer(&self, token: &str, right: Right) {
        self.state.rights.lock().unwrap_or_else(PoisonError::into_inner).bearer(token, right);
    }

    /// Does this wrong from now on; what hangs goes on.
    pub fn fault(&self, fault: Fault) {
        *self.state.fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
        self.state.mended.notify_waiters();
    }

    /// How often objects were fetched.
    pub fn fetches(&self) -> usize {
        self.state.fetches.load(Ordering::SeqCst)
    }

    /// How often a push was begun.
    pub fn pushes(&self) -> usize {
        self.state.pushes.load(Ordering::SeqCst)
    }

    /// How many requests came at all.
    pub fn requests(&self) -> usize {
        self.state.asks.load(Ordering::SeqCst)
    }

    /// Every `Authorization` header that was shown.
    pub fn shown(&self) -> Vec<String> {
        self.state.shown.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Https {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A certificate for `localhost`, and who signed it.
fn tls() -> Result<(ServerConfig, String)> {
    let mut authority = CertificateParams::new(Vec::new())?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate()?)?;
    let key = KeyPair::generate()?;
    let names = ["localhost", "127.0.0.1"].map(str::to_owned);
    let certificate = CertificateParams::new(names)?.signed_by(&key, &authority)?;
    let private = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let config = ServerConfig::builder().with_no_client_auth();
    Ok((config.with_single_cert(vec![certificate.der().clone()], private)?, authority.pem()))
}

async fn serve(listener: TcpListener, acceptor: TlsAcceptor, state: Arc<State>) {
    // Connections end with this task.
    let mut open = JoinSet::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else { return };
        let (acceptor, state) = (acceptor.clone(), state.clone());
        open.spawn(async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let service = service_fn(|request| {
                let state = state.clone();
                async move { state.answer(request).await }
            });
            // A connection that breaks is what some tests are about.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// Ends the connection without an answer.
#[derive(Debug, thiserror::Error)]
#[error("the server dies")]
struct Dies;

impl State {
    async fn answer(&self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Dies> {
        self.asks.fetch_add(1, Ordering::SeqCst);
        let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (parts, body) = request.into_parts();
        let path = parts.uri.path().to_owned();
        let query = parts.uri.query().unwrap_or_default().to_owned();
        let shown = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).map(str::to_owned);
        if let Some(shown) = &shown {
            self.shown.lock().unwrap_or_else(PoisonError::into_inner).push(shown.clone());
        }
        match &fault {
            Fault::Redirect(to) => {
                let location = format!("{to}{path}?{query}");
                return Ok(plain(StatusCode::MOVED_PERMANENTLY, Some((header::LOCATION, &location))));
            }
            Fault::Broken => return Ok(plain(StatusCode::INTERNAL_SERVER_ERROR, None)),
            _ => {}
        }
        let right = shown.and_then(|shown| self.rights.lock().unwrap_or_else(PoisonError::into_inner).of(&shown));
        let is_push = path.ends_with("/git-receive-pack") || query.contains("service=git-receive-pack");
        match right {
            None => {
                return Ok(plain(StatusCode::UNAUTHORIZED, Some((header::WWW_AUTHENTICATE, "Basic realm=\"git\""))));
            }
            Some(Right::Read) if is_push => return Ok(plain(StatusCode::FORBIDDEN, None)),
            Some(_) => {}
        }
        let is_posted_push = path.ends_with("/git-receive-pack");
        if is_posted_push {
            self.pushes.fetch_add(1, Ordering::SeqCst);
        } else if path.ends_with("/git-upload-pack") {
            self.fetches.fetch_add(1, Ordering::SeqCst);
        }
        if is_posted_push && fault == Fault::DieBeforePush {
            return Err(Dies);
        }
        let body = body.collect().await.map_err(|_| Dies)?.to_bytes();
        if is_posted_push && fault == Fault::HangOnPush {
            self.mended.notified().await;
            return Err(Dies);
        }
        let asked = Asked { method: parts.method.to_string(), path, query, headers: parts.headers, body };
        let answer = cgi::answer(&self.root, asked).await.map_err(|_| Dies)?;
        if is_posted_push && fault == Fault::DieAfterPush { Err(Dies) } else { Ok(answer) }
    }
}

fn plain(status: StatusCode, header: Option<(header::HeaderName, &str)>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    if let Some((name, value)) = header
        && let Ok(value) = value.parse()
    {
        response.headers_mut().insert(name, value);
    }
    response
}
