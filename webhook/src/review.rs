//! An `AdmissionReview` as it comes in: read once, borrowing from the body. What need not be judged is not materialised.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::failure::Failure;

/// The only version of reviews that we speak.
pub const API_VERSION: &str = "admission.k8s.io/v1";
/// The kind of a review.
pub const KIND: &str = "AdmissionReview";

/// What is asked. Fields are the API server's words.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct Request<'a> {
    /// Names the question; the answer repeats it.
    #[serde(borrow)]
    pub uid: Cow<'a, str>,
    /// The kind of the object, in the version that the webhook is configured for.
    #[serde(borrow)]
    pub kind: Kind<'a>,
    /// `status` and the like; empty for the object itself.
    #[serde(borrow, default)]
    pub sub_resource: Cow<'a, str>,
    /// Name of the object; empty where the API server is yet to choose it.
    #[serde(borrow, default)]
    pub name: Cow<'a, str>,
    /// Its namespace; empty for what is cluster-scoped.
    #[serde(borrow, default)]
    pub namespace: Cow<'a, str>,
    /// What is done.
    pub operation: Operation,
    /// Who does it.
    #[serde(borrow, default)]
    pub user_info: Option<&'a RawValue>,
    /// The object as it will be; absent for a deletion.
    #[serde(borrow, default)]
    pub object: Option<&'a RawValue>,
    /// The object as it is; absent for a creation.
    #[serde(borrow, default)]
    pub old_object: Option<&'a RawValue>,
}

/// A kind.
#[derive(Deserialize, Debug, Clone, PartialEq, Eq)]
pub struct Kind<'a> {
    /// Group; empty for the core.
    #[serde(borrow, default)]
    pub group: Cow<'a, str>,
    /// Version.
    #[serde(borrow, default)]
    pub version: Cow<'a, str>,
    /// Kind.
    #[serde(borrow)]
    pub kind: Cow<'a, str>,
}

/// What is done to the object.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "UPPERCASE")]
pub enum Operation {
    /// It is made.
    Create,
    /// It is changed.
    Update,
    /// It is deleted.
    Delete,
    /// It is connected to.
    Connect,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Review<'a, R> {
    #[serde(borrow, default)]
    api_version: Cow<'a, str>,
    #[serde(borrow, default)]
    kind: Cow<'a, str>,
    request: Option<R>,
}

/// Reads a body. Nesting costs nothing here, however deep: a raw value is skipped without recursion.
///
/// # Errors
/// [`Failure::Malformed`] for all that is no v1 review with a request that has a uid.
pub fn decode(body: &[u8]) -> Result<Request<'_>, Failure> {
    let text = std::str::from_utf8(body).map_err(|_| malformed("the body is not UTF-8".to_owned()))?;
    // In one go; where that fails, part by part, to say which is wrong.
    let request = if let Ok(review) = serde_json::from_str::<Review<'_, Request<'_>>>(text) {
        review.request()?
    } else {
        let review: Review<'_, &RawValue> =
            serde_json::from_str(text).map_err(|error| malformed(format!("the body is no review: {error}")))?;
        serde_json::from_str(review.request()?.get()).map_err(|error| malformed(format!("request: {error}")))?
    };
    if request.uid.is_empty() {
        return Err(malformed("request.uid: missing or empty".to_owned()));
    }
    Ok(request)
}

impl<R> Review<'_, R> {
    fn request(self) -> Result<R, Failure> {
        if (&*self.api_version, &*self.kind) != (API_VERSION, KIND) {
            return Err(malformed(format!("the body is not an {API_VERSION} {KIND}; send that version")));
        }
        self.request.ok_or_else(|| malformed("request: missing".to_owned()))
    }
}

fn malformed(why: String) -> Failure {
    Failure::Malformed(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(body: &str) -> String {
        decode(body.as_bytes()).unwrap_err().to_string()
    }

    fn review(request: &str) -> String {
        format!(r#"{{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{request}}}"#)
    }

    #[test]
    fn bad01_what_is_no_review_is_named_and_never_answered() {
        insta::assert_snapshot!(refused(""), @"the body is no review: EOF while parsing a value at line 1 column 0");
        insta::assert_snapshot!(refused("[1]"), @"the body is no review: invalid type: integer `1`, expected a string at line 1 column 2");
        insta::assert_snapshot!(refused("{}"), @"the body is not an admission.k8s.io/v1 AdmissionReview; send that version");
        insta::assert_snapshot!(refused(r#"{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","request":{"uid":"u"}}"#), @"the body is not an admission.k8s.io/v1 AdmissionReview; send that version");
        insta::assert_snapshot!(refused(&review("null")), @"request: missing");
        insta::assert_snapshot!(refused(&review(r#"{"kind":{"kind":"A"},"operation":"CREATE"}"#)), @"request: missing field `uid` at line 1 column 42");
        insta::assert_snapshot!(refused(&review(r#"{"uid":"","kind":{"kind":"A"},"operation":"CREATE"}"#)), @"request.uid: missing or empty");
        insta::assert_snapshot!(refused(&review(r#"{"uid":"u","kind":{"kind":"A"},"operation":"LOOK"}"#)), @"request: unknown variant `LOOK`, expected one of `CREATE`, `UPDATE`, `DELETE`, `CONNECT` at line 1 column 49");
        assert!(decode(b"{\"apiVersion\":\"\xff\"}").is_err());
    }

    #[test]
    fn a11_strings_and_objects_are_borrowed_from_the_body() {
        let body = review(
            r#"{"uid":"u","kind":{"group":"g","version":"v","kind":"A"},"operation":"UPDATE","object":{"a":[1]},"oldObject":null,"options":{"x":[[]]}}"#,
        );
        let request = decode(body.as_bytes()).unwrap();
        assert!(matches!(request.uid, Cow::Borrowed("u")) && matches!(request.kind.kind, Cow::Borrowed("A")));
        assert_eq!(request.object.unwrap().get(), r#"{"a":[1]}"#);
        assert!(request.old_object.is_none() && request.operation == Operation::Update);
    }

    #[test]
    fn bad03_nesting_of_any_depth_is_skipped_without_recursion() {
        for depth in [130, 9_000, 1_000_000] {
            let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            let inside =
                review(&format!(r#"{{"uid":"u","kind":{{"kind":"A"}},"operation":"CREATE","object":{deep}}}"#));
            assert_eq!(decode(inside.as_bytes()).unwrap().uid, "u");
            let outside =
                review(&format!(r#"{{"uid":"u","kind":{{"kind":"A"}},"operation":"CREATE","options":{deep}}}"#));
            assert_eq!(decode(outside.as_bytes()).unwrap().uid, "u");
            assert!(decode(format!(r#"{{"x":{deep}}}"#).as_bytes()).is_err());
            assert!(decode(deep.as_bytes()).is_err());
        }
    }
}
