//! What a validator says, and how it looks on the wire.

use nsclass_shared::finding::{Finding, Reason, summary};
use serde::Serialize;

use crate::review::{API_VERSION, KIND};

/// Longest message of a denial, in bytes. The API server passes a message of this length on whole, and its audit log keeps it.
pub const LONGEST_MESSAGE: usize = 16 * 1024;
/// Most warnings of one answer. The API server cuts the text of all together at 4,096 characters.
const MOST_WARNINGS: usize = 30;

/// What is said of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It is none of our business, or changes nothing that we judge.
    Unjudged,
    /// It may pass.
    Allowed {
        /// What is suspicious all the same, at most 120 characters each.
        warnings: Vec<String>,
    },
    /// It may not.
    Denied(Denial),
}

/// Why a request may not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// HTTP code that the client gets: 422 for what is wrong with the object, 403 for what its author may not do.
    pub code: u16,
    /// Reason of the API machinery that belongs to the code.
    pub reason: &'static str,
    /// All of it, in sentences.
    pub message: String,
    /// One by one, where fields are at fault; kubectl shows each on a line.
    pub causes: Vec<Cause>,
    /// What is suspicious besides.
    pub warnings: Vec<String>,
}

/// One field at fault.
#[derive(Serialize, Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The kind of mistake, in the API machinery's words.
    pub reason: &'static str,
    /// Its path.
    pub field: String,
    /// Rule and remedy.
    pub message: String,
}

impl Answer {
    /// Errors deny, all of them in one answer; warnings do not.
    pub fn of_findings(findings: Vec<Finding>) -> Self {
        let (errors, warnings): (Vec<_>, Vec<_>) = findings.into_iter().partition(Finding::is_error);
        let warnings: Vec<String> = warnings.iter().take(MOST_WARNINGS).map(Finding::brief).collect();
        if errors.is_empty() {
            return Self::Allowed { warnings };
        }
        let forbidden = errors.iter().all(|error| error.reason == Reason::Forbidden);
        let (code, reason) = if forbidden { (403, "Forbidden") } else { (422, "Invalid") };
        Self::Denied(Denial {
            code,
            reason,
            message: summary(&errors, LONGEST_MESSAGE),
            causes: causes(&errors),
            warnings,
        })
    }

    /// A denial without fields.
    pub fn forbidden(message: String) -> Self {
        Self::Denied(Denial { code: 403, reason: "Forbidden", message, causes: Vec::new(), warnings: Vec::new() })
    }

    /// A word for a metric.
    pub fn outcome(&self) -> &'static str {
        match self {
            Self::Unjudged => "unjudged",
            Self::Allowed { .. } => "allowed",
            Self::Denied(_) => "denied",
        }
    }

    /// The review that answers the request `uid`.
    ///
    /// # Errors
    /// Never: all of it is text.
    pub fn to_json(&self, uid: &str) -> serde_json::Result<Vec<u8>> {
        let (allowed, status, warnings) = match self {
            Self::Unjudged => (true, None, &[][..]),
            Self::Allowed { warnings } => (true, None, warnings.as_slice()),
            Self::Denied(denial) => (false, Some(Status::of(denial)), denial.warnings.as_slice()),
        };
        let response = Response { uid, allowed, status, warnings };
        serde_json::to_vec(&Review { api_version: API_VERSION, kind: KIND, response })
    }
}

/// As many causes as fit where the message did.
fn causes(errors: &[Finding]) -> Vec<Cause> {
    let mut room = LONGEST_MESSAGE;
    let mut causes = Vec::new();
    for error in errors {
        let item = error.item.as_ref().map_or("", |item| &item.label);
        let place = if item.is_empty() { String::new() } else { format!("({item}) ") };
        let remedy = if error.remedy.is_empty() { String::new() } else { format!("; {}", error.remedy) };
        let message = format!("{place}{}{remedy}", error.message);
        let Some(left) = room.checked_sub(message.len() + error.path.len()) else {
            let more = errors.len() - causes.len();
            causes.push(Cause {
                reason: "FieldValueInvalid",
                field: "spec.resources".to_owned(),
                message: format!("and {more} more; mend these first"),
            });
            break;
        };
        room = left;
        causes.push(Cause { reason: "FieldValueInvalid", field: error.path.clone(), message });
    }
    causes
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Review<'a> {
    api_version: &'static str,
    kind: &'static str,
    response: Response<'a>,
}

#[derive(Serialize)]
struct Response<'a> {
    uid: &'a str,
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
}

#[derive(Serialize)]
struct Status<'a> {
    code: u16,
    reason: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Details<'a>>,
}

#[derive(Serialize)]
struct Details<'a> {
    causes: &'a [Cause],
}

impl<'a> Status<'a> {
    fn of(denial: &'a Denial) -> Self {
        let Denial { code, reason, message, causes, .. } = denial;
        let details = (!causes.is_empty()).then_some(Details { causes });
        Self { code: *code, reason, message, details }
    }
}

#[cfg(test)]
mod tests {
    use nsclass_shared::{finding::ItemRef, path::FieldPath};

    use super::*;

    fn finding(index: usize) -> Finding {
        let item = ItemRef { index, label: "v1/Pod x".to_owned() };
        item.error(Reason::RenderFailed, &FieldPath::of(["spec"]), "is wrong", "mend it")
    }

    fn json(answer: &Answer) -> String {
        String::from_utf8(answer.to_json("u-1").unwrap()).unwrap()
    }

    #[test]
    fn a10_the_uid_is_echoed_and_nothing_is_said_that_is_not_meant() {
        insta::assert_snapshot!(json(&Answer::Unjudged), @r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u-1","allowed":true}}"#);
        insta::assert_snapshot!(json(&Answer::Allowed { warnings: vec!["odd".into()] }), @r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u-1","allowed":true,"warnings":["odd"]}}"#);
        insta::assert_snapshot!(json(&Answer::forbidden("no".into())), @r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u-1","allowed":false,"status":{"code":403,"reason":"Forbidden","message":"no"}}}"#);
    }

    #[test]
    fn a05_each_error_is_a_cause_and_part_of_the_message() {
        insta::assert_snapshot!(json(&Answer::of_findings(vec![finding(0), finding(3)])), @r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u-1","allowed":false,"status":{"code":422,"reason":"Invalid","message":"spec.resources[0].spec (v1/Pod x): is wrong; mend it. spec.resources[3].spec (v1/Pod x): is wrong; mend it","details":{"causes":[{"reason":"FieldValueInvalid","field":"spec.resources[0].spec","message":"(v1/Pod x) is wrong; mend it"},{"reason":"FieldValueInvalid","field":"spec.resources[3].spec","message":"(v1/Pod x) is wrong; mend it"}]}}}}"#);
    }

    #[test]
    fn a05_thousands_of_findings_stay_within_bounds_and_the_rest_is_counted() {
        let Answer::Denied(denial) = Answer::of_findings((0..5_000).map(finding).collect()) else { panic!("allowed") };
        assert!(denial.message.len() <= LONGEST_MESSAGE && denial.message.contains(" more)"));
        let size: usize = denial.causes.iter().map(|cause| cause.field.len() + cause.message.len()).sum();
        assert!(size <= LONGEST_MESSAGE + 100, "{size}");
        assert!(denial.causes.last().unwrap().message.starts_with("and "));
    }
}
