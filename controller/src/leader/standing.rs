//! How this replica stands, for probes and people.

use arc_swap::ArcSwap;

use super::lease_api::LeaseError;

/// How this replica stands. Written by the lease task alone.
#[derive(Debug, Default)]
pub struct Standing {
    state: ArcSwap<State>,
    /// What keeps anybody from being elected.
    trouble: ArcSwap<Option<String>>,
}

/// Who leads, as far as we know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// The lease has not been seen yet.
    #[default]
    Unknown,
    /// Somebody else, by this identity.
    StandingBy(String),
    /// We do.
    Leading,
    /// Nobody is to lead: a person released the instance.
    Released,
    /// We did or waited, and the process is about to end.
    Stopping,
}

impl Standing {
    /// Whether this replica can take its part; what is missing where it cannot.
    ///
    /// # Errors
    /// One sentence.
    pub fn ready(&self) -> Result<(), String> {
        match (self.trouble.load().as_ref(), &**self.state.load()) {
            (Some(trouble), _) => Err(trouble.clone()),
            (None, State::Unknown) => Err("the lease has not been read yet".to_owned()),
            _ => Ok(()),
        }
    }

    /// One line for a person.
    pub fn note(&self) -> String {
        match &**self.state.load() {
            State::Unknown => "neither leader nor standby yet".to_owned(),
            State::StandingBy(leader) => format!("standby; the leader is {leader}"),
            State::Leading => "leader".to_owned(),
            State::Released => "released: nothing is written before nsclass release --undo".to_owned(),
            State::Stopping => "stopping".to_owned(),
        }
    }

    pub(super) fn is(&self, state: &State) -> bool {
        **self.state.load() == *state && self.trouble.load().is_none()
    }

    pub(super) fn set(&self, state: State) {
        self.state.store(state.into());
        self.trouble.store(None.into());
    }

    pub(super) fn stopping(&self) {
        self.state.store(State::Stopping.into());
    }

    pub(super) fn is_troubled_by(&self, error: &LeaseError) -> bool {
        self.trouble.load().as_ref().as_ref().is_some_and(|trouble| *trouble == error.to_string())
    }

    pub(super) fn trouble(&self, why: String) {
        self.trouble.store(Some(why).into());
    }
}
