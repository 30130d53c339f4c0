//! One connection: handshake, requests one after the other, end.

use std::{convert::Infallible, future::poll_fn, pin::pin, sync::Arc, task::Poll, time::Duration};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{
    net::TcpStream,
    time::{Instant, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    pulse::{Phase, Pulse},
    socket::Socket,
};
use crate::{http::App, tls::Tls};

/// From the first byte of a connection to the end of its handshake.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// Most that hyper buffers of a connection, in bytes; a longer header is refused.
const BUFFER: usize = 64 * 1024;

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// As it should.
    Done,
    /// No handshake: not TLS, or a client that does not trust us, or one that we do not trust.
    HandshakeFailed,
    /// No handshake in time.
    HandshakeSlow,
    /// Nothing was said for too long.
    Idle,
    /// Too slow in the middle of a request.
    Cut,
    /// The client broke it off, or what it sent is no HTTP.
    Broken,
}

impl End {
    /// A word for a metric.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::HandshakeFailed => "handshake_failed",
            Self::HandshakeSlow => "handshake_slow",
            Self::Idle => "idle",
            Self::Cut => "cut",
            Self::Broken => "broken",
        }
    }
}

/// Serves a connection to its end. When `closing` comes, it ends at the first quiet moment.
pub(super) async fn serve(stream: TcpStream, tls: Tls, app: Arc<App>, closing: CancellationToken) -> End {
    // An answer is one small write; nothing is gained by waiting for more.
    let _ = stream.set_nodelay(true);
    let peer = stream.peer_addr();
    let pulse = Arc::new(Pulse::new());
    let socket = Socket::new(stream, pulse.clone());
    let stream = match timeout(HANDSHAKE, tls.acceptor().accept(socket)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(_)) if peer.is_ok_and(|peer| tls.is_own(peer)) => return End::Done,
        Ok(Err(error)) => {
            tracing::debug!(%error, "a TLS handshake failed");
            return End::HandshakeFailed;
        }
        Err(_) => return End::HandshakeSlow,
    };
    tls.greet(&stream);
    pulse.enter(Phase::Silent);
    let service = service_fn(|request| {
        let (app, pulse) = (&app, &pulse);
        pulse.enter(Phase::Request);
        async move {
            let response = app.respond(request).await;
            pulse.enter(Phase::Idle);
            Ok::<_, Infallible>(response)
        }
    });
    let mut http = pin!(http1::Builder::new().max_buf_size(BUFFER).serve_connection(TokioIo::new(stream), service));
    let mut alarm = pin!(sleep_until(pulse.deadline()));
    let mut closing = pin!(closing.cancelled());
    let mut told = false;
    let mut end = End::Done;
    poll_fn(|cx| {
        loop {
            if let Poll::Ready(served) = http.as_mut().poll(cx) {
                return Poll::Ready(if served.is_err() && end == End::Done { End::Broken } else { end });
            }
            if !told && closing.as_mut().poll(cx).is_ready() {
                told = true;
                pulse.stop();
            }
            let deadline = pulse.deadline();
            if deadline < alarm.deadline() {
                alarm.as_mut().reset(deadline);
            }
            while alarm.as_mut().poll(cx).is_ready() {
                let deadline = pulse.deadline();
                if deadline <= Instant::now() {
                    break;
                }
                alarm.as_mut().reset(deadline);
            }
            if pulse.deadline() > Instant::now() {
                return Poll::Pending;
            }
            match pulse.phase() {
                Phase::Idle | Phase::Silent => {
                    end = if told { End::Done } else { End::Idle };
                    pulse.enter(Phase::Closing);
                    http.as_mut().graceful_shutdown();
                }
                Phase::Closing => return Poll::Ready(end),
                Phase::Header | Phase::Request => return Poll::Ready(End::Cut),
            }
        }
    })
    .await
}
