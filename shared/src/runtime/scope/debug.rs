//! `/debug/scope`: what this process believes, for a person (scope.md S50).

use axum::{
    Router,
    extract::{RawQuery, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use serde_json::{Value, json};

use super::Scope;
use crate::scope::{Entry, Snapshot, Verdict};

/// Namespaces on one page, unless `?limit=` says otherwise.
const PAGE: usize = 500;
/// Most on one page.
const LARGEST_PAGE: usize = 5000;

pub(super) fn routes(scope: Scope) -> Router {
    Router::new().route("/debug/scope", get(show)).with_state(scope)
}

/// `?namespace=NAME` shows one, `?after=NAME&limit=N` a page of all, by name.
async fn show(State(scope): State<Scope>, RawQuery(query): RawQuery) -> Response {
    match Query::parse(query.as_deref().unwrap_or_default()) {
        Ok(query) => {
            let body = format!("{:#}\n", page(&scope, &query));
            ([(header::CONTENT_TYPE, "application/json")], body).into_response()
        }
        Err(why) => (StatusCode::BAD_REQUEST, format!("{why}\n")).into_response(),
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Query<'a> {
    namespace: Option<&'a str>,
    after: Option<&'a str>,
    limit: Option<usize>,
}

impl<'a> Query<'a> {
    fn parse(query: &'a str) -> Result<Self, String> {
        let mut parsed = Self::default();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("namespace", name)) => parsed.namespace = Some(name),
                Some(("after", name)) => parsed.after = Some(name),
                Some(("limit", number)) => {
                    let limit = number.parse().ok().filter(|limit| (1..=LARGEST_PAGE).contains(limit));
                    parsed.limit =
                        Some(limit.ok_or(format!("limit: {number:?} is no number from 1 to {LARGEST_PAGE}"))?);
                }
                _ => return Err(format!("{pair:?}: there are namespace=NAME, after=NAME and limit=NUMBER")),
            }
        }
        Ok(parsed)
    }
}

fn page(scope: &Scope, query: &Query<'_>) -> Value {
    let snapshot = scope.handle.load_full();
    let (namespaces, next) = match query.namespace {
        Some(name) => (vec![describe(&snapshot, name, snapshot.entry(name))], None),
        None => all(&snapshot, query),
    };
    let mut shown = json!({
        "selector": snapshot.rule().to_string(),
        "operatorNamespace": snapshot.rule().operator_namespace(),
        "generation": snapshot.generation(),
        "epoch": snapshot.epoch(),
        "seeded": snapshot.is_seeded(),
        "ageSeconds": scope.age().as_secs_f64(),
        "leader": scope.telling.leads(),
        "digest": snapshot.digest().to_string(),
        "count": {
            Verdict::InScope.as_str(): snapshot.count(Verdict::InScope),
            Verdict::OutOfScope.as_str(): snapshot.count(Verdict::OutOfScope),
        },
        "namespaces": namespaces,
        "next": next,
    });
    for (name, value) in scope.beside.load().iter() {
        shown[name] = value.clone();
    }
    shown
}

/// One page of all namespaces by name, and what `after=` gives the next one.
fn all(snapshot: &Snapshot, query: &Query<'_>) -> (Vec<Value>, Option<String>) {
    let mut names: Vec<(&str, &Entry)> =
        snapshot.entries().filter(|(name, _)| query.after.is_none_or(|after| *name > after)).collect();
    names.sort_unstable_by_key(|(name, _)| *name);
    let limit = query.limit.unwrap_or(PAGE);
    let next = (names.len() > limit).then(|| names[limit - 1].0.to_owned());
    let shown = names.into_iter().take(limit).map(|(name, entry)| describe(snapshot, name, Some(entry)));
    (shown.collect(), next)
}

fn describe(snapshot: &Snapshot, name: &str, entry: Option<&Entry>) -> Value {
    let flip = entry.and_then(Entry::last_flip);
    json!({
        "namespace": name,
        "verdict": snapshot.verdict(name).as_str(),
        "uid": entry.map(Entry::uid),
        "lastFlip": flip.map(|flip| json!({ "direction": flip.direction.as_str(), "at": flip.at.to_string() })),
    })
}

#[cfg(test)]
mod tests {
    use prometheus::Registry;

    use super::*;
    use crate::scope::{Index, Observation, Pick, ScopeRule};

    fn scope() -> Scope {
        let rule = ScopeRule::new("own", Pick::Named(["b".to_owned()].into()));
        let (scope, _) = Scope::new(rule.clone(), None, &Registry::new()).unwrap();
        let mut index = Index::new(rule);
        let labels = std::collections::BTreeMap::new();
        for (name, revision) in [("c", 1), ("a", 2), ("b", 3)] {
            index.apply(&Observation { name, uid: name, revision, labels: &labels });
        }
        scope.handle.publish(index.publish(jiff::Timestamp::UNIX_EPOCH).unwrap().snapshot);
        scope
    }

    fn names(page: &Value) -> Vec<&str> {
        page["namespaces"].as_array().unwrap().iter().filter_map(|n| n["namespace"].as_str()).collect()
    }

    #[tokio::test]
    async fn s50_namespaces_come_in_pages_by_name_and_one_can_be_asked_for() {
        let scope = scope();
        let shown = |query: &str| page(&scope, &Query::parse(query).unwrap());
        let first = shown("limit=2");
        assert_eq!((names(&first), &first["next"]), (vec!["a", "b"], &json!("b")));
        let second = shown("limit=2&after=b");
        assert_eq!((names(&second), &second["next"]), (vec!["c"], &json!(null)));
        assert_eq!(shown("namespace=b")["namespaces"][0]["verdict"], "InScope");
        assert_eq!(shown("namespace=b")["namespaces"][0]["lastFlip"]["direction"], "Appeared");
        assert_eq!(shown("namespace=z")["namespaces"][0]["verdict"], "Unknown");
        assert_eq!(shown("")["count"], json!({ "InScope": 1, "OutOfScope": 2 }));
    }

    #[test]
    fn s50_a_question_that_makes_no_sense_is_refused() {
        insta::assert_snapshot!(Query::parse("limit=0").unwrap_err(), @r#"limit: "0" is no number from 1 to 5000"#);
        insta::assert_snapshot!(Query::parse("name=a").unwrap_err(), @r#""name=a": there are namespace=NAME, after=NAME and limit=NUMBER"#);
    }
}
