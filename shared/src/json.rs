//! JSON that borrows its text: what the items of a class are while they are judged.
//!
//! Admission reads thousands of manifests and keeps none; the controller reads one and keeps it. Both hand a [`Json`] to the same rules
//! (admission.md A04): the one that lives in the body of the request, the other its own (`Json<'static>`).

mod decode;
mod map;
mod measure;

use std::borrow::Cow;

use serde_json::{Number, Value};

pub use map::Map;

/// A JSON value whose strings are borrowed wherever the text holds them as they are.
#[derive(Debug, Clone, PartialEq)]
pub enum Json<'t> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    Text(Cow<'t, str>),
    /// A list.
    List(Vec<Json<'t>>),
    /// A map.
    Map(Map<'t>),
}

impl<'t> Json<'t> {
    /// The value of a key; nothing where this is no map, or has none.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_map()?.get(key)
    }

    /// The value behind these keys.
    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |value, key| value.get(key))
    }

    /// The text of a string, as long as what it is borrowed from or owned by.
    pub fn as_text(&self) -> Option<&Cow<'t, str>> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The map that it is.
    pub fn as_map(&self) -> Option<&Map<'t>> {
        if let Self::Map(map) = self { Some(map) } else { None }
    }

    /// The map that it is, to be changed.
    pub fn as_map_mut(&mut self) -> Option<&mut Map<'t>> {
        if let Self::Map(map) = self { Some(map) } else { None }
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// A copy of its own. Maps and lists that stand deeper than `levels` in one another come out empty, so that a value of any depth is
    /// copied on a bounded stack; one that is [deeper](Self::is_deeper_than) than `levels` stays so.
    pub fn copied(value: &Value, levels: usize) -> Json<'static> {
        let inside = levels.checked_sub(1);
        match value {
            Value::Null => Json::Null,
            Value::Bool(bool) => Json::Bool(*bool),
            Value::Number(number) => Json::Number(number.clone()),
            Value::String(text) => Json::Text(Cow::Owned(text.clone())),
            Value::Array(list) => {
                Json::List(inside.map_or(vec![], |levels| list.iter().map(|item| Self::copied(item, levels)).collect()))
            }
            Value::Object(map) => Json::Map(inside.map_or(Map::default(), |levels| {
                map.iter().map(|(key, value)| (Cow::Owned(key.clone()), Self::copied(value, levels))).collect()
            })),
        }
    }

    /// The same as a value of its own, to be changed and sent.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(bool) => Value::Bool(*bool),
            Self::Number(number) => Value::Number(number.clone()),
            Self::Text(text) => Value::String(text.as_ref().to_owned()),
            Self::List(list) => list.iter().map(Self::to_value).collect(),
            Self::Map(map) => map.iter().map(|(key, value)| (key, value.to_value())).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
