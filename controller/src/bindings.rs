//! The bindings, as the watch has them or as we wrote them since, whichever is newer.

mod guarded;

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use kube::{
    Api, Client, Resource, ResourceExt,
    runtime::reflector::{ObjectRef, Store},
};
use nsclass_shared::api::NamespaceClassBinding;
use thiserror::Error;

pub use guarded::Guarded;
use guarded::Unreadable;

/// The binding is there and cannot be read; nothing of it may be touched.
#[derive(Error, Debug)]
#[error("the binding cannot be read: {0}")]
pub struct Damaged(String);

/// Only what is needed of a binding is kept in memory.
pub fn slim(binding: &mut Guarded) {
    if let Ok(binding) = &mut binding.0 {
        binding.metadata.managed_fields = None;
    }
}

/// Bindings by namespace. A write of ours shows at once, before the watch tells of it.
#[derive(Clone, Debug)]
pub struct Bindings {
    watched: Store<Guarded>,
    written: Arc<Mutex<HashMap<String, Written>>>,
    /// Namespaces whose binding is being written now: the watch may tell of it before the answer is there.
    writing: Arc<Mutex<HashSet<String>>>,
}

#[derive(Clone, Debug)]
enum Written {
    Stored(Arc<NamespaceClassBinding>),
    /// We wrote it in this revision, and the watch has told of it since, or is about to.
    Told(u64),
    /// We deleted the one with this UID.
    Deleted(String),
}

impl Bindings {
    /// Over what the watch fills.
    pub fn new(watched: Store<Guarded>) -> Self {
        Self { watched, written: Arc::default(), writing: Arc::default() }
    }

    /// The store that the watch fills.
    pub fn watched(&self) -> &Store<Guarded> {
        &self.watched
    }

    /// The binding of a namespace.
    ///
    /// # Errors
    /// It is there and cannot be read.
    pub fn get(&self, namespace: &str) -> Result<Option<Arc<NamespaceClassBinding>>, Damaged> {
        let watched = self.watched.get(&ObjectRef::new(namespace));
        let mut written = self.written();
        catch_up(&mut written, namespace, watched.as_deref());
        match written.get(namespace) {
            Some(Written::Stored(ours)) => return Ok(Some(ours.clone())),
            Some(Written::Deleted(_)) => return Ok(None),
            Some(Written::Told(_)) | None => {}
        }
        match watched.as_deref() {
            None => Ok(None),
            Some(Guarded(Ok(binding))) => Ok(Some(Arc::new(binding.clone()))),
            Some(Guarded(Err(Unreadable { error, .. }))) => Err(Damaged(error.clone())),
        }
    }

    /// Looks at the binding of a namespace without a copy; none where there is none that can be read. `see` must not come back here.
    pub fn read<R>(&self, namespace: &str, see: impl FnOnce(&NamespaceClassBinding) -> R) -> Option<R> {
        let watched = self.watched.get(&ObjectRef::new(namespace));
        let mut written = self.written();
        catch_up(&mut written, namespace, watched.as_deref());
        match (written.get(namespace), watched.as_deref()) {
            (Some(Written::Stored(ours)), _) => Some(see(ours)),
            (Some(Written::Told(_)) | None, Some(Guarded(Ok(binding)))) => Some(see(binding)),
            _ => None,
        }
    }

    /// Whether the watch tells of what we wrote ourselves, or of what we knew when we did: a write stands on the revision before it.
    /// While one is under way nobody knows; [`Self::wrote`] tells then.
    pub fn is_own_write(&self, seen: &Guarded) -> bool {
        if self.writing().contains(&seen.name_any()) {
            return true;
        }
        let ours = match self.written().get(&seen.name_any()) {
            Some(Written::Stored(ours)) => revision(ours.resource_version().as_deref()),
            Some(Written::Told(revision)) => *revision,
            _ => return false,
        };
        revision(seen.resource_version().as_deref()) <= ours
    }

    /// The watch tells that this one is gone, so what we wrote of it is, too. One that we made since is another one.
    pub fn saw_deleted(&self, gone: &Guarded) {
        let mut written = self.written();
        let is_gone = match written.get(&gone.name_any()) {
            Some(Written::Stored(ours)) => ours.uid() == gone.uid(),
            Some(Written::Told(_)) => true,
            Some(Written::Deleted(_)) | None => false,
        };
        if is_gone {
            written.remove(&gone.name_any());
        }
    }

    /// The watch begins anew with a complete list, which tells of no deletion by itself: what we wrote and it does not hold is gone, or
    /// so new that the next write finds out.
    pub fn saw_all(&self) {
        self.written().retain(|namespace, written| {
            !matches!(written, Written::Stored(_)) || self.watched.get(&ObjectRef::new(namespace)).is_some()
        });
    }

