use std::collections::HashMap;
use std::sync::Arc;

use super::builtin::BUILTIN;
use super::{KindInfo, Kinds, Scope};

/// A look-up held as a table.
#[derive(Debug, Clone, Default)]
pub struct KindTable {
    /// By group, then by kind; two levels so that a look-up borrows its texts.
    groups: HashMap<Arc<str>, HashMap<Arc<str>, KindInfo>>,
    ready: bool,
}

/// Why a list of API resources could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "line {line} of the API resources has no NAME, APIVERSION, NAMESPACED and KIND; pass the output of `kubectl api-resources`"
)]
pub struct TableError {
    /// The line, from 1.
    pub line: usize,
}

impl KindTable {
    /// The kinds that every API server serves by itself. Kinds of custom resources are unknown to it, so it is not ready.
    pub fn builtin() -> Self {
        let mut table = Self::default();
        for (group, kind, resource, scope) in BUILTIN {
            table.insert(group, kind, resource, *scope);
        }
        table
    }

    /// Adds what the text `kubectl api-resources` (also `-o wide`) lists, and makes the look-up ready: it is all the cluster has.
    ///
    /// # Errors
    /// [`TableError`] for a line that is neither empty, the header, nor a resource.
    pub fn add_api_resources(&mut self, text: &str) -> Result<(), TableError> {
        for (index, line) in text.lines().enumerate() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if words.is_empty() || words.contains(&"NAMESPACED") {
                continue;
            }
            // SHORTNAMES may be empty, so columns are counted from NAMESPACED, the only word of its form.
            let flag = words.iter().position(|word| matches!(*word, "true" | "false")).filter(|at| *at >= 2);
            let (Some(at), Some(kind)) = (flag, flag.and_then(|at| words.get(at + 1))) else {
                return Err(TableError { line: index + 1 });
            };
            let group = words[at - 1].split_once('/').map_or("", |(group, _)| group);
            let scope = if words[at] == "true" { Scope::Namespaced } else { Scope::Cluster };
            self.insert(group, kind, words[0], scope);
        }
        self.ready = true;
        Ok(())
    }

    /// Adds or replaces one kind.
    pub fn insert(&mut self, group: &str, kind: &str, resource: &str, scope: Scope) {
        let info = KindInfo { resource: resource.into(), scope };
        self.groups.entry(group.into()).or_default().insert(kind.into(), info);
    }

    /// Adds one kind unless the table already knows it: a CRD in a folder never overrules the cluster.
    pub fn insert_if_unknown(&mut self, group: &str, kind: &str, resource: &str, scope: Scope) {
        if self.find(group, kind).is_none() {
            self.insert(group, kind, resource, scope);
        }
    }

    /// Says whether the table holds all that the cluster has.
    #[must_use]
    pub fn ready(mut self, ready: bool) -> Self {
        self.ready = ready;
        self
    }
}

impl Kinds for KindTable {
    fn find(&self, group: &str, kind: &str) -> Option<&KindInfo> {
        self.groups.get(group)?.get(kind)
    }

    fn is_ready(&self) -> bool {
        self.ready
    }
}

#[cfg(test)]
mod tests {
    use super::{KindTable, TableError};
    use crate::kinds::{Kinds, Scope};

    #[test]
    fn f03_what_is_namespaced_comes_from_the_look_up() {
        let table = KindTable::builtin();
        assert_eq!(table.find("apps", "Deployment").unwrap().scope, Scope::Namespaced);
        assert_eq!(table.find("", "Namespace").unwrap().scope, Scope::Cluster);
        assert_eq!(table.find("example.com", "Widget"), None);
        assert!(!table.is_ready());
    }

    #[test]
    fn the_output_of_kubectl_api_resources_makes_it_ready() {
        let mut table = KindTable::builtin();
        let text = "NAME  SHORTNAMES  APIVERSION  NAMESPACED  KIND\nwidgets  w  example.com/v1  true  Widget\nracks  example.com/v1  false  Rack  get,list\n";
        table.add_api_resources(text).unwrap();
        assert_eq!(table.find("example.com", "Widget").unwrap().scope, Scope::Namespaced);
        assert_eq!(&*table.find("example.com", "Rack").unwrap().resource, "racks");
        assert!(table.is_ready());
        assert_eq!(table.add_api_resources("nonsense\n"), Err(TableError { line: 1 }));
    }
}
