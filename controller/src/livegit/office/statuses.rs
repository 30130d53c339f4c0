//! Statuses: written only when they say something new, each with an event where Ready says it for another reason than before.

use std::collections::HashMap;

use jiff::Timestamp;
use k8s_openapi::{api::core::v1::ObjectReference, apimachinery::pkg::apis::meta::v1::Condition};
use kube::{
    Api, Client, Resource, ResourceExt,
    api::{ApiResource, DynamicObject, Patch, PatchParams},
};
use nsclass_shared::{
    api::{get_condition, set_condition},
    livegit::status::Conditions,
    names,
};
use serde_json::{Value, json};

/// What an object should say.
pub(super) struct Draft {
    resource: ApiResource,
    about: ObjectReference,
    resource_version: String,
    generation: Option<i64>,
    before: Value,
    is: Conditions,
    fields: Value,
}

/// What of it has to be written.
pub(super) struct Due {
    /// Which object.
    pub about: ObjectReference,
    /// Reason, whether it is a warning, and message of Ready, where that is another reason than before.
    pub news: Option<(String, bool, String)>,
    resource: ApiResource,
    status: Value,
    resource_version: String,
}

impl Draft {
    /// Of an object as the watch has it, with the status that it has there. `fields` are the status but for conditions and generation;
    /// one that is null goes.
    pub(super) fn of<K: Resource<DynamicType = ()>>(object: &K, before: Value, is: Conditions, fields: Value) -> Self {
        Self {
            resource: ApiResource::erase::<K>(&()),
            about: object.object_ref(&()),
            resource_version: object.resource_version().unwrap_or_default(),
            generation: object.meta().generation,
            before,
            is,
            fields,
        }
    }
}

/// What was written last, for as long as the watch has not shown it.
#[derive(Default)]
pub(super) struct Statuses(HashMap<String, (String, Value)>);

impl Statuses {
    /// What has to be written of these.
    pub(super) fn due(&mut self, drafts: Vec<Draft>, now: Timestamp) -> Vec<Due> {
        let uid = |draft: &Draft| draft.about.uid.clone().unwrap_or_default();
        let all: HashMap<String, &Draft> = drafts.iter().map(|draft| (uid(draft), draft)).collect();
        self.0.retain(|uid, _| all.contains_key(uid));
        drafts.into_iter().filter_map(|draft| self.due_of(draft, now)).collect()
    }

    fn due_of(&self, draft: Draft, now: Timestamp) -> Option<Due> {
        let Draft { resource, about, resource_version, generation, before, is, fields } = draft;
        let uid = about.uid.clone().unwrap_or_default();
        // The watch may not have shown yet what was written over this resourceVersion.
        let written = self.0.get(&uid).filter(|(over, _)| *over == resource_version).map(|(_, status)| status.clone());
        let before = written.unwrap_or(before);
        let mut now_so: Vec<Condition> = serde_json::from_value(before["conditions"].clone()).unwrap_or_default();
        let ready = |conditions: &[Condition]| get_condition(conditions, "Ready").map(|ready| ready.reason.clone());
        let reason_before = ready(&now_so);
        for (kind, assessment) in &is {
            set_condition(&mut now_so, kind, assessment, generation, now);
        }
        let news = get_condition(&now_so, "Ready").filter(|ready| Some(&ready.reason) != reason_before.as_ref()).map(
            |ready| {
                let stalls = get_condition(&now_so, "Stalled").is_some_and(|stalled| stalled.status == "True");
                (ready.reason.clone(), stalls, ready.message.clone())
            },
        );
        let mut status = fields;
        status["observedGeneration"] = json!(generation);
        status["conditions"] = json!(now_so);
        let says = |key: &String, value: &Value| before.get(key).unwrap_or(&Value::Null) == value;
        let is_same = status.as_object().is_some_and(|status| status.iter().all(|(key, value)| says(key, value)));
        (!is_same).then_some(Due { about, news, resource, status, resource_version })
    }

    /// One was written.
    pub(super) fn written(&mut self, due: &Due) {
        let uid = due.about.uid.clone().unwrap_or_default();
        self.0.insert(uid, (due.resource_version.clone(), due.status.clone()));
    }
}

impl Due {
    /// Merges it into the object's status. Nothing happens where that is gone meanwhile, or made again: the watch tells.
    pub(super) async fn write(&self, client: &Client) -> Result<(), kube::Error> {
        let (name, namespace) = (self.about.name.clone().unwrap_or_default(), self.about.namespace.as_deref());
        let api: Api<DynamicObject> = match namespace {
            Some(namespace) => Api::namespaced_with(client.clone(), namespace, &self.resource),
            None => Api::all_with(client.clone(), &self.resource),
        };
        let params = PatchParams { field_manager: Some(names::STATUS_MANAGER.into()), ..PatchParams::default() };
        let body = json!({ "metadata": { "uid": self.about.uid }, "status": self.status });
        match api.patch_status(&name, &params, &Patch::Merge(body)).await {
            Ok(_) => Ok(()),
            Err(kube::Error::Api(status)) if status.code == 404 || status.code == 409 => Ok(()),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use nsclass_shared::{
        api::{GitTarget, GitTargetSpec},
        livegit::{
            fault::{Fault, Reason},
            status,
        },
    };

    use super::*;

    fn target(version: &str, status: &Value) -> GitTarget {
        let spec: GitTargetSpec =
            serde_json::from_value(json!({ "providerRef": { "name": "origin" }, "branch": "main", "path": "a" }))
                .unwrap();
        let mut target = GitTarget::new("prod", spec);
        target.metadata.namespace = Some("pay".to_owned());
        target.metadata.uid = Some("u".to_owned());
        target.metadata.generation = Some(1);
        target.metadata.resource_version = Some(version.to_owned());
        target.status = serde_json::from_value(status.clone()).unwrap();
        target
    }

    fn draft(target: &GitTarget, fault: Option<Reason>) -> Draft {
        let faults: Vec<Fault> = fault.into_iter().map(|reason| Fault::new(reason, "spec", "is", "do")).collect();
        Draft::of(target, json!(target.status), status::provider(&faults, 0, None), json!({ "rules": 0 }))
    }

    #[test]
    fn f20_an_unchanged_status_is_not_written_and_a_change_of_ready_is_told_once() {
        let (mut statuses, now) = (Statuses::default(), Timestamp::UNIX_EPOCH);
        let first = target("1", &Value::Null);
        let due = statuses.due(vec![draft(&first, Some(Reason::UrlInvalid))], now);
        assert_eq!(
            due[0].news.as_ref().map(|(reason, warns, _)| (reason.as_str(), *warns)),
            Some(("UrlInvalid", true))
        );
        statuses.written(&due[0]);
        // The watch has not shown it yet.
        assert!(statuses.due(vec![draft(&first, Some(Reason::UrlInvalid))], now).is_empty());
        let shown = target("2", &due[0].status);
        assert!(statuses.due(vec![draft(&shown, Some(Reason::UrlInvalid))], now).is_empty());
        let mended = statuses.due(vec![draft(&shown, None)], now);
        assert_eq!(
            mended[0].news.as_ref().map(|(reason, warns, _)| (reason.as_str(), *warns)),
            Some(("Unused", false))
        );
        // Somebody overwrote what was written.
        statuses.written(&mended[0]);
        let overwritten = target("4", &json!({}));
        assert_eq!(statuses.due(vec![draft(&overwritten, None)], now).len(), 1);
    }
}
