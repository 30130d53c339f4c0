use std::collections::BTreeMap;

use http::{Method, Response};
use nsclass_shared::names;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::testing::{Asked, FakeServer, context, failure};

const NAMESPACES: usize = 40;
const OBJECTS: usize = 5;

fn class() -> Value {
    let item = |i: usize| {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": format!("map-{i}") },
            "data": { "of": "{{ .Namespace.Name }}" },
        })
    };
    json!({
        "apiVersion": "nsclass.io/v1alpha1", "kind": "NamespaceClass",
        "metadata": { "name": "std", "uid": "uid-std", "generation": 1, "finalizers": [names::FINALIZER] },
        "spec": { "resources": (0..OBJECTS).map(item).collect::<Vec<_>>() },
    })
}

/// Each tenth write is refused, in one way after the other.
fn on_a_tenth(write: usize) -> Option<Response<String>> {
    if !write.is_multiple_of(10) {
        return None;
    }
    let busy = |code: u16| {
        let answer = Response::builder().status(code).header("retry-after", "1").header("content-type", "text/plain");
        answer.body("Too many requests, please try again later.".to_owned()).unwrap()
    };
    Some(match write / 10 % 4 {
        0 => busy(429),
        1 => busy(503),
        2 => failure(500, "InternalError", ""),
        _ => failure(409, "Conflict", ""),
    })
}

/// Runs the workers until every namespace is as its class says; returns what they asked for, and what the server then has.
async fn converge(trouble: fn(usize) -> Option<Response<String>>) -> (Vec<Asked>, BTreeMap<String, Value>) {
    let server = FakeServer::new(trouble);
    let namespaces: Vec<String> = (0..NAMESPACES).map(|i| format!("ns-{i}")).collect();
    let context = context(&server, &class(), &namespaces);
    for name in &namespaces {
        context.namespace_queue.add_to("std", name);
    }
    let shutdown = CancellationToken::new();
    let workers: Vec<_> = (0..8).map(|_| tokio::spawn(work(context.clone(), shutdown.clone()))).collect();
    let is_ready = |binding: &Value| {
        let conditions = binding["status"]["conditions"].as_array().cloned().unwrap_or_default();
        conditions.iter().any(|c| c["type"] == "Ready" && c["status"] == "True")
    };
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let ready = server.memories().objects.values().filter(|object| is_ready(object)).count();
        if ready == NAMESPACES {
            break;
        }
        assert!(Instant::now() < deadline, "{ready} of {NAMESPACES} are ready");
    }
    shutdown.cancel();
    for worker in workers {
        worker.await.unwrap().unwrap();
    }
    let memories = server.memories();
    (memories.asked.clone(), memories.objects.clone())
}

/// What is there, but for what each write changes.
fn timeless(mut objects: BTreeMap<String, Value>) -> BTreeMap<String, Value> {
    for object in objects.values_mut() {
        object["metadata"]["resourceVersion"] = Value::Null;
        for condition in object["status"]["conditions"].as_array_mut().into_iter().flatten() {
            condition["lastTransitionTime"] = Value::Null;
        }
    }
    objects
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fault10_an_api_server_that_refuses_a_tenth_is_left_alone_as_it_asks_and_all_is_done_in_the_end() {
    let (calm, as_it_should_be) = converge(|_| None).await;
    let (asked, after) = converge(on_a_tenth).await;
    assert_eq!(timeless(after), timeless(as_it_should_be), "the same end");

    let writes = |asked: &[Asked]| asked.iter().filter(|a| a.method != Method::GET).count();
    assert_eq!(writes(&calm), NAMESPACES * (OBJECTS + 2));
    assert!(writes(&asked) < writes(&calm) * 2, "{} writes instead of {}", writes(&asked), writes(&calm));
    let mut per_path: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for a in &asked {
        *per_path.entry((a.method.as_str(), &a.path)).or_default() += 1;
    }
    let most = per_path.iter().filter(|((method, _), _)| *method == "PATCH").map(|(_, count)| *count).max();
    assert!(most.unwrap() <= 6, "an object was asked for {most:?} times");

    // Whoever was sent away came back when it was time, and meanwhile the others were served.
    let (mut sent_away, mut served_meanwhile) = (0, 0);
    for (i, refused) in asked.iter().enumerate().filter(|(_, a)| a.code == 429 || a.code == 503) {
        sent_away += 1;
        let later = &asked[i + 1..];
        let again = later.iter().find(|a| a.path == refused.path && a.method == refused.method);
        let pause = again.unwrap().at.duration_since(refused.at);
        assert!(pause >= Duration::from_millis(990), "asked again after {pause:?}: {refused:?}");
        let others = later.iter().take_while(|a| a.at.duration_since(refused.at) < Duration::from_secs(1));
        served_meanwhile += usize::from(others.filter(|a| a.code < 300).count() > 0);
    }
    assert!(sent_away >= 5 && served_meanwhile * 2 > sent_away, "{served_meanwhile} of {sent_away}");
}
