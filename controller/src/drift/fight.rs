//! Somebody undoes what we do, again and again (class.md C35): each round makes the next one wait longer.

use std::time::Duration;

use tokio::time::Instant;

/// Repairs in a row that are made at once.
const FREE: u32 = 4;
/// The pause after the first one more; it doubles with each.
const FIRST_PAUSE: Duration = Duration::from_secs(2);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
/// How long an object must be left alone, at least, until a repair counts as the first again.
const QUIET: Duration = Duration::from_secs(60);

/// The repairs of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fight {
    repairs: u32,
    last: Instant,
    what: String,
}

impl Fight {
    /// The first repair.
    pub(super) fn new(what: &str, now: Instant) -> Self {
        Self { repairs: 1, last: now, what: what.to_owned() }
    }

    /// Another one.
    pub(super) fn again(&mut self, what: &str, now: Instant) {
        if self.over() <= now {
            *self = Self::new(what, now);
            return;
        }
        // What a fight is called stays, once it is one: a condition with it is written once.
        if !self.is_fight() {
            what.clone_into(&mut self.what);
        }
        self.repairs = self.repairs.saturating_add(1);
        self.last = now;
    }

    /// Whether it is more than a few slips of somebody's hand.
    pub(super) fn is_fight(&self) -> bool {
        self.repairs > FREE
    }

    /// What the other side does.
    pub(super) fn what(&self) -> &str {
        &self.what
    }

    /// When the next repair may be made.
    pub(super) fn due(&self) -> Instant {
        self.last + self.pause()
    }

    /// When it counts as over, unless it goes on.
    pub(super) fn over(&self) -> Instant {
        self.last + QUIET.max(self.pause() * 2)
    }

    fn pause(&self) -> Duration {
        match self.repairs.checked_sub(FREE + 1) {
            None => Duration::ZERO,
            Some(more) => FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(more.min(16))).min(LONGEST_PAUSE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c35_a_few_repairs_are_made_at_once_and_then_fewer_and_fewer() {
        let mut now = Instant::now();
        let begin = now;
        let mut fight = Fight::new("a", now);
        let mut repairs = vec![now];
        // The other side answers within a tenth of a second, for an hour.
        while now < begin + Duration::from_secs(3600) {
            now = fight.due().max(now + Duration::from_millis(100));
            fight.again("b", now);
            repairs.push(now);
        }
        let within = |from: u64, to: u64| {
            let (from, to) = (begin + Duration::from_secs(from), begin + Duration::from_secs(to));
            repairs.iter().filter(|at| **at >= from && **at < to).count()
        };
        assert_eq!(within(0, 1), 5, "at once");
        assert!(within(0, 60) <= 10, "{}", within(0, 60));
        assert!(within(600, 3600) <= 11, "{}", within(600, 3600));
        assert!(fight.is_fight());
    }

    #[test]
    fn c35_what_is_left_alone_is_no_fight_any_more() {
        let now = Instant::now();
        let mut fight = Fight::new("a", now);
        (1..=8).for_each(|i| fight.again("a", now + Duration::from_secs(i)));
        assert!(fight.is_fight() && fight.due() > now + Duration::from_secs(8));
        let later = fight.over();
        fight.again("b", later);
        assert!(!fight.is_fight() && fight.due() == later && fight.what() == "b");
    }

    #[test]
    fn c35_the_name_of_a_fight_stays() {
        let now = Instant::now();
        let mut fight = Fight::new("a", now);
        fight.again("b", now);
        assert_eq!(fight.what(), "b");
        (0..5).for_each(|_| fight.again("b", now));
        fight.again("c", now);
        assert_eq!(fight.what(), "b");
    }
}
