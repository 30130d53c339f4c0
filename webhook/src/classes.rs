//! `NamespaceClass`: everything about a class that can be known without a namespace.

use std::{borrow::Cow, sync::Arc};

use arc_swap::ArcSwap;
use futures::{FutureExt, future::BoxFuture};
use nsclass_shared::{
    class::ReadClass,
    config::Settings,
    finding::{Finding, Reason},
    kinds::Kinds,
    names::GROUP,
    path::FieldPath,
};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::{
    answer::Answer,
    failure::Failure,
    review::{Operation, Request},
    validator::Validator,
};

/// Where the webhook configuration sends reviews of classes.
pub const PATH: &str = "/admit/namespaceclasses";

/// Judges classes as the controller will read them (admission.md A04).
pub struct Classes<K> {
    settings: Arc<ArcSwap<Settings>>,
    kinds: K,
}

/// A class, as far as it is looked at.
#[derive(Deserialize, Default)]
struct Class<'a> {
    #[serde(borrow, default)]
    metadata: Metadata<'a>,
    #[serde(borrow, default)]
    spec: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
struct Metadata<'a> {
    #[serde(borrow, default)]
    name: Cow<'a, str>,
}

impl<K: Kinds + Send + Sync + 'static> Classes<K> {
    /// With the settings in force at each review, and the kinds that the API server serves.
    pub fn new(settings: Arc<ArcSwap<Settings>>, kinds: K) -> Self {
        Self { settings, kinds }
    }

    fn decide(&self, request: &Request<'_>) -> Result<Answer, Failure> {
        let is_judged = matches!(request.operation, Operation::Create | Operation::Update);
        if !is_judged || !request.sub_resource.is_empty() {
            return Ok(Answer::Unjudged);
        }
        let object = request.object.ok_or_else(|| Failure::Malformed("request.object: missing".to_owned()))?;
        let class = class(object, "object")?;
        if request.operation == Operation::Update
            && let Some(old) = request.old_object
            && is_same(class.spec, self::class(old, "oldObject")?.spec)
        {
            // A stored class that has become invalid must be releasable and deletable (admission.md A06).
            return Ok(Answer::Unjudged);
        }
        let name = if class.metadata.name.is_empty() { &request.name } else { &class.metadata.name };
        let findings = match ReadClass::of_text(name, class.spec.map_or("null", RawValue::get)) {
            Ok(class) => {
                let settings = self.settings.load();
                class.compiled.validate(&settings.policy, &self.kinds, &settings.guarded)
            }
            Err(unreadable) => {
                vec![Finding::of_class(
                    Reason::ClassInvalid,
                    &FieldPath::of(["spec"]),
                    unreadable.why(),
                    "correct the class",
                )]
            }
        };
        Ok(Answer::of_findings(findings))
    }
}

impl<K: Kinds + Send + Sync + 'static> Validator for Classes<K> {
    fn kind(&self) -> (&'static str, &'static str) {
        (GROUP, "NamespaceClass")
    }

    fn judge<'a>(&'a self, request: &'a Request<'a>) -> BoxFuture<'a, Result<Answer, Failure>> {
        std::future::ready(self.decide(request)).boxed()
    }
}

fn class<'a>(object: &'a RawValue, field: &str) -> Result<Class<'a>, Failure> {
    serde_json::from_str(object.get()).map_err(|error| Failure::Malformed(format!("request.{field}: {error}")))
}

/// Whether two specs say the same. The API server writes both alike, so equal ones are equal texts nearly always.
fn is_same(one: Option<&RawValue>, other: Option<&RawValue>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return one.is_none() && other.is_none() };
    let value = |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).ok();
    one.get() == other.get() || value(one).is_some_and(|one| Some(one) == value(other))
}

#[cfg(test)]
mod tests;
