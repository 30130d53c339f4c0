//! Deleting a class: not by accident where many namespaces have it (class.md C47).

use std::{borrow::Cow, collections::BTreeMap};

use nsclass_shared::{
    api::OnDelete,
    guard::{ClassInUse, deletion_refusal},
    names::CONFIRM_ANNOTATION,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{answer::Answer, failure::Failure, review::Request};

/// A class that is there, as far as its deletion is concerned. It may be older than any rule about its spec.
#[derive(Deserialize)]
struct Stored<'a> {
    #[serde(borrow)]
    metadata: Metadata<'a>,
    #[serde(borrow, default)]
    spec: Option<&'a RawValue>,
    #[serde(default)]
    status: Status,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    uid: Cow<'a, str>,
    #[serde(borrow, default)]
    deletion_timestamp: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    annotations: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
}

#[derive(Deserialize, Default)]
struct Status {
    #[serde(default)]
    namespaces: Namespaces,
}

#[derive(Deserialize, Default)]
struct Namespaces {
    #[serde(default)]
    bound: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    #[serde(default)]
    on_delete: OnDelete,
}

/// Asks the guard, by the counts that the controller wrote into the class. Who removes a class again that is being deleted changes
/// nothing.
pub(super) fn judge(request: &Request<'_>) -> Result<Answer, Failure> {
    let Some(old) = request.old_object else { return Ok(Answer::Unjudged) };
    let class: Stored<'_> =
        serde_json::from_str(old.get()).map_err(|error| Failure::Malformed(format!("request.oldObject: {error}")))?;
    let Stored { metadata, spec, status } = class;
    if metadata.deletion_timestamp.is_some() {
        return Ok(Answer::Unjudged);
    }
    let on_delete = spec.and_then(|spec| serde_json::from_str::<Spec>(spec.get()).ok()).map(|spec| spec.on_delete);
    let in_use = ClassInUse {
        name: &metadata.name,
        uid: &metadata.uid,
        bound: status.namespaces.bound,
        on_delete: on_delete.unwrap_or_default(),
        confirmed: metadata.annotations.get(CONFIRM_ANNOTATION).map(AsRef::as_ref),
    };
    Ok(deletion_refusal(&in_use).map_or(Answer::Allowed { warnings: Vec::new() }, Answer::forbidden))
}
