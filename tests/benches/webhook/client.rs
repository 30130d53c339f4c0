//! One connection of the API server: a request, its answer, the next request. It never blocks and never sleeps, so that what it measures
//! is the server.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};

/// What every answer holds: a denial would measure something else.
const YES: &[u8] = br#""allowed":true"#;

pub(crate) struct Client {
    stream: TcpStream,
    tls: ClientConnection,
    answer: Vec<u8>,
    /// When the request that is under way was due.
    due: Option<Instant>,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr, config: &Arc<ClientConfig>) -> Result<Self> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let mut tls = ClientConnection::new(Arc::clone(config), ServerName::from(address.ip()))?;
        while tls.is_handshaking() {
            tls.complete_io(&mut stream)?;
        }
        stream.set_nonblocking(true)?;
        Ok(Self { stream, tls, answer: Vec::with_capacity(4096), due: None })
    }

    /// Whether a request is under way.
    pub(crate) fn is_busy(&self) -> bool {
        self.due.is_some()
    }

    /// Sends a request that was due then.
    pub(crate) fn send(&mut self, request: &[u8], due: Instant) -> Result<()> {
        self.answer.clear();
        self.due = Some(due);
        self.tls.writer().write_all(request)?;
        while self.tls.wants_write() {
            match self.tls.write_tls(&mut self.stream) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => std::hint::spin_loop(),
                written => ensure!(written? > 0, "the server hung up"),
            }
        }
        Ok(())
    }

    /// Looks once for the answer to what is under way. When it is there and whole: when its request was due.
    pub(crate) fn poll(&mut self) -> Result<Option<Instant>> {
        match self.tls.read_tls(&mut self.stream) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
            read => ensure!(read? > 0, "the server hung up"),
        }
        let state = self.tls.process_new_packets()?;
        let (old, more) = (self.answer.len(), state.plaintext_bytes_to_read());
        self.answer.resize(old + more, 0);
        self.tls.reader().read_exact(&mut self.answer[old..])?;
        if more == 0 || !is_whole(&self.answer)? {
            return Ok(None);
        }
        Ok(self.due.take())
    }
}

/// Whether an answer has come to its end. It must be a yes.
fn is_whole(answer: &[u8]) -> Result<bool> {
    let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(false) };
    let head = std::str::from_utf8(&answer[..end])?;
    ensure!(head.starts_with("HTTP/1.1 200"), "{head}");
    let field = |line: &str| {
        Some(line.split_once(':')?)
            .filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))?
            .1
            .trim()
            .parse()
            .ok()
    };
    let length: usize = head.lines().find_map(field).context("no length")?;
    let body = &answer[end + 4..];
    if body.len() < length {
        return Ok(false);
    }
    if !body.windows(YES.len()).any(|part| part == YES) {
        bail!("{}", String::from_utf8_lossy(body));
    }
    Ok(true)
}
