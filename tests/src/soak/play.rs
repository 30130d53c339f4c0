//! Events carried out on the control plane.

use anyhow::{Context, Result, bail};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams};
use kube::{Api, ResourceExt};
use nsclass_shared::names::CONFIRM_ANNOTATION;
use serde_json::{Value, json};

use super::check;
use super::event::Event;
use super::model::{Model, class_name, namespace_name};
use super::pool::{Item, WIDGETS};
use crate::{ControlPlane, Operator, OperatorOptions, World};

/// The cluster that it happens on.
pub(super) struct Stage<'a> {
    cp: &'a ControlPlane,
    world: World,
    operator: Operator,
}

impl<'a> Stage<'a> {
    pub(super) async fn set(cp: &'a ControlPlane, world: World) -> Result<Self> {
        Ok(Self { cp, world, operator: start(cp).await? })
    }

    pub(super) fn world(&self) -> &World {
        &self.world
    }

    pub(super) fn ensure_running(&self) -> Result<()> {
        self.operator.program().ensure_running()
    }

    /// Carries an event out. `false` where it cannot happen just now: what it is about is not there, or still going.
    pub(super) async fn perform(&mut self, event: &Event, model: &Model) -> Result<bool> {
        self.ensure_running()?;
        let world = &self.world;
        match event {
            Event::Make(number, asks) => {
                let short = namespace_name(*number);
                if world.namespaces().get_opt(&world.name(&short)).await?.is_some() {
                    return Ok(false);
                }
                let namespace = world.namespace(&short);
                let namespace = match asks {
                    Some(class) => namespace.of_class(&class_name(*class)),
                    None => namespace,
                };
                namespace.create().await?;
            }
            Event::Label(number, None) => {
                world.leave(&namespace_name(*number)).await?;
            }
            Event::Label(number, Some(class)) => {
                world.join(&namespace_name(*number), &class_name(*class)).await?;
            }
            Event::Remove(number) => world.delete_namespace(&namespace_name(*number)).await?,
            Event::Edit(number, items, revision) => return self.edit(*number, items, *revision).await,
            Event::Delete(number) => {
                let name = world.name(&class_name(*number));
                return there(world.classes().delete(&name, &DeleteParams::default()).await.map(drop));
            }
            Event::Tamper(namespace, item) if model.has(*namespace, *item) => {
                let (api, name) = self.object(*namespace, *item);
                let params = PatchParams { field_manager: Some("tenant".into()), ..PatchParams::default() };
                return there(api.patch(&name, &params, &Patch::Merge(item.tampering())).await.map(drop));
            }
            Event::Destroy(namespace, item) if model.has(*namespace, *item) => {
                let (api, name) = self.object(*namespace, *item);
                return there(api.delete(&name, &DeleteParams::default()).await.map(drop));
            }
            Event::Tamper(..) | Event::Destroy(..) => return Ok(false),
            Event::Widgets(true) => {
                if self.definitions().get_opt("widgets.soak.example").await?.is_some() {
                    return Ok(false);
                }
                self.cp.apply_yaml(WIDGETS).await?;
            }
            Event::Widgets(false) => {
                let gone = self.definitions().delete("widgets.soak.example", &DeleteParams::default()).await;
                return there(gone.map(drop));
            }
            Event::Kill => self.kill().await?,
        }
        Ok(true)
    }

    /// Confirms whatever the mass-delete guard holds: everything that happens here is meant.
    pub(super) async fn confirm(&self) -> Result<()> {
        for class in self.world.classes().list(&ListParams::default()).await? {
            let held = class.data.pointer("/status/guard/held").and_then(Value::as_array);
            let digests: Vec<&str> = held.into_iter().flatten().filter_map(|held| held["digest"].as_str()).collect();
            let digests = digests.join(",");
            if !digests.is_empty() && class.annotations().get(CONFIRM_ANNOTATION) != Some(&digests) {
                let patch = json!({ "metadata": { "annotations": { CONFIRM_ANNOTATION: digests } } });
                let name = class.name_any();
                there(
                    self.world.classes().patch(&name, &PatchParams::default(), &Patch::Merge(patch)).await.map(drop),
                )?;
            }
        }
        Ok(())
    }

    async fn edit(&self, number: usize, items: &[Item], revision: u32) -> Result<bool> {
        let short = class_name(number);
        let live = self.world.classes().get_opt(&self.world.name(&short)).await?;
        if live.is_some_and(|class| class.metadata.deletion_timestamp.is_some()) {
            return Ok(false);
        }
        let resources: Vec<Value> = items.iter().map(|item| item.manifest(revision)).collect();
        self.world.class(&short, json!({ "resources": resources, "optOutDelay": "1s" })).await?;
        Ok(true)
    }

    fn object(&self, namespace: usize, item: Item) -> (Api<DynamicObject>, String) {
        let namespace = self.world.name(&namespace_name(namespace));
        let api = if item.is_cluster_scoped() {
            Api::all_with(self.world.client(), &item.resource())
        } else {
            Api::namespaced_with(self.world.client(), &namespace, &item.resource())
        };
        (api, item.name(&namespace))
    }

    fn definitions(&self) -> Api<CustomResourceDefinition> {
        Api::all(self.world.client())
    }

    async fn kill(&mut self) -> Result<()> {
        self.operator.kill_for_good(self.cp).await?;
        check::ensure_nothing_untracked(&self.world).await.context("after a kill")?;
        self.operator = start(self.cp).await?;
        Ok(())
    }
}

async fn start(cp: &ControlPlane) -> Result<Operator> {
    Operator::start(cp, OperatorOptions::default()).await
}

/// Whether what was asked for was there.
fn there(answer: Result<(), kube::Error>) -> Result<bool> {
    match answer {
        Ok(()) => Ok(true),
        Err(kube::Error::Api(status)) if status.code == 404 || status.code == 409 => Ok(false),
        Err(error) => bail!(error),
    }
}
