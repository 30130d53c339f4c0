//! The socket under a connection: it tells the pulse what comes in, and ends in a way that the last answer arrives.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

use super::pulse::{Phase, Pulse};

/// A socket with a pulse.
#[derive(Debug)]
pub(super) struct Socket {
    stream: TcpStream,
    pulse: Arc<Pulse>,
    half_closed: bool,
}

impl Socket {
    pub(super) fn new(stream: TcpStream, pulse: Arc<Pulse>) -> Self {
        Self { stream, pulse, half_closed: false }
    }
}

impl AsyncRead for Socket {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = ready!(Pin::new(&mut self.stream).poll_read(cx, buf));
        if buf.filled().len() > before {
            self.pulse.heard();
        }
        Poll::Ready(read)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    /// Ends our half, then throws away what the client is still sending, until it ends too or the pulse stops. Closed with unread
    /// bytes, the kernel would reset the connection, and a 413 would never be read.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.half_closed {
            ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
            self.half_closed = true;
            self.pulse.enter(Phase::Closing);
        }
        let mut scratch = [0; 16 * 1024];
        loop {
            let mut buf = ReadBuf::new(&mut scratch);
            ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buf))?;
            if buf.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}
