//! Taking away what was made: by the operator where it is up, by force where it is not. Everything is of this run's own name, and was made
//! by it.

use std::time::Duration;

use anyhow::Result;
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::api::{DeleteParams, Patch};
use kube::{Api, ResourceExt};
use nsclass_shared::names::FINALIZER;
use serde_json::json;

use super::trial::{Trial, patching};
use super::wait::{Look, until};
use super::wrong::told;
use crate::pages::gone;

/// How long the operator is given for its finalizer. It takes it off within seconds, or is down.
const OPERATORS_TIME: Duration = Duration::from_secs(15);
/// How long a namespace may take that holds next to nothing.
const NAMESPACES_TIME: Duration = Duration::from_secs(120);

/// What is left, and how it is removed by hand.
type Left = Vec<(String, String)>;

impl Trial<'_> {
    /// Takes everything away that was made; returns what could not be.
    pub(super) async fn clean_up(&self) -> Left {
        let mut left = Left::new();
        let mut note = |what: String, result: Result<Look<()>>| match result {
            Ok(Ok(())) => {}
            Ok(Err(seen)) => left.push((format!("{what} is left: {seen}"), self.by_hand())),
            Err(error) => left.push((format!("{what} may be left: {}", told(&error)), self.by_hand())),
        };
        if self.made.namespace.get() {
            note(format!("Namespace {}", self.name), self.delete_namespace().await);
        }
        if self.made.class.get() {
            note(format!("NamespaceClass {}", self.name), self.delete_class().await);
            note(format!("NamespaceClassBinding {}", self.name), self.delete_binding().await);
        }
        if self.made.role.get() {
            note(format!("ClusterRole {}", self.name), self.delete_role().await);
        }
        left
    }

    /// The commands that take away what this could not.
    pub(super) fn by_hand(&self) -> String {
        let name = &self.name;
        let mut commands = Vec::new();
        if self.made.namespace.get() {
            commands.push(format!("kubectl delete namespace {name}"));
        }
        if self.made.class.get() {
            commands.push(format!("kubectl delete namespaceclass {name}"));
            commands.push(format!("kubectl delete namespaceclassbinding {name}"));
        }
        if self.made.role.get() {
            commands.push(format!("kubectl delete clusterrole {name}"));
        }
        if commands.is_empty() {
            return "nothing was made".to_owned();
        }
        let finalizer = "where an object stays because no controller runs, take its finalizer nsclass.io/finalizer off";
        format!("{}; {finalizer}", commands.join("; "))
    }

    async fn delete_namespace(&self) -> Result<Look<()>> {
        let api = self.namespaces();
        gone(api.delete(&self.name, &DeleteParams::default()).await)?;
        // Nothing in it is cluster-scoped, so that the operator holds it up for nothing.
        until(NAMESPACES_TIME, async || {
            let there = api.get_opt(&self.name).await?;
            let conditions = there.map(|there| there.status.and_then(|status| status.conditions).unwrap_or_default());
            Ok(conditions.map_or(Ok(()), |conditions| {
                let said: Vec<String> = conditions.into_iter().filter_map(|it| it.message).collect();
                Err(format!("it is being deleted; {}", said.join("; ")))
            }))
        })
        .await
    }

    async fn delete_class(&self) -> Result<Look<()>> {
        let api = self.classes();
        gone(api.delete(&self.name, &DeleteParams::default()).await)?;
        let is_gone = async || {
            let there = gone(api.get_metadata(&self.name).await)?;
            Ok(there.map_or(Ok(()), |there| Err(format!("its finalizers are {}", there.finalizers().join(", ")))))
        };
        if until(OPERATORS_TIME, is_gone).await?.is_ok() {
            return Ok(Ok(()));
        }
        let Some(there) = gone(api.get_metadata(&self.name).await)? else { return Ok(Ok(())) };
        let finalizers: Vec<&String> = there.finalizers().iter().filter(|it| *it != FINALIZER).collect();
        // The version keeps us from undoing somebody else's finalizer.
        let patch = json!({ "metadata": { "resourceVersion": there.resource_version(), "finalizers": finalizers } });
        gone(api.patch_metadata(&self.name, &patching(), &Patch::Merge(patch)).await)?;
        until(OPERATORS_TIME, is_gone).await
    }

    /// It goes with its namespace; where nobody leads, it does not.
    async fn delete_binding(&self) -> Result<Look<()>> {
        let api = self.bindings();
        let is_gone = async || {
            let there = gone(api.get_metadata(&self.name).await)?;
            Ok(if there.is_none() { Ok(()) } else { Err("it is there".to_owned()) })
        };
        if until(OPERATORS_TIME, is_gone).await?.is_ok() {
            return Ok(Ok(()));
        }
        gone(api.delete(&self.name, &DeleteParams::default()).await)?;
        until(OPERATORS_TIME, is_gone).await
    }

    async fn delete_role(&self) -> Result<Look<()>> {
        let roles: Api<ClusterRole> = Api::all(self.client.clone());
        gone(roles.delete(&self.name, &DeleteParams::default()).await)?;
        Ok(Ok(()))
    }
}
