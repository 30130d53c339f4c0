//! The life of a namespace with a class: it gets its object, keeps it, and loses it.

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::Api;
use kube::api::{DeleteParams, Patch};
use nsclass_shared::api::{NamespaceClassBinding, get_condition};
use nsclass_shared::names::CLASS_LABEL;
use nsclass_shared::reason::Reason;
use nsclass_shared::rights::own::{AGGREGATE_LABEL, KIND_VERBS};
use serde_json::json;

use super::Outcome;
use super::admission::refused;
use super::trial::{KEY, OBJECT, Trial, creating, patching};
use super::wait::{Look, until};
use super::wrong::Wrong;

/// The policy that lets nobody else touch managed objects.
const LOCK: &str = "nsclass-lock";

impl Trial<'_> {
    pub(super) async fn controller_is_given_the_right(&self) -> Result<Outcome> {
        let roles: Api<ClusterRole> = Api::all(self.client.clone());
        let role = serde_json::from_value(json!({
            "metadata": { "name": self.name, "labels": { AGGREGATE_LABEL: self.command.instance } },
            "rules": [{ "apiGroups": [""], "resources": ["configmaps"], "verbs": KIND_VERBS }],
        }))?;
        self.made.role.set(true);
        let created = roles.create(&creating(), &role).await;
        if refused(&created) {
            self.made.role.set(false);
        }
        created.with_context(|| format!("ClusterRole {}", self.name))?;
        Ok(Outcome::Fine("the controller has the right to ConfigMaps until the end of this".to_owned()))
    }

    pub(super) async fn namespace_becomes_ready(&self) -> Result<Outcome> {
        let namespace: Namespace = serde_json::from_value(self.namespace())?;
        self.made.namespace.set(true);
        let created = self.namespaces().create(&creating(), &namespace).await;
        if refused(&created) {
            self.made.namespace.set(false);
        }
        created.with_context(|| format!("Namespace {}", self.name))?;
        let mut last = None;
        let ready = until(self.timeout(), async || {
            last = self.bindings().get_opt(&self.name).await.context("its NamespaceClassBinding")?;
            let Some(binding) = &last else { return Ok(Err("it has no binding".to_owned())) };
            if let Some(error) = self.missing_right(binding) {
                return Err(error);
            }
            Ok(standing(binding))
        });
        if let Err(seen) = ready.await? {
            let what = format!("namespace {} is not ready after {} s: {seen}", self.name, self.command.timeout);
            return Err(Wrong::because(what, self.remedy(last.as_ref())));
        }
        match self.data().await? {
            Ok(()) => Ok(Outcome::Fine(format!("namespace {} is ready and has its ConfigMap", self.name))),
            Err(seen) => Err(Wrong::because(
                format!("namespace {} is said to be ready, and {seen}", self.name),
                "this is a mistake of the operator's; please report it with its log",
            )),
        }
    }

    pub(super) async fn change_is_set_back(&self) -> Result<Outcome> {
        let patch = Patch::Merge(json!({ "data": { KEY: "changed by hand" } }));
        let params = patching();
        if let Some(locked) = locked(self.maps().patch(OBJECT, &params, &patch).await)? {
            return Ok(locked);
        }
        match until(self.timeout(), async || self.data().await).await? {
            Ok(()) => Ok(Outcome::Fine("a change by hand is set back".to_owned())),
            Err(seen) => Err(self.not_repaired("changed", &seen)),
        }
    }

    pub(super) async fn deleted_object_is_made_again(&self) -> Result<Outcome> {
        if let Some(locked) = locked(self.maps().delete(OBJECT, &DeleteParams::default()).await)? {
            return Ok(locked);
        }
        match until(self.timeout(), async || self.data().await).await? {
            Ok(()) => Ok(Outcome::Fine("what is deleted by hand is made again".to_owned())),
            Err(seen) => Err(self.not_repaired("deleted", &seen)),
        }
    }

    pub(super) async fn leaving_takes_the_object_away(&self) -> Result<Outcome> {
        let patch = Patch::Merge(json!({ "metadata": { "labels": { CLASS_LABEL: null } } }));
        let params = patching();
        self.namespaces()
            .patch(&self.name, &params, &patch)
            .await
            .with_context(|| format!("Namespace {}", self.name))?;
        let left = until(self.timeout(), async || {
            if self.maps().get_opt(OBJECT).await.context("its ConfigMap")?.is_some() {
                return Ok(Err("its ConfigMap is there".to_owned()));
            }
            let binding = self.bindings().get_opt(&self.name).await.context("its NamespaceClassBinding")?;
            Ok(binding.map_or(Ok(()), |binding| Err(format!("its binding is there: {}", said(&binding)))))
        });
        match left.await? {
            Ok(()) => Ok(Outcome::Fine("a namespace that leaves its class loses its ConfigMap".to_owned())),
            Err(seen) => Err(Wrong::because(
                format!("namespace {} has left its class, and after {} s {seen}", self.name, self.command.timeout),
                "the reason says what stands in the way; see the controller's log, too",
            )),
        }
    }

    /// Whether the `ConfigMap` is as the class wants it.
    async fn data(&self) -> Result<Look<()>> {
        let map = self.maps().get_opt(OBJECT).await.with_context(|| format!("ConfigMap {}/{OBJECT}", self.name))?;
        let Some(map) = map else { return Ok(Err("its ConfigMap is not there".to_owned())) };
        Ok(as_rendered(&map, &self.name))
    }

    fn not_repaired(&self, what: &str, seen: &str) -> anyhow::Error {
        Wrong::because(
            format!("the ConfigMap was {what} by hand, and after {} s {seen}", self.command.timeout),
            format!(
                "kubectl describe namespaceclassbinding {} says what stands in the way; the controller needs list and watch on \
                 configmaps, and its log tells of watches that break",
                self.name
            ),
        )
    }

    /// What no waiting mends.
    fn missing_right(&self, binding: &NamespaceClassBinding) -> Option<anyhow::Error> {
        let ready = get_condition(&binding.status.as_ref()?.conditions, "Ready")?;
        let is_missing = ready.reason == Reason::Forbidden.as_str() && !self.command.grant;
        is_missing.then(|| {
            Wrong::because(
                format!("the controller may not make ConfigMaps: {}", ready.message.trim_end_matches('.')),
                "run this with --grant, which gives the right for as long as it runs; what your own classes need, nsclass \
                 rbac-check says, and the value rbac.kinds gives",
            )
        })
    }

    /// What to do about a namespace that does not get ready.
    fn remedy(&self, binding: Option<&NamespaceClassBinding>) -> String {
        let instance = &self.command.instance;
        let Some(binding) = binding else {
            return format!(
                "let the scope of instance {instance} pick the namespace, with --label KEY=VALUE for a selector and --name NAME \
                 for a list; /debug/scope?namespace={} of a controller shows its verdict",
                self.name
            );
        };
        if binding.spec.instance != *instance {
            return format!("instance {} keeps this namespace; try that one, with --instance", binding.spec.instance);
        }
        let ready = binding.status.as_ref().and_then(|status| get_condition(&status.conditions, "Ready"));
        let reason = ready.and_then(|ready| Reason::ALL.into_iter().find(|one| one.as_str() == ready.reason));
        match reason {
            Some(reason) if ready.is_some_and(|ready| ready.status == "False") => reason.remedy().to_owned(),
            _ => "give it more time with --timeout, or see the controller's log".to_owned(),
        }
    }
}

