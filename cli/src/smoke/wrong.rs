//! What is not as it should be, with what to do about it.

use std::fmt;

use anyhow::Error;

/// Something that was tried and did not come out.
#[derive(Debug)]
pub(super) struct Wrong {
    what: String,
    remedy: String,
}

impl Wrong {
    /// As an error to end with. Neither has a full stop.
    pub(super) fn because(what: impl Into<String>, remedy: impl Into<String>) -> Error {
        Error::new(Self { what: what.into(), remedy: remedy.into() })
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Wrong {}

/// An error in words: of what the API server answered, its message alone.
pub(super) fn told(error: &Error) -> String {
    let mut parts = Vec::new();
    for cause in error.chain() {
        if let Some(kube::Error::Api(status)) = cause.downcast_ref() {
            parts.push(status.message.clone());
            break;
        }
        parts.push(cause.to_string());
    }
    parts.join(": ")
}

/// What to do about an error, also about one that nobody foresaw.
pub(super) fn remedy_of(error: &Error) -> String {
    if let Some(wrong) = error.downcast_ref::<Wrong>() {
        return wrong.remedy.clone();
    }
    match error.downcast_ref::<kube::Error>() {
        Some(kube::Error::Api(status)) if status.code == 403 => {
            "run this with the rights of a cluster admin, or satisfy the policy or webhook that the message names"
                .to_owned()
        }
        Some(kube::Error::Api(status)) if status.code == 409 => {
            "choose another name with --name, or delete what has it if it is nobody's".to_owned()
        }
        Some(kube::Error::Api(_)) => "do what the API server's message says".to_owned(),
        _ => "see whether the API server is well, and run this again".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;
    use kube::core::Status;

    use super::*;

    #[test]
    fn of_an_api_servers_answer_the_message_is_told_and_a_remedy_is_found_for_every_error() {
        let status = Status::failure("namespaces \"x\" already exists", "AlreadyExists").with_code(409);
        let error = Err::<(), _>(kube::Error::Api(status.boxed())).context("Namespace x").unwrap_err();
        assert_eq!(told(&error), "Namespace x: namespaces \"x\" already exists");
        assert!(remedy_of(&error).contains("--name"));
        let wrong = Wrong::because("it is not", "make it so");
        assert_eq!((told(&wrong), remedy_of(&wrong)), ("it is not".to_owned(), "make it so".to_owned()));
        assert!(remedy_of(&anyhow::anyhow!("else")).contains("run this again"));
    }
}
