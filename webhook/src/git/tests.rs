use std::collections::BTreeMap;

use http::{Request as HttpRequest, Response, StatusCode};
use http_body_util::BodyExt;
use k8s_openapi::api::authorization::v1::SubjectAccessReview;
use kube::{Client, client::Body};
use nsclass_shared::{
    api::{ClusterWatchRuleSpec, WatchRuleSpec},
    config::Config,
    identity::Gvk,
    livegit::{
        kinds::GroupResource,
        served::{Found, Served},
    },
};
use serde_json::{Value, json};

use super::*;
use crate::{
    answer::{Answer, Denial},
    author::{Authors, Resources},
    failure::Failure,
    review,
    validator::Validator,
};

struct Table;

impl Served for Table {
    fn find(&self, kind: &GroupResource) -> Found {
        let known: BTreeMap<&str, Found> =
            [("configmaps", Found::Namespaced), ("secrets", Found::Namespaced), ("nodes", Found::Cluster)].into();
        known.get(kind.resource.as_str()).copied().unwrap_or(Found::NotServed)
    }
}

impl Resources for Table {
    fn resource(&self, _: &Gvk) -> Option<String> {
        None
    }
}

/// An API server that lets nobody watch Secrets.
fn authors() -> Arc<Authors> {
    let service = tower::service_fn(|request: HttpRequest<Body>| async move {
        let body = request.into_body().collect().await?.to_bytes();
        let review: SubjectAccessReview = serde_json::from_slice(&body)?;
        let attributes = review.spec.resource_attributes.unwrap_or_default();
        let denied = attributes.resource.as_deref() == Some("secrets") && attributes.verb.as_deref() == Some("watch");
        let answer = json!({ "spec": {}, "status": { "allowed": !denied } });
        let response =
            Response::builder().status(StatusCode::CREATED).body(Body::from(answer.to_string().into_bytes()))?;
        Ok::<_, tower::BoxError>(response)
    });
    Arc::new(Authors::new(Client::new(service, "default"), Table))
}

fn settings() -> Arc<ArcSwap<Settings>> {
    Arc::new(ArcSwap::from_pointee(Config::default().settings().unwrap()))
}

async fn ask(
    validator: &dyn Validator,
    operation: &str,
    namespace: &str,
    spec: &Value,
    old: Option<&Value>,
) -> Result<Answer, Failure> {
    let object = |spec: &Value| json!({ "metadata": { "name": "x" }, "spec": spec });
    let (group, kind) = validator.kind();
    let request = json!({
        "uid": "u", "kind": { "group": group, "version": "v1alpha1", "kind": kind }, "name": "x", "namespace": namespace,
        "operation": operation, "object": object(spec), "oldObject": old.map(object),
        "userInfo": { "username": "jane", "groups": ["team", "system:authenticated"] },
    });
    let body =
        json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request }).to_string();
    validator.judge(&review::decode(body.as_bytes())?).await
}

fn denial(answer: Result<Answer, Failure>) -> Denial {
    match answer {
        Ok(Answer::Denied(denial)) => denial,
        other => panic!("{other:?}"),
    }
}

fn rule(user: &str, resources: &[&str]) -> Value {
    json!({
        "targetRef": { "name": "prod" }, "author": { "user": user },
        "rules": [{ "apiGroups": [""], "resources": resources }],
    })
}

#[tokio::test]
async fn a05_every_fault_of_a_provider_is_one_finding_with_its_field() {
    let spec = json!({ "url": "https://me:hunter2@example.com/a", "commit": { "message": "{what}" } });
    let denial = denial(ask(&providers(settings()), "CREATE", "pay", &spec, None).await);
    assert_eq!(denial.code, 422);
    let fields: Vec<_> = denial.causes.iter().map(|cause| cause.field.as_str()).collect();
    assert_eq!(fields, ["spec.url", "spec.commit.message"]);
    assert!(!denial.message.contains("hunter2"), "{}", denial.message);
}

