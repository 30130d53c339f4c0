//! What one stream has shown, and what of an event goes on to the worker: only what changed for Git.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::Arc,
};

use kube::{
    ResourceExt,
    api::{ApiResource, DynamicObject},
    runtime::watcher::Event,
};
use nsclass_manifests::{identity::LiveId, live};
use nsclass_shared::livegit::{
    noise::is_published,
    world::{Selection, StreamId},
};
use serde_json::{Value, json};

use super::change::{Change, Message, Resync, Streamed, TargetKey, What};

/// One stream's memory: a hash for each object that is written, nothing of the others.
pub struct Listing {
    target: TargetKey,
    id: StreamId,
    resource: ApiResource,
    selection: Selection,
    /// Hashes of what was sent last, by name.
    sent: HashMap<String, u64>,
    /// Of the list that is under way.
    objects: Vec<(LiveId, Arc<Value>)>,
    spared: Vec<LiveId>,
    key: RandomState,
}

impl Listing {
    /// Before the first event.
    pub fn new(target: TargetKey, id: StreamId, resource: ApiResource, selection: Selection) -> Self {
        let (sent, objects, spared) = (HashMap::new(), vec![], vec![]);
        Self { target, id, resource, selection, sent, objects, spared, key: RandomState::new() }
    }

    /// Takes an event; what the worker must hear of it. Nothing of a list before it is complete (F50), nothing of a change that Git does
    /// not see, such as one of the status (F37), and nothing of an object that no rule picks: its document stays as it is.
    pub fn take(&mut self, event: Event<DynamicObject>) -> Option<Message> {
        match event {
            Event::Init => {
                self.objects.clear();
                self.spared.clear();
                self.sent.clear();
                None
            }
            Event::InitApply(object) => {
                let id = self.live_id(&object);
                if self.picks(&object) {
                    let value = self.cleaned(&object);
                    self.sent.insert(object.name_any(), self.hash(&value));
                    self.objects.push((id, Arc::new(self.with_state(value, &object))));
                } else {
                    self.spared.push(id);
                }
                None
            }
            Event::InitDone => Some(Message::Resync(Resync {
                target: self.target.clone(),
                objects: std::mem::take(&mut self.objects),
                spared: std::mem::take(&mut self.spared),
                streamed: vec![Streamed {
                    group: self.id.kind.group.as_str().into(),
                    resource: self.id.kind.resource.as_str().into(),
                    namespace: self.id.namespace.as_deref().map(Into::into),
                }],
            })),
            Event::Apply(object) => {
                if !self.picks(&object) {
                    self.sent.remove(&object.name_any());
                    return None;
                }
                let value = self.cleaned(&object);
                let hash = self.hash(&value);
                let before = self.sent.insert(object.name_any(), hash);
                (before != Some(hash)).then(|| {
                    let value = self.with_state(value, &object);
                    self.change(&object, What::Put(Arc::new(value)))
                })
            }
            Event::Delete(object) => self.sent.remove(&object.name_any()).map(|_| self.change(&object, What::Delete)),
        }
    }

    fn picks(&self, object: &DynamicObject) -> bool {
        self.selection.picks(object.labels()) && !is_published(&self.id.kind, &object.name_any())
    }

    fn change(&self, object: &DynamicObject, what: What) -> Message {
        Message::Change(Change {
            target: self.target.clone(),
            id: self.live_id(object),
            what,
            uid: object.uid().unwrap_or_default().into(),
            resource_version: object.resource_version().unwrap_or_default().into(),
        })
    }

    fn live_id(&self, object: &DynamicObject) -> LiveId {
        LiveId {
            group: self.id.kind.group.as_str().into(),
            resource: self.id.kind.resource.as_str().into(),
            namespace: object.namespace().map(Into::into),
            name: object.name_any().into(),
        }
    }

    /// Items of a list do not say what they are.
    fn cleaned(&self, object: &DynamicObject) -> Value {
        let mut value = json!(object);
        value["apiVersion"] = json!(self.resource.api_version);
        value["kind"] = json!(self.resource.kind);
        live::clean(&value, None)
    }

    /// A Secret keeps what tells its state, which its document is stamped with (F39); the engine takes it out again.
    fn with_state(&self, mut value: Value, object: &DynamicObject) -> Value {
        if self.id.kind.group.is_empty() && self.id.kind.resource == "secrets" {
            value["metadata"]["uid"] = json!(object.uid());
            value["metadata"]["resourceVersion"] = json!(object.resource_version());
        }
        value
    }

    fn hash(&self, value: &Value) -> u64 {
        self.key.hash_one(value.to_string())
    }
}

