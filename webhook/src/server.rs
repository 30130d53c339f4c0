//! The admission port: accepts, and stops in an order that loses no request (admission.md A12, A18).

mod connection;
mod pulse;
mod socket;

use std::{io, sync::Arc, time::Duration};

use tokio::{
    net::{TcpListener, TcpStream},
    task::{JoinError, JoinSet},
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::{http::App, metrics::Metrics, tls::Tls};
use connection::End;

/// Most open connections. The API server keeps a few dozen at most; more than these are somebody else's.
const MOST_CONNECTIONS: usize = 2_000;
/// How long connections may take to end once we stop.
const DRAIN: Duration = Duration::from_secs(12);
/// Pause after the kernel refused to accept, for want of file descriptors for instance.
const PAUSE: Duration = Duration::from_millis(100);

/// Accepts connections until `closing`, then serves to their end those that are open and those that the kernel has accepted for us.
///
/// # Errors
/// None; the signature is that of a supervised task.
pub async fn serve(listener: TcpListener, tls: Tls, app: Arc<App>, closing: CancellationToken) -> anyhow::Result<()> {
    let mut open = JoinSet::new();
    let metrics = app.metrics().clone();
    loop {
        tokio::select! {
            () = closing.cancelled() => break,
            Some(ended) = open.join_next() => count(&metrics, ended),
            accepted = listener.accept() => take(accepted, &mut open, &tls, &app, &closing).await,
        }
        metrics.open.set(i64::try_from(open.len()).unwrap_or(i64::MAX));
    }
    // Whoever stands in the kernel's queue has been promised an answer.
    while let Ok(accepted) = timeout(Duration::from_millis(50), listener.accept()).await {
        take(accepted, &mut open, &tls, &app, &closing).await;
    }
    drop(listener);
    let rest = async {
        while let Some(ended) = open.join_next().await {
            count(&metrics, ended);
        }
    };
    if timeout(DRAIN, rest).await.is_err() {
        tracing::warn!("connections were still open when we stopped");
    }
    Ok(())
}

async fn take(
    accepted: io::Result<(TcpStream, std::net::SocketAddr)>,
    open: &mut JoinSet<End>,
    tls: &Tls,
    app: &Arc<App>,
    closing: &CancellationToken,
) {
    let count = |event| app.metrics().connections.with_label_values(&[event]).inc();
    match accepted {
        Ok(_) if open.len() >= MOST_CONNECTIONS => count("refused"),
        Ok((stream, _)) => {
            count("accepted");
            open.spawn(connection::serve(stream, tls.clone(), app.clone(), closing.clone()));
        }
        Err(error) => {
            count("refused");
            tracing::warn!(%error, "a connection could not be accepted");
            sleep(PAUSE).await;
        }
    }
}

fn count(metrics: &Metrics, ended: Result<End, JoinError>) {
    let event = match ended {
        Ok(end) => end.as_str(),
        Err(error) => {
            tracing::error!(%error, "a connection ended by a mistake of ours");
            "panicked"
        }
    };
    metrics.connections.with_label_values(&[event]).inc();
}
