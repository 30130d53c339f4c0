//! From a batch to files, with the folder engine: a function of values (folders.md F30 to F39).

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use nsclass_manifests::{
    folder::{Folder, Options},
    identity::LiveId,
    kinds::Kinds,
    path::FolderPath,
    plan::{self, Plan, Refusal},
};
use nsclass_shared::livegit::message::Operation;

use super::{
    batch::{Batch, Work},
    change::{Prune, Resync, Target, What},
    report::RefusedObject,
    seal::{AllSealed, Sealed},
    written::{self, Written},
};

/// Objects of a complete set that are planned at once: each holds a copy of its value meanwhile.
const CHUNK: usize = 500;

/// What a batch comes to.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    /// The folder as it will be; `None` where nothing is written.
    pub(super) folder: Option<Arc<Folder>>,
    /// Files whose bytes change, `None` for one that goes.
    pub(super) files: BTreeMap<FolderPath, Option<Arc<[u8]>>>,
    /// Objects that are written.
    pub(super) written: Vec<Written>,
    /// Objects that the batch names and that are not refused: what was refused of them before is settled.
    pub(super) settled: Vec<LiveId>,
    /// Objects that are not written.
    pub(super) refused: Vec<(LiveId, RefusedObject)>,
    /// What somebody should know: fields that stay, files that nothing deploys.
    pub(super) notes: Vec<String>,
}

/// Plans a batch on a valid folder. The engine judges and renders the result before it gives it back (F21, F33).
pub(super) fn prepare(
    folder: &Folder,
    kinds: &dyn Kinds,
    options: &Options,
    target: &Target,
    batch: &Batch,
    sealed: &AllSealed,
) -> Prepared {
    let mut work = InWork { now: None, folder, kinds, options, target, out: Prepared::default() };
    match &batch.work {
        Work::Changes(steps) => {
            let may_delete = target.prune != Prune::Never;
            let steps = steps.iter().filter(|step| may_delete || !matches!(step.what, What::Delete));
            let changes: Vec<_> = steps.filter_map(|step| work.change(&step.id, &step.what, sealed)).collect();
            work.plan(&changes);
        }
        Work::Resync(resync) => {
            for chunk in resync.objects.chunks(CHUNK) {
                let puts = chunk.iter().filter_map(|(id, value)| work.change(id, &What::Put(value.clone()), sealed));
                let puts: Vec<_> = puts.collect();
                work.plan(&puts);
            }
            if target.prune == Prune::Always {
                let orphans = orphans(work.folder(), resync);
                work.plan(&orphans.into_iter().map(|id| (id.clone(), plan::Change::Delete(id))).collect::<Vec<_>>());
            }
        }
    }
    work.finish()
}

/// Documents whose object a complete set proves to be absent (F50).
fn orphans(folder: &Folder, resync: &Resync) -> Vec<LiveId> {
    let known = resync.objects.iter().map(|(id, _)| id).chain(&resync.spared);
    let known: HashSet<&LiveId> = known.collect();
    let live = folder.documents().iter().filter_map(|document| document.live.as_ref());
    let is_orphan = |id: &&LiveId| !known.contains(*id) && resync.streamed.iter().any(|streamed| streamed.covers(id));
    live.filter(is_orphan).cloned().collect()
}

struct InWork<'w> {
    /// The folder after what was planned so far.
    now: Option<Folder>,
    folder: &'w Folder,
    kinds: &'w dyn Kinds,
    options: &'w Options,
    target: &'w Target,
    out: Prepared,
}

impl InWork<'_> {
    fn folder(&self) -> &Folder {
        self.now.as_ref().unwrap_or(self.folder)
    }

    /// A change as the engine takes it; nothing for a Secret whose document stands.
    fn change(&mut self, id: &LiveId, what: &What, sealed: &AllSealed) -> Option<(LiveId, plan::Change)> {
        let change = match (what, sealed.get(id)) {
            (What::Delete, _) => plan::Change::Delete(id.clone()),
            (What::Put(_), Some(Sealed::AsItStands)) => {
                self.out.settled.push(id.clone());
                return None;
            }
            (What::Put(_), Some(Sealed::As(value))) | (What::Put(value), None) => plan::Change::Put((**value).clone()),
        };
        Some((id.clone(), change))
    }

    /// Plans these changes together; where one of them would spoil the folder, one by one, so that it alone is refused.
    fn plan(&mut self, changes: &[(LiveId, plan::Change)]) {
        if changes.is_empty() {
            return;
        }
        let all: Vec<plan::Change> = changes.iter().map(|(_, change)| change.clone()).collect();
        match plan::plan(self.folder(), self.kinds, self.options, self.target.policy, &all) {
            Ok(plan) => self.take(changes, plan),
            Err(refusal) if changes.len() == 1 => self.refuse(&changes[0].0, &refusal),
            Err(_) => changes.iter().for_each(|one| self.plan(std::slice::from_ref(one))),
        }
    }

    fn take(&mut self, changes: &[(LiveId, plan::Change)], plan: Plan) {
        let refused: HashSet<usize> = plan.refused.iter().map(|(at, _)| *at).collect();
        for (at, refusal) in &plan.refused {
            match refusal {
                // It has no document, as wanted.
                Refusal::NotFound(_) => self.out.settled.push(changes[*at].0.clone()),
                refusal => self.refuse(&changes[*at].0, refusal),
            }
        }
        let fine = changes.iter().enumerate().filter(|(at, _)| !refused.contains(at));
        self.out.settled.extend(fine.map(|(_, (id, _))| id.clone()));
        self.out.notes.extend(plan.kept.iter().map(|(_, kept)| kept.to_string()));
        self.out.notes.extend(plan.notes.iter().map(ToString::to_string));
        let Some(after) = plan.folder else { return };
        let written = written::written(self.folder(), &after, plan.files.keys());
        self.out.written.extend(written);
        self.out.files.extend(plan.files.into_iter().map(|(path, file)| (path, file.after)));
        self.now = Some(after);
    }

    fn refuse(&mut self, id: &LiveId, refusal: &Refusal) {
        let (object, category, message) = (id.to_string(), refusal.category(), refusal.to_string());
        self.out.refused.push((id.clone(), RefusedObject { object, category, message }));
    }

    fn finish(mut self) -> Prepared {
        // Written and written back within one batch: no commit for that.
        let before = |path: &FolderPath| written::bytes(self.folder, path);
        self.out.files.retain(|path, after| before(path).as_ref() != after.as_ref());
        if self.out.files.is_empty() {
            self.out.written.clear();
        } else {
            self.out.folder = self.now.map(Arc::new);
        }
        let mut seen: BTreeMap<LiveId, Written> = BTreeMap::new();
        for one in std::mem::take(&mut self.out.written) {
            let operation = match (seen.get(&one.id).map(|was| was.operation), one.operation) {
                (Some(Operation::Create), Operation::Update) => Operation::Create,
                (Some(Operation::Delete), Operation::Create) => Operation::Update,
                (_, last) => last,
            };
            seen.insert(one.id.clone(), Written { operation, ..one });
        }
        self.out.written = seen.into_values().collect();
        self.out
    }
}
