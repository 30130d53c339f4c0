//! What is seen of a replica: the certificate that it proves to have the key of, or nothing.

use std::fs;

use jiff::{SignedDuration, Timestamp};
use nsclass_certs::authority::Authority;
use nsclass_shared::runtime::ServingPair;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::*;

#[test]
fn a22_the_replicas_of_a_service_are_those_of_its_slices_ready_or_not() {
    let slice = serde_json::from_value(serde_json::json!({
        "addressType": "IPv4",
        "metadata": { "name": "hook-1" },
        "ports": [{ "port": 8443 }, { "name": "no number" }],
        "endpoints": [
            { "addresses": ["10.0.0.1", "10.0.0.2"], "conditions": { "ready": true } },
            { "addresses": ["10.0.0.3"], "conditions": { "ready": false } },
        ],
    }));
    let expected: Vec<SocketAddr> =
        ["10.0.0.1:8443", "10.0.0.2:8443", "10.0.0.3:8443"].map(|address| address.parse().unwrap()).to_vec();
    assert_eq!(addresses(&slice.unwrap()), expected);
}

#[tokio::test]
async fn a22_a_replica_is_seen_by_what_it_serves_and_one_that_does_not_answer_is_not_seen() {
    let (now, hour) = (Timestamp::now(), SignedDuration::from_hours(1));
    let made = Authority::make(now, hour).unwrap();
    let pair = Authority::read(&made.certificate, &made.key).unwrap().issue(&["hook.ops.svc".to_owned()], now, hour);
    let (dir, pair) = (tempfile::tempdir().unwrap(), pair.unwrap());
    fs::write(dir.path().join("tls.crt"), pair.certificate).unwrap();
    fs::write(dir.path().join("tls.key"), pair.key).unwrap();
    let serving = Arc::new(ServingPair::default());
    serving.look(dir.path(), now);
    let acceptor = TlsAcceptor::from(Arc::new(serving.server_config().unwrap()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            drop(acceptor.accept(stream).await);
        }
    });
    let leaf = Fingerprint::of(serving.current().unwrap().leaf_der().unwrap());
    assert_eq!(shown(address, "hook.ops.svc").await, Some(leaf));
    // A port that nobody listens at, and one that says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    assert_eq!(shown(silent.local_addr().unwrap(), "hook.ops.svc").await, None);
    let address = silent.local_addr().unwrap();
    drop(silent);
    assert_eq!(shown(address, "hook.ops.svc").await, None);
}
