//! `git http-backend`, asked as a web server asks it.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result};
use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};
use http_body_util::Full;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// A request for the backend.
pub(super) struct Asked {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) query: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// Runs the backend on the repositories below `root`.
pub(super) async fn answer(root: &Path, asked: Asked) -> Result<Response<Full<Bytes>>> {
    let header = |name: &str| asked.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut command = Command::new("git");
    command.arg("http-backend").env_clear().envs([
        ("PATH", std::env::var("PATH").unwrap_or_default()),
        ("HOME", root.display().to_string()),
        ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
        ("GIT_PROJECT_ROOT", root.display().to_string()),
        ("GIT_HTTP_EXPORT_ALL", "1".to_owned()),
        ("REMOTE_USER", "somebody".to_owned()),
        ("REQUEST_METHOD", asked.method.clone()),
        ("PATH_INFO", asked.path.clone()),
        ("QUERY_STRING", asked.query.clone()),
        ("CONTENT_TYPE", header("content-type").to_owned()),
        ("CONTENT_LENGTH", asked.body.len().to_string()),
        ("HTTP_CONTENT_ENCODING", header("content-encoding").to_owned()),
        ("HTTP_GIT_PROTOCOL", header("git-protocol").to_owned()),
        ("GIT_PROTOCOL", header("git-protocol").to_owned()),
    ]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = command.spawn().context("git http-backend cannot be run")?;
    let mut stdin = child.stdin.take().context("no stdin")?;
    let body = asked.body.clone();
    let write = async move {
        // A backend that refuses does not read to the end.
        let _ = stdin.write_all(&body).await;
    };
    let ((), output) = tokio::join!(write, child.wait_with_output());
    respond(&output?.stdout)
}

/// Headers, an empty line, the body.
fn respond(printed: &[u8]) -> Result<Response<Full<Bytes>>> {
    let end = printed.windows(4).position(|window| window == b"\r\n\r\n").context("the backend sent no headers")?;
    let mut response = Response::builder().status(StatusCode::OK);
    for line in std::str::from_utf8(&printed[..end])?.split("\r\n") {
        let (name, value) = line.split_once(": ").context("no header")?;
        response = match name {
            "Status" => response.status(value.split(' ').next().unwrap_or_default()),
            name => response.header(name, value),
        };
    }
    Ok(response.body(Full::new(Bytes::copy_from_slice(&printed[end + 4..])))?)
}
