//! Each step of a plan as one request, and each answer as an outcome.

mod record;
mod strip;

use k8s_openapi::{api::core::v1::Namespace, apimachinery::pkg::apis::meta::v1::ObjectMeta};
use kube::{
    Api, Client, ResourceExt,
    api::{
        ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, Preconditions, PropagationPolicy, Request,
        ValidationDirective,
    },
};
use nsclass_shared::{
    answer::Action,
    names,
    plan::{ObjectRef, Outcome, Precondition, Refusal, Step},
    reason::Reason,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{answers, context::Context, requests};

/// Carries out one step for the namespace `name`.
pub async fn carry_out(context: &Context, name: &str, step: &Step) -> Outcome {
    match step {
        Step::AskGuard { class, loss } => context.mass_delete.ask(context, name, class, loss).await,
        Step::WriteBinding(binding) => record::write(context, binding).await,
        Step::DeleteBinding(binding) => record::delete(context, binding).await,
        Step::HoldNamespace { uid } => set_finalizer(context, name, uid, true).await,
        Step::FreeNamespace { uid } => set_finalizer(context, name, uid, false).await,
        Step::Read(object) => match requests::read(&context.client, &context.kinds, object).await {
            Ok(found) => Outcome::Read(found.map(Box::new)),
            Err(error) => match context.kinds.resource(&object.gvk()) {
                Some((resource, _)) => answers::outcome(error.source(), Action::Read, &object.identity, &resource),
                None => answers::no_answer(error.source(), Action::Read),
            },
        },
        Step::Apply { object, manifest, precondition, force } => {
            apply(context, object, manifest, precondition, *force).await
        }
        Step::Strip { object, uid, beside } => strip::strip(context, object, uid, beside).await,
        Step::Delete { object, uid } => delete(context, object, uid).await,
        Step::Disown { object, uid } => disown(context, object, uid).await,
    }
}

async fn apply(
    context: &Context,
    object: &ObjectRef,
    manifest: &Value,
    precondition: &Precondition,
    force: bool,
) -> Outcome {
    let Some((resource, _)) = context.kinds.resource(&object.gvk()) else {
        let message = format!("the API server does not serve {}", object.gvk());
        return Outcome::Refused(Refusal { reason: Reason::KindNotFound, message });
    };
    let mut body = Value::clone(manifest);
    match precondition {
        // A body with a resourceVersion creates, and conflicts with whatever is there, also when forced.
        Precondition::Absent => body["metadata"]["resourceVersion"] = json!("1"),
        Precondition::Uid(uid) => body["metadata"]["uid"] = json!(uid),
    }
    let params = PatchParams {
        field_manager: Some(names::FIELD_MANAGER.into()),
        force,
        // An apply with an unknown field is an error whatever this says (of a custom resource it is pruned), a manifest that was parsed
        // has no duplicates, and nobody reads warnings here: with any other value the server parses the body twice to make them.
        field_validation: Some(ValidationDirective::Ignore),
        ..PatchParams::default()
    };
    let api = requests::api(&context.client, &object.identity, &resource);
    match apply_for_metadata(&context.client, &api, &object.identity.name, &params, &body).await {
        Ok(applied) => requests::applied(&applied),
        Err(error) => {
            let action = match precondition {
                Precondition::Absent => Action::Create,
                Precondition::Uid(_) => Action::Update,
            };
            let outcome = answers::outcome(&error, action, &object.identity, &resource);
            if matches!(&outcome, Outcome::Refused(refusal) if refusal.reason == Reason::KindNotFound) {
                context.kinds.forget_group(&object.identity.group);
            }
            outcome
        }
    }
}

/// Applies; of the answer, which is the whole object, only the metadata is decoded.
async fn apply_for_metadata(
    client: &Client,
    api: &Api<DynamicObject>,
    name: &str,
    params: &PatchParams,
    body: &Value,
) -> Result<ObjectMeta, kube::Error> {
    #[derive(Deserialize)]
    struct Applied {
        metadata: ObjectMeta,
    }
    let request = Request::new(api.resource_url()).patch(name, params, &Patch::Apply(body));
    Ok(client.request::<Applied>(request.map_err(kube::Error::BuildRequest)?).await?.metadata)
}

async fn delete(context: &Context, object: &ObjectRef, uid: &str) -> Outcome {
    let resource = match context.kinds.resource_in_any_version(&object.gvk()).await {
        Ok(Some(resource)) => resource,
        Ok(None) => return Outcome::Read(None),
        Err(error) => return answers::no_answer(&error, Action::Delete),
    };
    let params = DeleteParams {
        preconditions: Some(Preconditions { uid: Some(uid.to_owned()), resource_version: None }),
        propagation_policy: Some(PropagationPolicy::Background),
        ..DeleteParams::default()
    };
    match requests::api(&context.client, &object.identity, &resource).delete(&object.identity.name, &params).await {
        // A Status means that it is gone. Some kinds answer with the object although it is, so only a read tells.
        Ok(answer) if answer.is_right() => Outcome::Read(None),
        Ok(_) => Outcome::DeleteAccepted,
        Err(error) => answers::outcome(&error, Action::Delete, &object.identity, &resource),
    }
}

async fn disown(context: &Context, object: &ObjectRef, uid: &str) -> Outcome {
    let resource = match context.kinds.resource_in_any_version(&object.gvk()).await {
        Ok(Some(resource)) => resource,
        Ok(None) => return Outcome::Read(None),
        Err(error) => return answers::no_answer(&error, Action::Delete),
    };
    let none =
        |keys: &[&str]| keys.iter().map(|key| ((*key).to_owned(), Value::Null)).collect::<serde_json::Map<_, _>>();
    let patch = json!({ "metadata": {
        "uid": uid,
        "labels": none(&[names::MANAGED_LABEL, names::OBJECT_CLASS_LABEL, names::OBJECT_NAMESPACE_LABEL]),
        "annotations": none(&[names::OBJECT_ANNOTATION, names::OWNER_UID_ANNOTATION, names::RENDERED_ANNOTATION]),
    }});
    let params = PatchParams { field_manager: Some(names::FIELD_MANAGER.into()), ..PatchParams::default() };
    let api = requests::api(&context.client, &object.identity, &resource);
    match api.patch_metadata(&object.identity.name, &params, &Patch::Merge(patch)).await {
        Ok(_) => Outcome::Done,
        Err(error) => answers::outcome(&error, Action::Delete, &object.identity, &resource),
    }
}

/// Puts our finalizer on, or takes it off, the namespace of that UID; every other finalizer stays as it is.
async fn set_finalizer(context: &Context, name: &str, uid: &str, on: bool) -> Outcome {
    let api: Api<Namespace> = Api::all(context.client.clone());
    let live = match api.get_metadata(name).await {
        Ok(live) if live.uid().as_deref() == Some(uid) => live,
        Ok(_) => return Outcome::Stale,
        Err(kube::Error::Api(status)) if requests::is_definitely_absent(&status, name) => return Outcome::Stale,
        Err(error) => return answers::no_answer(&error, Action::Record),
    };
    let mut finalizers = live.finalizers().to_vec();
    let there = finalizers.iter().any(|f| f == names::FINALIZER);
    if there == on {
        return Outcome::Done;
    }
    if on && live.metadata.deletion_timestamp.is_some() {
        return Outcome::Stale;
    }
    if on {
        finalizers.push(names::FINALIZER.to_owned());
    } else {
        finalizers.retain(|f| f != names::FINALIZER);
    }
    let patch =
        json!({ "metadata": { "uid": uid, "resourceVersion": live.resource_version(), "finalizers": finalizers } });
    let params = PatchParams { field_manager: Some(names::FIELD_MANAGER.into()), ..PatchParams::default() };
    match api.patch_metadata(name, &params, &Patch::Merge(patch)).await {
        Ok(_) => Outcome::Done,
        Err(kube::Error::Api(status)) if status.code == 409 || status.code == 404 => Outcome::Stale,
        Err(error) => answers::outcome(
            &error,
            Action::Record,
            &answers::namespace_identity(name),
            &ApiResource::erase::<Namespace>(&()),
        ),
    }
}
