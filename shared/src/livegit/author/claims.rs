use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use super::{Claim, Strength};

/// What claims say of one change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// This user made it.
    Certain(Arc<str>),
    /// Nobody else is as likely to have made it; take the name when the wait is over and that is still so.
    OnlyOne(Arc<str>),
    /// Several may have made it.
    Several,
    /// Nothing is known.
    Nothing,
}

type Key = (Arc<str>, Option<Arc<str>>);

#[derive(Debug)]
struct Known {
    user: Arc<str>,
    strength: Strength,
    /// Another user of the same strength has claimed it too.
    disputed: bool,
}

/// Claims of the last while, at most `most`; the oldest go first, and what they would have told is unknown then.
#[derive(Debug)]
pub struct Claims {
    known: HashMap<Key, Known>,
    order: VecDeque<Key>,
    most: usize,
}

impl Claims {
    /// Room for `most` changes.
    pub fn new(most: usize) -> Self {
        Self { known: HashMap::new(), order: VecDeque::new(), most }
    }

    /// Takes a claim. Sending an event twice, as the API server may, changes nothing.
    pub fn add(&mut self, claim: Claim) {
        let key = (claim.uid, claim.version);
        let Some(known) = self.known.get_mut(&key) else {
            while self.known.len() >= self.most.max(1) {
                let Some(oldest) = self.order.pop_front() else { break };
                self.known.remove(&oldest);
            }
            self.order.push_back(key.clone());
            self.known.insert(key, Known { user: claim.user, strength: claim.strength, disputed: false });
            return;
        };
        let is_other = known.user != claim.user;
        match claim.strength.cmp(&known.strength) {
            std::cmp::Ordering::Greater => {
                *known = Known { user: claim.user, strength: claim.strength, disputed: false };
            }
            std::cmp::Ordering::Equal => known.disputed |= is_other,
            std::cmp::Ordering::Less => {}
        }
    }

    /// Who made this version of this object.
    pub fn author(&self, uid: &str, version: &str) -> Answer {
        self.answer(&(uid.into(), Some(version.into())))
    }

    /// Who deleted this object.
    pub fn deleter(&self, uid: &str) -> Answer {
        self.answer(&(uid.into(), None))
    }

