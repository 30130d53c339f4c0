//! Takes from an object what others added beside our fields (class.md C34).
//!
//! Neither an apply nor a delete of fields by their owner can do that: an apply, even a forced one, leaves what it does not name. So the
//! object is read, and a merge patch removes just these fields from what was read; the resourceVersion in it keeps the two together. Our
//! own managedFields entry stays as it is, and nobody else's fields are touched.

use kube::{
    ResourceExt,
    api::{DynamicObject, Patch, PatchParams},
};
use nsclass_shared::{
    answer::Action,
    fields::{merge_patch, without},
    names,
    plan::{Held, ObjectRef, Outcome},
};
use serde_json::{Value, json};

use crate::{answers, context::Context, requests};

/// See the module. An object that has none of these fields is not written.
pub(super) async fn strip(context: &Context, object: &ObjectRef, uid: &str, beside: &[Held]) -> Outcome {
    let resource = match context.kinds.resource_in_any_version(&object.gvk()).await {
        Ok(Some(resource)) => resource,
        Ok(None) => return Outcome::Read(None),
        Err(error) => return answers::no_answer(&error, Action::Update),
    };
    let (api, name) = (requests::api(&context.client, &object.identity, &resource), &object.identity.name);
    let live = match api.get(name).await {
        Ok(live) if live.uid().as_deref() == Some(uid) => live,
        Ok(_) => return Outcome::PreconditionFailed,
        Err(kube::Error::Api(status)) if requests::is_definitely_absent(&status, name) => return Outcome::Read(None),
        Err(error) => return answers::outcome(&error, Action::Read, &object.identity, &resource),
    };
    let Some(patch) = removal(&live, uid, beside) else { return requests::applied(&live.metadata) };
    let params = PatchParams { field_manager: Some(names::FIELD_MANAGER.into()), ..PatchParams::default() };
    match api.patch(name, &params, &Patch::Merge(patch)).await {
        Ok(stripped) => requests::applied(&stripped.metadata),
        Err(error) => answers::outcome(&error, Action::Update, &object.identity, &resource),
    }
}

/// The patch; none where there is nothing to remove.
fn removal(live: &DynamicObject, uid: &str, beside: &[Held]) -> Option<Value> {
    let rest = beside.iter().fold(live.data.clone(), |rest, held| without(&rest, &held.fields));
    let mut patch = merge_patch(&live.data, &rest)?;
    patch["metadata"] = json!({ "uid": uid, "resourceVersion": live.resource_version() });
    Some(patch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c34_the_patch_removes_what_others_added_and_is_held_to_what_was_read() {
        let live: DynamicObject = serde_json::from_value(json!({
            "apiVersion": "v1", "kind": "X", "metadata": { "name": "x", "resourceVersion": "7" },
            "spec": { "podSelector": {}, "ingress": [{}], "egress": [{}] },
        }))
        .unwrap();
        let held = |manager: &str, field: &str| Held {
            manager: manager.into(),
            fields: json!({ "f:spec": { format!("f:{field}"): {} } }),
        };
        let patch = removal(&live, "u", &[held("a", "ingress"), held("b", "egress")]);
        let metadata = json!({ "uid": "u", "resourceVersion": "7" });
        assert_eq!(patch, Some(json!({ "metadata": metadata, "spec": { "ingress": null, "egress": null } })));
        assert_eq!(removal(&live, "u", &[held("a", "gone since")]), None);
    }
}
