//! Plain HTTP on loopback, for probes and metrics.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Status and body of a GET.
///
/// # Errors
/// When there is no answer in HTTP.
pub async fn http_get(address: SocketAddr, path: &str) -> Result<(u16, String)> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(format!("GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n").as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (head, body) = answer.split_once("\r\n\r\n").context("no end of the header")?;
    let status = head.split_whitespace().nth(1).context("no status")?.parse()?;
    Ok((status, body.to_owned()))
}
