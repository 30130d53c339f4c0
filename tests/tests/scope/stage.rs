//! What these tests stand on: one control plane for nearly all, and for each a world and controllers of its own, whose scope is a label
//! value that no other test has.

use std::ops::Deref;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use nsclass_shared::api::{NamespaceClassBinding, get_condition};
use nsclass_tests::{ControlPlane, Operator, OperatorOptions, World, eventually};
use serde_json::{Value, json};

/// The label that the scopes of these tests select by.
pub(crate) const LABEL: &str = "scope-test";

/// A test's world.
pub(crate) struct Stage<'a> {
    pub(crate) cp: &'a ControlPlane,
    world: World,
}

impl Deref for Stage<'_> {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl Stage<'static> {
    pub(crate) async fn open(prefix: &str) -> Result<Self> {
        Ok(Self::on(ControlPlane::shared().await?, prefix))
    }
}

impl<'a> Stage<'a> {
    pub(crate) fn on(cp: &'a ControlPlane, prefix: &str) -> Self {
        Self { cp, world: World::new(cp, prefix) }
    }

    /// The label value `short` of this world.
    pub(crate) fn value(&self, short: &str) -> String {
        self.name(short)
    }

    /// A controller that manages the namespaces whose label has one of these values.
    pub(crate) async fn operator(&self, instance: &str, values: &[&str]) -> Result<Operator> {
        let args = ["--periodic-pass-seconds", "86400"].map(str::to_owned).to_vec();
        let config = self.config(instance, values);
        Operator::start(self.cp, OperatorOptions { config, args, ..OperatorOptions::default() }).await
    }

    /// A configuration whose leader goes on for a minute without a word from the API server, or on a machine that has no time for it.
    pub(crate) fn patient_config(&self, instance: &str, values: &[&str]) -> Result<Value> {
        let mut config: Value = serde_json::from_str(&self.config(instance, values))?;
        config["leaderElection"] = json!({ "leaseDurationSeconds": 120, "renewDeadlineSeconds": 60 });
        Ok(config)
    }

    pub(crate) fn config(&self, instance: &str, values: &[&str]) -> String {
        let values: Vec<_> = values.iter().map(|value| self.value(value)).collect();
        let requirement = json!({ "key": LABEL, "operator": "In", "values": values });
        let scope = json!({ "namespaceSelector": { "matchExpressions": [requirement] } });
        json!({ "instance": self.name(instance), "scope": scope }).to_string()
    }

    /// Sets the scope label of a namespace.
    pub(crate) async fn mark(&self, namespace: &str, value: Option<&str>) -> Result<()> {
        self.label(namespace, LABEL, value.map(|value| self.value(value)).as_deref()).await?;
        Ok(())
    }

    pub(crate) fn maps(&self, namespace: &str) -> Api<ConfigMap> {
        Api::namespaced(self.client(), &self.name(namespace))
    }

    /// Waits until the binding says that the namespace left the scope, and is nobody's; returns it.
    pub(crate) async fn given_up(&self, namespace: &str) -> Result<NamespaceClassBinding> {
        eventually(format!("the binding of {namespace} says that it is out of scope"), async || {
            let binding = self.binding(namespace).await?.context("no binding")?;
            let conditions = &binding.status.as_ref().context("no status")?.conditions;
            let said = get_condition(conditions, "InScope").context("no condition InScope")?;
            ensure!(said.status == "False" && said.reason == "OutOfScope", "{said:?}");
            ensure!(binding.spec.instance.is_empty(), "it is still {:?}'s", binding.spec.instance);
            Ok(binding)
        })
        .await
    }

    /// Waits until the namespace is Ready with the class `std` and kept by that instance; returns the binding.
    pub(crate) async fn kept_by(&self, namespace: &str, instance: &str) -> Result<NamespaceClassBinding> {
        eventually(format!("{namespace} is ready and kept by {instance}"), async || {
            let binding = self.binding(namespace).await?.context("no binding")?;
            ensure!(binding.spec.instance == self.name(instance), "kept by {:?}", binding.spec.instance);
            let conditions = &binding.status.as_ref().context("no status")?.conditions;
            for kind in ["Ready", "InScope"] {
                let said = get_condition(conditions, kind).with_context(|| format!("no condition {kind}"))?;
                ensure!(said.status == "True", "{said:?}");
            }
            Ok(binding)
        })
        .await
    }
}

/// The spec of a class of config maps, each with this value in it.
pub(crate) fn class(maps: &[&str], value: &str) -> Value {
    let map = |name: &&str| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { "value": value } });
    json!({ "resources": maps.iter().map(map).collect::<Vec<_>>(), "optOutDelay": "0s" })
}

/// `/debug/scope` of a controller.
pub(crate) async fn debug(operator: &Operator, query: &str) -> Result<Value> {
    let (status, body) = operator.get(&format!("/debug/scope{query}")).await?;
    ensure!(status == 200, "{status}: {body}");
    Ok(serde_json::from_str(&body)?)
}

/// The verdict of a controller on a namespace.
pub(crate) async fn verdict(operator: &Operator, namespace: &str) -> Result<String> {
    let shown = debug(operator, &format!("?namespace={namespace}")).await?;
    Ok(shown["namespaces"][0]["verdict"].as_str().context("no verdict")?.to_owned())
}
