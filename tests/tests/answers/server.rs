//! Requests as the controller makes them, one line each in a test: server-side apply with its preconditions, reads, deletes.

use anyhow::{Context, Result, anyhow, bail};
use http::{Method, Request};
use k8s_openapi::api::core::v1::Namespace;
use kube::{
    Api, Client,
    api::{ObjectMeta, PostParams},
    core::Status,
};
use nsclass_shared::names;
use nsclass_tests::{ControlPlane, Identity};
use serde_json::{Value, json};

use crate::{
    recorded,
    row::{RowAction, RowAsked},
};

/// One who asks, in one namespace of the shared control plane.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) client: Client,
    pub(crate) namespace: String,
}

/// What an answer is: an object, or a refusal.
pub(crate) type Answered = std::result::Result<Value, Box<Status>>;

impl Server {
    /// The admin, in a new namespace of that name.
    pub(crate) async fn open(namespace: &str) -> Result<Self> {
        Self::open_labelled(namespace, json!({})).await
    }

    /// The admin, in a new namespace with labels.
    pub(crate) async fn open_labelled(namespace: &str, labels: Value) -> Result<Self> {
        let server = Self::of(&Identity::Admin, namespace).await?;
        let metadata = ObjectMeta {
            name: Some(namespace.to_owned()),
            labels: serde_json::from_value(labels)?,
            ..ObjectMeta::default()
        };
        let made = Namespace { metadata, ..Namespace::default() };
        Api::<Namespace>::all(server.client.clone()).create(&PostParams::default(), &made).await?;
        Ok(server)
    }

    /// Somebody, in a namespace that somebody else made.
    pub(crate) async fn of(identity: &Identity, namespace: &str) -> Result<Self> {
        let mut config = ControlPlane::shared().await?.client_config(identity)?;
        // Refusals are what is looked at here.
        config.default_retry = false;
        Ok(Self { client: Client::try_from(config)?, namespace: namespace.to_owned() })
    }

    /// An object of the namespace; `api_version` and `resource` as in a URL.
    pub(crate) fn object(&self, api_version: &str, kind: &str, resource: &str, name: &str) -> Object {
        self.cluster_object(api_version, kind, resource, name).in_namespace(&self.namespace)
    }

    /// A cluster-scoped object.
    pub(crate) fn cluster_object(&self, api_version: &str, kind: &str, resource: &str, name: &str) -> Object {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Object {
            client: self.client.clone(),
            version: version.to_owned(),
            manager: names::FIELD_MANAGER.to_owned(),
            force: false,
            dry_run: false,
            asked: RowAsked {
                action: RowAction::Read,
                group: group.to_owned(),
                kind: kind.to_owned(),
                resource: resource.to_owned(),
                namespace: None,
                name: name.to_owned(),
            },
        }
    }

    pub(crate) fn config_map(&self, name: &str) -> Object {
        self.object("v1", "ConfigMap", "configmaps", name)
    }
}

/// An object to ask for, and how.
#[derive(Clone)]
pub(crate) struct Object {
    client: Client,
    version: String,
    manager: String,
    force: bool,
    dry_run: bool,
    asked: RowAsked,
}

impl Object {
    pub(crate) fn in_namespace(mut self, namespace: &str) -> Self {
        self.asked.namespace = Some(namespace.to_owned());
        self
    }

    /// Another field manager.
    pub(crate) fn by(mut self, manager: &str) -> Self {
        manager.clone_into(&mut self.manager);
        self
    }

    pub(crate) fn forced(mut self) -> Self {
        self.force = true;
        self
    }

    /// Another object of the kind.
    pub(crate) fn named(&self, name: &str) -> Self {
        let mut other = self.clone();
        name.clone_into(&mut other.asked.name);
        other
    }

    /// Create-only apply.
    pub(crate) async fn create(&self, fields: Value) -> Result<(RowAction, Answered)> {
        Ok((RowAction::Create, self.apply(json!({ "resourceVersion": "1" }), fields).await?))
    }

    /// Apply to the object of that UID.
    pub(crate) async fn update(&self, uid: &str, fields: Value) -> Result<(RowAction, Answered)> {
        Ok((RowAction::Update, self.apply(json!({ "uid": uid }), fields).await?))
    }

    pub(crate) async fn read(&self) -> Result<(RowAction, Answered)> {
        Ok((RowAction::Read, self.send(Method::GET, &self.path(), "application/json", &Value::Null).await?))
    }

    pub(crate) async fn delete(&self, uid: &str) -> Result<(RowAction, Answered)> {
        let options = json!({ "apiVersion": "v1", "kind": "DeleteOptions", "preconditions": { "uid": uid } });
        Ok((RowAction::Delete, self.send(Method::DELETE, &self.path(), "application/json", &options).await?))
    }

