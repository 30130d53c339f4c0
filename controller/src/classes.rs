//! Classes as the watch has them, read and compiled once per generation.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api, Client, CustomResourceExt, ResourceExt,
    api::{ApiResource, DynamicObject},
    runtime::reflector::{ObjectRef, Store},
};
use nsclass_shared::{
    api::{Assessment, NamespaceClass, NamespaceClassBinding, OnDelete},
    class::{self, CompiledClass},
    config::Settings,
    finding::{Finding, sentences},
    identity::Gvk,
    kinds::Kinds,
    marks::Owner,
    names,
    plan::{ClassFacts, ClassState, Protected, protection, rendering},
    reason::{Reason, Remark},
    variables::Variables,
};
use serde_json::Value;

use crate::{kinds::KindCache, requests};

/// A class, read. One that was stored before a rule existed may not be readable at all.
#[derive(Debug)]
pub struct ReadClass {
    /// What its spec says, besides items; none where it cannot be read.
    pub facts: Option<ClassFacts>,
    /// Its items; or why the spec cannot be read.
    pub compiled: Result<CompiledClass<'static>, String>,
}

/// The classes.
pub struct Classes {
    client: Client,
    watched: Store<DynamicObject>,
    resource: ApiResource,
    /// By name.
    read: Mutex<HashMap<String, Read>>,
}

/// What was read of one class.
#[derive(Debug)]
struct Read {
    uid: String,
    generation: i64,
    class: Arc<ReadClass>,
}

/// The namespace that a class is rendered for.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its UID.
    pub uid: &'a str,
    /// Its labels.
    pub labels: &'a BTreeMap<String, String>,
    /// Its annotations.
    pub annotations: &'a BTreeMap<String, String>,
}

impl Classes {
    /// Over what the watch fills.
    pub fn new(client: Client, watched: Store<DynamicObject>) -> Self {
        Self { client, watched, resource: ApiResource::erase::<NamespaceClass>(&()), read: Mutex::default() }
    }

    /// The store that the watch fills.
    pub fn watched(&self) -> &Store<DynamicObject> {
        &self.watched
    }

    /// A class as it is stored.
    pub fn get(&self, name: &str) -> Option<Arc<DynamicObject>> {
        self.watched.get(&ObjectRef::new_with(name, self.resource.clone()))
    }

    /// What a class is for a namespace. Asks the API server only for kinds that it has not asked for.
    ///
    /// # Errors
    /// When the API server gives no definite answer about a kind.
    pub async fn state(
        &self,
        name: &str,
        target: Target<'_>,
        kinds: &KindCache,
        settings: &Settings,
    ) -> Result<ClassState, kube::Error> {
        let Some(object) = self.get(name) else { return Ok(ClassState::Absent) };
        let class = self.read(&object);
        if object.metadata.deletion_timestamp.is_some() {
            if definition_is_going(&self.client).await? {
                return Ok(ClassState::Absent);
            }
            return Ok(ClassState::Deleting(class.facts.unwrap_or_else(|| unreadable_facts(&object))));
        }
        if let Err(why) = &class.compiled {
            return Ok(ClassState::Invalid(None, why.clone()));
        }
        if !is_protected(&object) {
            return Ok(ClassState::Unprotected);
        }
        let (Some(facts), Ok(compiled)) = (class.facts, &class.compiled) else { return Ok(ClassState::Absent) };
        kinds.learn(gvks(compiled)).await?;
        let errors = errors(compiled, kinds, settings);
        // What is wrong with nothing but the policy is `GVKDenied`, which rendering finds again: the class may be as it was when its
        // objects were applied, and the policy another one (class.md C23).
        if errors.iter().any(|finding| finding.reason != Reason::GVKDenied) {
            return Ok(ClassState::Invalid(Some(facts), sentences(&errors)));
        }
        let variables = Variables::live(target.name, target.uid, target.labels, target.annotations, name);
        let owner = Owner { class: name, namespace: target.name, uid: target.uid };
        let rendered = compiled.render(&variables, kinds, &settings.guarded);
        Ok(ClassState::Accepted(facts, rendering(rendered, &settings.policy, &owner)))
    }

