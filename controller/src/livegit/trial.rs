//! Whether the API server tells initial events in a watch (folders.md F50): tried once, because a watch that asks for them of a server that
//! does not would ask for ever (DESIGN decision 14).

use std::time::Duration;

use http::Request;
use kube::Client;
use tokio::time::timeout;

/// A watch of nothing at all, with initial events, for a second.
const TRIAL: &str = "/api/v1/namespaces?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true\
                     &timeoutSeconds=1&labelSelector=nsclass.io%2Ftrial%3Dnone";
/// What the bookmark at the end of the initial events carries.
const END: &str = "k8s.io/initial-events-end";
/// Longest wait for it.
const LONGEST: Duration = Duration::from_secs(10);

/// Whether it does; where that cannot be told, lists and watches do as well.
pub async fn streams_lists(client: &Client) -> bool {
    let Ok(request) = Request::get(TRIAL).body(Vec::new()) else { return false };
    let told = match timeout(LONGEST, client.request_text(request)).await {
        Ok(Ok(text)) => text.contains(END),
        Ok(Err(error)) => {
            tracing::debug!(%error, "the API server tells no initial events in watches");
            false
        }
        Err(_) => false,
    };
    tracing::info!(
        initial_events = told,
        "watches for Git begin with initial events, or with a list where the server has none"
    );
    told
}
