//! The scope as the gate asks it: the snapshot, and one live read where that does not know.

use std::time::Duration;

use futures::{FutureExt, future::BoxFuture};
use k8s_openapi::api::core::v1::Namespace;
use kube::{Api, Client, ResourceExt};
use nsclass_shared::{runtime::ScopeHandle, scope::Verdict};
use tokio::time::timeout;

use crate::{failure::Failure, gate::ScopeView};

/// Longest that the live read may take: the API server waits three seconds for the whole answer.
const LIVE_READ: Duration = Duration::from_secs(1);

/// The scope of this process.
pub struct LiveScope {
    snapshot: ScopeHandle,
    namespaces: Api<Namespace>,
}

impl LiveScope {
    /// Over the snapshot that the namespace watch feeds.
    pub fn new(snapshot: ScopeHandle, client: Client) -> Self {
        Self { snapshot, namespaces: Api::all(client) }
    }

    async fn read(&self, name: &str) -> Result<Verdict, String> {
        match timeout(LIVE_READ, self.namespaces.get_metadata(name)).await {
            Err(_) => Err("no answer in time".to_owned()),
            Ok(Ok(namespace)) => Ok(self.snapshot.load().rule().judge(name, namespace.labels())),
            // Nothing can be written into a namespace that is not there; judging what is tried all the same is the safe side.
            Ok(Err(kube::Error::Api(status))) if status.is_not_found() => Ok(Verdict::InScope),
            Ok(Err(error)) => Err(error.to_string()),
        }
    }
}

impl ScopeView for LiveScope {
    fn verdict(&self, namespace: &str) -> Verdict {
        self.snapshot.verdict(namespace)
    }

    fn settle<'a>(&'a self, namespace: &'a str) -> BoxFuture<'a, Result<Verdict, Failure>> {
        let unsettled = |why| Failure::Unsettled { namespace: namespace.to_owned(), why };
        self.read(namespace).map(move |verdict| verdict.map_err(unsettled)).boxed()
    }
}
