//! Why a review got no answer. A failure of ours is an HTTP error, so that failurePolicy decides (admission.md A13); it is never a
//! denial and never an allowance.

use http::StatusCode;
use thiserror::Error;

/// Why there is no answer. The text is the message of the HTTP error.
#[derive(Error, Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// No validator stands at this path.
    #[error("nothing is judged at this path")]
    NoSuchPath,
    /// Not a POST.
    #[error("reviews are sent with POST")]
    Method,
    /// Not JSON.
    #[error("reviews are sent as content-type application/json")]
    MediaType,
    /// More than we read.
    #[error("the body has {}more than {limit} bytes, and that is the most that is read", .declared.map_or(String::new(), |n| format!("{n} bytes, ")))]
    TooLarge {
        /// The most that is read, in bytes.
        limit: usize,
        /// What the header announced, in bytes.
        declared: Option<u64>,
    },
    /// Not a review, or one that we do not speak.
    #[error("{0}")]
    Malformed(String),
    /// The review names another kind than the path is for: a mistake in the webhook configuration.
    #[error("this path judges {expected}; correct the webhook configuration")]
    WrongKind {
        /// What the path is for.
        expected: String,
    },
    /// The client stopped in the middle of the body.
    #[error("the body broke off")]
    BodyBroken,
    /// The body came too slowly.
    #[error("the body did not come in time")]
    BodySlow,
    /// As many requests as we take are under way.
    #[error("too many requests are under way")]
    Overloaded,
    /// There is no time left to answer in.
    #[error("not decided within the time that the caller waits")]
    Deadline,
    /// The scope does not know the namespace yet, and it could not be read.
    #[error("namespace {namespace}: not known yet, and not to be read: {why}")]
    Unsettled {
        /// The namespace.
        namespace: String,
        /// Why it could not be read.
        why: String,
    },
    /// The API server did not answer a question that the verdict needs.
    #[error("the API server did not answer: {0}")]
    ApiServer(String),
    /// A mistake in our code.
    #[error("internal error")]
    Panicked,
}

impl Failure {
    /// The status of the HTTP answer.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::NoSuchPath => StatusCode::NOT_FOUND,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Malformed(_) | Self::WrongKind { .. } | Self::BodyBroken => StatusCode::BAD_REQUEST,
            Self::BodySlow => StatusCode::REQUEST_TIMEOUT,
            Self::Overloaded | Self::Unsettled { .. } | Self::ApiServer(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Deadline => StatusCode::GATEWAY_TIMEOUT,
            Self::Panicked => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The categories that are our own failures and not the caller's: those with which [`Self::status`] is a server error.
    pub const OURS: [&'static str; 5] = ["overloaded", "deadline", "unsettled", "api_server", "panicked"];

    /// A word for a metric, from a closed set.
    pub fn category(&self) -> &'static str {
        match self {
            Self::NoSuchPath => "no_such_path",
            Self::Method => "method",
            Self::MediaType => "media_type",
            Self::TooLarge { .. } => "too_large",
            Self::Malformed(_) => "malformed",
            Self::WrongKind { .. } => "wrong_kind",
            Self::BodyBroken => "body_broken",
            Self::BodySlow => "body_slow",
            Self::Overloaded => "overloaded",
            Self::Deadline => "deadline",
            Self::Unsettled { .. } => "unsettled",
            Self::ApiServer(_) => "api_server",
            Self::Panicked => "panicked",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a13_our_own_failures_are_those_that_are_server_errors() {
        let word = String::new;
        let all = [
            Failure::NoSuchPath,
            Failure::Method,
            Failure::MediaType,
            Failure::TooLarge { limit: 1, declared: None },
            Failure::Malformed(word()),
            Failure::WrongKind { expected: word() },
            Failure::BodyBroken,
            Failure::BodySlow,
            Failure::Overloaded,
            Failure::Deadline,
            Failure::Unsettled { namespace: word(), why: word() },
            Failure::ApiServer(word()),
            Failure::Panicked,
        ];
        let ours: Vec<_> =
            all.iter().filter(|failure| failure.status().is_server_error()).map(Failure::category).collect();
        assert_eq!(ours, Failure::OURS);
    }
}