#[tokio::test]
async fn bad20_a_local_repository_is_denied_where_the_configuration_allows_none() {
    let spec = json!({ "url": "file:///srv/git/apps" });
    assert!(denial(ask(&providers(settings()), "CREATE", "pay", &spec, None).await).message.contains("git.allowLocal"));
    let config = Config::parse("git: { enabled: true, allowLocal: true }").unwrap().settings().unwrap();
    let allowed = ask(&providers(Arc::new(ArcSwap::from_pointee(config))), "CREATE", "pay", &spec, None).await.unwrap();
    assert_eq!(allowed, Answer::Allowed { warnings: vec![] });
}

#[tokio::test]
async fn whoever_writes_a_kind_that_nobody_acts_on_is_warned() {
    let spec = json!({ "url": "https://git.example.com/team/apps.git" });
    let Answer::Allowed { warnings } = ask(&providers(settings()), "CREATE", "pay", &spec, None).await.unwrap() else {
        panic!("denied");
    };
    assert_eq!(warnings, ["spec: nothing acts on it while git.enabled is off in the operator's configuration"]);
}

#[tokio::test]
async fn a06_a_stored_target_that_became_invalid_can_be_labelled_and_not_made_anew() {
    let spec = json!({ "providerRef": { "name": "origin" }, "branch": "main", "path": "../etc" });
    let same = ask(&targets(settings()), "UPDATE", "pay", &spec, Some(&spec)).await.unwrap();
    assert_eq!(same, Answer::Unjudged);
    assert!(
        denial(ask(&targets(settings()), "CREATE", "pay", &spec, None).await)
            .message
            .contains("spec.path: has .. in it")
    );
}

#[tokio::test]
async fn f58_a_rule_reads_what_its_author_may_and_its_author_writes_it() {
    let rules = Rules::<WatchRuleSpec>::new(authors(), Table);
    let allowed = ask(&rules, "CREATE", "pay", &rule("jane", &["configmaps"]), None).await.unwrap();
    assert_eq!(allowed, Answer::Allowed { warnings: vec![] });
    let denied = denial(ask(&rules, "CREATE", "pay", &rule("jane", &["configmaps", "secrets"]), None).await);
    assert_eq!((denied.code, denied.causes.len()), (403, 1));
    assert!(denied.message.contains("may not watch secrets in namespace pay"), "{}", denied.message);
    let other = denial(ask(&rules, "CREATE", "pay", &rule("root", &["configmaps"]), None).await);
    assert!(other.message.contains(r#"user "jane" writes the rule"#), "{}", other.message);
}

#[tokio::test]
async fn bad20_events_leases_and_our_own_kinds_are_denied_and_a_kind_that_may_come_is_a_warning() {
    let rules = Rules::<WatchRuleSpec>::new(authors(), Table);
    let denied = denial(ask(&rules, "CREATE", "pay", &rule("jane", &["events"]), None).await);
    assert!(denied.message.contains("events are a log"), "{}", denied.message);
    let warned = ask(&rules, "CREATE", "pay", &rule("jane", &["widgets"]), None).await.unwrap();
    assert!(matches!(&warned, Answer::Allowed { warnings } if warnings.len() == 1), "{warned:?}");
}

#[tokio::test]
async fn a_cluster_rule_is_denied_namespaced_kinds_and_a_rule_cluster_scoped_ones() {
    let of_namespace = Rules::<WatchRuleSpec>::new(authors(), Table);
    let of_cluster = Rules::<ClusterWatchRuleSpec>::new(authors(), Table);
    assert!(
        denial(ask(&of_namespace, "CREATE", "pay", &rule("jane", &["nodes"]), None).await)
            .message
            .contains("cluster-scoped")
    );
    assert!(
        denial(ask(&of_cluster, "CREATE", "", &rule("jane", &["configmaps"]), None).await)
            .message
            .contains("in namespaces")
    );
    let allowed = ask(&of_cluster, "CREATE", "", &rule("jane", &["nodes"]), None).await.unwrap();
    assert_eq!(allowed, Answer::Allowed { warnings: vec![] });
}
