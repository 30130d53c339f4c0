//! Keeps what an overloaded API server asks for: `Retry-After`.
//!
//! kube hands an error's `Status` on, and not its headers; and the API server says "too many requests" in plain text, with the time in
//! the header alone. Here such an answer becomes the `Status` that says the same, so that [`crate::answer`] finds the time where it
//! finds everything else.

use http::{
    Request, Response, StatusCode,
    header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, RETRY_AFTER},
};
use http_body_util::Either;
use kube::client::Body;
use serde_json::json;
use tower::{Layer, Service, util::MapResponse};

/// A body as it came, or one of ours.
type Kept<B> = Response<Either<B, Body>>;

/// The layer; it stands next to the connection.
#[derive(Clone, Copy, Debug)]
pub struct KeepRetryAfter;

impl<S, B> Layer<S> for KeepRetryAfter
where
    S: Service<Request<Body>, Response = Response<B>>,
{
    type Service = MapResponse<S, fn(Response<B>) -> Kept<B>>;

    fn layer(&self, inner: S) -> Self::Service {
        MapResponse::new(inner, keep as fn(Response<B>) -> Kept<B>)
    }
}

fn keep<B>(response: Response<B>) -> Kept<B> {
    let (mut parts, body) = response.into_parts();
    let text = |name| parts.headers.get(name).map(HeaderValue::to_str).and_then(Result::ok);
    // A `Status` of the server's own says more, the time included.
    let is_status = text(CONTENT_TYPE).is_some_and(|kind| kind.starts_with("application/json"));
    let seconds = text(RETRY_AFTER).and_then(|seconds| seconds.trim().parse::<u32>().ok()).filter(|_| !is_status);
    let (reason, message) = match parts.status {
        StatusCode::TOO_MANY_REQUESTS => ("TooManyRequests", "too many requests at this moment"),
        StatusCode::SERVICE_UNAVAILABLE => ("ServiceUnavailable", "not available at this moment"),
        _ => return Response::from_parts(parts, Either::Left(body)),
    };
    let Some(seconds) = seconds else { return Response::from_parts(parts, Either::Left(body)) };
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": parts.status.as_u16(),
        "reason": reason, "message": message, "details": { "retryAfterSeconds": seconds },
    });
    parts.headers.remove(CONTENT_LENGTH);
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(parts, Either::Right(Body::from(status.to_string().into_bytes())))
}

#[cfg(test)]
mod tests {
    use kube::{Api, Client, api::DynamicObject, core::ApiResource};

    use super::*;
    use crate::api::NamespaceClass;

    /// The error that a client gets for this answer.
    async fn error(code: u16, headers: &[(&'static str, &'static str)], body: &'static str) -> kube::core::Status {
        let mut answer = Response::builder().status(code);
        for (name, value) in headers {
            answer = answer.header(*name, *value);
        }
        let answer = answer.body(body.to_owned()).unwrap();
        let server = tower::service_fn(move |_: Request<Body>| {
            let answer = answer.clone();
            async move { Ok::<_, std::io::Error>(answer) }
        });
        let api = Api::<DynamicObject>::all_with(
            Client::new(KeepRetryAfter.layer(server), "default"),
            &ApiResource::erase::<NamespaceClass>(&()),
        );
        match api.get("any").await {
            Err(kube::Error::Api(status)) => *status,
            other => panic!("{other:?}"),
        }
    }

    fn seconds(status: &kube::core::Status) -> Option<u32> {
        status.details.as_ref().map(|details| details.retry_after_seconds)
    }

    #[tokio::test]
    async fn fault10_the_time_in_the_header_of_a_plain_refusal_reaches_the_caller() {
        let status = error(429, &[("retry-after", "7"), ("content-type", "text/plain")], "Too many requests").await;
        assert_eq!((status.code, status.reason.as_str(), seconds(&status)), (429, "TooManyRequests", Some(7)));
        let status = error(503, &[("retry-after", "2")], "").await;
        assert_eq!((status.code, seconds(&status)), (503, Some(2)));
    }

    #[tokio::test]
    async fn fault10_what_the_server_says_in_full_or_without_a_time_stays_as_it_is() {
        let full = r#"{"kind":"Status","code":429,"message":"slow","details":{"retryAfterSeconds":3}}"#;
        let status = error(429, &[("retry-after", "9"), ("content-type", "application/json")], full).await;
        assert_eq!((status.message.as_str(), seconds(&status)), ("slow", Some(3)));
        for headers in [&[][..], &[("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT")]] {
            let status = error(429, headers, "words").await;
            assert_eq!((status.message.as_str(), seconds(&status)), ("words", None));
        }
        assert_eq!(error(404, &[("retry-after", "9")], "words").await.message, "words");
    }
}
