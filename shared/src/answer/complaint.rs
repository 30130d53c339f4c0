//! One cause of a 422: the field, and the rule that it breaks. Values stay out, for they may be long, and secret; but a name, label or
//! annotation is shown, or nobody would know which.

use kube::core::{Status, response::StatusCause};
use serde::de::IgnoredAny;

use super::text;

/// Longest value that is shown, in bytes: that of a label.
const LONGEST_VALUE: usize = 63;

/// The field and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Complaint {
    /// As in `spec.clusterIPs[0]`; empty where the object as a whole is wrong.
    pub(super) field: String,
    /// The server's words after the value, their first line. Empty where the sort of complaint says all: a required value.
    pub(super) rule: String,
    /// `Invalid value`, `Forbidden`, `Required value`…
    sort: String,
    /// A short text in metadata that breaks the rule.
    value: Option<String>,
    /// Keys that differ, where the server shows a difference instead of a field.
    changed: Vec<String>,
}

impl Complaint {
    /// Every complaint of a status, each once, by field: the server's order may be that of a Go map.
    pub(super) fn all(status: &Status) -> Vec<Self> {
        let causes = status.details.iter().flat_map(|details| &details.causes);
        // A remark that says nothing but that there are other complaints.
        let is_remark = |complaint: &Self| complaint.rule.starts_with("some validation rules were not checked");
        let mut complaints: Vec<Self> = causes.map(Self::of).filter(|complaint| !is_remark(complaint)).collect();
        complaints.sort();
        complaints.dedup();
        complaints
    }

    fn of(cause: &StatusCause) -> Self {
        let (sort, rest) = cause.message.split_once(": ").unwrap_or((&cause.message, ""));
        // These sorts have no value; with the others it comes first.
        let words = match sort {
            "Required value" | "Forbidden" | "Too long" | "Too short" | "Internal error" => rest,
            _ => after_value(rest),
        };
        let mut lines = words.lines();
        let rule = lines.next().unwrap_or_default();
        let mut changed: Vec<String> = lines.filter_map(changed_key).collect();
        changed.dedup();
        let field = if matches!(cause.field.as_str(), "[]" | "<nil>") { "" } else { &cause.field };
        // A schema repeats the field.
        let rule = rule.strip_prefix(field).and_then(|rule| rule.strip_prefix(" in body ")).unwrap_or(rule);
        let value = text::quoted(rest).map(|(value, _)| value);
        let value = value.filter(|value| field.starts_with("metadata.") && value.len() <= LONGEST_VALUE);
        Self { field: field.to_owned(), rule: rule.to_owned(), sort: sort.to_owned(), value, changed }
    }

    /// `spec.template: field is immutable`
    pub(super) fn phrase(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        if !self.changed.is_empty() {
            parts.push(format!("{} ({})", self.field, text::few(&self.changed, 3, ", ")));
        } else if !self.field.is_empty() {
            parts.push(self.field.clone());
        }
        parts.extend(self.value.as_ref().map(|value| format!("{value:?}")));
        if self.rule.is_empty() || !matches!(self.sort.as_str(), "Invalid value" | "Forbidden") {
            parts.push(self.sort.to_lowercase());
        }
        if !self.rule.is_empty() {
            // Examples and the regular expression, which say it again.
            parts.push(self.rule.split(" (e.g. ").next().unwrap_or(&self.rule).to_owned());
        }
        parts.join(": ")
    }
}

/// What follows the value in `VALUE: rule`. A value is Go's quoted string, JSON, or (up to Kubernetes 1.33) the dump of a Go struct; the
/// rule of a CRD comes without one.
fn after_value(text: &str) -> &str {
    let after = |rest: &'_ str| (rest.is_empty() || rest.starts_with(": ")).then_some(rest.len().saturating_sub(2));
    if let Some(left) = text::quoted(text).and_then(|(_, rest)| after(rest)) {
        return &text[text.len() - left..];
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    if matches!(values.next(), Some(Ok(_)))
        && let Some(left) = after(&text[values.byte_offset()..])
    {
        return &text[text.len() - left..];
    }
    let is_dump = text.split_once('{').is_some_and(|(head, _)| {
        !head.is_empty() && head.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '*' | '&' | '[' | ']'))
    });
    match text.rfind("}: ") {
        Some(end) if is_dump => &text[end + 3..],
        _ => text,
    }
}

/// The key of a changed line in a difference of JSON: `+ "StorageClassName": "fast",`.
fn changed_key(line: &str) -> Option<String> {
    let line = line.strip_prefix(['+', '-'])?.trim_start();
    Some(text::quoted(line)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(message: &str) -> Complaint {
        Complaint::of(&StatusCause { reason: String::new(), message: message.to_owned(), field: "spec.x".to_owned() })
    }

    #[test]
    fn c37_a_value_is_no_part_of_a_rule_whatever_it_holds() {
        for value in [
            r#""is immutable: \"may not change\"""#,
            r#""\a\x07 bell""#,
            r#"{"a":"}: is immutable","b":[1,2]}"#,
            r#"["10.0.0.1"]"#,
            "-1",
            "null",
            "true",
            r#"core.PodTemplateSpec{ObjectMeta:v1.ObjectMeta{Name:"}: is immutable"}, Spec:(*v1.X)(nil)}"#,
        ] {
            assert_eq!(complaint(&format!("Invalid value: {value}: must be short")).rule, "must be short", "{value}");
        }
    }

    #[test]
    fn c37_a_value_alone_leaves_no_rule() {
        assert_eq!(complaint(r#"Duplicate value: "is immutable""#).phrase(), "spec.x: duplicate value");
        assert_eq!(complaint("Invalid value: 3").phrase(), "spec.x: invalid value");
        assert_eq!(complaint("Required value").phrase(), "spec.x: required value");
    }

    #[test]
    fn c37_the_rule_of_a_crd_has_no_value_before_it() {
        assert_eq!(complaint("Invalid value: 7 is taken").rule, "7 is taken");
        assert_eq!(complaint("Invalid value: [a] or {b}: one of them").rule, "[a] or {b}: one of them");
    }

    #[test]
    fn c37_a_difference_is_told_by_its_keys() {
        let long = "Forbidden: spec is immutable\n@@ -1,2 +1,2 @@\n  \"A\": 1,\n- \"B\": \"old\",\n+ \"B\": \"new\",\n";
        assert_eq!(complaint(long).phrase(), "spec.x (B): spec is immutable");
    }
}
