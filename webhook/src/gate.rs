//! The one gate before every validator (admission.md A02, A03).
//!
//! Nothing else holds validators, and [`Gate::register`] is the only way in: so none can be asked about a namespace that is not
//! this instance's.

use std::{collections::HashMap, sync::Arc};

use futures::future::BoxFuture;
use nsclass_shared::scope::Verdict;

use crate::{
    answer::Answer,
    failure::Failure,
    metrics::Metrics,
    review::{Kind, Request},
    validator::Validator,
};

/// Which namespaces are ours.
pub trait ScopeView: Send + Sync + 'static {
    /// From memory.
    fn verdict(&self, namespace: &str) -> Verdict;

    /// By one live read with a short deadline, where memory does not know.
    fn settle<'a>(&'a self, namespace: &'a str) -> BoxFuture<'a, Result<Verdict, Failure>>;
}

/// The validators by path, each behind the scope.
pub struct Gate {
    scope: Arc<dyn ScopeView>,
    metrics: Metrics,
    validators: HashMap<&'static str, Box<dyn Validator>>,
}

impl Gate {
    /// Without validators.
    pub fn new(scope: Arc<dyn ScopeView>, metrics: Metrics) -> Self {
        Self { scope, metrics, validators: HashMap::new() }
    }

    /// Puts a validator behind the gate, at a path such as `/admit/namespaceclasses`.
    #[must_use]
    pub fn register(mut self, path: &'static str, validator: impl Validator) -> Self {
        self.validators.insert(path, Box::new(validator));
        self
    }

    /// The path as it was registered, which makes it fit for a metric's label.
    pub fn path(&self, path: &str) -> Option<&'static str> {
        self.validators.get_key_value(path).map(|(path, _)| *path)
    }

    /// What the validator at `path` says, if the scope has it asked.
    ///
    /// # Errors
    /// Nothing stands there, the request is about another kind, or our own work failed.
    pub async fn answer(&self, path: &str, request: &Request<'_>) -> Result<Answer, Failure> {
        let validator = self.validators.get(path).ok_or(Failure::NoSuchPath)?;
        let (group, kind) = validator.kind();
        if !is(&request.kind, group, kind) {
            return Err(Failure::WrongKind { expected: format!("{kind} of group {group:?}") });
        }
        if !request.namespace.is_empty() && !self.is_ours(&request.namespace).await? {
            return Ok(Answer::Unjudged);
        }
        validator.judge(request).await
    }

    async fn is_ours(&self, namespace: &str) -> Result<bool, Failure> {
        let count = |outcome| self.metrics.gate.with_label_values(&[outcome]).inc();
        let verdict = self.scope.verdict(namespace);
        match verdict {
            Verdict::InScope => count("in_scope"),
            Verdict::OutOfScope => count("out_of_scope"),
            Verdict::Unknown => {
                let settled = self.scope.settle(namespace).await;
                count(match settled {
                    Ok(Verdict::InScope) => "settled_in_scope",
                    Ok(Verdict::OutOfScope) => "settled_out_of_scope",
                    Ok(Verdict::Unknown) | Err(_) => "unsettled",
                });
                return match settled? {
                    Verdict::InScope => Ok(true),
                    Verdict::OutOfScope => Ok(false),
                    Verdict::Unknown => Err(Failure::Unsettled {
                        namespace: namespace.to_owned(),
                        why: "the read was inconclusive".into(),
                    }),
                };
            }
        }
        Ok(verdict == Verdict::InScope)
    }
}

fn is(asked: &Kind<'_>, group: &str, kind: &str) -> bool {
    asked.group == group && asked.kind == kind
}
