//! An admission webhook that says no, in the words that its URL path asks for.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    sync::Arc,
    thread,
};

use anyhow::{Context, Result};
use rcgen::{CertificateParams, KeyPair, SanType};
use rustls::{ServerConfig, ServerConnection, StreamOwned, pki_types::PrivateKeyDer};
use serde_json::{Value, json};

/// The webhook's address and the certificate that it is trusted by.
pub(crate) struct Denier {
    pub(crate) port: u16,
    pub(crate) ca: String,
}

impl Denier {
    /// Serves from a thread of its own until the test process ends.
    pub(crate) fn start() -> Result<Self> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::default();
        params.subject_alt_names.push(SanType::IpAddress(Ipv4Addr::LOCALHOST.into()));
        let certificate = params.self_signed(&key)?;
        let private = PrivateKeyDer::try_from(key.serialize_der()).map_err(anyhow::Error::msg)?;
        let config =
            ServerConfig::builder().with_no_client_auth().with_single_cert(vec![certificate.der().clone()], private)?;
        let config = Arc::new(config);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let config = config.clone();
                // A connection that breaks is the API server's to notice.
                thread::spawn(move || serve(stream, config));
            }
        });
        Ok(Self { port, ca: certificate.pem() })
    }
}

/// Answers one connection's requests, one after the other.
fn serve(stream: TcpStream, config: Arc<ServerConfig>) -> Result<()> {
    let mut stream = BufReader::new(StreamOwned::new(ServerConnection::new(config)?, stream));
    loop {
        let mut first = String::new();
        if stream.read_line(&mut first)? == 0 {
            return Ok(());
        }
        let mut length = 0;
        loop {
            let mut header = String::new();
            stream.read_line(&mut header)?;
            if header.trim().is_empty() {
                break;
            }
            if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse()?;
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body)?;
        let review: Value = serde_json::from_slice(&body)?;
        let path = first.split(' ').nth(1).context("a request without a path")?;
        let answer = denial(path, &review["request"]).to_string();
        let head =
            format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", answer.len());
        stream.get_mut().write_all((head + &answer).as_bytes())?;
        stream.get_mut().flush()?;
    }
}

/// No, with the status that `path` asks for (everything after `?` is the API server's).
fn denial(path: &str, request: &Value) -> Value {
    let details = json!({ "name": request["name"], "kind": request["resource"]["resource"] });
    let status = match path.split('?').next() {
        Some("/silent") => json!(null),
        Some("/not-found") => {
            let message = format!("configmaps {} not found", request["name"]);
            json!({ "code": 404, "reason": "NotFound", "message": message, "details": details })
        }
        Some("/conflict") => {
            json!({ "code": 409, "reason": "Conflict", "message": "exceeded quota: mine", "details": details })
        }
        Some("/unavailable") => json!({ "code": 503, "reason": "ServiceUnavailable", "message": "come back later" }),
        _ => json!({ "code": 403, "message": "every ConfigMap needs an owner.\nSee https://example.com/rules" }),
    };
    json!({
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "response": { "uid": request["uid"], "allowed": false, "status": status },
    })
}
