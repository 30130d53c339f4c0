//! Reads that know the scope (scope.md S30).

use std::{collections::BTreeSet, fmt::Debug};

use k8s_openapi::NamespaceResourceScope;
use kube::{Api, Client, Resource, ResourceExt, api::ListParams};
use serde::de::DeserializeOwned;

use super::ScopeHandle;
use crate::scope::Verdict;

/// The answer to a read in one namespace. "Out of scope" is not "not found", and "unknown" is neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InScope<T> {
    /// The namespace is in scope, and this is what the API server says.
    Read(T),
    /// The namespace is out of scope: nobody asked the API server.
    OutOfScope,
    /// The namespace was never seen: nobody asked the API server, and nothing may be concluded.
    Unknown,
}

/// What a list over all namespaces holds.
#[derive(Clone, Debug)]
pub struct ScopedList<K> {
    /// The objects in scope.
    pub items: Vec<K>,
    /// Namespaces of objects that were left out because they are unknown; what is out of scope is left out without a word.
    pub unknown: BTreeSet<String>,
}

/// A client for the objects of one namespaced kind, where they are in scope. Writes pass through: [`Self::api`].
#[derive(Clone)]
pub struct ScopedReader {
    client: Client,
    scope: ScopeHandle,
}

impl ScopedReader {
    /// Over a client.
    pub fn new(client: Client, scope: ScopeHandle) -> Self {
        Self { client, scope }
    }

    /// The API of a kind in a namespace, whatever the scope says: for writes.
    pub fn api<K>(&self, namespace: &str) -> Api<K>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
    {
        Api::namespaced(self.client.clone(), namespace)
    }

    /// One object; none where the API server says that it is not there.
    ///
    /// # Errors
    /// The API server's.
    pub async fn get<K>(&self, namespace: &str, name: &str) -> Result<InScope<Option<K>>, kube::Error>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()> + Clone + Debug + DeserializeOwned,
    {
        match self.scope.verdict(namespace) {
            Verdict::InScope => Ok(InScope::Read(self.api::<K>(namespace).get_opt(name).await?)),
            Verdict::OutOfScope => Ok(InScope::OutOfScope),
            Verdict::Unknown => Ok(InScope::Unknown),
        }
    }

    /// The objects of one namespace.
    ///
    /// # Errors
    /// The API server's.
    pub async fn list<K>(&self, namespace: &str, params: &ListParams) -> Result<InScope<Vec<K>>, kube::Error>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()> + Clone + Debug + DeserializeOwned,
    {
        match self.scope.verdict(namespace) {
            Verdict::InScope => Ok(InScope::Read(self.api::<K>(namespace).list(params).await?.items)),
            Verdict::OutOfScope => Ok(InScope::OutOfScope),
            Verdict::Unknown => Ok(InScope::Unknown),
        }
    }

    /// The objects of all namespaces that are in scope. One unknown namespace does not empty the list.
    ///
    /// # Errors
    /// The API server's.
    pub async fn list_all<K>(&self, params: &ListParams) -> Result<ScopedList<K>, kube::Error>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()> + Clone + Debug + DeserializeOwned,
    {
        let objects = Api::<K>::all(self.client.clone()).list(params).await?.items;
        // One snapshot for all of them, of after the list: what it knows is at least what the list shows.
        let snapshot = self.scope.load_full();
        let mut list = ScopedList { items: Vec::new(), unknown: BTreeSet::new() };
        for object in objects {
            let namespace = object.namespace().unwrap_or_default();
            match snapshot.verdict(&namespace) {
                Verdict::InScope => list.items.push(object),
                Verdict::OutOfScope => {}
                Verdict::Unknown => {
                    list.unknown.insert(namespace);
                }
            }
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    };

    use http::{Request, Response};
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::client::Body;
    use serde_json::{Value, json};

    use super::*;
    use crate::scope::{Index, Observation, Pick, ScopeRule};

    /// A server with one object in each of three namespaces; counts what it is asked.
    fn server(asked: &Arc<AtomicU32>) -> Client {
        let asked = asked.clone();
        let map = |namespace: &str| json!({ "metadata": { "namespace": namespace, "name": "a" } });
        let list =
            |items: Vec<Value>| json!({ "apiVersion": "v1", "kind": "ConfigMapList", "metadata": {}, "items": items });
        let service = tower::service_fn(move |request: Request<Body>| {
            asked.fetch_add(1, Ordering::Relaxed);
            let (code, body) = match request.uri().path() {
                "/api/v1/configmaps" => (200, list(vec![map("in"), map("out"), map("new")])),
                "/api/v1/namespaces/in/configmaps" => (200, list(vec![map("in")])),
                "/api/v1/namespaces/in/configmaps/a" => (200, map("in")),
                _ => (
                    404,
                    json!({ "kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404, "message": "no" }),
                ),
            };
            let answer = Response::builder().status(code).body(Body::from(body.to_string().into_bytes()));
            async move { answer }
        });
        Client::new(service, "default")
    }

    fn scope() -> ScopeHandle {
        let mut index = Index::new(ScopeRule::new("own", Pick::Named(["in".to_owned()].into())));
        let labels = std::collections::BTreeMap::new();
        for name in ["in", "out"] {
            index.apply(&Observation { name, uid: name, revision: 1, labels: &labels });
        }
        index.publish(jiff::Timestamp::UNIX_EPOCH);
        ScopeHandle::new(index.snapshot())
    }

    #[tokio::test]
    async fn s30_out_of_scope_is_an_answer_of_its_own_and_asks_nobody() {
        let asked = Arc::default();
        let reader = ScopedReader::new(server(&asked), scope());
        assert!(matches!(reader.get::<ConfigMap>("in", "a").await.unwrap(), InScope::Read(Some(_))));
        assert_eq!(reader.get::<ConfigMap>("in", "b").await.unwrap(), InScope::Read(None));
        assert!(
            matches!(reader.list::<ConfigMap>("in", &ListParams::default()).await.unwrap(), InScope::Read(l) if l.len() == 1)
        );
        assert_eq!(asked.load(Ordering::Relaxed), 3);
        assert_eq!(reader.get::<ConfigMap>("out", "a").await.unwrap(), InScope::OutOfScope);
        assert_eq!(reader.get::<ConfigMap>("new", "a").await.unwrap(), InScope::Unknown);
        assert_eq!(reader.list::<ConfigMap>("out", &ListParams::default()).await.unwrap(), InScope::OutOfScope);
        assert_eq!(asked.load(Ordering::Relaxed), 3);
    }

    #[tokio::test]
    async fn s30_a_list_of_all_drops_what_is_out_and_says_what_is_unknown() {
        let reader = ScopedReader::new(server(&Arc::default()), scope());
        let list = reader.list_all::<ConfigMap>(&ListParams::default()).await.unwrap();
        let namespaces: Vec<_> = list.items.iter().filter_map(ResourceExt::namespace).collect();
        assert_eq!((namespaces, list.unknown), (vec!["in".to_owned()], ["new".to_owned()].into()));
    }
}
