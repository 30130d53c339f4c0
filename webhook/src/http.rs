//! One request: from the end of its header to its answer.

mod body;
mod budget;
mod media;
mod timeout;

use std::{panic::AssertUnwindSafe, time::Duration};

use bytes::Bytes;
use futures::FutureExt;
use http_body_util::Full;
use hyper::{
    Method, Request, Response, StatusCode,
    body::Body,
    header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue},
};
use serde_json::json;
use tokio::{
    runtime::{Handle, RuntimeFlavor},
    sync::Semaphore,
    time::{Instant, timeout_at},
};
use tokio_util::sync::CancellationToken;

use crate::{failure::Failure, gate::Gate, metrics::Metrics, review};
use body::SMALL;
use budget::Budget;

/// Largest body that is read, in bytes: an update of a class of 1.4 MB full of `<` is 8.4 MB (admission.md A11).
pub const LARGEST_BODY: usize = 9 * 1024 * 1024;
/// Longest that a request is worked on, whatever its `?timeout=` says.
const LONGEST: Duration = Duration::from_secs(10);
/// Longest that a body may take to come, once there is room for it.
const BODY: Duration = Duration::from_secs(5);

/// What every request is answered with.
pub struct App {
    gate: Gate,
    metrics: Metrics,
    budget: Budget,
    slots: Semaphore,
    /// Each answer asks to close its connection from then on, so that the next request finds another replica.
    stopping: CancellationToken,
}

impl App {
    /// With the validators behind their gate, for at most `max_in_flight` requests at the same time.
    pub fn new(gate: Gate, metrics: Metrics, max_in_flight: usize, stopping: CancellationToken) -> Self {
        Self { gate, metrics, budget: Budget::default(), slots: Semaphore::new(max_in_flight), stopping }
    }

    /// Its metrics.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The answer to a request. A panic on the way is one 500 (admission.md A13).
    pub async fn respond<B>(&self, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: Body<Data = Bytes> + Unpin,
    {
        let started = Instant::now();
        let under_way = UnderWay::begin(&self.metrics);
        let answer = AssertUnwindSafe(self.answer(request, started)).catch_unwind().await;
        under_way.end();
        let answer = answer.unwrap_or(Err(Failure::Panicked));
        self.metrics.seconds.observe(started.elapsed().as_secs_f64());
        let mut response = match answer {
            Ok(json) => {
                let mut response = Response::new(Full::new(Bytes::from(json)));
                response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                response
            }
            Err(failure) => self.error(&failure),
        };
        if self.stopping.is_cancelled() {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    /// No `Retry-After`: with it the API server would ask again and again within one request of its own.
    fn error(&self, failure: &Failure) -> Response<Full<Bytes>> {
        self.metrics.failures.with_label_values(&[failure.category()]).inc();
        if failure.status().is_server_error() {
            tracing::warn!(%failure, "an admission request got no answer");
        } else {
            tracing::debug!(%failure, "a request that is no admission request");
        }
        // A Status: of anything else the API server tells its client the code alone.
        let status = json!({
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": failure.status().as_u16(),
            "message": failure.to_string(),
        });
        let mut response = Response::new(Full::new(Bytes::from(status.to_string())));
        *response.status_mut() = failure.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if failure.status() == StatusCode::METHOD_NOT_ALLOWED {
            headers.insert(ALLOW, HeaderValue::from_static("POST"));
        }
        response
    }

    async fn answer<B>(&self, request: Request<B>, started: Instant) -> Result<Vec<u8>, Failure>
    where
        B: Body<Data = Bytes> + Unpin,
    {
        let Ok(_slot) = self.slots.try_acquire() else { return Err(Failure::Overloaded) };
        let path = self.gate.path(request.uri().path()).ok_or(Failure::NoSuchPath)?;
        if request.method() != Method::POST {
            return Err(Failure::Method);
        }
        if !media::is_json(request.headers()) {
            return Err(Failure::MediaType);
        }
        let patience = timeout::asked(request.uri().query()).map_or(LONGEST, |asked| asked.min(LONGEST));
        let deadline = started + patience;
        let read = body::read(request.into_body(), LARGEST_BODY, &self.budget, deadline, BODY);
        let body = read.await?;
        let judged = async {
            timeout_at(deadline, self.judge(path, body.bytes())).await.map_err(|_| Failure::Deadline).flatten()
        };
        if body.bytes().len() > SMALL && is_multi_threaded() {
            // Tens of milliseconds of work: the other tasks of this thread go on elsewhere.
            return tokio::task::block_in_place(|| Handle::current().block_on(judged));
        }
        judged.await
    }

    async fn judge(&self, path: &'static str, body: &[u8]) -> Result<Vec<u8>, Failure> {
        let request = review::decode(body)?;
        let answer = self.gate.answer(path, &request).await?;
        self.metrics.answers.with_label_values(&[path, answer.outcome()]).inc();
        answer.to_json(&request.uid).map_err(|_| Failure::Panicked)
    }
}

/// A request under way. Dropped before its end, it was abandoned: its client hung up, or broke off.
struct UnderWay<'a>(&'a Metrics);

impl<'a> UnderWay<'a> {
    fn begin(metrics: &'a Metrics) -> Self {
        metrics.in_flight.inc();
        Self(metrics)
    }

    fn end(self) {
        self.0.in_flight.dec();
        std::mem::forget(self);
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.in_flight.dec();
        self.0.failures.with_label_values(&["abandoned"]).inc();
    }
}

fn is_multi_threaded() -> bool {
    Handle::try_current().is_ok_and(|handle| handle.runtime_flavor() == RuntimeFlavor::MultiThread)
}
