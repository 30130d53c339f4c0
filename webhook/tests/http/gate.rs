//! The gate before every validator.

use std::sync::atomic::Ordering::Relaxed;

use crate::{
    client::Connection,
    port::{MAPS, Port},
    reviews::create,
};

#[tokio::test]
async fn a02_a_namespace_out_of_scope_passes_unjudged_and_without_warnings() {
    let port = Port::open().await;
    let mut connection = Connection::open(&port).await;
    for name in ["a", "denied", "panics", "no-api"] {
        let got = connection.post(MAPS, &create("theirs", name)).await;
        assert!(got.status == 200 && got.body.contains(r#"{"uid":"u-1","allowed":true}"#), "{got:?}");
    }
    assert_eq!((port.asked(), port.gate("out_of_scope"), port.settled.load(Relaxed)), (0, 4, 0));
    let passed = port.metrics.answers.with_label_values(&[MAPS, "unjudged"]).get();
    assert_eq!(passed, 4);
}

#[tokio::test]
async fn a02_a_namespace_in_scope_is_judged_and_so_is_what_has_none() {
    let port = Port::open().await;
    let mut connection = Connection::open(&port).await;
    for namespace in ["ours", ""] {
        let got = connection.post(MAPS, &create(namespace, "denied")).await;
        assert!(got.body.contains(r#""allowed":false"#) && got.body.contains("no such config map"), "{got:?}");
        assert!(connection.post(MAPS, &create(namespace, "a")).await.body.contains(r#""warnings":["1 fields"]"#));
    }
    let outcomes = ["allowed", "denied", "unjudged"];
    let counted = outcomes.map(|outcome| port.metrics.answers.with_label_values(&[MAPS, outcome]).get());
    assert_eq!((counted, port.gate("in_scope"), port.asked()), ([2, 2, 0], 2, 4));
}

#[tokio::test]
async fn a02_an_unknown_namespace_is_read_once_and_only_a_failed_read_is_503() {
    let port = Port::open().await;
    let mut connection = Connection::open(&port).await;
    assert!(connection.post(MAPS, &create("new-ours", "denied")).await.body.contains(r#""allowed":false"#));
    assert!(connection.post(MAPS, &create("new-theirs", "denied")).await.body.contains(r#""allowed":true"#));
    let got = connection.post(MAPS, &create("lost", "denied")).await;
    assert_eq!(got.decides_nothing().status, 503);
    assert!(got.body.contains("namespace lost"), "{}", got.body);
    let gate = ["settled_in_scope", "settled_out_of_scope", "unsettled"].map(|outcome| port.gate(outcome));
    assert_eq!((gate, port.settled.load(Relaxed), port.asked()), ([1, 1, 1], 3, 1));
}

/// The port has no other way to a validator than the gate, whatever the review says it is: every operation, with or without objects.
#[tokio::test]
async fn a03_no_review_reaches_a_validator_past_the_gate() {
    let port = Port::open().await;
    let mut connection = Connection::open(&port).await;
    for operation in ["CREATE", "UPDATE", "DELETE", "CONNECT"] {
        let review = create("theirs", "denied").replace("CREATE", operation);
        let got = connection.post(MAPS, &review).await;
        assert!(!got.body.contains(r#""allowed":false"#), "{operation}: {got:?}");
    }
    // A path that nothing is registered at answers nothing, and so leads to no validator either.
    for path in ["/admit/secrets", "/admit/configmaps/", "/admit/configmaps/x", "/"] {
        Connection::open(&port).await.post(path, &create("ours", "denied")).await.decides_nothing();
    }
    assert_eq!(port.asked(), 0);
}

#[tokio::test]
async fn a13_our_own_failures_and_panics_are_http_errors_and_the_port_goes_on() {
    let port = Port::open().await;
    let mut connection = Connection::open(&port).await;
    assert_eq!(connection.post(MAPS, &create("ours", "no-api")).await.decides_nothing().status, 503);
    assert_eq!(connection.post(MAPS, &create("ours", "panics")).await.decides_nothing().status, 500);
    assert_eq!(connection.post(MAPS, &create("ours", "a")).await.status, 200);
    assert_eq!((port.failures("panicked"), port.failures("api_server")), (1, 1));
    assert_eq!(port.metrics.in_flight.get(), 0);
}
