//! The order in which the port stops.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{sleep, timeout},
};

use crate::{
    client::{Connection, GENEROUS, connector, post_head},
    port::{MAPS, Port},
    reviews::create,
};

#[tokio::test]
async fn a18_while_it_stops_every_answer_is_given_and_closes_its_connection() {
    let port = Port::open().await;
    let mut kept = Connection::open(&port).await;
    assert!(!kept.post(MAPS, &create("ours", "a")).await.closes());
    port.stopping.cancel();
    let got = kept.post(MAPS, &create("ours", "a")).await;
    assert!(got.status == 200 && got.closes(), "{got:?}");
    kept.until_closed().await;
    // New ones are still served.
    let got = Connection::open(&port).await.post(MAPS, &create("ours", "a")).await;
    assert!(got.status == 200 && got.closes(), "{got:?}");
}

#[tokio::test]
async fn a18_requests_under_way_are_answered_and_idle_connections_end_at_a_quiet_moment() {
    let port = Port::open().await;
    let mut idle = Connection::open(&port).await;
    idle.post(MAPS, &create("ours", "a")).await;
    let (mut slow, body) = (Connection::open(&port).await, create("ours", "a"));
    slow.write(post_head(MAPS, body.len())).await.unwrap();
    port.stopping.cancel();
    port.closing.cancel();
    sleep(Duration::from_millis(300)).await;
    slow.write(&body).await.unwrap();
    let got = slow.answer().await.unwrap();
    assert!(got.status == 200 && got.closes(), "{got:?}");
    idle.until_closed().await;
    timeout(GENEROUS, port.served).await.expect("the port stays open").unwrap().unwrap();
    assert!(TcpStream::connect(port.address).await.is_err());
}

#[tokio::test]
async fn a18_a_stop_in_the_middle_of_a_handshake_lets_it_and_its_request_through() {
    let port = Port::open().await;
    // A relay that holds the hello back after its first bytes.
    let relay = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (through, target) = (relay.local_addr().unwrap(), port.address);
    let (half_way, mut is_half_way) = tokio::sync::watch::channel(false);
    let (go_on, mut may_go_on) = tokio::sync::watch::channel(false);
    tokio::spawn(async move {
        let (mut near, _) = relay.accept().await.unwrap();
        let mut far = TcpStream::connect(target).await.unwrap();
        let mut first = [0; 40];
        near.read_exact(&mut first).await.unwrap();
        far.write_all(&first).await.unwrap();
        half_way.send_replace(true);
        may_go_on.wait_for(|go_on| *go_on).await.unwrap();
        let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
    });
    let connector = connector(&port, None);
    let asked = tokio::spawn(async move {
        let stream = TcpStream::connect(through).await.unwrap();
        let stream = connector.connect(target.ip().into(), stream).await.unwrap();
        Connection(stream).post(MAPS, &create("ours", "a")).await
    });
    is_half_way.wait_for(|half_way| *half_way).await.unwrap();
    port.stopping.cancel();
    port.closing.cancel();
    sleep(Duration::from_millis(300)).await;
    go_on.send_replace(true);
    let got = asked.await.unwrap();
    assert!(got.status == 200 && got.closes(), "{got:?}");
    timeout(GENEROUS, port.served).await.expect("the port stays open").unwrap().unwrap();
}
