//! What no API server would send.

use serde_json::json;

use crate::{
    client::{Connection, post_head},
    port::{MAPS, Port},
    reviews::{create, large, review},
};

#[tokio::test]
async fn bad01_what_is_no_review_is_a_counted_error_and_decides_nothing() {
    let port = Port::open().await;
    let bodies = [
        String::new(),
        "{".to_owned(),
        "[]".to_owned(),
        "\u{fffd}".to_owned(),
        create("ours", "a").replace("admission.k8s.io/v1", "admission.k8s.io/v1beta1"),
        create("ours", "a").replace("admission.k8s.io/v1", "admission.k8s.io/v2"),
        create("ours", "a").replace("AdmissionReview", "Review"),
        create("ours", "a").replace("u-1", ""),
        create("ours", "a").replace("\"uid\"", "\"uud\""),
        create("ours", "a").replace("\"request\"", "\"question\""),
    ];
    let mut connection = Connection::open(&port).await;
    for body in &bodies {
        let got = connection.post(MAPS, body).await;
        assert_eq!(got.decides_nothing().status, 400, "{body}: {got:?}");
    }
    assert_eq!(port.failures("malformed"), bodies.len() as u64);
    let other = create("ours", "a").replace("ConfigMap", "Secret");
    assert_eq!(connection.post(MAPS, &other).await.decides_nothing().status, 400);
    assert_eq!((port.failures("wrong_kind"), port.asked()), (1, 0));
    assert_eq!(connection.post(MAPS, &create("ours", "a")).await.status, 200);
}

