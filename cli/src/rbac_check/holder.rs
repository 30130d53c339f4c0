//! Who is to have the rights.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use k8s_openapi::api::authorization::v1::{ResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec};
use k8s_openapi::api::rbac::v1::PolicyRule;
use kube::api::PostParams;
use kube::{Api, Client};
use nsclass_shared::rights::grant::{Spelled, is_given};

use crate::input;

/// The controller, as a cluster knows it or as files say.
pub(super) enum Holder {
    /// A `ServiceAccount`, about whom the API server is asked.
    Account { reviews: Box<Api<SubjectAccessReview>>, namespace: String, name: String },
    /// Whoever has these rules, each of them everywhere.
    Rules(Vec<PolicyRule>),
}

impl Holder {
    pub(super) fn account(client: Client, [namespace, name]: &[String; 2]) -> Self {
        Self::Account { reviews: Box::new(Api::all(client)), namespace: namespace.clone(), name: name.clone() }
    }

    /// The rules of every `ClusterRole` in these files. A Role holds in one namespace, and classes work in all.
    pub(super) fn of_files(files: &[PathBuf]) -> Result<Self> {
        let mut rules: Vec<PolicyRule> = Vec::new();
        let mut count = 0;
        for file in files {
            for document in input::documents(file)?.iter().filter(|document| document["kind"] == "ClusterRole") {
                count += 1;
                if let Some(list) = document["rules"].as_array() {
                    let list: Vec<PolicyRule> = serde_json::from_value(list.clone().into())
                        .with_context(|| format!("{}: rules of a ClusterRole", input::shown(file)))?;
                    rules.extend(list);
                }
            }
        }
        if count == 0 {
            bail!("there is no ClusterRole in the files of --roles");
        }
        Ok(Self::Rules(rules))
    }

    /// Whether it has the right, in all namespaces.
    pub(super) async fn has(&self, right: &Spelled) -> Result<bool> {
        let (reviews, namespace, name) = match self {
            Self::Rules(rules) => return Ok(is_given(rules, right)),
            Self::Account { reviews, namespace, name } => (reviews, namespace, name),
        };
        let of_namespace = format!("system:serviceaccounts:{namespace}");
        let groups = ["system:serviceaccounts", of_namespace.as_str(), "system:authenticated"];
        let spec = SubjectAccessReviewSpec {
            user: Some(format!("system:serviceaccount:{namespace}:{name}")),
            groups: Some(groups.map(str::to_owned).to_vec()),
            resource_attributes: Some(ResourceAttributes {
                group: Some(right.group.clone()),
                resource: Some(right.resource.clone()),
                name: right.name.clone(),
                verb: Some(right.verb.as_str().to_owned()),
                version: Some("*".to_owned()),
                ..ResourceAttributes::default()
            }),
            ..SubjectAccessReviewSpec::default()
        };
        let review = SubjectAccessReview { spec, ..SubjectAccessReview::default() };
        let answer = reviews.create(&PostParams::default(), &review).await.context("a SubjectAccessReview")?;
        Ok(answer.status.context("a SubjectAccessReview without status")?.allowed)
    }
}
