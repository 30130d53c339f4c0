//! The admin port: `/livez`, `/readyz` and `/metrics`, over plain HTTP, and whatever else a process shows there.

use std::sync::Arc;

use axum::{
    Router,
    extract::{RawQuery, State},
    http::{StatusCode, header},
    response::IntoResponse,
    routing::get,
};
use prometheus::{Registry, TextEncoder};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// What `/readyz` asks: each part by name, with what is missing where it is not ready.
pub trait Readiness: Send + Sync + 'static {
    /// The parts in a stable order.
    fn parts(&self) -> Vec<(&'static str, Result<(), String>)>;

    /// What a person should know although the process is ready, such as a refused configuration.
    fn notes(&self) -> Vec<String>;

    /// How the process stands, such as leader or standby, where nothing is amiss.
    fn facts(&self) -> Vec<String> {
        Vec::new()
    }
}

#[derive(Clone)]
struct Admin {
    readiness: Arc<dyn Readiness>,
    registry: Registry,
}

/// Serves until shutdown, and then the requests that are under way. `further` are routes of the process's own.
///
/// # Errors
/// When the socket fails.
pub async fn serve_admin(
    listener: TcpListener,
    readiness: Arc<dyn Readiness>,
    registry: Registry,
    further: Router,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let router = Router::new()
        .route("/livez", get(async || "ok\n"))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .with_state(Admin { readiness, registry })
        .merge(further);
    axum::serve(listener, router).with_graceful_shutdown(async move { shutdown.cancelled().await }).await?;
    Ok(())
}

async fn readyz(State(admin): State<Admin>, RawQuery(query): RawQuery) -> impl IntoResponse {
    let parts = admin.readiness.parts();
    let ready = parts.iter().all(|(_, part)| part.is_ok());
    let verbose = query.is_some_and(|q| q.split('&').any(|word| word == "verbose" || word.starts_with("verbose=")));
    let mut lines: Vec<String> = Vec::new();
    for (name, part) in &parts {
        match part {
            Ok(()) if verbose => lines.push(format!("[+] {name}")),
            Ok(()) => {}
            Err(why) => lines.push(format!("[-] {name}: {why}")),
        }
    }
    if verbose {
        lines.extend(admin.readiness.facts().iter().map(|fact| format!("[i] {fact}")));
        lines.extend(admin.readiness.notes().iter().map(|note| format!("[!] {note}")));
    }
    lines.push(if ready { "ready\n".into() } else { "not ready\n".into() });
    (if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, lines.join("\n"))
}

async fn metrics(State(admin): State<Admin>) -> impl IntoResponse {
    match TextEncoder::new().encode_to_string(&admin.registry.gather()) {
        Ok(text) => ([(header::CONTENT_TYPE, prometheus::TEXT_FORMAT)], text).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}