    /// A POST, as a new binding is written.
    pub(crate) async fn post(&self, fields: Value) -> Result<(RowAction, Answered)> {
        let body = self.body(&json!({}), fields);
        Ok((RowAction::Record, self.send(Method::POST, &self.collection(), "application/json", &body).await?))
    }

    /// A PUT, as a binding is replaced: `fields` carry the resourceVersion.
    pub(crate) async fn put(&self, fields: Value) -> Result<(RowAction, Answered)> {
        let body = self.body(&json!({}), fields);
        Ok((RowAction::Record, self.send(Method::PUT, &self.path(), "application/json", &body).await?))
    }

    /// Creates it and returns its UID.
    pub(crate) async fn made(&self, fields: Value) -> Result<String> {
        let (_, made) = self.create(fields).await?;
        let made = made.map_err(|status| anyhow!("{:?} was not made: {status:?}", self.asked))?;
        Ok(made["metadata"]["uid"].as_str().context("an object without a UID")?.to_owned())
    }

    /// [`Object::made`] as soon as the server lets it: pods wait for their `ServiceAccount`.
    pub(crate) async fn made_at_last(&self, fields: Value) -> Result<String> {
        nsclass_tests::eventually("the object is made", async || self.made(fields.clone()).await).await
    }

    /// Waits until the server refuses to create the object, and why: what refuses it takes effect a little later than it is written.
    pub(crate) async fn refused_at_last(&self, fields: Value) -> Result<(RowAction, Answered)> {
        let trial = Self { dry_run: true, ..self.clone() };
        nsclass_tests::eventually("the object is refused", async || {
            let (_, answered) = trial.create(fields.clone()).await?;
            anyhow::ensure!(answered.is_err(), "the server would make it");
            Ok(())
        })
        .await?;
        self.create(fields).await
    }

    /// The refusal must be the recorded one.
    pub(crate) fn check(&self, case: &str, (action, answered): (RowAction, Answered)) -> Result<()> {
        let asked = RowAsked { action, ..self.asked.clone() };
        match answered {
            Err(status) => recorded::check(case, asked, &status),
            Ok(object) => bail!("{case}: the server said yes: {object}"),
        }
    }

    async fn apply(&self, precondition: Value, fields: Value) -> Result<Answered> {
        let mut path = format!("{}?fieldManager={}&force={}", self.path(), self.manager, self.force);
        if self.dry_run {
            path += "&dryRun=All";
        }
        self.send(Method::PATCH, &path, "application/apply-patch+yaml", &self.body(&precondition, fields)).await
    }

    /// A patch of another kind than apply, as a person's tool makes it.
    pub(crate) async fn merge(&self, fields: Value) -> Result<Value> {
        let path = format!("{}?fieldManager={}", self.path(), self.manager);
        let merged = self.send(Method::PATCH, &path, "application/merge-patch+json", &fields).await?;
        merged.map_err(|status| anyhow!("{status:?}"))
    }

    /// The whole manifest; what `fields` say of metadata wins.
    fn body(&self, precondition: &Value, fields: Value) -> Value {
        let RowAsked { group, kind, namespace, name, .. } = &self.asked;
        let api_version = if group.is_empty() { self.version.clone() } else { format!("{group}/{}", self.version) };
        let mut body = json!({ "apiVersion": api_version, "kind": kind, "metadata": { "name": name } });
        if let Some(namespace) = namespace {
            body["metadata"]["namespace"] = json!(namespace);
        }
        merge(&mut body, json!({ "metadata": precondition }));
        merge(&mut body, fields);
        body
    }

    async fn send(&self, method: Method, path: &str, content: &str, body: &Value) -> Result<Answered> {
        let bytes = if body.is_null() { Vec::new() } else { serde_json::to_vec(body)? };
        let request = Request::builder().method(method).uri(path).header("content-type", content).body(bytes)?;
        match self.client.request::<Value>(request).await {
            Ok(object) => Ok(Ok(object)),
            Err(kube::Error::Api(status)) => Ok(Err(status)),
            Err(other) => Err(other.into()),
        }
    }

    fn collection(&self) -> String {
        let RowAsked { group, resource, namespace, .. } = &self.asked;
        let root = if group.is_empty() { "/api".to_owned() } else { format!("/apis/{group}") };
        let place = namespace.as_ref().map_or(String::new(), |namespace| format!("/namespaces/{namespace}"));
        format!("{root}/{}{place}/{resource}", self.version)
    }

    fn path(&self) -> String {
        format!("{}/{}", self.collection(), self.asked.name)
    }
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}
