//! The name of a branch.

use std::{borrow::Cow, fmt, ops::Deref};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A branch by its short name, such as `main`. The schema holds what `git check-ref-format --branch` asks of one.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[serde(transparent)]
pub struct BranchName(pub String);

impl JsonSchema for BranchName {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "BranchName".into()
    }

    /// Narrower than Git, which allows nearly every character: what is left needs quoting nowhere.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "minLength": 1,
            "maxLength": 200,
            "x-kubernetes-validations": [{
                "rule": "self.matches('^[A-Za-z0-9_][A-Za-z0-9._+-]*(/[A-Za-z0-9_][A-Za-z0-9._+-]*)*$') && !self.contains('..') && \
                         !self.endsWith('.') && !self.endsWith('.lock') && !self.contains('.lock/') && !self.contains('./') && self != 'HEAD'",
                "message": "is no name of a branch; write one like main or team/prod, of letters, digits and . _ - + between slashes",
            }],
        })
    }
}

impl Deref for BranchName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
