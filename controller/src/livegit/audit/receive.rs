//! The port that the API server's audit webhook posts to: TLS, a token, bounded bodies.
//!
//! Who can post here names the authors of commits, so every request shows a token that only the API server's kubeconfig holds.

use std::{convert::Infallible, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Empty, LengthLimitError, Limited};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use nsclass_shared::livegit::author::AuditEvents;
use rustls::ServerConfig;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinSet,
    time::timeout,
};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::Audit;
use crate::livegit::metrics::GitMetrics;

/// Largest batch, in bytes: what `--audit-webhook-truncate-max-batch-size` has by default, and some.
const MOST_BODY: usize = 16 << 20;
/// Batches that are read at the same time; each may take [`MOST_BODY`].
const AT_ONCE: usize = 2;
/// Open connections; an API server keeps a few.
const MOST_CONNECTIONS: usize = 64;
/// For a handshake, and for the body of a request.
const PATIENCE: Duration = Duration::from_secs(30);

/// What answers.
pub struct Receiver {
    audit: Arc<Audit>,
    token: String,
    metrics: GitMetrics,
    /// Batches that may be read.
    room: Semaphore,
}

impl Receiver {
    /// A receiver for requests that show this token in an `Authorization: Bearer` header.
    pub fn new(audit: Arc<Audit>, token: String, metrics: GitMetrics) -> Self {
        Self { audit, token, metrics, room: Semaphore::new(AT_ONCE) }
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Empty<Bytes>> {
        let (status, result) = self.take(request).await;
        self.metrics.audited(result);
        let mut response = Response::new(Empty::new());
        *response.status_mut() = status;
        response
    }

    async fn take(&self, request: Request<Incoming>) -> (StatusCode, &'static str) {
        if request.method() != Method::POST {
            return (StatusCode::METHOD_NOT_ALLOWED, "refused");
        }
        let shown = request.headers().get(header::AUTHORIZATION).map(http::HeaderValue::as_bytes);
        let shown = shown.and_then(|value| value.strip_prefix(b"Bearer "));
        if !shown.is_some_and(|shown| is_equal(shown, self.token.as_bytes())) {
            return (StatusCode::UNAUTHORIZED, "unauthorized");
        }
        // Never closed; the API server sends again what is refused here.
        let Ok(_room) = self.room.acquire().await else { return (StatusCode::SERVICE_UNAVAILABLE, "refused") };
        let body = match timeout(PATIENCE, Limited::new(request.into_body(), MOST_BODY).collect()).await {
            Err(_) => return (StatusCode::REQUEST_TIMEOUT, "broken"),
            Ok(Err(error)) if error.is::<LengthLimitError>() => return (StatusCode::PAYLOAD_TOO_LARGE, "too_large"),
            Ok(Err(_)) => return (StatusCode::BAD_REQUEST, "broken"),
            Ok(Ok(body)) => body.to_bytes(),
        };
        match serde_json::from_slice::<AuditEvents>(&body) {
            Ok(events) => {
                self.audit.take(&events);
                (StatusCode::OK, "taken")
            }
            Err(error) => {
                tracing::warn!(%error, "an audit batch cannot be read");
                (StatusCode::BAD_REQUEST, "unreadable")
            }
        }
    }
}

/// Compares in a time that does not tell where the two differ.
fn is_equal(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// Serves until shutdown. A supervised task.
///
/// # Errors
/// A connection's task panicked.
pub async fn serve(
    listener: TcpListener,
    tls: ServerConfig,
    receiver: Arc<Receiver>,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let acceptor = TlsAcceptor::from(Arc::new(tls));
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            () = shutdown.cancelled() => break,
            Some(ended) = open.join_next() => ended?,
            accepted = listener.accept(), if open.len() < MOST_CONNECTIONS => match accepted {
                Ok((stream, peer)) => {
                    open.spawn(connection(stream, peer, acceptor.clone(), receiver.clone(), shutdown.clone()));
                }
                Err(error) => {
                    tracing::warn!(%error, "an audit connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
        }
    }
    while let Some(ended) = open.join_next().await {
        ended?;
    }
    Ok(())
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    acceptor: TlsAcceptor,
    receiver: Arc<Receiver>,
    shutdown: CancellationToken,
) {
    let stream = match timeout(PATIENCE, acceptor.accept(stream)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => {
            tracing::debug!(%peer, %error, "a TLS handshake failed on the audit port");
            return;
        }
        Err(_) => return,
    };
    let service = service_fn(|request| {
        let receiver = receiver.clone();
        async move { Ok::<_, Infallible>(receiver.answer(request).await) }
    });
    let mut http = pin!(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = http.as_mut() => ended,
        () = shutdown.cancelled() => {
            http.as_mut().graceful_shutdown();
            http.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "an audit connection broke");
    }
}
