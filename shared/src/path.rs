//! Where in a manifest a value stands.

use std::fmt;

use serde_json::Value;

/// One step from a value into what it holds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Into the value of a key.
    Key(String),
    /// Into an element of a list.
    Index(usize),
}

/// The way from the root of a manifest to one of its values.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldPath(Vec<Step>);

impl FieldPath {
    /// The path through these keys.
    pub fn of<const N: usize>(keys: [&str; N]) -> Self {
        Self(keys.into_iter().map(|key| Step::Key(key.to_owned())).collect())
    }

    /// This path and one key more.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.then(Step::Key(key.to_owned()))
    }

    /// This path and one step more.
    #[must_use]
    pub fn then(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// This path, and the other one from its end on.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        Self(self.0.iter().chain(&other.0).cloned().collect())
    }

    /// Goes one step further.
    pub fn push(&mut self, step: Step) {
        self.0.push(step);
    }

    /// Goes one step back.
    pub fn pop(&mut self) {
        self.0.pop();
    }

    /// The steps from the root on.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// Whether this path is the given keys, where `*` stands for any one step.
    pub fn matches(&self, pattern: &[&str]) -> bool {
        self.0.len() == pattern.len() && self.starts_with(pattern)
    }

    /// Whether this path begins with the given keys, where `*` stands for any one step.
    pub fn starts_with(&self, pattern: &[&str]) -> bool {
        let fits = |(step, wanted): (&Step, &&str)| *wanted == "*" || matches!(step, Step::Key(key) if key == wanted);
        self.0.len() >= pattern.len() && self.0.iter().zip(pattern).all(fits)
    }

    /// The value at this path, if there is one.
    pub fn find<'v>(&self, root: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(root, |value, step| match step {
            Step::Key(key) => value.get(key),
            Step::Index(index) => value.get(index),
        })
    }

    /// The value at this path, to be changed, if there is one.
    pub fn find_mut<'v>(&self, root: &'v mut Value) -> Option<&'v mut Value> {
        self.0.iter().try_fold(root, |value, step| match step {
            Step::Key(key) => value.get_mut(key),
            Step::Index(index) => value.get_mut(index),
        })
    }
}

/// As the API server writes it: `spec.ports[0].name`, and `data[app.conf]` where a key is no plain word.
impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) if !is_plain(key) => write!(f, "[{}]", key.escape_debug())?,
                Step::Key(key) if position == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    }
}

fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_path_reads_as_the_api_server_writes_it() {
        let path = FieldPath::of(["spec", "ports"]).then(Step::Index(0)).key("name");
        assert_eq!(path.to_string(), "spec.ports[0].name");
        assert_eq!(FieldPath::of(["metadata", "labels", "a.b/c"]).to_string(), "metadata.labels[a.b/c]");
        assert_eq!(FieldPath::of(["data", "a\nb"]).to_string(), "data[a\\nb]");
    }

    #[test]
    fn a_path_finds_the_value_it_names() {
        let mut manifest = json!({ "subjects": [{ "name": "blue" }] });
        let path = FieldPath::of(["subjects"]).then(Step::Index(0)).key("name");
        assert_eq!(path.find(&manifest), Some(&json!("blue")));
        *path.find_mut(&mut manifest).unwrap() = json!("red");
        assert_eq!(manifest, json!({ "subjects": [{ "name": "red" }] }));
        assert_eq!(path.key("x").find(&manifest), None);
    }

    #[test]
    fn a_star_stands_for_one_step() {
        let path = FieldPath::of(["subjects"]).then(Step::Index(4)).key("name");
        assert!(path.matches(&["subjects", "*", "name"]) && path.starts_with(&["subjects"]));
        assert!(!path.matches(&["subjects", "*"]) && !path.matches(&["subjects", "name", "*"]));
    }
}
