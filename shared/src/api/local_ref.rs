//! A reference within a namespace.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An object of the same namespace.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq, Eq, Hash)]
pub struct LocalRef {
    /// Its name.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
}
