//! `WatchRule` and `ClusterWatchRule`: what they name, who writes them, and what their author may read.

use std::sync::Arc;

use futures::{FutureExt, future::BoxFuture};
use k8s_openapi::api::authentication::v1::UserInfo;
use nsclass_shared::{
    api::{Author, ClusterWatchRuleSpec, KindRule, WatchRuleSpec},
    livegit::{
        access::{Question, is_not},
        fault::Fault,
        kinds::{self, GroupResource},
        served::{self, Served},
    },
    names::GROUP,
};
use serde::de::DeserializeOwned;

use super::{finding, sound::changed_spec};
use crate::{answer::Answer, author::Authors, failure::Failure, review::Request, validator::Validator};

/// Judges rules of one kind.
pub struct Rules<S> {
    authors: Arc<Authors>,
    served: Arc<dyn Served + Send + Sync>,
    kind: std::marker::PhantomData<fn() -> S>,
}

/// A rule of either kind.
pub trait RuleSpec: DeserializeOwned + Send + Sync + 'static {
    /// Its kind.
    const KIND: &'static str;

    /// Who wrote it.
    fn author(&self) -> &Author;

    /// What it names.
    fn rules(&self) -> &[KindRule];
}

impl RuleSpec for WatchRuleSpec {
    const KIND: &'static str = "WatchRule";

    fn author(&self) -> &Author {
        &self.author
    }

    fn rules(&self) -> &[KindRule] {
        &self.rules
    }
}

impl RuleSpec for ClusterWatchRuleSpec {
    const KIND: &'static str = "ClusterWatchRule";

    fn author(&self) -> &Author {
        &self.author
    }

    fn rules(&self) -> &[KindRule] {
        &self.rules
    }
}

impl<S: RuleSpec> Rules<S> {
    /// With what is asked about authors, and what the API server serves.
    pub fn new(authors: Arc<Authors>, served: impl Served + Send + Sync + 'static) -> Self {
        Self { authors, served: Arc::new(served), kind: std::marker::PhantomData }
    }

    async fn decide(&self, request: &Request<'_>) -> Result<Answer, Failure> {
        let Some(spec) = changed_spec::<S>(request)? else { return Ok(Answer::Unjudged) };
        let mut faults = kinds::check(spec.rules());
        let is_named_well = faults.is_empty();
        let user = request.user_info.ok_or_else(|| Failure::Malformed("request.userInfo: missing".to_owned()))?;
        let user: UserInfo = serde_json::from_str(user.get())
            .map_err(|error| Failure::Malformed(format!("request.userInfo: {error}")))?;
        faults.extend(is_not(spec.author(), &user));
        // Rights are asked of what may be asked for at all, and at most for so many kinds as a rule may name.
        if is_named_well {
            faults.extend(self.unfit(&spec, &request.namespace));
            faults.extend(self.authors.may_read(questions(&spec, &request.namespace)).await?);
        }
        Ok(Answer::of_findings(faults.into_iter().map(finding).collect()))
    }

    /// What the kinds that it names are not good for.
    fn unfit(&self, spec: &S, namespace: &str) -> Vec<Fault> {
        let check = |kind: &GroupResource| served::check(kind, self.served.find(kind), namespace.is_empty());
        kinds::named(spec.rules()).iter().filter_map(check).collect()
    }
}

/// What has to be asked about its author.
fn questions<S: RuleSpec>(spec: &S, namespace: &str) -> Vec<Question> {
    let namespace = Some(namespace.to_owned()).filter(|namespace| !namespace.is_empty());
    let question = |kind| Question { author: spec.author().clone(), kind, namespace: namespace.clone() };
    kinds::named(spec.rules()).into_iter().map(question).collect()
}

impl<S: RuleSpec> Validator for Rules<S> {
    fn kind(&self) -> (&'static str, &'static str) {
        (GROUP, S::KIND)
    }

    fn judge<'a>(&'a self, request: &'a Request<'a>) -> BoxFuture<'a, Result<Answer, Failure>> {
        self.decide(request).boxed()
    }
}
