//! What can happen.

use super::pool::Item;

/// Something that a person, a tenant or the machine does. Namespaces and classes by their numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    /// A namespace is made, asking for a class or not.
    Make(usize, Option<usize>),
    /// A namespace's label is set or removed.
    Label(usize, Option<usize>),
    /// A namespace is deleted.
    Remove(usize),
    /// A class gets these items at this revision; one that was deleted comes back.
    Edit(usize, Vec<Item>, u32),
    /// A class is deleted.
    Delete(usize),
    /// A tenant changes an object.
    Tamper(usize, Item),
    /// A tenant deletes an object.
    Destroy(usize, Item),
    /// The definition of widgets comes or goes.
    Widgets(bool),
    /// The controller is killed, and another started.
    Kill,
}
