//! What holds others up once nobody leads: finalizers, bindings that belong to the instance, and our webhook configuration.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::api::{ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams};
use kube::core::PartialObjectMeta;
use kube::{Api, Client, ResourceExt};
use nsclass_shared::api::{NamespaceClass, NamespaceClassBinding};
use nsclass_shared::config::CertificatesConfig;
use nsclass_shared::names::{FINALIZER, INSTANCE_LABEL, MANAGED_BY_LABEL};
use serde_json::{Value, json};

use super::{MANAGER, Task};
use crate::pages::{self, gone};

/// How often an object is read again because somebody changed it meanwhile.
const MOST_ATTEMPTS: usize = 5;

/// The bindings, by whose they are. Read untyped: one that cannot be decoded is freed like the others.
pub(super) struct Bindings {
    /// Namespaces of this instance.
    own: Vec<String>,
    /// Namespaces of other instances.
    pub(super) others: BTreeMap<String, Other>,
}

/// A binding of another instance.
pub(super) struct Other {
    pub(super) instance: String,
    class: String,
}

impl Bindings {
    pub(super) async fn read(client: &Client, instance: &str) -> Result<Self> {
        let api = bindings(client);
        let (mut own, mut others) = (Vec::new(), BTreeMap::new());
        for binding in pages::all(async |page| api.list(&page).await).await? {
            let text = |path: &str| binding.data.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
            let (holder, class) = (text("/spec/instance"), text("/spec/className"));
            if holder == instance {
                own.push(binding.name_any());
            } else if !holder.is_empty() {
                others.insert(binding.name_any(), Other { instance: holder, class });
            }
        }
        Ok(Self { own, others })
    }
}

impl Task<'_> {
    /// Takes the finalizer off the namespaces that are not another instance's; returns how many carried it.
    pub(super) async fn free_namespaces(&self, bindings: &Bindings) -> Result<usize> {
        let api = Api::<DynamicObject>::all_with(self.client.clone(), &ApiResource::erase::<Namespace>(&()));
        let all = pages::all(async |page| api.list_metadata(&page).await).await?;
        self.take_off(&api, all.into_iter().filter(|n| !bindings.others.contains_key(&n.name_any())).collect()).await
    }

    /// Takes the finalizer off the classes that no other instance uses; returns how many carried it.
    pub(super) async fn free_classes(&self, bindings: &Bindings) -> Result<usize> {
        let api = Api::<DynamicObject>::all_with(self.client.clone(), &ApiResource::erase::<NamespaceClass>(&()));
        let all = pages::all(async |page| api.list_metadata(&page).await).await?;
        let used: BTreeSet<&str> = bindings.others.values().map(|other| other.class.as_str()).collect();
        self.take_off(&api, all.into_iter().filter(|class| !used.contains(class.name_any().as_str())).collect()).await
    }

    /// Empties the instance of our bindings; returns how many.
    pub(super) async fn free_bindings(&self, all: &Bindings) -> Result<usize> {
        let api = bindings(&self.client);
        for name in &all.own {
            let patch = json!({ "spec": { "instance": "" } });
            gone(api.patch(name, &self.params(), &Patch::Merge(patch)).await)?;
        }
        Ok(all.own.len())
    }

    /// Deletes the configurations that the instance's controller made; returns how many.
    pub(super) async fn delete_hooks(&self) -> Result<usize> {
        let api: Api<ValidatingWebhookConfiguration> = Api::all(self.client.clone());
        let selector = format!("{MANAGED_BY_LABEL}=nsclass,{INSTANCE_LABEL}={}", self.command.instance);
        let ours = ListParams::default().labels(&selector);
        let found = api.list_metadata(&ours).await?.items;
        for hook in &found {
            let params = DeleteParams { dry_run: self.command.dry_run, ..DeleteParams::default() };
            gone(api.delete(&hook.name_any(), &params).await)?;
        }
        Ok(found.len())
    }

    /// Deletes the `Secret`s that the controller keeps its authority and the serving pair in; returns how many there were.
    pub(super) async fn delete_certificates(&self, service: &str) -> Result<usize> {
        let api: Api<Secret> = Api::namespaced(self.client.clone(), &self.command.operator_namespace);
        let config = CertificatesConfig { service: service.to_owned(), ..CertificatesConfig::default() };
        let params = DeleteParams { dry_run: self.command.dry_run, ..DeleteParams::default() };
        let mut deleted = 0;
        for name in [config.authority_secret(), config.serving_secret()] {
            deleted += usize::from(gone(api.delete(&name, &params).await)?.is_some());
        }
        Ok(deleted)
    }

    async fn take_off(
        &self,
        api: &Api<DynamicObject>,
        objects: Vec<PartialObjectMeta<DynamicObject>>,
    ) -> Result<usize> {
        let held: Vec<_> = objects.into_iter().filter(|o| o.finalizers().iter().any(|f| f == FINALIZER)).collect();
        for object in &held {
            let name = object.name_any();
            let (mut finalizers, mut version) = (object.finalizers().to_vec(), object.resource_version());
            for attempt in 1.. {
                finalizers.retain(|finalizer| finalizer != FINALIZER);
                // The version keeps us from undoing somebody else's finalizer.
                let patch = json!({ "metadata": { "resourceVersion": version, "finalizers": finalizers } });
                match api.patch_metadata(&name, &self.params(), &Patch::Merge(patch)).await {
                    Err(kube::Error::Api(status)) if status.code == 409 && attempt < MOST_ATTEMPTS => {}
                    answer => {
                        gone(answer)?;
                        break;
                    }
                }
                let Some(now) = gone(api.get_metadata(&name).await)? else { break };
                (finalizers, version) = (now.finalizers().to_vec(), now.resource_version());
            }
        }
        Ok(held.len())
    }

    fn params(&self) -> PatchParams {
        PatchParams { dry_run: self.command.dry_run, field_manager: Some(MANAGER.into()), ..PatchParams::default() }
    }
}

fn bindings(client: &Client) -> Api<DynamicObject> {
    Api::all_with(client.clone(), &ApiResource::erase::<NamespaceClassBinding>(&()))
}
