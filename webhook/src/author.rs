//! Whether the author of a class may do what the class will do (admission.md A01). Beside the gate's read, the only question that the
//! webhook asks the API server.
//!
//! For a robot that applies classes from Git it is the robot who is asked about: restrict who may merge.

use std::{sync::Arc, time::Duration};

use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::{
    authentication::v1::UserInfo,
    authorization::v1::{ResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec},
};
use kube::{Api, Client, api::PostParams};
use nsclass_shared::{
    class::CompiledClass,
    finding::Finding,
    identity::Gvk,
    livegit::{
        access::{Question, VERBS},
        fault::Fault,
    },
    rights::{Missing, Needed, Object, missing, needed},
};
use serde_json::value::RawValue;
use tokio::time::timeout;

use crate::failure::Failure;

/// How long all reviews of one request may take together: the API server waits three seconds for the whole answer.
const DEADLINE: Duration = Duration::from_secs(2);
/// How many reviews of one request are under way at the same time; each takes a connection.
const AT_ONCE: usize = 16;

/// How RBAC names the objects of a kind.
pub trait Resources: Send + Sync + 'static {
    /// The resource of a kind that is served, such as `networkpolicies`.
    fn resource(&self, gvk: &Gvk) -> Option<String>;
}

/// Asks the API server what authors may do.
pub struct Authors {
    reviews: Api<SubjectAccessReview>,
    resources: Arc<dyn Resources>,
    deadline: Duration,
}

impl Authors {
    /// With a client that may create `SubjectAccessReviews`.
    pub fn new(client: Client, resources: impl Resources) -> Self {
        Self { reviews: Api::all(client), resources: Arc::new(resources), deadline: DEADLINE }
    }

    /// A finding for everything that the items which are added to `old` or changed take and the author may not do.
    ///
    /// # Errors
    /// When one review gets no answer, or not in time: then nothing is known (A13).
    pub async fn check(
        &self,
        author: Option<&RawValue>,
        old: Option<&CompiledClass<'_>>,
        new: &CompiledClass<'_>,
    ) -> Result<Vec<Finding>, Failure> {
        let author = author.ok_or_else(|| Failure::Malformed("request.userInfo: missing".to_owned()))?;
        let author: UserInfo = serde_json::from_str(author.get())
            .map_err(|error| Failure::Malformed(format!("request.userInfo: {error}")))?;
        let asked = stream::iter(needed(old, new).into_iter().map(|needed| self.ask(&author, needed)));
        let lacking: Vec<Option<Missing>> = self.in_time(asked.buffered(AT_ONCE).try_collect()).await?;
        let lacking: Vec<Missing> = lacking.into_iter().flatten().collect();
        Ok(missing(author.username.as_deref().unwrap_or_default(), &lacking))
    }

    /// A fault for every kind that the author of a rule may not read (folders.md F58).
    ///
    /// # Errors
    /// As [`Self::check`].
    pub async fn may_read(&self, questions: Vec<Question>) -> Result<Vec<Fault>, Failure> {
        let mut asked = Vec::new();
        for (index, question) in questions.iter().enumerate() {
            for verb in VERBS {
                asked.push(self.ask_verb(index, verb, question.review(verb)));
            }
        }
        let answers = self.in_time(stream::iter(asked).buffered(AT_ONCE).try_collect::<Vec<_>>()).await?;
        Ok(faults(&questions, &answers))
    }

    async fn ask_verb(
        &self,
        index: usize,
        verb: &'static str,
        spec: SubjectAccessReviewSpec,
    ) -> Result<(usize, &'static str, bool), Failure> {
        Ok((index, verb, self.is_allowed(spec).await?))
    }

    /// All reviews of one request, within the time that they may take together.
    async fn in_time<T>(&self, reviews: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        timeout(self.deadline, reviews).await.map_err(|_| {
            Failure::ApiServer(format!("what the author may do is not known within {:?}", self.deadline))
        })?
    }

    /// One review: the right, if the author lacks it.
    async fn ask(&self, author: &UserInfo, needed: Needed) -> Result<Option<Missing>, Failure> {
        let (group, resource, name) = match &needed.right.object {
            Object::Everything => ("*", None, None),
            Object::Kind { gvk, name } => (&*gvk.group, self.resources.resource(gvk), name.clone()),
        };
        // Nobody knows the resource of a kind that is not served yet, so it takes the right on all of the group.
        let resource = resource.unwrap_or_else(|| "*".to_owned());
        let spelled = if group.is_empty() { resource.clone() } else { format!("{resource}.{group}") };
        let attributes = ResourceAttributes {
            group: Some(group.to_owned()),
            version: Some("*".to_owned()),
            resource: Some(resource),
            name,
            verb: Some(needed.right.verb.as_str().to_owned()),
            ..ResourceAttributes::default()
        };
        let UserInfo { username, uid, groups, extra } = author.clone();
        let spec = SubjectAccessReviewSpec {
            user: username,
            uid,
            groups,
            extra,
            resource_attributes: Some(attributes),
            ..SubjectAccessReviewSpec::default()
        };
        Ok((!self.is_allowed(spec).await?).then_some(Missing { needed, resource: spelled }))
    }

    async fn is_allowed(&self, spec: SubjectAccessReviewSpec) -> Result<bool, Failure> {
        let review = SubjectAccessReview { spec, ..SubjectAccessReview::default() };
        let answer = self.reviews.create(&PostParams::default(), &review).await;
        let answer = answer.map_err(|error| Failure::ApiServer(format!("a SubjectAccessReview: {error}")))?;
        let status =
            answer.status.ok_or_else(|| Failure::ApiServer("a SubjectAccessReview without status".to_owned()))?;
        Ok(status.allowed)
    }
}

/// What is said of questions, given the verbs that were allowed of each.
fn faults(questions: &[Question], answers: &[(usize, &'static str, bool)]) -> Vec<Fault> {
    let lacked = |index: usize| -> Vec<&str> {
        answers.iter().filter(|(asked, _, allowed)| *asked == index && !allowed).map(|(_, verb, _)| *verb).collect()
    };
    questions.iter().enumerate().filter_map(|(index, question)| question.missing(&lacked(index))).collect()
}

#[cfg(test)]
mod tests;
