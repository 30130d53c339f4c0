//! A wall clock that does not go back by an hour.

use jiff::{SignedDuration, Timestamp};

/// So far a clock may go back without being believed.
const TOLERATED: SignedDuration = SignedDuration::from_hours(2);

/// The wall clock as the gate goes by it: where it goes back by up to two hours, time stands still until it has caught up, so that nothing
/// expires twice. Where it goes back further, it was wrong before and is believed now: a clock that was once in another century must lock
/// nobody out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SteadyClock {
    latest: Option<Timestamp>,
}

impl SteadyClock {
    /// One that was seen to show `latest` before, by this process or the one before it.
    pub fn seen(latest: Option<Timestamp>) -> Self {
        Self { latest }
    }

    /// What time it is, given what the wall clock shows.
    pub fn read(&mut self, wall: Timestamp) -> Timestamp {
        let now =
            self.latest.filter(|latest| *latest > wall && latest.duration_since(wall) <= TOLERATED).unwrap_or(wall);
        self.latest = Some(now);
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_back_stands_still_and_a_year_back_is_believed() {
        let at = |hours: i64| Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hours);
        let mut clock = SteadyClock::default();
        let shown = [100, 99, 98, 101, 9000, 102, 103].map(|hours| clock.read(at(hours)));
        assert_eq!(shown, [100, 100, 100, 101, 9000, 102, 103].map(at));
        assert_eq!(SteadyClock::seen(Some(at(10))).read(at(9)), at(10));
    }
}