    /// We are about to write; [`Self::wrote`] or [`Self::write_failed`] follows.
    pub fn write_begins(&self, namespace: &str) {
        self.writing().insert(namespace.to_owned());
    }

    /// We wrote this. Returns whether somebody has changed it since: the watch told of that while our answer was on its way.
    pub fn wrote(&self, binding: NamespaceClassBinding) -> bool {
        let name = binding.name_any();
        let ours = revision(binding.resource_version().as_deref());
        self.written().insert(name.clone(), Written::Stored(Arc::new(binding)));
        self.writing().remove(&name);
        self.watched.get(&ObjectRef::new(&name)).is_some_and(|w| revision(w.resource_version().as_deref()) > ours)
    }

    /// Nothing was written, or nobody knows; whoever asked looks again.
    pub fn write_failed(&self, namespace: &str) {
        self.writing().remove(namespace);
    }

    /// We deleted this.
    pub fn deleted(&self, binding: &NamespaceClassBinding) {
        let uid = binding.uid().unwrap_or_default();
        self.written().insert(binding.name_any(), Written::Deleted(uid));
    }

    /// Reads the binding from the API server, after a write found ours to be old.
    ///
    /// # Errors
    /// The API server's.
    pub async fn refresh(&self, client: &Client, namespace: &str) -> Result<(), kube::Error> {
        let live = Api::<NamespaceClassBinding>::all(client.clone()).get_opt(namespace).await?;
        let mut written = self.written();
        let now = if let Some(mut live) = live {
            live.metadata.managed_fields = None;
            Written::Stored(Arc::new(live))
        } else {
            let watched = self.watched.get(&ObjectRef::new(namespace)).and_then(|w| w.uid());
            Written::Deleted(watched.unwrap_or_default())
        };
        written.insert(namespace.to_owned(), now);
        Ok(())
    }

    /// Shows all that can be read, as the watch has them or newer. `see` must not come back here.
    pub fn visit(&self, mut see: impl FnMut(&NamespaceClassBinding)) {
        let mut written = self.written();
        let watched = self.watched.state();
        for guarded in &watched {
            let name = guarded.meta().name.as_deref().unwrap_or_default();
            catch_up(&mut written, name, Some(guarded));
            match (written.get(name), &guarded.0) {
                (Some(Written::Stored(ours)), _) => see(ours),
                (Some(Written::Told(_)) | None, Ok(binding)) => see(binding),
                (Some(Written::Deleted(_)), _) | (_, Err(_)) => {}
            }
        }
        for (name, written) in written.iter() {
            if let Written::Stored(ours) = written
                && self.watched.get(&ObjectRef::new(name)).is_none()
            {
                see(ours);
            }
        }
    }