/// Whether a binding is ready, or what it says instead.
fn standing(binding: &NamespaceClassBinding) -> Look<()> {
    let ready = binding.status.as_ref().and_then(|status| get_condition(&status.conditions, "Ready"));
    if ready.is_some_and(|ready| ready.status == "True") { Ok(()) } else { Err(said(binding)) }
}

/// What a binding says of itself.
fn said(binding: &NamespaceClassBinding) -> String {
    let ready = binding.status.as_ref().and_then(|status| get_condition(&status.conditions, "Ready"));
    ready.map_or_else(
        || "its binding says nothing yet".to_owned(),
        |ready| format!("{}: {}", ready.reason, ready.message.trim_end_matches('.')),
    )
}

fn as_rendered(map: &ConfigMap, namespace: &str) -> Look<()> {
    if map.metadata.deletion_timestamp.is_some() {
        return Err("its ConfigMap is being deleted".to_owned());
    }
    let value = map.data.as_ref().and_then(|data| data.get(KEY));
    if value.is_some_and(|value| value == namespace) {
        return Ok(());
    }
    Err(format!("its ConfigMap says {:?} under {KEY}", value.map_or("nothing", String::as_str)))
}

/// A write that the optional policy refuses cannot be tried, which is what it is for.
fn locked<T>(answer: kube::Result<T>) -> Result<Option<Outcome>> {
    match answer {
        Ok(_) => Ok(None),
        Err(kube::Error::Api(status)) if status.message.contains(LOCK) => {
            Ok(Some(Outcome::Fine(format!("nobody else can touch the ConfigMap: {LOCK} refuses it"))))
        }
        Err(error) => Err(error).with_context(|| format!("ConfigMap {OBJECT}")),
    }
}
