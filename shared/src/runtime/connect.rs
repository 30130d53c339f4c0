//! The client of the cluster, and whether we can work with it.

use std::{path::Path, time::Duration};

use anyhow::{Context, bail};
use kube::{Client, client::ClientBuilder};

use super::KeepRetryAfter;

/// Oldest minor version of Kubernetes 1 that we work with (DESIGN decision 14).
const OLDEST_MINOR: u32 = 33;
/// How long a watch request lasts at most, in seconds: a server that went silent is noticed then.
pub const WATCH_SECONDS: u32 = 60;
/// Why a client cannot be made.
pub const UNUSABLE: &str = "the cluster's address or credentials cannot be used";
/// Longest silence within a request, watches included. A request without an answer by then has failed.
const SILENCE: Duration = Duration::from_secs(90);

/// A client whose requests fail fast: pauses between attempts are the caller's. `agent` is the name of the process, which the API
/// server's audit log tells.
///
/// # Errors
/// There is no cluster, it does not answer, or it is too old.
pub async fn connect(agent: &str) -> anyhow::Result<Client> {
    let client = ClientBuilder::try_from(cluster(agent).await?).context(UNUSABLE)?.with_layer(&KeepRetryAfter).build();
    ensure_supported(&client).await?;
    Ok(client)
}

/// What [`connect`] makes its client of, for one that stands behind something.
///
/// # Errors
/// There is no cluster.
pub async fn cluster(agent: &str) -> anyhow::Result<kube::Config> {
    cluster_of(None, agent).await
}

/// The same, of a kubeconfig file where one is given.
///
/// # Errors
/// There is no cluster.
pub async fn cluster_of(kubeconfig: Option<&Path>, agent: &str) -> anyhow::Result<kube::Config> {
    let mut config = match kubeconfig {
        None => kube::Config::infer().await.context("no cluster: set KUBECONFIG, or run in a pod")?,
        Some(file) => {
            let kubeconfig = kube::config::Kubeconfig::read_from(file).with_context(|| file.display().to_string())?;
            kube::Config::from_custom_kubeconfig(kubeconfig, &kube::config::KubeConfigOptions::default()).await?
        }
    };
    config.default_retry = false;
    config.connect_timeout = Some(Duration::from_secs(10));
    config.read_timeout = Some(SILENCE);
    config.write_timeout = Some(SILENCE);
    let agent = format!("{agent}/{}", env!("CARGO_PKG_VERSION"));
    config.headers.push((http::header::USER_AGENT, http::HeaderValue::try_from(agent)?));
    Ok(config)
}

/// Refuses an API server that is too old.
///
/// # Errors
/// It is, or does not answer.
pub async fn ensure_supported(client: &Client) -> anyhow::Result<()> {
    let version = client.apiserver_version().await.context("the API server does not answer")?;
    if !is_new_enough(&version.major, &version.minor) {
        bail!("the API server is {}.{}; 1.{OLDEST_MINOR} or later is needed", version.major, version.minor);
    }
    Ok(())
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
