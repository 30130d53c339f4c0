//! What these tests stand on: one control plane for all, and for each an operator, a repository behind smart HTTP, and a namespace in the
//! operator's scope with provider, target and rule in it.

use std::ops::Deref;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::rbac::v1::PolicyRule;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams, PostParams};
use kube::core::NamespaceResourceScope;
use kube::{Api, Resource, ResourceExt};
use nsclass_shared::api::{GitProvider, GitTarget, WatchRule};
use nsclass_shared::config::Config;
use nsclass_shared::rights::own::Grant;
pub(crate) use nsclass_tests::git_server::SETTINGS;
use nsclass_tests::git_server::{Https, Origin, Right};
use nsclass_tests::install::ensure_namespace;
use nsclass_tests::rights::{manifests, own_objects};
use nsclass_tests::{ControlPlane, OPERATOR_NAMESPACE, Operator, OperatorOptions, World, eventually};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The label that scopes select by.
pub(crate) const LABEL: &str = "livegit-test";

pub(crate) const KUSTOMIZATION: &str = "# Team A\nnamespace: NAMESPACE\nresources:\n- settings.yaml\n";

/// A test's world.
pub(crate) struct Stage {
    pub(crate) cp: &'static ControlPlane,
    pub(crate) origin: Origin,
    pub(crate) server: Https,
    world: World,
    /// Where the operator keeps its copies.
    directory: TempDir,
}

impl Deref for Stage {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl Stage {
    /// A repository whose folder `apps` holds the two objects of namespace `pay`, and that namespace with both of them live, in scope. No
    /// operator yet.
    pub(crate) async fn open(prefix: &str) -> Result<Self> {
        let cp = ControlPlane::shared().await?;
        cp.install_crds(&nsclass_shared::api::crds()).await?;
        let world = World::new(cp, prefix);
        let namespace = world.name("pay");
        let kustomization = KUSTOMIZATION.replace("NAMESPACE", &namespace);
        let files = [
            ("apps/kustomization.yaml", kustomization.as_str()),
            ("apps/settings.yaml", SETTINGS),
            ("README.md", "Hands off.\n"),
        ];
        let origin = Origin::with(&files)?;
        let server = Https::start(&origin).await?;
        server.admit("robot", "opens-sesame", Right::Write);
        let stage = Self { cp, origin, server, world, directory: tempfile::tempdir()? };
        stage.managed_namespace("pay").await?;
        for name in ["one", "two"] {
            stage.put("pay", name, "info").await?;
        }
        Ok(stage)
    }

    /// The operator of this world, with the rights that the chart grants and those to read what these tests' rules name.
    pub(crate) async fn operator(&self) -> Result<Operator> {
        let args = ["--periodic-pass-seconds", "86400"].map(str::to_owned).to_vec();
        let config = json!({
            "instance": self.name("one"),
            "scope": { "namespaceSelector": { "matchLabels": { LABEL: self.name("in") } } },
            "git": { "enabled": true, "directory": self.directory.path(), "pollSeconds": 5 },
        })
        .to_string();
        let own = own_objects(&Config::parse(&config)?, &self.name("webhooks"));
        ensure_namespace(&self.cp.admin(), OPERATOR_NAMESPACE).await?;
        let account = self.name("controller");
        self.cp.apply_yaml(&manifests(&Self::grants(), &own, [OPERATOR_NAMESPACE, &account], &self.reads())).await?;
        let identity = Some(self.cp.service_account(OPERATOR_NAMESPACE, &account).await?);
        Operator::start(self.cp, OperatorOptions { config, args, identity }).await
    }

    /// What the chart grants the controller with `git.enabled`.
    fn grants() -> Vec<Grant> {
        [&Grant::CONTROLLER[..], &[Grant::ControllerGit]].concat()
    }

    /// The API group of a kind of this test's own.
    pub(crate) fn group(&self) -> String {
        format!("{}.example.com", self.name("livegit"))
    }

    /// What the rules of these tests name, read-only.
    fn reads(&self) -> Vec<PolicyRule> {
        let own = self.group();
        let kinds = [("", "configmaps"), ("", "secrets"), ("scheduling.k8s.io", "priorityclasses"), (&*own, "widgets")];
        let rule = |(group, resource): (&str, &str)| PolicyRule {
            api_groups: Some(vec![group.to_owned()]),
            resources: Some(vec![resource.to_owned()]),
            verbs: ["get", "list", "watch"].map(str::to_owned).to_vec(),
            ..PolicyRule::default()
        };
        kinds.map(rule).to_vec()
    }

    /// A namespace in the operator's scope.
    pub(crate) async fn managed_namespace(&self, short: &str) -> Result<String> {
        Ok(self.namespace(short).label(LABEL, self.name("in")).create().await?.name_any())
    }

    /// Takes a namespace into the scope, or out of it.
    pub(crate) async fn manage(&self, short: &str, managed: bool) -> Result<()> {
        let value = self.name("in");
        self.label(short, LABEL, managed.then_some(value.as_str())).await?;
        Ok(())
    }

    /// Provider, Secret, target and rule of namespace `pay`, for its `ConfigMap`s and the folder `apps`.
    pub(crate) async fn wire(&self) -> Result<()> {
        self.provider("pay", json!({})).await?;
        self.target("pay", "apps", json!({})).await?;
        self.rule("pay", "maps", &["configmaps"], json!({ "name": "apps" })).await
    }

