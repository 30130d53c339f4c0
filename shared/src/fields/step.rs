//! One step of a path in `FieldsV1`, and where it leads in an object.

use serde_json::{Map, Value};

/// One key of a `FieldsV1` map.
#[derive(Debug, PartialEq)]
pub(super) enum Step<'a> {
    /// A field of a map.
    Field(&'a str),
    /// The item of a list with these keys.
    Keys(Map<String, Value>),
    /// The item of a set with this value.
    Item(Value),
    /// The item at a place.
    Index(usize),
    /// Nothing that we know; it leads nowhere.
    Unknown(&'a str),
}

impl<'a> Step<'a> {
    /// Reads a key. What cannot be read leads nowhere, so that nothing is concluded from it.
    pub(super) fn parse(key: &'a str) -> Self {
        let unknown = || Self::Unknown(key);
        match key.split_once(':') {
            Some(("f", name)) => Self::Field(name),
            Some(("k", keys)) => serde_json::from_str(keys).map_or_else(|_| unknown(), Self::Keys),
            Some(("v", value)) => serde_json::from_str(value).map_or_else(|_| unknown(), Self::Item),
            Some(("i", index)) => index.parse().map_or_else(|_| unknown(), Self::Index),
            _ => unknown(),
        }
    }

    /// What it leads to.
    pub(super) fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        if let Self::Field(name) = self {
            return value.as_object()?.get(*name);
        }
        value.as_array()?.get(self.position(value)?)
    }

    /// What it leads to, to change it.
    pub(super) fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        if let Self::Field(name) = self {
            return value.as_object_mut()?.get_mut(*name);
        }
        let position = self.position(value)?;
        value.as_array_mut()?.get_mut(position)
    }

    /// Takes away what it leads to; items of a list keep their order.
    pub(super) fn remove(&self, value: &mut Value) {
        if let Self::Field(name) = self {
            if let Some(map) = value.as_object_mut() {
                map.remove(*name);
            }
        } else if let Some(position) = self.position(value)
            && let Some(list) = value.as_array_mut()
        {
            list.remove(position);
        }
    }

    /// As people write paths.
    pub(super) fn readable(&self) -> String {
        match self {
            Self::Field(name) if name.contains(['.', '/']) => format!("[{name}]"),
            Self::Field(name) => format!(".{name}"),
            Self::Keys(keys) => {
                let keys: Vec<_> = keys.iter().map(|(key, value)| format!("{key}={value}")).collect();
                format!("[{}]", keys.join(","))
            }
            Self::Item(value) => format!("[{value}]"),
            Self::Index(index) => format!("[{index}]"),
            Self::Unknown(key) => format!("[{key}]"),
        }
    }

    fn position(&self, value: &Value) -> Option<usize> {
        let list = value.as_array()?;
        match self {
            Self::Keys(keys) => {
                list.iter().position(|item| keys.iter().all(|(key, value)| item.get(key) == Some(value)))
            }
            Self::Item(wanted) => list.iter().position(|item| item == wanted),
            Self::Index(index) => (*index < list.len()).then_some(*index),
            Self::Field(_) | Self::Unknown(_) => None,
        }
    }
}
