use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

/// One step into a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Into a mapping.
    Key(Cow<'static, str>),
    /// Into a sequence, from 0.
    Index(usize),
}

/// Where a field is, shown as `subjects[0].namespace`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FieldPath(Vec<Step>);

impl FieldPath {
    /// A path of keys.
    pub fn keys(keys: &[&'static str]) -> Self {
        Self(keys.iter().map(|key| Step::Key(Cow::Borrowed(key))).collect())
    }

    /// The same path, one step further.
    #[must_use]
    pub fn then(&self, step: Step) -> Self {
        let mut steps = Vec::with_capacity(self.0.len() + 1);
        steps.extend_from_slice(&self.0);
        steps.push(step);
        Self(steps)
    }

    /// The same path, one key further.
    #[must_use]
    pub fn key(&self, key: &'static str) -> Self {
        self.then(Step::Key(Cow::Borrowed(key)))
    }

    /// The path of what holds the field.
    #[must_use]
    pub fn parent(&self) -> Self {
        Self(self.0[..self.0.len().saturating_sub(1)].to_vec())
    }

    /// The steps.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// The value there, if there is one.
    pub fn find<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(value, |value, step| match step {
            Step::Key(key) => value.get(&**key),
            Step::Index(index) => value.get(index),
        })
    }

    /// Sets the value there. Returns false, and changes nothing, where the mapping that should hold it is absent.
    pub fn set(&self, root: &mut Value, new: Value) -> bool {
        let Some((last, above)) = self.0.split_last() else { return false };
        let holder = above.iter().try_fold(root, |value, step| match step {
            Step::Key(key) => value.get_mut(&**key),
            Step::Index(index) => value.get_mut(index),
        });
        match (holder, last) {
            (Some(Value::Object(map)), Step::Key(key)) => {
                map.insert(key.clone().into_owned(), new);
                true
            }
            (Some(Value::Array(items)), Step::Index(index)) => items.get_mut(*index).map(|item| *item = new).is_some(),
            _ => false,
        }
    }

    /// Removes the value there; returns it.
    pub fn remove(&self, root: &mut Value) -> Option<Value> {
        let (last, above) = self.0.split_last()?;
        let holder = above.iter().try_fold(root, |value, step| match step {
            Step::Key(key) => value.get_mut(&**key),
            Step::Index(index) => value.get_mut(index),
        })?;
        match (holder, last) {
            (Value::Object(map), Step::Key(key)) => map.remove(&**key),
            _ => None,
        }
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) if key.contains(['.', '[', ' ']) => write!(f, "[{key:?}]")?,
                Step::Key(key) if at == 0 => write!(f, "{key}")?,
                Step::Key(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    }
}
