//! A namespace crossing the edge of the scope.

use std::sync::Arc;

use super::Verdict;

/// A change that somebody must hear of (scope.md S21). All others are silent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flip {
    /// Which namespace.
    pub namespace: Arc<str>,
    /// Which way.
    pub direction: Direction,
    /// Epoch of the first snapshot that shows it.
    pub epoch: u64,
}

/// Which way a namespace crossed the edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// It was unknown and is in scope: made, or seen for the first time.
    Appeared,
    /// It was out of scope and is in.
    Entered,
    /// It was in scope and is out.
    Left,
}

impl Direction {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Appeared, Self::Entered, Self::Left];

    /// The direction from one verdict to another, if that is told at all. Going from unknown to out, and being forgotten, is not.
    pub fn between(before: Verdict, after: Verdict) -> Option<Self> {
        match (before, after) {
            (Verdict::Unknown, Verdict::InScope) => Some(Self::Appeared),
            (Verdict::OutOfScope, Verdict::InScope) => Some(Self::Entered),
            (Verdict::InScope, Verdict::OutOfScope) => Some(Self::Left),
            _ => None,
        }
    }

    /// The word in metrics and in what people read.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Appeared => "Appeared",
            Self::Entered => "Entered",
            Self::Left => "Left",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s21_only_a_change_is_told() {
        let told: Vec<_> = Verdict::ALL
            .iter()
            .flat_map(|before| Verdict::ALL.iter().map(move |after| (*before, *after)))
            .filter_map(|(before, after)| Direction::between(before, after).map(|d| format!("{before}-{after}: {d:?}")))
            .collect();
        assert_eq!(told, ["InScope-OutOfScope: Left", "OutOfScope-InScope: Entered", "Unknown-InScope: Appeared"]);
    }
}
