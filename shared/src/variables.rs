//! The facts that a render may use, for one namespace.

use std::collections::BTreeMap;

use crate::template::Variable;

/// The values of the variables in one namespace, borrowed from what was observed.
#[derive(Debug, Clone, Copy)]
pub struct Variables<'a> {
    namespace: &'a str,
    uid: &'a str,
    class: &'a str,
    metadata: Metadata<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Metadata<'a> {
    Live { labels: &'a BTreeMap<String, String>, annotations: &'a BTreeMap<String, String> },
    Recorded(&'a BTreeMap<String, String>),
}

impl<'a> Variables<'a> {
    /// The facts as the namespace shows them now.
    pub fn live(
        namespace: &'a str,
        uid: &'a str,
        labels: &'a BTreeMap<String, String>,
        annotations: &'a BTreeMap<String, String>,
        class: &'a str,
    ) -> Self {
        Self { namespace, uid, class, metadata: Metadata::Live { labels, annotations } }
    }

    /// The facts of an earlier render, from the values that it recorded (class.md C50): what a tenant has changed
    /// since does not show in them. Name and UID of a namespace do not change, so they are passed as they are.
    pub fn recorded(namespace: &'a str, uid: &'a str, values: &'a BTreeMap<String, String>, class: &'a str) -> Self {
        Self { namespace, uid, class, metadata: Metadata::Recorded(values) }
    }

    /// The value of a variable, or nothing where the namespace has no such label or annotation.
    pub fn get(&self, variable: &Variable) -> Option<&'a str> {
        let value = match (variable, self.metadata) {
            (Variable::NamespaceName, _) => return Some(self.namespace),
            (Variable::NamespaceUid, _) => return Some(self.uid),
            (Variable::ClassName, _) => return Some(self.class),
            (Variable::NamespaceLabel(key), Metadata::Live { labels, .. }) => labels.get(key),
            (Variable::NamespaceAnnotation(key), Metadata::Live { annotations, .. }) => annotations.get(key),
            (Variable::NamespaceLabel(_) | Variable::NamespaceAnnotation(_), Metadata::Recorded(values)) => {
                values.get(&variable.to_string())
            }
        };
        value.map(String::as_str)
    }

    /// Name of the namespace that is rendered for.
    pub fn namespace(&self) -> &'a str {
        self.namespace
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(key: &str, value: &str) -> BTreeMap<String, String> {
        BTreeMap::from([(key.to_owned(), value.to_owned())])
    }

    #[test]
    fn c10_each_variable_has_its_source() {
        let (labels, annotations) = (map("team", "ops"), map("team", "sales"));
        let facts = Variables::live("blue", "u-1", &labels, &annotations, "standard");
        let get = |name: &str| facts.get(&Variable::parse(name).unwrap());
        assert_eq!(get(".Namespace.Name"), Some("blue"));
        assert_eq!(get(".Namespace.UID"), Some("u-1"));
        assert_eq!(get(".Class.Name"), Some("standard"));
        assert_eq!(get(".Namespace.Labels.team"), Some("ops"));
        assert_eq!(get(".Namespace.Annotations.team"), Some("sales"));
        assert_eq!(get(".Namespace.Labels.other"), None);
    }

    #[test]
    fn c50_recorded_values_answer_by_the_variables_name() {
        let values = map(".Namespace.Labels.team", "ops");
        let facts = Variables::recorded("blue", "u-1", &values, "standard");
        assert_eq!(facts.get(&Variable::NamespaceLabel("team".to_owned())), Some("ops"));
        assert_eq!(facts.get(&Variable::NamespaceAnnotation("team".to_owned())), None);
        assert_eq!(facts.get(&Variable::NamespaceName), Some("blue"));
    }
}