    pub(crate) async fn provider(&self, short: &str, more: Value) -> Result<()> {
        let namespace = self.name(short);
        let secret = json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "git", "namespace": namespace },
            "stringData": { "username": "robot", "password": "opens-sesame", "ca.crt": self.server.ca() },
        });
        self.cp.apply_yaml(&secret.to_string()).await?;
        let mut spec = json!({
            "url": self.server.url(), "secretRef": { "name": "git" }, "commit": { "window": "1s", "name": "Operator", "email": "operator@example.com" },
        });
        merge(&mut spec, &more);
        self.make::<GitProvider>(short, "origin", spec).await
    }

    /// A target called as its folder.
    pub(crate) async fn target(&self, short: &str, path: &str, more: Value) -> Result<()> {
        let mut spec = json!({ "providerRef": { "name": "origin" }, "branch": "main", "path": path });
        merge(&mut spec, &more);
        self.make::<GitTarget>(short, &path.replace('/', "-"), spec).await
    }

    /// A rule by the admin for some resources of the core group.
    pub(crate) async fn rule(&self, short: &str, name: &str, resources: &[&str], target: Value) -> Result<()> {
        let author = json!({ "user": "test-admin", "groups": ["system:masters"] });
        let spec = json!({
            "targetRef": target, "author": author, "rules": [{ "apiGroups": [""], "resources": resources }],
        });
        self.make::<WatchRule>(short, name, spec).await
    }

    pub(crate) async fn make<K>(&self, short: &str, name: &str, spec: Value) -> Result<()>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
            + DeserializeOwned
            + serde::Serialize
            + Clone
            + std::fmt::Debug,
    {
        let object = json!({
            "apiVersion": K::api_version(&()), "kind": K::kind(&()), "metadata": { "name": name }, "spec": spec,
        });
        let api: Api<K> = self.of(short);
        api.create(&PostParams::default(), &serde_json::from_value(object)?).await?;
        Ok(())
    }

    /// Objects of a kind of ours in a namespace.
    pub(crate) fn of<K: Resource<DynamicType = (), Scope = NamespaceResourceScope>>(&self, short: &str) -> Api<K> {
        Api::namespaced(self.cp.admin(), &self.name(short))
    }

    pub(crate) fn maps(&self, short: &str) -> Api<ConfigMap> {
        Api::namespaced(self.cp.admin(), &self.name(short))
    }

    /// Makes or changes a live `ConfigMap`.
    pub(crate) async fn put(&self, short: &str, name: &str, level: &str) -> Result<()> {
        let map = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { "level": level } });
        let params = PatchParams::apply("somebody").force();
        self.maps(short).patch(name, &params, &Patch::Apply(map)).await?;
        Ok(())
    }

    /// Waits until a condition of an object is so.
    pub(crate) async fn until(
        &self,
        kind: &str,
        short: &str,
        name: &str,
        condition: &str,
        status: &str,
        reason: &str,
    ) -> Result<Value> {
        eventually(format!("{kind} {name} says {condition}={status} {reason}"), async || {
            let whole = self.status(kind, short, name).await?;
            let conditions = whole["conditions"].as_array().cloned().unwrap_or_default();
            let is = conditions.iter().find(|is| is["type"] == condition).context("no such condition")?;
            ensure!(is["status"] == status && (reason.is_empty() || is["reason"] == reason), "{is}");
            Ok(whole)
        })
        .await
    }

    /// The status of an object of ours; null where it has none.
    pub(crate) async fn status(&self, kind: &str, short: &str, name: &str) -> Result<Value> {
        let gvk = GroupVersionKind::gvk("nsclass.io", "v1alpha1", kind);
        let api: Api<DynamicObject> =
            Api::namespaced_with(self.cp.admin(), &self.name(short), &ApiResource::from_gvk(&gvk));
        Ok(api.get(name).await?.data["status"].clone())
    }

    /// Waits until the target `apps` is ready, with everything pushed.
    pub(crate) async fn ready(&self) -> Result<Value> {
        self.until("GitTarget", "pay", "apps", "Ready", "True", "").await
    }

    /// Waits until a file of the branch has these words in it; returns it.
    pub(crate) async fn file_says(&self, path: &str, words: &str) -> Result<String> {
        eventually(format!("{path} says {words:?}"), async || {
            let files = self.origin.files()?;
            let text = files.get(path).context("no such file")?;
            ensure!(text.contains(words), "{text}");
            Ok(text.clone())
        })
        .await
    }

    /// How many commits `main` has.
    pub(crate) fn commits(&self) -> Result<usize> {
        Ok(self.origin.log()?.len())
    }
}

fn merge(into: &mut Value, more: &Value) {
    for (key, value) in more.as_object().into_iter().flatten() {
        into[key] = value.clone();
    }
}

/// The definition of a kind of a test's own.
pub(crate) fn definition(group: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": { "name": format!("widgets.{group}") },
        "spec": {
            "group": group, "scope": "Namespaced", "names": { "plural": "widgets", "singular": "widget", "kind": "Widget" },
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
            }],
        },
    })
}
