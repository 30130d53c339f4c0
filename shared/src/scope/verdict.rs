//! The three answers.

/// Whether a namespace is managed. Three answers, never two (DESIGN decision 4): whatever deletes must match on the exact one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// It is managed.
    InScope,
    /// It is there, and not managed. That is not "not found".
    OutOfScope,
    /// It was never seen, or is forgotten. Nothing may be concluded from that.
    Unknown,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::InScope, Self::OutOfScope, Self::Unknown];

    /// The word in metrics and in what people read.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InScope => "InScope",
            Self::OutOfScope => "OutOfScope",
            Self::Unknown => "Unknown",
        }
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
