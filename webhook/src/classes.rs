//! `NamespaceClass`: everything about a class that can be known without a namespace.

mod deletion;

use std::sync::Arc;

use arc_swap::ArcSwap;
use futures::{FutureExt, future::BoxFuture};
use nsclass_shared::{
    class::{CompiledClass, ReadClass, Spec},
    config::Settings,
    finding::{Finding, Reason},
    kinds::Kinds,
    names::GROUP,
    path::FieldPath,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    answer::Answer,
    author::Authors,
    failure::Failure,
    review::{Operation, Request},
    validator::Validator,
    written::{Metadata, is_same, written},
};

/// Where the webhook configuration sends reviews of classes.
pub const PATH: &str = "/admit/namespaceclasses";

/// Judges classes as the controller will read them (admission.md A04).
pub struct Classes<K> {
    settings: Arc<ArcSwap<Settings>>,
    kinds: K,
    authors: Option<Arc<Authors>>,
}

/// What is known of a class without asking anybody.
struct Judged<'a> {
    findings: Vec<Finding>,
    /// Absent where the class cannot be read.
    class: Option<CompiledClass<'a>>,
}

/// A class that is judged in any case: its spec is read on the way.
#[derive(Deserialize)]
struct New<'a> {
    #[serde(borrow, default)]
    metadata: Metadata<'a>,
    #[serde(borrow)]
    spec: Spec<'a>,
}

impl<K: Kinds + Send + Sync + 'static> Classes<K> {
    /// With the settings in force at each review, and the kinds that the API server serves. `authors` is absent where what the author of
    /// a class may do is not asked.
    pub fn new(settings: Arc<ArcSwap<Settings>>, kinds: K, authors: Option<Arc<Authors>>) -> Self {
        Self { settings, kinds, authors }
    }

    /// Nothing where the request does not change what a class makes.
    fn read<'a>(&self, request: &'a Request<'a>) -> Result<Option<Judged<'a>>, Failure> {
        let is_judged = matches!(request.operation, Operation::Create | Operation::Update);
        if !is_judged || !request.sub_resource.is_empty() {
            return Ok(None);
        }
        let object = request.object.ok_or_else(|| Failure::Malformed("request.object: missing".to_owned()))?;
        if request.operation == Operation::Create
            // What cannot be read in one go is looked at part by part, to say where it is wrong.
            && let Ok(New { metadata, spec }) = serde_json::from_str(object.get())
        {
            return Ok(Some(self.validate(ReadClass::of_spec(metadata.name_or(&request.name), spec))));
        }
        let class = written(object, "object")?;
        if request.operation == Operation::Update
            && let Some(old) = request.old_object
            && is_same(class.spec, written(old, "oldObject")?.spec)
        {
            // A stored class that has become invalid must be releasable and deletable (admission.md A06).
            return Ok(None);
        }
        let name = class.metadata.name_or(&request.name);
        Ok(Some(match ReadClass::of_text(name, class.spec.map_or("null", RawValue::get)) {
            Ok(class) => self.validate(class),
            Err(unreadable) => {
                let path = FieldPath::of(["spec"]);
                let finding = Finding::of_class(Reason::ClassInvalid, &path, unreadable.why(), "correct the class");
                Judged { findings: vec![finding], class: None }
            }
        }))
    }

    fn validate<'a>(&self, class: ReadClass<'a>) -> Judged<'a> {
        let settings = self.settings.load();
        let findings = class.compiled.validate(&settings.policy, &self.kinds, &settings.guarded);
        Judged { findings, class: Some(class.compiled) }
    }

    async fn decide(&self, request: &Request<'_>) -> Result<Answer, Failure> {
        if request.operation == Operation::Delete && request.sub_resource.is_empty() {
            return deletion::judge(request);
        }
        let Some(Judged { mut findings, class }) = self.read(request)? else { return Ok(Answer::Unjudged) };
        if let (Some(authors), Some(class)) = (&self.authors, &class) {
            let old = stored(request)?;
            findings.extend(authors.check(request.user_info, old.as_ref(), class).await?);
        }
        Ok(Answer::of_findings(findings))
    }
}

/// The class as it is, where it can be read.
fn stored<'a>(request: &'a Request<'a>) -> Result<Option<CompiledClass<'a>>, Failure> {
    let Some(old) = request.old_object.filter(|_| request.operation == Operation::Update) else { return Ok(None) };
    let spec = written(old, "oldObject")?.spec.map_or("null", RawValue::get);
    Ok(ReadClass::of_text(&request.name, spec).ok().map(|class| class.compiled))
}

impl<K: Kinds + Send + Sync + 'static> Validator for Classes<K> {
    fn kind(&self) -> (&'static str, &'static str) {
        (GROUP, "NamespaceClass")
    }

    fn judge<'a>(&'a self, request: &'a Request<'a>) -> BoxFuture<'a, Result<Answer, Failure>> {
        self.decide(request).boxed()
    }
}

#[cfg(test)]
mod tests;
