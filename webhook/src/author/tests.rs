use std::sync::Mutex;

use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use kube::client::Body;
use nsclass_shared::finding::sentences;
use serde_json::{Value, json, value::to_raw_value};

use super::*;

const CLUSTER_ROLE: &str = "ClusterRole";

/// Serves `ConfigMap` and what RBAC has, and no `Widget`.
struct Served;

impl Resources for Served {
    fn resource(&self, gvk: &Gvk) -> Option<String> {
        (gvk.kind != "Widget").then(|| format!("{}s", gvk.kind.to_lowercase()))
    }
}

/// What the API server was asked.
type Asked = Arc<Mutex<Vec<SubjectAccessReviewSpec>>>;

/// An API server that answers reviews so.
fn server(
    answer: impl Fn(&SubjectAccessReviewSpec) -> (StatusCode, Value) + Send + Sync + 'static,
) -> (Authors, Asked) {
    let (asked, answer) = (Asked::default(), Arc::new(answer));
    let seen = asked.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (seen, answer) = (seen.clone(), answer.clone());
        async move {
            let body = request.into_body().collect().await?.to_bytes();
            let review: SubjectAccessReview = serde_json::from_slice(&body)?;
            let (status, body) = answer(&review.spec);
            seen.lock().unwrap().push(review.spec);
            if status == StatusCode::REQUEST_TIMEOUT {
                std::future::pending::<()>().await;
            }
            let response = Response::builder().status(status).body(Body::from(body.to_string().into_bytes()))?;
            Ok::<_, tower::BoxError>(response)
        }
    });
    (Authors::new(Client::new(service, "default"), Served), asked)
}

fn verdict(allowed: bool) -> (StatusCode, Value) {
    (StatusCode::CREATED, json!({ "spec": {}, "status": { "allowed": allowed } }))
}

fn class(items: &[Value]) -> CompiledClass<'static> {
    CompiledClass::compile("std", items)
}

fn item(api_version: &str, kind: &str, rest: &Value) -> Value {
    let mut item = rest.clone();
    item["apiVersion"] = json!(api_version);
    item["kind"] = json!(kind);
    item["metadata"] = json!({ "name": "x" });
    item
}

fn user() -> Box<RawValue> {
    to_raw_value(&json!({ "username": "jane", "uid": "u-1", "groups": ["team"], "extra": { "scopes": ["a"] } }))
        .unwrap()
}

fn grant() -> [Value; 2] {
    let role_ref = json!({ "roleRef": { "kind": CLUSTER_ROLE, "name": "admin" } });
    [item("v1", "ConfigMap", &json!({})), item("rbac.authorization.k8s.io/v1", "RoleBinding", &role_ref)]
}

#[tokio::test]
async fn a01_the_author_is_asked_about_as_the_request_names_them_and_every_missing_right_is_named() {
    let (authors, asked) = server(|spec| {
        let attributes = spec.resource_attributes.clone().unwrap_or_default();
        verdict(attributes.verb.as_deref() != Some("bind") && attributes.resource.as_deref() != Some("configmaps"))
    });
    let findings = authors.check(Some(&user()), None, &class(&grant())).await.unwrap();
    insta::assert_snapshot!(sentences(&findings).replace(". spec", ".\nspec"), @r#"
    spec.resources[0] (v1/ConfigMap x): user "jane" may not create, patch, delete configmaps in all namespaces, and a class does only what its author may do; have a cluster admin write the class, or grant it by a ClusterRole and a ClusterRoleBinding (apiGroups "", resources configmaps, verbs create, patch, delete).
    spec.resources[1] (rbac.authorization.k8s.io/v1/RoleBinding x): user "jane" may not bind clusterroles.rbac.authorization.k8s.io/admin in all namespaces, and a class does only what its author may do; have a cluster admin write the class, or grant it by a ClusterRole and a ClusterRoleBinding (apiGroups "rbac.authorization.k8s.io", resources clusterroles, resourceNames admin, verbs bind)
    "#);
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 7);
    for spec in asked.iter() {
        assert_eq!((spec.user.as_deref(), spec.uid.as_deref()), (Some("jane"), Some("u-1")));
        assert_eq!(spec.groups.as_deref(), Some(&["team".to_owned()][..]));
        assert!(spec.extra.as_ref().is_some_and(|extra| extra["scopes"] == ["a"]));
        assert_eq!(spec.resource_attributes.as_ref().and_then(|attributes| attributes.namespace.clone()), None);
    }
}

#[tokio::test]
async fn a01_a_kind_that_is_not_served_yet_takes_the_right_on_all_of_its_group() {
    let (authors, _) =
        server(|spec| verdict(spec.resource_attributes.as_ref().unwrap().resource.as_deref() != Some("*")));
    let findings =
        authors.check(Some(&user()), None, &class(&[item("example.com/v1", "Widget", &json!({}))])).await.unwrap();
    insta::assert_snapshot!(sentences(&findings), @r#"spec.resources[0] (example.com/v1/Widget x): user "jane" may not create, patch, delete *.example.com in all namespaces, and a class does only what its author may do; have a cluster admin write the class, or grant it by a ClusterRole and a ClusterRoleBinding (apiGroups "example.com", resources *, verbs create, patch, delete)"#);
}

#[tokio::test]
async fn a01_nothing_is_asked_about_items_that_stay() {
    let (authors, asked) = server(|_| verdict(false));
    let class = class(&grant());
    assert_eq!(authors.check(Some(&user()), Some(&class), &class).await.unwrap(), []);
    assert!(asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a13_a_review_that_fails_or_never_comes_is_a_failure_and_no_verdict() {
    let forbidden =
        json!({ "kind": "Status", "apiVersion": "v1", "code": 403, "reason": "Forbidden", "message": "no" });
    let answers = [
        (StatusCode::FORBIDDEN, forbidden.clone()),
        (StatusCode::INTERNAL_SERVER_ERROR, json!({})),
        (StatusCode::CREATED, json!({ "spec": {} })),
        (StatusCode::CREATED, json!("nonsense")),
        (StatusCode::REQUEST_TIMEOUT, forbidden),
    ];
    for answer in answers {
        // The others would be allowed, or denied; one without an answer counts more.
        for others in [true, false] {
            let answer = answer.clone();
            let (mut authors, _) = server(move |spec| {
                let verb = spec.resource_attributes.as_ref().and_then(|attributes| attributes.verb.as_deref());
                if verb == Some("patch") { answer.clone() } else { verdict(others) }
            });
            authors.deadline = Duration::from_millis(200);
            let failure = authors.check(Some(&user()), None, &class(&grant())).await.unwrap_err();
            assert!(matches!(failure, Failure::ApiServer(_)), "{failure:?}");
            assert_eq!(failure.status(), StatusCode::SERVICE_UNAVAILABLE);
        }
    }
    let (authors, _) = server(|_| verdict(true));
    assert!(matches!(authors.check(None, None, &class(&grant())).await, Err(Failure::Malformed(_))));
}
