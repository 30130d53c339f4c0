//! A world of namespaces and classes for one test, in one line each, with names that no other test has.

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{
    ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ObjectMeta, Patch, PatchParams, PostParams,
};
use kube::{Api, Client};
use nsclass_shared::names::{CLASS_LABEL, GROUP, VERSION};
use serde_json::{Value, json};

use crate::ControlPlane;
use crate::install::TEST_ADMIN;

/// Namespaces and classes of one test. It knows them by short names (`pay`); on the server they carry the world's prefix and a
/// random suffix (`quota-pay-x3k9q`), so that tests can share a server.
#[derive(Clone)]
pub struct World {
    client: Client,
    prefix: String,
    suffix: String,
}

impl World {
    /// A world on a control plane, built by its admin.
    pub fn new(cp: &ControlPlane, prefix: &str) -> Self {
        Self::on(cp.admin(), prefix)
    }

    /// A world on any cluster.
    pub fn on(client: Client, prefix: &str) -> Self {
        Self { client, prefix: prefix.to_owned(), suffix: suffix() }
    }

    /// What `short` is called on the server.
    pub fn name(&self, short: &str) -> String {
        format!("{}-{short}-{}", self.prefix, self.suffix)
    }

    /// Begins a namespace: `world.namespace("pay").of_class("baseline").create().await?`.
    pub fn namespace(&self, short: &str) -> NamespaceBuilder<'_> {
        NamespaceBuilder { world: self, name: self.name(short), labels: BTreeMap::new(), annotations: BTreeMap::new() }
    }

    /// Makes the class `short` have exactly this `spec`: creates it, or edits it if it is there.
    ///
    /// # Errors
    /// When the server refuses it.
    pub async fn class(&self, short: &str, spec: Value) -> Result<DynamicObject> {
        let name = self.name(short);
        let object = json!({
            "apiVersion": format!("{GROUP}/{VERSION}"),
            "kind": "NamespaceClass",
            "metadata": { "name": name },
            "spec": spec,
        });
        let params = PatchParams::apply(TEST_ADMIN).force();
        let applied = self.classes().patch(&name, &params, &Patch::Apply(&object)).await;
        applied.with_context(|| format!("NamespaceClass {name} was refused"))
    }

    /// Deletes the class `short`; its finalizer may keep it for a while.
    ///
    /// # Errors
    /// When the server refuses, or it is not there.
    pub async fn delete_class(&self, short: &str) -> Result<()> {
        self.classes().delete(&self.name(short), &DeleteParams::default()).await?;
        Ok(())
    }

    /// Deletes the namespace `short`; it terminates for a while.
    ///
    /// # Errors
    /// When the server refuses, or it is not there.
    pub async fn delete_namespace(&self, short: &str) -> Result<()> {
        self.namespaces().delete(&self.name(short), &DeleteParams::default()).await?;
        Ok(())
    }

    /// Labels the namespace `namespace` with the class `class` of this world.
    ///
    /// # Errors
    /// As [`World::label`].
    pub async fn join(&self, namespace: &str, class: &str) -> Result<Namespace> {
        self.label(namespace, CLASS_LABEL, Some(&self.name(class))).await
    }

    /// Takes the class label from the namespace `namespace`.
    ///
    /// # Errors
    /// As [`World::label`].
    pub async fn leave(&self, namespace: &str) -> Result<Namespace> {
        self.label(namespace, CLASS_LABEL, None).await
    }

    /// Sets or removes one label of the namespace `namespace`.
    ///
    /// # Errors
    /// When the server refuses, or the namespace is not there.
    pub async fn label(&self, namespace: &str, key: &str, value: Option<&str>) -> Result<Namespace> {
        let name = self.name(namespace);
        let patch = json!({ "metadata": { "labels": { key: value } } });
        let patched = self.namespaces().patch(&name, &PatchParams::default(), &Patch::Merge(patch)).await;
        patched.with_context(|| format!("namespace {name}: label {key} was refused"))
    }

    /// The server's classes, untyped.
    pub fn classes(&self) -> Api<DynamicObject> {
        let kind = GroupVersionKind::gvk(GROUP, VERSION, "NamespaceClass");
        Api::all_with(self.client.clone(), &ApiResource::from_gvk_with_plural(&kind, "namespaceclasses"))
    }

    /// The server's namespaces.
    pub fn namespaces(&self) -> Api<Namespace> {
        Api::all(self.client.clone())
    }

    /// The client that the world is built with.
    pub fn client(&self) -> Client {
        self.client.clone()
    }
}

/// A namespace before it is created.
#[must_use = "nothing is created before `create`"]
pub struct NamespaceBuilder<'a> {
    world: &'a World,
    name: String,
    labels: BTreeMap<String, String>,
    annotations: BTreeMap<String, String>,
}

impl NamespaceBuilder<'_> {
    /// Labels it with the class `short` of this world, which need not be there.
    pub fn of_class(self, short: &str) -> Self {
        let class = self.world.name(short);
        self.label(CLASS_LABEL, class)
    }

    /// Adds a label.
    pub fn label(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.labels.insert(key.into(), value.into());
        self
    }

    /// Adds an annotation.
    pub fn annotation(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.annotations.insert(key.into(), value.into());
        self
    }

    /// Creates it.
    ///
    /// # Errors
    /// When the server refuses it.
    pub async fn create(self) -> Result<Namespace> {
        let metadata = ObjectMeta {
            name: Some(self.name.clone()),
            labels: Some(self.labels),
            annotations: Some(self.annotations),
            ..ObjectMeta::default()
        };
        let namespace = Namespace { metadata, ..Namespace::default() };
        let created = self.world.namespaces().create(&PostParams::default(), &namespace).await;
        created.with_context(|| format!("namespace {} was refused", self.name))
    }
}

/// Five letters and digits, without those that read alike.
fn suffix() -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let random = RandomState::new().build_hasher().finish().to_be_bytes();
    random.iter().take(5).map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect()
}