#[cfg(test)]
mod tests {
    use nsclass_shared::{livegit::kinds::GroupResource, scope::Selector};

    use super::*;

    fn listing(selector: &Value) -> Listing {
        let kind = GroupResource { group: String::new(), resource: "configmaps".to_owned() };
        let id = StreamId { kind, namespace: Some("pay".to_owned()) };
        let resource = ApiResource {
            group: String::new(),
            version: "v1".to_owned(),
            api_version: "v1".to_owned(),
            kind: "ConfigMap".to_owned(),
            plural: "configmaps".to_owned(),
        };
        let selector = Selector::compile(&serde_json::from_value(selector.clone()).unwrap()).unwrap();
        let target = TargetKey { namespace: "pay".into(), name: "prod".into() };
        Listing::new(target, id, resource, Selection(vec![selector]))
    }

    fn map(name: &str, version: &str, tier: &str, data: &str) -> DynamicObject {
        serde_json::from_value(json!({
            "metadata": { "namespace": "pay", "name": name, "uid": name, "resourceVersion": version, "labels": { "tier": tier } },
            "data": { "a": data },
        }))
        .unwrap()
    }

    fn said(message: Option<Message>) -> String {
        match message {
            None => "nothing".to_owned(),
            Some(Message::Change(change)) => {
                let what = if matches!(change.what, What::Delete) { "delete" } else { "put" };
                format!("{what} {} at {}", change.id.name, change.resource_version)
            }
            Some(Message::Resync(resync)) => {
                let names = |ids: Vec<&LiveId>| ids.iter().map(|id| id.name.to_string()).collect::<Vec<_>>().join(" ");
                let objects = names(resync.objects.iter().map(|(id, _)| id).collect());
                format!("resync [{objects}] spared [{}]", names(resync.spared.iter().collect()))
            }
            Some(other) => format!("{other:?}"),
        }
    }

    #[test]
    fn f50_nothing_is_told_of_a_list_before_it_is_complete() {
        let mut listing = listing(&json!({}));
        assert_eq!(said(listing.take(Event::Init)), "nothing");
        assert_eq!(said(listing.take(Event::InitApply(map("a", "1", "x", "1")))), "nothing");
        // It breaks, and begins again.
        assert_eq!(said(listing.take(Event::Init)), "nothing");
        assert_eq!(said(listing.take(Event::InitApply(map("b", "1", "x", "1")))), "nothing");
        assert_eq!(said(listing.take(Event::InitDone)), "resync [b] spared []");
        assert_eq!(said(listing.take(Event::InitDone)), "resync [] spared []");
    }

    #[test]
    fn f37_a_change_that_git_does_not_see_is_not_told() {
        let mut listing = listing(&json!({}));
        assert_eq!(said(listing.take(Event::Apply(map("a", "1", "x", "1")))), "put a at 1");
        assert_eq!(said(listing.take(Event::Apply(map("a", "2", "x", "1")))), "nothing");
        assert_eq!(said(listing.take(Event::Apply(map("a", "3", "x", "2")))), "put a at 3");
        assert_eq!(said(listing.take(Event::Delete(map("a", "4", "x", "2")))), "delete a at 4");
        assert_eq!(said(listing.take(Event::Delete(map("a", "4", "x", "2")))), "nothing");
    }

    #[test]
    fn f50_what_no_rule_picks_is_spared_and_what_stops_being_picked_is_left_as_it_is() {
        let mut listing = listing(&json!({ "matchLabels": { "tier": "x" } }));
        listing.take(Event::Init);
        listing.take(Event::InitApply(map("a", "1", "x", "1")));
        listing.take(Event::InitApply(map("b", "1", "y", "1")));
        assert_eq!(said(listing.take(Event::InitDone)), "resync [a] spared [b]");
        assert_eq!(said(listing.take(Event::Apply(map("a", "2", "y", "1")))), "nothing");
        assert_eq!(said(listing.take(Event::Delete(map("a", "3", "y", "1")))), "nothing");
        assert_eq!(said(listing.take(Event::Apply(map("b", "2", "x", "1")))), "put b at 2");
    }

    #[test]
    fn an_object_says_what_it_is_and_nothing_that_the_server_wrote() {
        let mut listing = listing(&json!({}));
        let Some(Message::Change(Change { what: What::Put(value), .. })) =
            listing.take(Event::Apply(map("a", "1", "x", "1")))
        else {
            panic!("a change");
        };
        assert_eq!(
            *value,
            json!({
                "apiVersion": "v1", "kind": "ConfigMap", "data": { "a": "1" },
                "metadata": { "namespace": "pay", "name": "a", "labels": { "tier": "x" } },
            })
        );
    }
}
