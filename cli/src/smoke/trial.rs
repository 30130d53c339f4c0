//! One run: who is asked, what its objects are called and look like, and which of them were made.

use std::cell::Cell;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{ApiResource, DynamicObject, PatchParams, PostParams};
use kube::{Api, Client, Config};
use nsclass_shared::api::{NamespaceClass, NamespaceClassBinding};
use nsclass_shared::names::CLASS_LABEL;
use nsclass_shared::runtime::{UNUSABLE, cluster, connect};
use serde_json::{Value, json};

use super::Smoke;

/// Who writes, in managedFields and in the API server's audit log.
const MANAGER: &str = "nsclass-smoke";
/// What the class puts into the namespace: a `ConfigMap` of this name, which says the namespace's under this key.
pub(super) const OBJECT: &str = "nsclass-smoke";
pub(super) const KEY: &str = "namespace";

/// A run.
pub(super) struct Trial<'a> {
    pub(super) client: Client,
    pub(super) command: &'a Smoke,
    /// Of the class, of the namespace, and of the cluster role.
    pub(super) name: String,
    /// What was made, or may have been: set before the request, since an answer can get lost.
    pub(super) made: Made,
}

/// What there is to take away.
#[derive(Debug, Default)]
pub(super) struct Made {
    pub(super) class: Cell<bool>,
    pub(super) namespace: Cell<bool>,
    pub(super) role: Cell<bool>,
}

impl<'a> Trial<'a> {
    pub(super) async fn new(command: &'a Smoke) -> Result<Self> {
        let name = command.name.clone().unwrap_or_else(|| format!("nsclass-smoke-{}", suffix()));
        Ok(Self { client: connect("nsclass").await?, command, name, made: Made::default() })
    }

    /// A client that acts as somebody else.
    pub(super) async fn impersonating(&self, user: &str) -> Result<Client> {
        let mut config: Config = cluster("nsclass").await?;
        config.auth_info.impersonate = Some(user.to_owned());
        config.auth_info.impersonate_groups = Some(vec!["system:authenticated".to_owned()]);
        Client::try_from(config).context(UNUSABLE)
    }

    pub(super) fn timeout(&self) -> Duration {
        Duration::from_secs(self.command.timeout)
    }

    /// Whether anything was written at all.
    pub(super) fn has_made_something(&self) -> bool {
        self.made.class.get() || self.made.namespace.get() || self.made.role.get()
    }

    pub(super) fn classes(&self) -> Api<DynamicObject> {
        Api::all_with(self.client.clone(), &ApiResource::erase::<NamespaceClass>(&()))
    }

    pub(super) fn bindings(&self) -> Api<NamespaceClassBinding> {
        Api::all(self.client.clone())
    }

    pub(super) fn namespaces(&self) -> Api<Namespace> {
        Api::all(self.client.clone())
    }

    pub(super) fn maps(&self) -> Api<ConfigMap> {
        Api::namespaced(self.client.clone(), &self.name)
    }

    /// The class: what it makes goes at once when a namespace leaves it.
    pub(super) fn class(&self) -> Value {
        class(
            &self.name,
            &json!({
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": OBJECT },
                "data": { KEY: "{{ .Namespace.Name }}" },
            }),
        )
    }

    /// A class that nobody may have: its objects would make namespaces.
    pub(super) fn bad_class(&self) -> Value {
        class(&self.name, &json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": OBJECT } }))
    }

    pub(super) fn namespace(&self) -> Value {
        let mut labels = self.command.labels.iter().cloned().collect::<std::collections::BTreeMap<_, _>>();
        labels.insert(CLASS_LABEL.to_owned(), self.name.clone());
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": self.name, "labels": labels } })
    }
}

fn class(name: &str, item: &Value) -> Value {
    json!({
        "apiVersion": "nsclass.io/v1alpha1", "kind": "NamespaceClass", "metadata": { "name": name },
        "spec": { "optOutDelay": "0s", "resources": [item] },
    })
}

/// How objects are created.
pub(super) fn creating() -> PostParams {
    PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() }
}

/// How it is asked whether an object would be created.
pub(super) fn dry_run() -> PostParams {
    PostParams { dry_run: true, ..creating() }
}

/// How objects are changed.
pub(super) fn patching() -> PatchParams {
    PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() }
}

/// Five letters and digits, without those that read alike.
fn suffix() -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let random = RandomState::new().build_hasher().finish().to_be_bytes();
    random.iter().take(5).map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect()
}
