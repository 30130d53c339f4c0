//! Maps in the order of their keys: findings come in that order, however the text is written.

use std::borrow::Cow;
use std::mem::swap;

use super::Json;

/// A JSON map: sorted by key, each key once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Map<'t>(Vec<(Cow<'t, str>, Json<'t>)>);

impl<'t> Map<'t> {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Json<'t>> {
        self.position(key).map(|index| &self.0[index].1)
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Json<'t>> {
        self.position(key).map(|index| &mut self.0[index].1)
    }

    /// Takes a key and its value out.
    pub fn remove(&mut self, key: &str) {
        if let Some(index) = self.position(key) {
            self.0.remove(index);
        }
    }

    /// Keeps the entries whose value is wanted.
    pub fn retain(&mut self, mut wanted: impl FnMut(&Json<'t>) -> bool) {
        self.0.retain(|(_, value)| wanted(value));
    }

    /// The entries, in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json<'t>)> {
        self.0.iter().map(|(key, value)| (key.as_ref(), value))
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn position(&self, key: &str) -> Option<usize> {
        /// Up to so many entries it is faster to look at each: most keys differ in length already.
        const FEW: usize = 12;
        if self.0.len() <= FEW {
            self.0.iter().position(|(here, _)| here == key)
        } else {
            self.0.binary_search_by(|(here, _)| here.as_ref().cmp(key)).ok()
        }
    }
}

/// From entries in any order; of those with one key the last counts, as everywhere in the API machinery.
impl<'t> From<Vec<(Cow<'t, str>, Json<'t>)>> for Map<'t> {
    fn from(mut entries: Vec<(Cow<'t, str>, Json<'t>)>) -> Self {
        // The API server writes maps in the order of their keys, so there is mostly nothing to do.
        if !entries.is_sorted_by(|(one, _), (next, _)| one < next) {
            entries.sort_by(|(one, _), (other, _)| one.cmp(other));
            entries.dedup_by(|later, earlier| {
                let same = later.0 == earlier.0;
                if same {
                    swap(&mut later.1, &mut earlier.1);
                }
                same
            });
        }
        Self(entries)
    }
}

impl<'t> FromIterator<(Cow<'t, str>, Json<'t>)> for Map<'t> {
    fn from_iter<I: IntoIterator<Item = (Cow<'t, str>, Json<'t>)>>(entries: I) -> Self {
        entries.into_iter().collect::<Vec<_>>().into()
    }
}
