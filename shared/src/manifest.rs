//! What rules look at in a manifest: one that is being judged ([`Json`]) or one that was rendered ([`Value`]).

use serde_json::Value;

use crate::json::Json;

/// A manifest that can be asked for single fields, each by the keys that lead to it.
pub trait Manifest {
    /// Whether the field is there, even if it is null.
    fn has(&self, path: &[&str]) -> bool;

    /// Whether the field is there and not null.
    fn is_set(&self, path: &[&str]) -> bool;

    /// The field's text; nothing where it is no string.
    fn text(&self, path: &[&str]) -> Option<&str>;

    /// Whether the field is a map with such a key.
    fn any_key(&self, path: &[&str], is_meant: fn(&str) -> bool) -> bool;
}

impl Manifest for Json<'_> {
    fn has(&self, path: &[&str]) -> bool {
        self.at(path).is_some()
    }

    fn is_set(&self, path: &[&str]) -> bool {
        self.at(path).is_some_and(|value| !value.is_null())
    }

    fn text(&self, path: &[&str]) -> Option<&str> {
        self.at(path)?.as_text().map(AsRef::as_ref)
    }

    fn any_key(&self, path: &[&str], is_meant: fn(&str) -> bool) -> bool {
        self.at(path).and_then(Json::as_map).is_some_and(|map| map.iter().any(|(key, _)| is_meant(key)))
    }
}

impl Manifest for Value {
    fn has(&self, path: &[&str]) -> bool {
        at(self, path).is_some()
    }

    fn is_set(&self, path: &[&str]) -> bool {
        at(self, path).is_some_and(|value| !value.is_null())
    }

    fn text(&self, path: &[&str]) -> Option<&str> {
        at(self, path)?.as_str()
    }

    fn any_key(&self, path: &[&str], is_meant: fn(&str) -> bool) -> bool {
        at(self, path).and_then(Value::as_object).is_some_and(|map| map.keys().any(|key| is_meant(key)))
    }
}

fn at<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, key| value.get(key))
}
