//! The clients of the cluster, and whether we can work with it. No other file makes a client: each of these asks before it writes, or
//! writes nothing but the lease.

#![allow(clippy::disallowed_types, reason = "this is where clients are made")]

use std::time::Duration;

use anyhow::{Context, bail};
use kube::{Client, client::ClientBuilder};

use crate::leader::{Gate, LeaderGuard};

/// Oldest minor version of Kubernetes 1 that we work with (DESIGN decision 14).
const OLDEST_MINOR: u32 = 33;
/// How long a watch request lasts at most, in seconds: a server that went silent is noticed then.
pub const WATCH_SECONDS: u32 = 60;
/// Longest silence within a request, watches included. A request without an answer by then has failed.
const SILENCE: Duration = Duration::from_secs(90);

/// What the process asks the cluster with.
pub struct Clients {
    /// For everything: reads at any time, and writes only while `guard` lets them through. Its requests fail fast: pauses between
    /// attempts are the queue's.
    pub gated: Client,
    /// For the lease alone: with connections of its own, which no burst of other requests keeps busy.
    pub lease: Client,
}

/// Connects.
///
/// # Errors
/// There is no cluster, it does not answer, or it is too old.
pub async fn connect(guard: &LeaderGuard) -> anyhow::Result<Clients> {
    let mut config = kube::Config::infer().await.context("no cluster: set KUBECONFIG, or run in a pod")?;
    config.default_retry = false;
    config.connect_timeout = Some(Duration::from_secs(10));
    config.read_timeout = Some(SILENCE);
    config.write_timeout = Some(SILENCE);
    let agents = [
        concat!("nsclass-controller/", env!("CARGO_PKG_VERSION")),
        concat!("nsclass-leader-election/", env!("CARGO_PKG_VERSION")),
    ];
    let [gated, lease] = agents.map(|agent| {
        // Who asks is told in the API server's audit log.
        let mut config = config.clone();
        config.headers.push((http::header::USER_AGENT, http::HeaderValue::from_static(agent)));
        ClientBuilder::try_from(config).context("the cluster's address or credentials cannot be used")
    });
    let clients = Clients { gated: gated?.with_layer(&Gate(guard.clone())).build(), lease: lease?.build() };
    let version = clients.gated.apiserver_version().await.context("the API server does not answer")?;
    if !is_new_enough(&version.major, &version.minor) {
        bail!("the API server is {}.{}; 1.{OLDEST_MINOR} or later is needed", version.major, version.minor);
    }
    Ok(clients)
}

/// Some providers add a sign to the minor version, such as `33+`.
fn is_new_enough(major: &str, minor: &str) -> bool {
    let number = |text: &str| text.trim_end_matches(|c: char| !c.is_ascii_digit()).parse::<u32>().unwrap_or(0);
    (number(major), number(minor)) >= (1, OLDEST_MINOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_api_server_older_than_1_33_is_refused() {
        for (major, minor, is_enough) in [
            ("1", "33", true),
            ("1", "36+", true),
            ("2", "0", true),
            ("1", "32", false),
            ("1", "9", false),
            ("", "", false),
        ] {
            assert_eq!(is_new_enough(major, minor), is_enough, "{major}.{minor}");
        }
    }
}
