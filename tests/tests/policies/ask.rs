//! Requests as a tool might make them, by method, path and body: what a policy says must not depend on the way.

use std::fmt;

use anyhow::{Result, bail, ensure};
use http::{Method, Request};
use kube::Client;
use kube::core::Status;
use serde_json::Value;

/// What the server answered: an object, or a refusal.
pub(crate) type Answered = std::result::Result<Value, Box<Status>>;

/// One way to write an object.
#[derive(Clone)]
pub(crate) struct Ask {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) content: &'static str,
    pub(crate) body: Value,
}

impl fmt::Display for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ({}) {}", self.method, self.path, self.content, self.body)
    }
}

impl Ask {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self::json(Method::GET, path, Value::Null)
    }

    pub(crate) fn post(path: impl Into<String>, body: Value) -> Self {
        Self::json(Method::POST, path, body)
    }

    pub(crate) fn put(path: impl Into<String>, body: Value) -> Self {
        Self::json(Method::PUT, path, body)
    }

    pub(crate) fn delete(path: impl Into<String>) -> Self {
        Self::json(Method::DELETE, path, Value::Null)
    }

    /// A merge patch.
    pub(crate) fn merge(path: impl Into<String>, body: Value) -> Self {
        Self { content: "application/merge-patch+json", ..Self::json(Method::PATCH, path, body) }
    }

    /// A strategic merge patch, as `kubectl label` makes it.
    pub(crate) fn strategic(path: impl Into<String>, body: Value) -> Self {
        Self { content: "application/strategic-merge-patch+json", ..Self::json(Method::PATCH, path, body) }
    }

    /// A list of JSON patch operations.
    pub(crate) fn operations(path: impl Into<String>, body: Value) -> Self {
        Self { content: "application/json-patch+json", ..Self::json(Method::PATCH, path, body) }
    }

    /// A server-side apply that means it.
    pub(crate) fn apply(path: impl AsRef<str>, manager: &str, body: Value) -> Self {
        let path = format!("{}?fieldManager={manager}&force=true", path.as_ref());
        Self { content: "application/apply-patch+yaml", ..Self::json(Method::PATCH, path, body) }
    }

    /// The same, without anything being stored.
    pub(crate) fn dry(mut self) -> Self {
        let sign = if self.path.contains('?') { '&' } else { '?' };
        self.path = format!("{}{sign}dryRun=All", self.path);
        self
    }

    fn json(method: Method, path: impl Into<String>, body: Value) -> Self {
        Self { method, path: path.into(), content: "application/json", body }
    }

    pub(crate) async fn send(&self, client: &Client) -> Result<Answered> {
        let bytes = if self.body.is_null() { Vec::new() } else { serde_json::to_vec(&self.body)? };
        let request =
            Request::builder().method(self.method.clone()).uri(&self.path).header("content-type", self.content);
        match client.request::<Value>(request.body(bytes)?).await {
            Ok(object) => Ok(Ok(object)),
            Err(kube::Error::Api(status)) => Ok(Err(status)),
            Err(other) => Err(other.into()),
        }
    }

    /// The object that the server answered; a refusal is an error.
    pub(crate) async fn done(&self, client: &Client) -> Result<Value> {
        match self.send(client).await? {
            Ok(object) => Ok(object),
            Err(status) => bail!("{self} was refused: {} {}", status.code, status.message),
        }
    }

    /// Fails unless this policy denied it, in words that hold all of `parts`.
    pub(crate) async fn denied(&self, client: &Client, policy: &str, parts: &[&str]) -> Result<String> {
        let status = match self.send(client).await? {
            Ok(object) => bail!("{self} was allowed: {object}"),
            Err(status) => status,
        };
        let by = format!("ValidatingAdmissionPolicy 'nsclass-{policy}'");
        ensure!(
            status.code == 403 && status.message.contains(&by),
            "{self}: not denied by {policy}: {} {}",
            status.code,
            status.message
        );
        for part in parts {
            ensure!(status.message.contains(part), "{self}: {part:?} is not in {}", status.message);
        }
        Ok(status.message)
    }
}
