//! Only the API server gets past the handshake, where that is wanted.

use crate::{
    client::{Connection, connector},
    port::{Authority, MAPS, Port},
    reviews::create,
};

#[tokio::test]
async fn a17_with_client_authorities_only_their_clients_get_past_the_handshake() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &ours.pem).unwrap();
    let port = Port::with(16, Some(file.path())).await;
    for stranger in [None, Some(theirs.client())] {
        // With TLS 1.3 the client learns of its refusal when it reads.
        if let Ok(mut connection) = Connection::with(&port, &connector(&port, stranger)).await {
            let _ = connection.write("POST / HTTP/1.1\r\n\r\n").await;
            assert!(connection.answer().await.is_err());
        }
    }
    assert!(port.tls.is_verified().unwrap_err().contains("no client certificate yet"));
    assert_eq!((port.asked(), port.connections("handshake_failed")), (0, 2));
    let mut known = Connection::with(&port, &connector(&port, Some(ours.client()))).await.unwrap();
    assert_eq!(known.post(MAPS, &create("ours", "a")).await.status, 200);
    assert_eq!(port.tls.is_verified(), Ok(()));
}

#[tokio::test]
async fn a17_a_file_without_authorities_is_refused_at_the_start() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "").unwrap();
    let pair: std::sync::Arc<nsclass_shared::runtime::ServingPair> = std::sync::Arc::default();
    let error = nsclass_webhook::tls::Tls::new(pair, Some(file.path())).map(drop).unwrap_err();
    assert!(error.to_string().contains("webhook.clientCA"), "{error:#}");
}
