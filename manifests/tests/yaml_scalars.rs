//! What the two readers make of scalars, against a recording of the real ones: `sigs.k8s.io/yaml` 1.6.0 and kustomize 5.8.2.

// Helpers of tests count as tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use nsclass_manifests::yaml::{Reader, parse};
use serde_json::Value;

/// One recorded scalar: its text, and what each reader gave, or that it refused.
#[derive(serde::Deserialize)]
struct Recorded {
    text: String,
    kubernetes: Option<Value>,
    kustomize: Option<Value>,
    #[serde(default)]
    kubernetes_refuses: bool,
    #[serde(default)]
    kustomize_refuses: bool,
}

fn recorded() -> Vec<Recorded> {
    serde_json::from_str(include_str!("data/scalars.json")).unwrap()
}

/// Ours, or none where it is refused.
fn ours(text: &str, reader: Reader) -> Option<Value> {
    let document = format!("apiVersion: example.com/v1\nkind: Foo\nmetadata:\n  name: x\nspec:\n  v: {text}\n");
    let file = parse(document.as_bytes()).ok()?;
    let value = file.documents[0].to_value(reader).ok()?;
    Some(value["spec"]["v"].clone())
}

fn same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Number(ours), Value::Number(theirs)) => ours.as_f64() == theirs.as_f64(),
        _ => ours == theirs,
    }
}

/// Scalars with tags, which we refuse where the readers differ or a tag changes a value's type.
const REFUSED_BY_US_ONLY: [&str; 9] = [
    "!!int \"5\"",
    "!!float 1",
    "!!bool yes",
    "!!binary aGk=",
    "!foo bar",
    "!!timestamp 2020-01-01",
    "! 12",
    "!",
    "!!null \"\"",
];

#[test]
fn f38_scalars_mean_what_each_reader_reads() {
    let mut wrong = Vec::new();
    for scalar in recorded() {
        let answers = [
            (Reader::Kubernetes, &scalar.kubernetes, scalar.kubernetes_refuses),
            (Reader::Kustomize, &scalar.kustomize, scalar.kustomize_refuses),
        ];
        for (reader, theirs, refused) in answers {
            let theirs = if refused { None } else { Some(theirs.clone().unwrap_or(Value::Null)) };
            let ours = ours(&scalar.text, reader);
            let agrees = match (&ours, &theirs) {
                (Some(ours), Some(theirs)) => same(ours, theirs),
                (None, Some(_)) => REFUSED_BY_US_ONLY.contains(&scalar.text.as_str()),
                (Some(_), None) => false,
                (None, None) => true,
            };
            if !agrees {
                wrong.push(format!("{:?} as {reader:?}: ours {ours:?}, theirs {theirs:?}", scalar.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
