//! What a worker keeps of one target.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use jiff::Timestamp;
use nsclass_manifests::{
    folder::{Folder, Options},
    identity::LiveId,
    kinds::KindTable,
    verdict::Verdict,
};

use super::{
    change::{Streamed, Target},
    git::Listing,
    report::{Refused, RefusedObject, State, TargetReport},
    verdict,
};

/// How many refused objects a report shows.
const MOST_SHOWN: usize = 10;

/// A target, its folder at the tip that is known, and what is owed to it.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) spec: Arc<Target>,
    /// The folder as judged; `None` before that, and where there is none to judge.
    pub(super) judged: Option<Judged>,
    /// It was told anew, and not judged since.
    pub(super) is_stale: bool,
    pub(super) valid: State,
    pub(super) verdict: Verdict,
    /// Documents that others changed since they were last written or found equal, by object: where they stand.
    pub(super) edited: HashMap<LiveId, String>,
    pub(super) refused: BTreeMap<LiveId, RefusedObject>,
    /// What a complete set was taken for since anything was lost: only there does a change hold nothing but its author's doing.
    pub(super) sure: BTreeSet<Streamed>,
    /// Why a complete set must come before the folder says what is live.
    pub(super) owes: Option<Owed>,
    pub(super) last_push: Option<(String, Timestamp)>,
    pub(super) reported: Option<Arc<TargetReport>>,
}

/// A complete set that is owed to a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owed {
    /// Why.
    pub(super) why: &'static str,
    /// Whether somebody was asked for it.
    pub(super) is_asked_for: bool,
}

/// A folder, and what it was judged by.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) folder: Arc<Folder>,
    pub(super) listing: Arc<Listing>,
    /// What the cluster serves, as it was told.
    pub(super) served: Arc<KindTable>,
    /// That, and what the folder's own definitions add.
    pub(super) kinds: Arc<KindTable>,
    pub(super) options: Arc<Options>,
}

impl Held {
    pub(super) fn new(spec: Arc<Target>) -> Self {
        Self {
            spec,
            judged: None,
            is_stale: true,
            valid: verdict::scanning(),
            verdict: Verdict::unknown(),
            edited: HashMap::new(),
            refused: BTreeMap::new(),
            sure: BTreeSet::new(),
            owes: None,
            last_push: None,
            reported: None,
        }
    }

    /// The folder, where it may be written.
    pub(super) fn writable(&self) -> Option<&Judged> {
        self.judged.as_ref().filter(|judged| self.valid.status == Some(true) && judged.folder.verdict().is_valid())
    }

    /// Takes another spec; what it judges by may differ.
    pub(super) fn respecify(&mut self, spec: Arc<Target>) {
        self.spec = spec;
        self.judged = None;
        self.is_stale = true;
    }

    /// Whether a change of this object holds nothing but what its author did.
    pub(super) fn is_sure(&self, id: &LiveId) -> bool {
        self.owes.is_none() && !self.refused.contains_key(id) && self.sure.iter().any(|streamed| streamed.covers(id))
    }

    /// From now on a complete set is owed to it.
    pub(super) fn owe(&mut self, why: &'static str) {
        self.sure.clear();
        self.owes = Some(Owed { why, is_asked_for: false });
    }

    /// Why a complete set is to be asked for, once: when it is owed, and could be written.
    pub(super) fn asks(&mut self) -> Option<&'static str> {
        let is_writable = self.writable().is_some();
        let owed = self.owes.as_mut().filter(|owed| is_writable && !owed.is_asked_for)?;
        owed.is_asked_for = true;
        Some(owed.why)
    }

    /// Refused objects, bounded.
    pub(super) fn refusals(&self) -> Refused {
        let mut all: Vec<&RefusedObject> = self.refused.values().collect();
        all.sort();
        Refused {
            count: all.len(),
            secrets: all.iter().filter(|refused| refused.category == "secret").count(),
            first: all.into_iter().take(MOST_SHOWN).cloned().collect(),
        }
    }
}