    /// What keeps its protection although nothing new can be applied (class.md C02, C50): the objects of the class that is bound, with the
    /// values of its last good rendering. None where the class is gone or going, or gives nothing with these values.
    ///
    /// # Errors
    /// As [`Self::state`].
    pub async fn protection(
        &self,
        binding: &NamespaceClassBinding,
        target: Target<'_>,
        kinds: &KindCache,
        settings: &Settings,
    ) -> Result<Option<Protected>, kube::Error> {
        let name = &binding.spec.class_name;
        let (Some(object), Some(status)) = (self.get(name), &binding.status) else { return Ok(None) };
        if object.metadata.deletion_timestamp.is_some() {
            return Ok(None);
        }
        let class = self.read(&object);
        let (Some(facts), Ok(compiled)) = (class.facts, &class.compiled) else { return Ok(None) };
        kinds.learn(gvks(compiled)).await?;
        let variables = Variables::recorded(target.name, target.uid, &status.values, name);
        let owner = Owner { class: name, namespace: target.name, uid: target.uid };
        let rendered = compiled.render(&variables, kinds, &settings.guarded);
        Ok(protection(rendered, &owner).map(|desired| Protected { facts, desired }))
    }

    /// The kinds of a class's items, as far as they can be read.
    pub fn gvks(&self, object: &DynamicObject) -> Vec<Gvk> {
        self.read(object).compiled.as_ref().map(|compiled| gvks(compiled).collect()).unwrap_or_default()
    }

    /// The condition `Accepted` of a class.
    ///
    /// # Errors
    /// As [`Self::state`].
    pub async fn verdict(
        &self,
        object: &DynamicObject,
        kinds: &KindCache,
        settings: &Settings,
    ) -> Result<Assessment, kube::Error> {
        let class = self.read(object);
        let refused = match &class.compiled {
            Err(why) => Some(why.clone()),
            Ok(compiled) => {
                kinds.learn(gvks(compiled)).await?;
                let errors = errors(compiled, kinds, settings);
                (!errors.is_empty()).then(|| sentences(&errors))
            }
        };
        let (status, reason, message) = match refused {
            Some(why) => (false, Remark::Invalid, why),
            None => (true, Remark::Valid, "the class can be applied".to_owned()),
        };
        Ok(Assessment { status: Some(status), reason: reason.to_string(), message })
    }

    fn read(&self, object: &DynamicObject) -> Arc<ReadClass> {
        let (name, uid) = (object.name_any(), object.uid().unwrap_or_default());
        let generation = object.metadata.generation.unwrap_or_default();
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(&name).filter(|known| known.uid == uid && known.generation == generation) {
            return known.class.clone();
        }
        let class = Arc::new(read_class(&name, generation, object.data.get("spec")));
        read.insert(name, Read { uid, generation, class: class.clone() });
        class
    }

    /// The class is gone.
    pub fn forget(&self, name: &str) {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
    }
}

/// Whether the definition of classes itself is being removed, or is gone. Then the API server deletes every class, and nobody decided
/// that of any of them: they count as absent (class.md C03). Asked live, since the watches of the two kinds are not in step.
///
/// # Errors
/// When there is no definite answer.
pub async fn definition_is_going(client: &Client) -> Result<bool, kube::Error> {
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    let name = NamespaceClass::crd_name();
    match api.get_metadata(name).await {
        Ok(definition) => Ok(definition.metadata.deletion_timestamp.is_some()),
        Err(kube::Error::Api(status)) if requests::is_definitely_absent(&status, name) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Whether a class carries our finalizer.
pub fn is_protected(object: &DynamicObject) -> bool {
    object.finalizers().iter().any(|f| f == names::FINALIZER)
}

fn read_class(name: &str, generation: i64, spec: Option<&Value>) -> ReadClass {
    match class::ReadClass::of_value(name, spec.cloned().unwrap_or_default()) {
        Err(error) => ReadClass { facts: None, compiled: Err(error.to_string()) },
        Ok(class::ReadClass { spec, compiled }) => ReadClass {
            facts: Some(ClassFacts {
                generation,
                adoption: spec.adoption,
                drift: spec.drift,
                on_delete: spec.on_delete,
                immutable: spec.immutable,
                opt_out_delay: spec.opt_out_delay,
            }),
            compiled: Ok(compiled),
        },
    }
}

/// What can still be told of a class that cannot be read, when it is being deleted: whether its objects stay.
fn unreadable_facts(object: &DynamicObject) -> ClassFacts {
    let orphan = object.data.pointer("/spec/onDelete").and_then(Value::as_str) == Some("Orphan");
    ClassFacts { on_delete: if orphan { OnDelete::Orphan } else { OnDelete::Delete }, ..ClassFacts::default() }
}

fn gvks<'c>(compiled: &'c CompiledClass<'_>) -> impl Iterator<Item = Gvk> + 'c {
    compiled.items().iter().map(|item| item.gvk().clone())
}

fn errors(compiled: &CompiledClass<'_>, kinds: &dyn Kinds, settings: &Settings) -> Vec<Finding> {
    let mut findings = compiled.validate(&settings.policy, kinds, &settings.guarded);
    findings.retain(Finding::is_error);
    findings
}
