//! A kind whose objects are judged by themselves.

use std::sync::Arc;

use arc_swap::ArcSwap;
use futures::{FutureExt, future::BoxFuture};
use nsclass_shared::{config::Settings, livegit::fault::Fault, names::GROUP};
use serde::de::DeserializeOwned;

use super::{finding, idle};
use crate::{
    answer::Answer,
    failure::Failure,
    review::{Operation, Request},
    validator::Validator,
    written::{is_same, written},
};

/// Judges what a spec says, with the settings in force.
pub struct Sound<S> {
    kind: &'static str,
    settings: Arc<ArcSwap<Settings>>,
    check: fn(&S, &Settings) -> Vec<Fault>,
}

impl<S> Sound<S> {
    /// Of a kind, by that function.
    pub(super) fn new(
        kind: &'static str,
        settings: Arc<ArcSwap<Settings>>,
        check: fn(&S, &Settings) -> Vec<Fault>,
    ) -> Self {
        Self { kind, settings, check }
    }
}

impl<S: DeserializeOwned + 'static> Validator for Sound<S> {
    fn kind(&self) -> (&'static str, &'static str) {
        (GROUP, self.kind)
    }

    fn judge<'a>(&'a self, request: &'a Request<'a>) -> BoxFuture<'a, Result<Answer, Failure>> {
        let judge = || {
            let Some(spec) = changed_spec::<S>(request)? else { return Ok(Answer::Unjudged) };
            let settings = self.settings.load();
            let faults = (self.check)(&spec, &settings).into_iter().map(finding);
            Ok(Answer::of_findings(faults.chain(idle(&settings)).collect()))
        };
        std::future::ready(judge()).boxed()
    }
}

/// The spec, where the request makes or changes it: a stored object that has become invalid stops only itself, and must stay deletable
/// (admission.md A06).
pub(super) fn changed_spec<S: DeserializeOwned>(request: &Request<'_>) -> Result<Option<S>, Failure> {
    let is_judged = matches!(request.operation, Operation::Create | Operation::Update);
    if !is_judged || !request.sub_resource.is_empty() {
        return Ok(None);
    }
    let object = request.object.ok_or_else(|| Failure::Malformed("request.object: missing".to_owned()))?;
    let new = written(object, "object")?.spec;
    if request.operation == Operation::Update
        && let Some(old) = request.old_object
        && is_same(new, written(old, "oldObject")?.spec)
    {
        return Ok(None);
    }
    let spec = new.map_or("null", |spec| spec.get());
    // The API server has judged it by the schema, which is ours.
    serde_json::from_str(spec).map(Some).map_err(|error| Failure::Malformed(format!("request.object.spec: {error}")))
}
