//! One recorded answer: a JSON file beside this one, read by the table's test here and written by the live suite in `tests/`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use kube::core::Status;
use nsclass_shared::{
    answer::{Action, Answer, Asked},
    identity::ObjectIdentity,
};
use serde::{Deserialize, Serialize};

/// What was asked, and what the server said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    /// Why the answer was made up, where a real server cannot be brought to give it at will.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) synthetic: Option<String>,
    pub(crate) asked: RowAsked,
    pub(crate) status: Status,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RowAsked {
    pub(crate) action: RowAction,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) group: String,
    pub(crate) kind: String,
    pub(crate) resource: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
}

/// [`Action`], as it is spelled in the files.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RowAction {
    Create,
    Update,
    Delete,
    Read,
    Record,
}

impl Row {
    /// Where the recorded answers are.
    pub(crate) fn directory() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/tests/answers")
    }

    /// The file of that case.
    pub(crate) fn path(case: &str) -> PathBuf {
        Self::directory().join(format!("{case}.json"))
    }

    /// Reads the answer of that case.
    pub(crate) fn read(case: &str) -> io::Result<Self> {
        let path = Self::path(case);
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let row: Self =
            serde_json::from_str(&fs::read_to_string(&path).map_err(named)?).map_err(|e| named(e.into()))?;
        Ok(row)
    }

    /// Every case that has a file, in order.
    pub(crate) fn cases() -> io::Result<Vec<String>> {
        let mut cases = Vec::new();
        for entry in fs::read_dir(Self::directory())? {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == "json") {
                cases.extend(path.file_stem().and_then(|s| s.to_str()).map(ToOwned::to_owned));
            }
        }
        cases.sort();
        Ok(cases)
    }

    /// What the rules make of it.
    pub(crate) fn answer(&self) -> Answer {
        let RowAsked { group, kind, namespace, name, .. } = self.asked.clone();
        let object = ObjectIdentity { group, kind, namespace, name };
        Answer::of(&self.status, &Asked { action: self.action(), object: &object, resource: &self.asked.resource })
    }

    pub(crate) fn action(&self) -> Action {
        match self.asked.action {
            RowAction::Create => Action::Create,
            RowAction::Update => Action::Update,
            RowAction::Delete => Action::Delete,
            RowAction::Read => Action::Read,
            RowAction::Record => Action::Record,
        }
    }
}