#[tokio::test]
async fn a10_other_methods_media_and_paths_are_refused_and_never_redirected() {
    let port = Port::open().await;
    let body = create("ours", "a");
    let cases = [
        ("GET", MAPS, "application/json", 405, "method"),
        ("PUT", MAPS, "application/json", 405, "method"),
        ("POST", MAPS, "text/plain", 415, "media_type"),
        ("POST", MAPS, "application/yaml", 415, "media_type"),
        ("POST", "/admit/configmaps/", "application/json", 404, "no_such_path"),
        ("POST", "//admit/configmaps", "application/json", 404, "no_such_path"),
        ("POST", "/", "application/json", 404, "no_such_path"),
    ];
    for (method, path, media, status, category) in cases {
        let before = port.failures(category);
        let mut connection = Connection::open(&port).await;
        let length = body.len();
        let head =
            format!("{method} {path} HTTP/1.1\r\nhost: a\r\ncontent-type: {media}\r\ncontent-length: {length}\r\n\r\n");
        connection.write(head + &body).await.unwrap();
        let got = connection.answer().await.unwrap();
        assert_eq!((got.decides_nothing().status, port.failures(category)), (status, before + 1), "{method} {path}");
        assert!(!got.head.contains("location") && (status != 405 || got.head.contains("allow: post")), "{got:?}");
    }
    assert_eq!(port.asked(), 0);
    let mut connection = Connection::open(&port).await;
    let head = post_head(MAPS, body.len()).replace("json", "json; charset=utf-8");
    connection.write(head + &body).await.unwrap();
    assert!(connection.answer().await.unwrap().body.contains(r#""uid":"u-1","allowed":true"#));
}

#[tokio::test]
async fn bad02_a_body_over_the_limit_is_413_naming_the_size_before_it_has_come() {
    let port = Port::open().await;
    let size = 10 * 1024 * 1024;
    let mut connection = Connection::open(&port).await;
    connection.write(post_head(MAPS, size)).await.unwrap();
    let got = connection.answer().await.unwrap();
    assert_eq!(got.decides_nothing().status, 413);
    assert!(got.body.contains("10485760 bytes") && got.body.contains("9437184"), "{}", got.body);

    // A client that sends all of it first reads the answer all the same.
    let mut connection = Connection::open(&port).await;
    connection.write(post_head(MAPS, size)).await.unwrap();
    connection.write(vec![b' '; size]).await.unwrap();
    assert_eq!(connection.answer().await.unwrap().decides_nothing().status, 413);

    // One that does not say how much comes.
    let mut connection = Connection::open(&port).await;
    let head = post_head(MAPS, 0).replace("content-length: 0", "transfer-encoding: chunked");
    connection.write(head).await.unwrap();
    for _ in 0..10 {
        connection.write("100000\r\n").await.unwrap();
        connection.write(vec![b' '; 0x10_0000]).await.unwrap();
        connection.write("\r\n").await.unwrap();
    }
    assert_eq!(connection.answer().await.unwrap().decides_nothing().status, 413);
    assert_eq!((port.failures("too_large"), port.asked()), (3, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad02_a_legal_review_of_6_mib_is_decided_with_and_without_a_length() {
    let port = Port::open().await;
    let body = large(6 * 1024 * 1024);
    let mut connection = Connection::open(&port).await;
    assert_eq!(connection.post(MAPS, &body).await.status, 200);
    let head = post_head(MAPS, 0).replace("content-length: 0", "transfer-encoding: chunked");
    connection.write(format!("{head}{:x}\r\n{body}\r\n0\r\n\r\n", body.len())).await.unwrap();
    assert_eq!(connection.answer().await.unwrap().status, 200);
    assert_eq!(port.asked(), 2);
}

#[tokio::test]
async fn bad02_a_length_that_lies_costs_that_client_alone() {
    let port = Port::open().await;
    let (body, mut good) = (create("ours", "a"), Connection::open(&port).await);
    // More is announced than comes.
    let mut more = Connection::open(&port).await;
    more.write(post_head(MAPS, 9_000_000) + &body).await.unwrap();
    // Less is announced than comes.
    let mut less = Connection::open(&port).await;
    less.write(post_head(MAPS, body.len() - 5) + &body).await.unwrap();
    assert_eq!(less.answer().await.unwrap().decides_nothing().status, 400);
    assert_eq!(good.post(MAPS, &body).await.status, 200);
    assert_eq!(more.answer().await.unwrap().decides_nothing().status, 408);
    more.until_closed().await;
    assert_eq!(good.post(MAPS, &body).await.status, 200);
}

#[tokio::test]
async fn bad03_deep_nesting_is_a_denial_an_answer_or_400_and_no_overflow() {
    let port = Port::open().await;
    let mut connection = Connection::open(&port).await;
    for depth in [130, 9_000, 1_000_000] {
        let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let inside = create("ours", "a").replace(r#""data":{}"#, &format!(r#""data":{deep}"#));
        assert_eq!(connection.post(MAPS, &inside).await.decides_nothing().status, 400);
        let unread = create("theirs", "a").replace(r#""data":{}"#, &format!(r#""data":{deep}"#));
        assert!(connection.post(MAPS, &unread).await.body.contains(r#""uid":"u-1","allowed":true"#));
        let outside = create("ours", "a").replace(r#""uid":"#, &format!(r#""options":{deep},"uid":"#));
        assert_eq!(connection.post(MAPS, &outside).await.status, 200);
        let around = create("ours", "a").replace(r#""kind":"AdmissionReview""#, &format!(r#""kind":{deep}"#));
        assert_eq!(connection.post(MAPS, &around).await.decides_nothing().status, 400);
    }
}

#[tokio::test]
async fn bad05_objects_that_do_not_fit_the_operation_are_decided_from_what_is_there() {
    let port = Port::open().await;
    let mut connection = Connection::open(&port).await;
    let map = json!({ "data": {} });
    for (operation, object, old) in [
        ("CREATE", map.clone(), map.clone()),
        ("UPDATE", map.clone(), json!(null)),
        ("DELETE", json!(null), map.clone()),
        ("DELETE", json!(null), json!(null)),
    ] {
        let fields =
            json!({ "operation": operation, "namespace": "ours", "name": "a", "object": object, "oldObject": old });
        assert_eq!(connection.post(MAPS, &review(&fields)).await.status, 200, "{fields}");
    }
}

#[tokio::test]
async fn a14_a_dry_run_is_judged_the_same() {
    let port = Port::open().await;
    let mut connection = Connection::open(&port).await;
    for name in ["a", "denied"] {
        let fields = |dry_run: bool| {
            review(
                &json!({ "operation": "CREATE", "namespace": "ours", "name": name, "dryRun": dry_run, "object": { "a": 1 } }),
            )
        };
        let (real, dry) = (connection.post(MAPS, &fields(false)).await, connection.post(MAPS, &fields(true)).await);
        assert_eq!(real.body, dry.body);
    }
}