    fn writing(&self) -> MutexGuard<'_, HashSet<String>> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn written(&self) -> MutexGuard<'_, HashMap<String, Written>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets what we wrote of a namespace where the watch has seen it, or something newer.
fn catch_up(written: &mut HashMap<String, Written>, namespace: &str, watched: Option<&Guarded>) {
    match written.get(namespace) {
        Some(Written::Stored(ours)) => {
            let ours = revision(ours.resource_version().as_deref());
            if watched.is_some_and(|w| revision(w.resource_version().as_deref()) >= ours) {
                written.insert(namespace.to_owned(), Written::Told(ours));
            }
        }
        Some(Written::Deleted(uid)) if watched.is_none_or(|w| w.uid().as_deref() != Some(uid)) => {
            written.remove(namespace);
        }
        _ => {}
    }
}

/// resourceVersions of one kind grow as numbers, in every API server that is backed by etcd; since Kubernetes 1.35 that is promised
/// (KEP-5504). What is no number counts as oldest.
fn revision(resource_version: Option<&str>) -> u64 {
    resource_version.and_then(|version| version.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use kube::runtime::{reflector::store::Writer, watcher::Event};
    use nsclass_shared::api::BindingSpec;

    use super::*;

    fn binding(uid: &str, revision: u32) -> NamespaceClassBinding {
        let spec = BindingSpec {
            namespace_name: "pay".into(),
            class_name: "std".into(),
            instance: "default".into(),
            ..BindingSpec::default()
        };
        let mut binding = NamespaceClassBinding::new("pay", spec);
        binding.metadata.uid = Some(uid.into());
        binding.metadata.resource_version = Some(revision.to_string());
        binding
    }

    /// A store after these events, and the bindings over it.
    fn watched(events: impl IntoIterator<Item = Event<Guarded>>) -> (Writer<Guarded>, Bindings) {
        let mut writer = Writer::<Guarded>::new(());
        events.into_iter().for_each(|event| writer.apply_watcher_event(&event));
        let bindings = Bindings::new(writer.as_reader());
        (writer, bindings)
    }

    fn guarded(uid: &str, revision: u32) -> Guarded {
        Guarded(Ok(binding(uid, revision)))
    }

    fn seen(bindings: &Bindings) -> Option<String> {
        bindings.get("pay").unwrap().and_then(|b| b.resource_version())
    }

    #[test]
    fn a_write_shows_before_the_watch_tells_of_it_and_a_later_one_of_somebody_else_wins() {
        let (mut writer, bindings) = watched([Event::Init, Event::InitDone]);
        bindings.wrote(binding("a", 5));
        assert_eq!(seen(&bindings).as_deref(), Some("5"));
        assert!(bindings.is_own_write(&guarded("a", 5)) && !bindings.is_own_write(&guarded("a", 9)));
        writer.apply_watcher_event(&Event::Apply(guarded("a", 9)));
        assert_eq!(seen(&bindings).as_deref(), Some("9"));
    }

    #[test]
    fn a_visit_shows_each_binding_once_as_it_is_now() {
        let shown = |bindings: &Bindings| {
            let mut revisions = Vec::new();
            bindings.visit(|binding| revisions.extend(binding.resource_version()));
            revisions
        };
        let (mut writer, bindings) = watched([Event::Init, Event::InitDone]);
        bindings.wrote(binding("a", 5));
        assert_eq!(shown(&bindings), ["5"], "before the watch tells of it");
        writer.apply_watcher_event(&Event::Apply(guarded("a", 4)));
        assert_eq!(shown(&bindings), ["5"], "while the watch is behind");
        writer.apply_watcher_event(&Event::Apply(guarded("a", 9)));
        assert_eq!(shown(&bindings), ["9"]);
        bindings.deleted(&binding("a", 9));
        assert_eq!(shown(&bindings), Vec::<String>::new());
    }

    #[test]
    fn c45_what_somebody_deleted_is_gone_although_we_wrote_it_last() {
        let (mut writer, bindings) = watched([Event::Init, Event::InitDone]);
        bindings.wrote(binding("a", 5));
        writer.apply_watcher_event(&Event::Apply(guarded("a", 5)));
        writer.apply_watcher_event(&Event::Delete(guarded("a", 7)));
        bindings.saw_deleted(&guarded("a", 7));
        assert_eq!(seen(&bindings), None);
        // The end of an earlier one says nothing of the one that we made since.
        bindings.wrote(binding("b", 8));
        bindings.saw_deleted(&guarded("a", 7));
        assert_eq!(seen(&bindings).as_deref(), Some("8"));
    }

    #[test]
    fn c45_what_vanished_while_the_watch_was_broken_is_gone() {
        let (mut writer, bindings) = watched([Event::Init, Event::InitDone]);
        bindings.wrote(binding("a", 5));
        writer.apply_watcher_event(&Event::Init);
        writer.apply_watcher_event(&Event::InitDone);
        bindings.saw_all();
        assert_eq!(seen(&bindings), None);
    }

    /// As the watch does: the store first, then the question.
    fn told(writer: &mut Writer<Guarded>, bindings: &Bindings, revision: u32) -> bool {
        let seen = Guarded(Ok(binding("a", revision)));
        writer.apply_watcher_event(&Event::Apply(seen.clone()));
        bindings.is_own_write(&seen)
    }

    #[test]
    fn c36_own_writes_are_told_from_others_whenever_the_watch_tells_of_them() {
        let mut writer = Writer::<Guarded>::new(());
        let bindings = Bindings::new(writer.as_reader());
        bindings.write_begins("pay");
        assert!(told(&mut writer, &bindings, 1), "before its answer");
        assert!(!bindings.wrote(binding("a", 1)));
        bindings.write_begins("pay");
        assert!(!bindings.wrote(binding("a", 2)));
        assert!(told(&mut writer, &bindings, 1) && told(&mut writer, &bindings, 2), "after the one that followed");
        assert!(bindings.get("pay").unwrap().is_some());
        assert!(told(&mut writer, &bindings, 2), "after somebody has read it");
        assert!(!told(&mut writer, &bindings, 3), "somebody else's");
        bindings.write_begins("pay");
        assert!(told(&mut writer, &bindings, 5), "nobody knows yet");
        assert!(bindings.wrote(binding("a", 4)), "changed since");
    }
}
