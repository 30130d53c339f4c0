//! What these tests stand on: one control plane for all, an operator with a namespace and a webhook configuration of its own for each.

use anyhow::{Context, Result, ensure};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Api;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, PostParams};
use nsclass_certs::{bundle, fingerprint::Fingerprint};
use nsclass_tests::{ControlPlane, Operator, OperatorOptions, eventually};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Judges a kind that is not there, so that no test is in another one's way.
pub(crate) fn harmless(name: &str) -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "metadata": { "name": name },
        "webhooks": [{
            "name": "things.nsclass.io", "failurePolicy": "Fail", "sideEffects": "None", "matchPolicy": "Equivalent",
            "timeoutSeconds": 3, "admissionReviewVersions": ["v1"],
            "clientConfig": { "service": { "name": "nsclass-webhook", "path": "/admit/things" } },
            "rules": [{ "apiGroups": ["nsclass.io"], "apiVersions": ["*"], "resources": ["things"],
                "operations": ["CREATE", "UPDATE"], "scope": "Namespaced" }],
        }],
    })
}

/// An operator's namespace, and the name of everything that is its own.
pub(crate) struct Stage {
    pub(crate) cp: &'static ControlPlane,
    pub(crate) name: String,
}

impl Stage {
    /// Makes the namespace.
    pub(crate) async fn open(prefix: &str) -> Result<Self> {
        let cp = ControlPlane::shared().await?;
        let name = format!("ops-{prefix}");
        let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
        cp.apply_yaml(&namespace.to_string()).await?;
        Ok(Self { cp, name })
    }

    /// The configuration file of an operator here.
    pub(crate) fn config(&self, instance: &str, more: &str) -> String {
        format!("instance: {instance}\noperatorNamespace: {}\n{more}\n", self.name)
    }

    /// Starts an operator here, a leader if its instance has no other.
    pub(crate) async fn operator(&self, instance: &str, more: &str) -> Result<Operator> {
        let config = self.config(instance, more);
        Operator::start(self.cp, OperatorOptions { config, ..OperatorOptions::default() }).await
    }

    /// Puts the template where the operator looks for it.
    pub(crate) async fn template(&self, template: &Value) -> Result<()> {
        let map = json!({ "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": { "name": "nsclass-webhook-configuration", "namespace": self.name },
            "data": { "webhook-configuration.yaml": template.to_string() } });
        self.cp.apply_yaml(&map.to_string()).await?;
        Ok(())
    }

    pub(crate) fn configurations(&self) -> Api<DynamicObject> {
        let gvk = GroupVersionKind::gvk("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration");
        Api::all_with(self.cp.admin(), &ApiResource::from_gvk_with_plural(&gvk, "validatingwebhookconfigurations"))
    }

    pub(crate) fn secrets(&self) -> Api<Secret> {
        Api::namespaced(self.cp.admin(), &self.name)
    }

    pub(crate) fn config_maps(&self) -> Api<ConfigMap> {
        Api::namespaced(self.cp.admin(), &self.name)
    }

    /// One file of a `Secret`.
    pub(crate) async fn file(&self, secret: &str, key: &str) -> Result<Vec<u8>> {
        let secret = self.secrets().get(secret).await?;
        let data = secret.data.unwrap_or_default();
        Ok(data.get(key).with_context(|| format!("no {key}"))?.0.clone())
    }

    /// A `Secret` with these files, made or replaced.
    pub(crate) async fn put(&self, name: &str, files: &[(&str, &str)]) -> Result<()> {
        let data = files.iter().map(|(key, text)| ((*key).to_owned(), ByteString(text.as_bytes().to_vec()))).collect();
        let mut secret = Secret { data: Some(data), ..Secret::default() };
        secret.metadata.name = Some(name.to_owned());
        match self.secrets().get_opt(name).await? {
            None => self.secrets().create(&PostParams::default(), &secret).await?,
            Some(old) => {
                secret.type_ = old.type_;
                self.secrets().replace(name, &PostParams::default(), &secret).await?
            }
        };
        Ok(())
    }

    /// Whom the configuration trusts, as PEM.
    pub(crate) async fn bundle(&self, configuration: &str) -> Result<Vec<u8>> {
        let found = self.configurations().get(configuration).await?;
        let bundle = found.data["webhooks"][0]["clientConfig"]["caBundle"].clone();
        Ok(serde_json::from_value::<ByteString>(bundle).context("no caBundle")?.0)
    }

    /// Waits until the configuration trusts exactly the authority of the `Secret`, and a pair is there.
    pub(crate) async fn in_order(&self, configuration: &str) -> Result<BTreeSet<Fingerprint>> {
        eventually("the configuration trusts the authority, and a pair is issued", async || {
            let trusted = bundle::trusted(&self.bundle(configuration).await?);
            let authority = bundle::trusted(&self.file("nsclass-webhook-ca", "current.crt").await?);
            ensure!(trusted == authority && trusted.len() == 1, "{trusted:?} instead of {authority:?}");
            self.file("nsclass-webhook-tls", "tls.crt").await?;
            Ok(trusted)
        })
        .await
    }
}

/// Waits until the operator's metric is as `check` wants it.
pub(crate) async fn metric(operator: &Operator, series: &str, check: impl Fn(f64) -> bool) -> Result<()> {
    eventually(format!("the metric {series}"), async || {
        let value = operator.metric(series).await?;
        ensure!(check(value), "{value}");
        Ok(())
    })
    .await
}
