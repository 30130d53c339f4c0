//! The controls: axum over rustls, which reads a body and says yes; and the same, which takes the review apart with `serde_json` first, as
//! most webhooks do before they decide anything.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use axum::body::Bytes;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::routing::post;
use axum::serve::Listener;
use axum::{Router, response::IntoResponse};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::load;

/// Where the review is taken apart.
pub(crate) const PARSED: &str = "/parsed";
const YES: &str = r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"0df28fbd-5f5f-11e8-bc74-36e6bb280816","allowed":true}}"#;

struct Tls {
    listener: TcpListener,
    acceptor: TlsAcceptor,
}

impl Listener for Tls {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let Ok((stream, address)) = self.listener.accept().await else { continue };
            let _ = stream.set_nodelay(true);
            if let Ok(stream) = self.acceptor.accept(stream).await {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// Serves until it is killed; prints where.
pub(crate) async fn serve(dir: &Path) -> Result<()> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_file_iter(dir.join("tls.crt"))?.collect();
    let key = PrivateKeyDer::from_pem_file(dir.join("tls.key"))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain?, key)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    println!("{}", listener.local_addr()?);
    let tls = Tls { listener, acceptor: TlsAcceptor::from(Arc::new(config)) };
    let yes = || ([(CONTENT_TYPE, "application/json")], YES).into_response();
    let read = async move |_: Bytes| yes();
    let parse = async move |body: Bytes| match serde_json::from_slice::<Value>(&body) {
        Ok(review) if review["request"]["uid"].is_string() => yes(),
        _ => StatusCode::BAD_REQUEST.into_response(),
    };
    let router = Router::new().route(load::PATH, post(read)).route(PARSED, post(parse));
    let router = router.layer(DefaultBodyLimit::disable());
    Ok(axum::serve(tls, router).await?)
}
