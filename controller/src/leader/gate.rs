//! The gate in the client: no request that may change something passes it while we do not lead.
//!
//! It stands in the client itself, so that a write which forgets to ask cannot be written: [`crate::connect`] makes the only clients, and
//! `clippy.toml` refuses any other way to one.

use std::{
    future::{Future, poll_fn, ready},
    pin::Pin,
    task::{Context, Poll},
};

use futures::{FutureExt, TryFutureExt, future::BoxFuture};
use http::{Method, Request};
use tower::{BoxError, Layer, Service};

use super::{LeaderGuard, NotLeading};

/// Puts the gate before a client's service.
#[derive(Clone, Debug)]
pub struct Gate(pub LeaderGuard);

/// A service behind the gate.
#[derive(Clone, Debug)]
pub struct Gated<S> {
    inner: S,
    guard: LeaderGuard,
}

impl<S> Layer<S> for Gate {
    type Service = Gated<S>;

    fn layer(&self, inner: S) -> Gated<S> {
        Gated { inner, guard: self.0.clone() }
    }
}

impl<S, B> Service<Request<B>> for Gated<S>
where
    S: Service<Request<B>>,
    S::Error: Into<BoxError> + 'static,
    S::Future: Send + 'static,
    S::Response: Send + 'static,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<S::Response, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        if is_read(request.method()) {
            return self.inner.call(request).map_err(Into::into).boxed();
        }
        let permit = match self.guard.begin_write() {
            Ok(permit) => permit,
            Err(refused) => return ready(Err(refused.into())).boxed(),
        };
        let mut answer = Box::pin(self.inner.call(request));
        async move {
            // Asked again each time before anything is done for the request: a process that stood still may wake up with it unsent.
            poll_fn(|cx| {
                if permit.is_in_time() {
                    Pin::as_mut(&mut answer).poll(cx).map_err(Into::into)
                } else {
                    Poll::Ready(Err(NotLeading.into()))
                }
            })
            .await
        }
        .boxed()
    }
}

fn is_read(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicU32, Ordering},
        },
        time::Duration,
    };

    use super::*;

    /// A server that counts what reaches it, and answers when it is told to.
    fn server()
    -> (impl Service<Request<()>, Response = (), Error = BoxError, Future: Send + 'static> + Clone, Arc<AtomicU32>)
    {
        let count = Arc::new(AtomicU32::new(0));
        let counted = count.clone();
        let service = tower::service_fn(move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
            ready(Ok(()))
        });
        (service, count)
    }

    fn request(method: &Method) -> Request<()> {
        Request::builder().method(method).body(()).unwrap()
    }

    #[tokio::test]
    async fn s42_every_request_that_may_change_something_asks_the_guard_and_reads_do_not() {
        let (service, reached) = server();
        let standby = LeaderGuard::default();
        let mut gated = Gate(standby.clone()).layer(service.clone());
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            let refused = gated.call(request(&method)).await.unwrap_err();
            assert!(refused.is::<NotLeading>(), "{method}: {refused}");
        }
        assert_eq!(reached.load(Ordering::SeqCst), 0);
        gated.call(request(&Method::GET)).await.unwrap();
        let mut gated = Gate(LeaderGuard::leading()).layer(service);
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            gated.call(request(&method)).await.unwrap();
        }
        assert_eq!(reached.load(Ordering::SeqCst), 6);
    }

    #[tokio::test]
    async fn fault04_a_write_that_was_not_sent_before_the_deadline_is_not_sent_after_it() {
        let sent = Arc::new(AtomicU32::new(0));
        let counted = sent.clone();
        let service = tower::service_fn(move |_: Request<()>| {
            let counted = counted.clone();
            async move {
                counted.fetch_add(1, Ordering::SeqCst);
                Ok::<_, BoxError>(())
            }
        });
        let guard = LeaderGuard::default();
        guard.extend(guard.now() + Duration::from_secs(60));
        // Begun, and not polled: as in a process that is stopped here.
        let write = Gate(guard.clone()).layer(service).call(request(&Method::PATCH));
        guard.extend(guard.now());
        assert!(write.await.unwrap_err().is::<NotLeading>());
        assert_eq!(sent.load(Ordering::SeqCst), 0);
    }

    #[tokio::test]
    async fn s42_a_write_under_way_is_waited_for() {
        let (release, released) = tokio::sync::oneshot::channel::<()>();
        let released = released.shared();
        let service = tower::service_fn(move |_: Request<()>| {
            let released = released.clone();
            async move { released.await.map_err(BoxError::from) }
        });
        let guard = LeaderGuard::leading();
        let write = tokio::spawn(Gate(guard.clone()).layer(service).call(request(&Method::PATCH)));
        guard.close();
        assert!(tokio::time::timeout(Duration::from_millis(50), guard.writes_ended()).await.is_err());
        release.send(()).unwrap();
        guard.writes_ended().await;
        write.await.unwrap().unwrap();
    }
}
