//! Questions that tests ask about what the operator made.

use anyhow::{Context, Result, ensure};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::Api;
use nsclass_shared::api::{NamespaceClassBinding, get_condition};

use crate::{World, eventually};

impl World {
    /// The bindings of the cluster.
    pub fn bindings(&self) -> Api<NamespaceClassBinding> {
        Api::all(self.client())
    }

    /// The binding of the namespace `short`, if it has one.
    ///
    /// # Errors
    /// When the server does not answer.
    pub async fn binding(&self, short: &str) -> Result<Option<NamespaceClassBinding>> {
        Ok(self.bindings().get_opt(&self.name(short)).await?)
    }

    /// Waits until the binding of `short` is Ready with the class `class`; returns it.
    ///
    /// # Errors
    /// When it does not get so, with what it said last.
    pub async fn ready(&self, short: &str, class: &str) -> Result<NamespaceClassBinding> {
        let name = self.name(class);
        eventually(format!("namespace {short} is ready with class {class}"), async || {
            let binding = self.binding(short).await?.context("no binding")?;
            ensure!(binding.spec.class_name == name, "class {:?}", binding.spec.class_name);
            let ready = ready_condition(&binding)?;
            ensure!(ready.status == "True", "{}: {}", ready.reason, ready.message);
            Ok(binding)
        })
        .await
    }

    /// Waits until the binding of `short` is not Ready for this reason; returns the message.
    ///
    /// # Errors
    /// When it does not get so, with what it said last.
    pub async fn not_ready(&self, short: &str, reason: &str) -> Result<String> {
        eventually(format!("namespace {short} is not ready because of {reason}"), async || {
            let binding = self.binding(short).await?.context("no binding")?;
            let ready = ready_condition(&binding)?;
            ensure!(ready.status == "False" && ready.reason == reason, "{}: {}", ready.reason, ready.message);
            Ok(ready.message)
        })
        .await
    }

    /// Waits until the namespace `short` is gone.
    ///
    /// # Errors
    /// When it stays, with what holds it.
    pub async fn gone(&self, short: &str) -> Result<()> {
        eventually(format!("namespace {short} is gone"), async || {
            let live = self.namespaces().get_opt(&self.name(short)).await?;
            ensure!(live.is_none(), "{:?}", live.map(|n| (n.metadata.finalizers, n.status)));
            Ok(())
        })
        .await
    }

    /// Waits until the namespace `short` has no binding.
    ///
    /// # Errors
    /// When it keeps one.
    pub async fn unbound(&self, short: &str) -> Result<()> {
        eventually(format!("namespace {short} has no binding"), async || {
            let binding = self.binding(short).await?;
            ensure!(binding.is_none(), "{:?}", binding.and_then(|b| b.status));
            Ok(())
        })
        .await
    }
}

fn ready_condition(binding: &NamespaceClassBinding) -> Result<Condition> {
    let conditions = &binding.status.as_ref().context("no status")?.conditions;
    get_condition(conditions, "Ready").cloned().context("no condition Ready")
}
