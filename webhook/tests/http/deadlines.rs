//! Slow clients are cut, slow answers are given up, and nobody else notices.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, sleep, timeout},
};

use crate::{
    client::{Connection, GENEROUS, post_head},
    port::{MAPS, Port},
    reviews::create,
};

/// How long a good request may take next to bad ones, on a loaded machine.
const UNAFFECTED: Duration = Duration::from_secs(5);

async fn good(port: &Port) {
    let asked = async { Connection::open(port).await.post(MAPS, &create("ours", "a")).await };
    assert_eq!(timeout(UNAFFECTED, asked).await.expect("a good request waits").status, 200);
}

async fn until(is_so: impl Fn() -> bool) {
    let wait = async {
        while !is_so() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(GENEROUS, wait).await.expect("it does not come to be so");
}

#[tokio::test]
async fn a12_the_timeout_that_the_api_server_names_is_kept() {
    let port = Port::open().await;
    let mut connection = Connection::open(&port).await;
    let start = Instant::now();
    let got = connection.post(&format!("{MAPS}?timeout=1s"), &create("ours", "sleeps")).await;
    assert_eq!((got.decides_nothing().status, port.failures("deadline")), (504, 1));
    assert!(start.elapsed() >= Duration::from_millis(900), "{:?}", start.elapsed());
    good(&port).await;
}

#[tokio::test]
async fn a12_over_the_limit_of_requests_under_way_the_answer_is_503_at_once() {
    let port = Port::with(2, None).await;
    let mut under_way = Vec::new();
    for _ in 0..2 {
        let mut connection = Connection::open(&port).await;
        let body = create("ours", "sleeps");
        connection.write(post_head(&format!("{MAPS}?timeout=8s"), body.len()) + &body).await.unwrap();
        under_way.push(connection);
    }
    until(|| port.asked() == 2).await;
    let got = Connection::open(&port).await.post(MAPS, &create("ours", "a")).await;
    assert_eq!((got.decides_nothing().status, port.failures("overloaded")), (503, 1));
    drop(under_way);
    // Their clients are gone, and so is their work.
    until(|| port.metrics.in_flight.get() == 0).await;
    assert_eq!(port.failures("abandoned"), 2);
    good(&port).await;
}

#[tokio::test]
async fn bad04_one_byte_a_second_is_cut_in_time_in_header_and_body() {
    let port = Port::open().await;
    let drip = async |mut connection: Connection, text: String| {
        let start = Instant::now();
        for byte in text.bytes() {
            if connection.write([byte]).await.is_err() || start.elapsed() > GENEROUS {
                break;
            }
            let mut rest = Vec::new();
            // What comes is the end, or the answer that it is too slow.
            if timeout(Duration::from_secs(1), connection.0.read_to_end(&mut rest)).await.is_ok() {
                break;
            }
        }
        start.elapsed()
    };
    let header = Connection::open(&port).await;
    let mut body = Connection::open(&port).await;
    body.write(post_head(MAPS, 1_000)).await.unwrap();
    let (header, body, ()) = tokio::join!(drip(header, post_head(MAPS, 5)), drip(body, " ".repeat(1_000)), async {
        for _ in 0..10 {
            good(&port).await;
            sleep(Duration::from_millis(300)).await;
        }
    });
    assert!(header < Duration::from_secs(15) && body < Duration::from_secs(15), "{header:?} {body:?}");
    assert_eq!(port.failures("body_slow"), 1);
    assert!(port.connections("cut") >= 1);
}

#[tokio::test]
async fn bad04_a_tls_hello_and_then_silence_is_cut_in_time() {
    let port = Port::open().await;
    let mut half = TcpStream::connect(port.address).await.unwrap();
    // The beginning of a ClientHello record that announces 512 bytes.
    half.write_all(&[22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]).await.unwrap();
    let (start, mut rest) = (Instant::now(), Vec::new());
    let _ = timeout(GENEROUS, half.read_to_end(&mut rest)).await.expect("the server keeps the connection open");
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    assert_eq!(port.connections("handshake_slow"), 1);
    let mut garbage = TcpStream::connect(port.address).await.unwrap();
    garbage.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let _ = timeout(GENEROUS, garbage.read_to_end(&mut rest)).await.expect("the server keeps the connection open");
    assert_eq!(port.connections("handshake_failed"), 1);
}

#[tokio::test]
async fn bad04_a_thousand_idle_connections_are_cut_in_time_and_nobody_waits_for_them() {
    let port = Port::open().await;
    let mut silent = Vec::new();
    for _ in 0..900 {
        silent.push(TcpStream::connect(port.address).await.unwrap());
    }
    let mut greeted = Vec::new();
    for _ in 0..100 {
        greeted.push(Connection::open(&port).await);
    }
    let start = Instant::now();
    good(&port).await;
    for connection in &mut silent {
        let end = timeout(GENEROUS, connection.read(&mut [0; 64])).await.expect("the server keeps the connection open");
        assert!(end.is_err() || end.is_ok_and(|read| read == 0));
    }
    for connection in &mut greeted {
        connection.until_closed().await;
    }
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    good(&port).await;
}