    /// How many changes are claimed.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether nothing is claimed.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    fn answer(&self, key: &Key) -> Answer {
        match self.known.get(key) {
            None => Answer::Nothing,
            Some(known) if known.disputed => Answer::Several,
            Some(Known { user, strength: Strength::Proved, .. }) => Answer::Certain(user.clone()),
            Some(Known { user, .. }) => Answer::OnlyOne(user.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::super::AuditEvent;
    use super::*;

    fn event(changes: Value) -> AuditEvent {
        let mut event = json!({
            "stage": "ResponseComplete", "verb": "patch", "requestURI": "/api/v1/namespaces/a/configmaps/x",
            "user": { "username": "ann" }, "responseStatus": { "code": 200 },
            "requestReceivedTimestamp": "2026-11-30T10:00:05.900000Z",
            "responseObject": { "kind": "ConfigMap", "metadata": {
                "uid": "u", "resourceVersion": "7", "managedFields": [{ "time": "2026-11-30T10:00:06Z" }],
            } },
        });
        let Value::Object(changes) = changes else { panic!("an object") };
        event.as_object_mut().unwrap().extend(changes);
        serde_json::from_str(&event.to_string()).unwrap()
    }

    fn answer(events: &[AuditEvent]) -> Answer {
        let mut claims = Claims::new(100);
        events.iter().filter_map(AuditEvent::claim).for_each(|claim| claims.add(claim));
        claims.author("u", "7")
    }

    fn no_op(user: &str) -> AuditEvent {
        event(json!({ "user": { "username": user }, "requestReceivedTimestamp": "2026-11-30T10:00:08.000000Z" }))
    }

    #[test]
    fn f52_a_patch_is_never_certain_at_once_since_another_may_have_changed_nothing_in_the_same_second() {
        assert_eq!(answer(&[event(json!({}))]), Answer::OnlyOne("ann".into()));
        assert_eq!(answer(&[no_op("bob")]), Answer::OnlyOne("bob".into()));
        assert_eq!(answer(&[event(json!({})), event(json!({ "user": { "username": "bob" } }))]), Answer::Several);
    }

    #[test]
    fn f52_a_request_that_changed_nothing_never_takes_a_change_from_its_author_in_whatever_order_they_arrive() {
        for events in [[event(json!({})), no_op("bob")], [no_op("bob"), event(json!({}))]] {
            assert_eq!(answer(&events), Answer::OnlyOne("ann".into()));
        }
        assert_eq!(answer(&[no_op("bob"), no_op("carl")]), Answer::Several);
    }

    #[test]
    fn f52_an_update_of_an_older_version_and_a_create_are_certain() {
        let metadata = |old: &str| {
            json!({ "verb": "update", "requestObject": { "metadata": { "resourceVersion": old } },
            "responseObject": { "metadata": { "uid": "u", "resourceVersion": "7" } } })
        };
        assert_eq!(answer(&[event(metadata("6"))]), Answer::Certain("ann".into()));
        assert_eq!(answer(&[event(metadata("7"))]), Answer::OnlyOne("ann".into()));
        let created = json!({ "verb": "create", "responseStatus": { "code": 201 },
            "responseObject": { "metadata": { "uid": "u", "resourceVersion": "7" } } });
        assert_eq!(answer(&[event(created)]), Answer::Certain("ann".into()));
    }

    #[test]
    fn f52_dry_runs_failures_reads_and_answers_without_a_version_claim_nothing() {
        for changes in [
            json!({ "requestURI": "/api/v1/namespaces/a/configmaps/x?dryRun=All" }),
            json!({ "responseStatus": { "code": 409 } }),
            json!({ "verb": "get" }),
            json!({ "stage": "RequestReceived" }),
            json!({ "responseObject": null }),
            json!({ "user": {} }),
        ] {
            assert_eq!(answer(&[event(changes)]), Answer::Nothing);
        }
    }

    #[test]
    fn f52_the_impersonated_user_is_the_author() {
        assert_eq!(
            answer(&[event(json!({ "impersonatedUser": { "username": "bob" } }))]),
            Answer::OnlyOne("bob".into())
        );
    }

    #[test]
    fn f52_a_deletion_is_claimed_by_uid() {
        let delete = |user: &str, body: Value| {
            event(json!({ "verb": "delete", "user": { "username": user }, "responseObject": body }))
        };
        let mut claims = Claims::new(100);
        claims.add(delete("ann", json!({ "kind": "Status", "details": { "uid": "u" } })).claim().unwrap());
        assert_eq!(claims.deleter("u"), Answer::OnlyOne("ann".into()));
        claims.add(delete("bob", json!({ "kind": "ConfigMap", "metadata": { "uid": "u" } })).claim().unwrap());
        assert_eq!(claims.deleter("u"), Answer::Several);
        assert_eq!(delete("ann", json!({ "kind": "Status" })).claim(), None);
    }

    proptest! {
        #[test]
        fn f52_the_order_and_the_repetition_of_claims_change_no_answer_and_memory_is_bounded(
            seen in prop::collection::vec((0_u8..3, 0_u8..4, any::<bool>()), 0..40), twist in any::<u64>(),
        ) {
            let claims: Vec<Claim> = seen.iter().map(|(version, user, proved)| Claim {
                uid: "u".into(), version: Some(version.to_string().into()), user: user.to_string().into(),
                strength: if *proved { Strength::Proved } else { Strength::Possible },
            }).collect();
            let mut twisted: Vec<Claim> = claims.iter().chain(&claims).cloned().collect();
            twisted.sort_by_key(|claim| {
                let text = format!("{claim:?}{twist}");
                text.bytes().fold(twist, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)))
            });
            let told = |claims: &[Claim]| {
                let mut known = Claims::new(10);
                claims.iter().cloned().for_each(|claim| known.add(claim));
                (0..3).map(|version| known.author("u", &version.to_string())).collect::<Vec<_>>()
            };
            prop_assert_eq!(told(&claims), told(&twisted));
            // Nobody is certain where somebody else proved the same.
            for (version, answer) in told(&claims).into_iter().enumerate() {
                let proved = claims.iter().filter(|c| c.strength == Strength::Proved && c.version.as_deref() == Some(&version.to_string()));
                let users: std::collections::HashSet<_> = proved.map(|claim| claim.user.clone()).collect();
                match answer {
                    Answer::Certain(user) => prop_assert!(users.len() == 1 && users.contains(&user)),
                    Answer::OnlyOne(_) | Answer::Nothing => prop_assert!(users.is_empty()),
                    Answer::Several => {}
                }
            }
            let mut small = Claims::new(2);
            for claim in claims {
                small.add(claim);
            }
            prop_assert!(small.len() <= 2);
        }
    }
}
