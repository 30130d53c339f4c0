//! An object of a review, as far as every validator looks at it.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::failure::Failure;

/// An object as it is written.
#[derive(Deserialize, Default)]
pub struct Written<'a> {
    /// What it is called.
    #[serde(borrow, default)]
    pub metadata: Metadata<'a>,
    /// What it asks for.
    #[serde(borrow, default)]
    pub spec: Option<&'a RawValue>,
}

/// What an object is called.
#[derive(Deserialize, Default)]
pub struct Metadata<'a> {
    /// Its name; empty where the API server is yet to choose it.
    #[serde(borrow, default)]
    pub name: Cow<'a, str>,
}

impl Metadata<'_> {
    /// The name, or `other` where the API server is yet to choose one.
    pub fn name_or<'n>(&'n self, other: &'n str) -> &'n str {
        if self.name.is_empty() { other } else { &self.name }
    }
}

/// Reads an object; `field` is where it stands in the request.
///
/// # Errors
/// It is none.
pub fn written<'a>(object: &'a RawValue, field: &str) -> Result<Written<'a>, Failure> {
    serde_json::from_str(object.get()).map_err(|error| Failure::Malformed(format!("request.{field}: {error}")))
}

/// Whether two specs say the same. The API server writes both alike, so equal ones are equal texts nearly always.
pub fn is_same(one: Option<&RawValue>, other: Option<&RawValue>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return one.is_none() && other.is_none() };
    let value = |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).ok();
    one.get() == other.get() || value(one).is_some_and(|one| Some(one) == value(other))
}
