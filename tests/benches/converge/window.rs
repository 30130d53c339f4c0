//! How long some requests took together, by the API server's own clock.

use std::time::Duration;

use anyhow::{Context, Result};
use jiff::Timestamp;
use nsclass_tests::OPERATOR_NAMESPACE;
use nsclass_tests::audit::{Request, Requests};

/// The time from the first of some requests to the end of the last, and the objects that were written in it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Window {
    pub(crate) objects: usize,
    pub(crate) requests: usize,
    pub(crate) span: Duration,
}

impl Window {
    /// Of all these requests.
    pub(crate) fn of(requests: &Requests, objects: usize) -> Result<Self> {
        Self::since(None, requests, objects)
    }

    /// From `start`, where it is given, to the last of these requests.
    pub(crate) fn since(start: Option<Timestamp>, requests: &Requests, objects: usize) -> Result<Self> {
        let first = start.or_else(|| requests.iter().map(|r| r.received).min()).context("no request")?;
        let last = requests.iter().map(|r| r.answered).max().context("no request")?;
        Ok(Self { objects, requests: requests.len(), span: last.duration_since(first).unsigned_abs() })
    }

    /// Two windows, one after the other.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            objects: self.objects + other.objects,
            requests: self.requests + other.requests,
            span: self.span + other.span,
        }
    }

    /// Objects a second.
    #[allow(clippy::cast_precision_loss, reason = "counts of a benchmark")]
    pub(crate) fn rate(self) -> f64 {
        self.objects as f64 / self.span.as_secs_f64()
    }

    /// Requests for each object.
    #[allow(clippy::cast_precision_loss, reason = "counts of a benchmark")]
    pub(crate) fn per_object(self) -> f64 {
        self.requests as f64 / self.objects as f64
    }
}

impl std::fmt::Display for Window {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { objects, requests, span } = self;
        write!(
            f,
            "{objects:>6} objects, {requests:>6} requests, {:>6.1} s, {:>5.0} objects/s",
            span.as_secs_f64(),
            self.rate()
        )
    }
}

/// What the controller asked for on behalf of namespaces: objects and bindings, reads too. Its lists and watches, its lease, certificates
/// and whatever else is in its own namespace, the class's own record and events are not among them (class.md, Scale).
pub(crate) fn of_namespaces(requests: &Requests) -> Requests {
    let counts = |r: &Request| {
        !r.name.is_empty()
            && r.verb != "watch"
            && r.verb != "list"
            && !r.resource.starts_with("namespaceclasses.")
            && r.namespace != OPERATOR_NAMESPACE
            && !r.resource.starts_with("events")
            && !r.resource.starts_with("customresourcedefinitions.")
    };
    requests.by_agent("nsclass-controller").filter(counts)
}

/// Those for objects alone.
pub(crate) fn of_objects(requests: &Requests) -> Requests {
    of_namespaces(requests).filter(|r| !r.namespace.is_empty())
}
