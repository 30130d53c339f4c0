//! Whole documents, random, mutated and edited, against a recording of what the real readers made of them: `sigs.k8s.io/yaml` 1.6.0 and
//! kustomize 5.8.2.

// Helpers of tests count as tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use nsclass_manifests::yaml::{Reader, parse};
use serde_json::Value;

/// One recorded document: its text, and what each reader gave, or that it refused.
#[derive(serde::Deserialize)]
struct Recorded {
    text: String,
    #[serde(default)]
    kubernetes: Value,
    #[serde(default)]
    kubernetes_refuses: bool,
    #[serde(default)]
    kustomize: Value,
    #[serde(default)]
    kustomize_refuses: bool,
    /// kustomize refused it for want of a kind or a name, which says nothing of how it reads.
    #[serde(default)]
    kustomize_no_object: bool,
}

fn recorded() -> Vec<Recorded> {
    serde_json::from_str(include_str!("data/documents.json")).unwrap()
}

fn ours(text: &str, reader: Reader) -> Option<Value> {
    let file = parse(text.as_bytes()).ok()?;
    match &file.documents[..] {
        [] => Some(Value::Null),
        [document] => document.to_value(reader).ok(),
        _ => None,
    }
}

fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| same(value, other)))
        }
        _ => one == other,
    }
}

#[test]
fn f38_documents_mean_what_each_reader_reads() {
    let mut accepted = [0_usize; 2];
    let mut refused_by_us_only = 0_usize;
    for document in recorded() {
        let answers = [
            (Reader::Kubernetes, &document.kubernetes, document.kubernetes_refuses, false),
            (Reader::Kustomize, &document.kustomize, document.kustomize_refuses, document.kustomize_no_object),
        ];
        for (index, (reader, theirs, refuses, says_nothing)) in answers.into_iter().enumerate() {
            match ours(&document.text, reader) {
                _ if says_nothing => {}
                None => refused_by_us_only += usize::from(!refuses),
                Some(ours) => {
                    assert!(!refuses, "{reader:?} refuses, we read {ours} from\n{}", document.text);
                    assert!(same(&ours, theirs), "{reader:?} reads {theirs}, we read {ours} from\n{}", document.text);
                    accepted[index] += 1;
                }
            }
        }
    }
    assert!(accepted.iter().all(|count| *count > 100), "{accepted:?}");
    assert!(refused_by_us_only <= 41, "{refused_by_us_only}");
}
