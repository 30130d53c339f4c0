//! What is left: the server is busy, away, or does not know us, or something in between answered. Trying again is all there is to do.

use std::time::Duration;

use super::{Answer, Reading, text};

pub(super) fn otherwise(reading: Reading<'_>) -> Answer {
    let status = reading.status;
    let wait = status.details.as_ref().map_or(0, |details| details.retry_after_seconds);
    let words = status.message.strip_prefix("Internal error occurred: ").unwrap_or(&status.message);
    let message = match (reading.code(), words) {
        (401, _) => "the API server does not know who asks (401): the token or certificate is not valid".to_owned(),
        // It names the webhook and how it could not be called.
        (_, words) if words.starts_with("failed calling webhook ") => words.to_owned(),
        (code, "") => format!("the API server answered {code}"),
        (code, words) => format!("the API server answered {code}: {words}"),
    };
    Answer::Passing { after: (wait > 0).then(|| Duration::from_secs(wait.into())), message: text::bounded(&message) }
}
