//! The last place where a write can be stopped: the socket.
//!
//! The gate asks when a request begins; between that and the wire lie queues and tasks. A process that is stopped in between goes on there,
//! with the request as good as sent. So the socket asks once more, right before the bytes go: once a leader's deadline has passed, nothing
//! leaves this process any more.

use std::{
    io::{self, ErrorKind, IoSlice},
    pin::Pin,
    task::{Context, Poll},
};

use futures::{FutureExt, TryFutureExt, future::BoxFuture};
use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use tower::Service;

use super::{LeaderGuard, NotLeading};

/// Makes connections that ask before they send.
#[derive(Clone, Debug)]
pub struct Fence<C> {
    /// Makes the connections.
    pub connector: C,
    /// Asked.
    pub guard: LeaderGuard,
}

/// Such a connection.
#[derive(Debug)]
pub struct Fenced<S> {
    stream: S,
    guard: LeaderGuard,
}

impl<C> Service<Uri> for Fence<C>
where
    C: Service<Uri>,
    C::Future: Send + 'static,
{
    type Response = Fenced<C::Response>;
    type Error = C::Error;
    type Future = BoxFuture<'static, Result<Fenced<C::Response>, C::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), C::Error>> {
        self.connector.poll_ready(cx)
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let guard = self.guard.clone();
        self.connector.call(target).map_ok(|stream| Fenced { stream, guard }).boxed()
    }
}

impl<S> Fenced<S> {
    fn ask(&self) -> io::Result<()> {
        if self.guard.has_lapsed() { Err(io::Error::new(ErrorKind::BrokenPipe, NotLeading)) } else { Ok(()) }
    }
}

impl<S: Write + Unpin> Write for Fenced<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.ask()?;
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.ask()?;
        Pin::new(&mut self.stream).poll_write_vectored(cx, parts)
    }
}

impl<S: Read + Unpin> Read for Fenced<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl<S: Connection> Connection for Fenced<S> {
    fn connected(&self) -> Connected {
        self.stream.connected()
    }
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, time::Duration};

    use hyper_util::rt::TokioIo;

    use super::*;

    #[tokio::test]
    async fn fault04_a_standby_may_send_a_leader_too_and_one_whose_deadline_has_passed_sends_nothing() {
        let (stream, _other_end) = tokio::io::duplex(64);
        let guard = LeaderGuard::default();
        let mut fenced = Fenced { stream: TokioIo::new(stream), guard: guard.clone() };
        let mut send = async || poll_fn(|cx| Pin::new(&mut fenced).poll_write(cx, b"GET")).await;
        assert_eq!(send().await.unwrap(), 3, "a standby reads");
        guard.extend(guard.now() + Duration::from_secs(60));
        assert_eq!(send().await.unwrap(), 3);
        guard.extend(guard.now());
        assert_eq!(send().await.unwrap_err().kind(), ErrorKind::BrokenPipe);
    }
}
