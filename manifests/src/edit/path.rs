//! The path of a field, for messages.

/// A step on the way from the document's root; the whole path is the chain of its parents.
#[derive(Clone, Copy)]
pub(super) enum Path<'p> {
    Root,
    Key(&'p Path<'p>, &'p str),
    Index(&'p Path<'p>, usize),
}

impl Path<'_> {
    /// Whether this is exactly the path of these keys.
    pub(super) fn is(&self, keys: &[&str]) -> bool {
        match (self, keys.split_last()) {
            (Self::Root, None) => true,
            (Self::Key(parent, key), Some((last, rest))) => key == last && parent.is(rest),
            _ => false,
        }
    }
}

impl std::fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Index(parent, index) => write!(f, "{parent}[{index}]"),
            Self::Key(parent, key) if key.contains(['.', '/', '[']) => write!(f, "{parent}[{key:?}]"),
            Self::Key(Self::Root, key) => f.write_str(key),
            Self::Key(parent, key) => write!(f, "{parent}.{key}"),
        }
    }
}
