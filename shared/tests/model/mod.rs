//! A cluster with one namespace and two classes, as far as the plan's laws need it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use nsclass_shared::{
    api::{Adoption, Immutable, NamespaceClassBinding, OnDelete, OptOutDelay},
    identity::ObjectIdentity,
    names,
    plan::{
        ClassFacts, ClassState, Desired, Held, Intent, LiveObject, NamespaceFacts, NamespaceState, Observed, Outcome,
        Pass, Precondition, Protected, Rank, Refusal, Rendering, Requeue, Step, Suspect,
    },
    reason::Reason,
    scope::Verdict,
};
use proptest::prelude::*;
use serde_json::json;

const NAMESPACE: &str = "payments";
const CLASSES: [&str; 2] = ["alpha", "beta"];

/// The objects that classes may have: three kinds in the namespace (one restricts, one grants), two of the cluster.
const POOL: [(&str, &str, bool, &str); 6] = [
    ("networking.k8s.io", "NetworkPolicy", true, "deny"),
    ("", "ConfigMap", true, "one"),
    ("", "ConfigMap", true, "two"),
    ("rbac.authorization.k8s.io", "RoleBinding", true, "team"),
    ("rbac.authorization.k8s.io", "ClusterRole", false, "payments-reader"),
    ("example.io", "Zone", false, "payments"),
];

/// Something that a person or another controller does.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Label(Option<usize>),
    /// Class, items of the pool, revision of their content.
    Edit(usize, BTreeSet<usize>, u8),
    SetOnDelete(usize, OnDelete),
    DeleteClass(usize),
    ForeignObject(usize),
    RemoveForeign,
    AddFinalizer(usize),
    ReleaseFinalizers,
    /// Somebody deletes an object of ours, or does this to it.
    Drift(usize, Drifts),
    /// Classes cannot be rendered for the namespace any more, or can again.
    Failing(bool),
    DeleteNamespace,
    MakeNamespace,
    Later,
    /// The namespace is labelled into the scope, or out of it.
    Scope(bool),
}

/// What others do to an object of ours.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Drifts {
    Delete,
    Change,
    /// A field beside ours; and then the tracks are covered.
    Add {
        hidden: bool,
    },
}

pub(crate) fn drift() -> impl Strategy<Value = Event> {
    let drifts = prop_oneof![
        Just(Drifts::Delete),
        Just(Drifts::Change),
        any::<bool>().prop_map(|hidden| Drifts::Add { hidden })
    ];
    (0..POOL.len(), drifts).prop_map(|(item, drifts)| Event::Drift(item, drifts))
}

pub(crate) fn event() -> impl Strategy<Value = Event> {
    let class = 0..CLASSES.len();
    let item = 0..POOL.len();
    prop_oneof![
        4 => proptest::option::weighted(0.8, class.clone()).prop_map(Event::Label),
        5 => (class.clone(), proptest::collection::btree_set(item.clone(), 1..5), 0_u8..3).prop_map(|(c, i, r)| Event::Edit(c, i, r)),
        1 => (class.clone(), prop_oneof![Just(OnDelete::Delete), Just(OnDelete::Orphan)]).prop_map(|(c, o)| Event::SetOnDelete(c, o)),
        1 => class.prop_map(Event::DeleteClass),
        1 => item.clone().prop_map(Event::ForeignObject),
        1 => Just(Event::RemoveForeign),
        1 => item.prop_map(Event::AddFinalizer),
        2 => Just(Event::ReleaseFinalizers),
        1 => Just(Event::DeleteNamespace),
        2 => Just(Event::MakeNamespace),
        2 => Just(Event::Later),
        2 => proptest::bool::weighted(0.6).prop_map(Event::Scope),
    ]
}

#[derive(Clone, Debug, Default)]
struct Class {
    items: BTreeSet<usize>,
    revision: u8,
    generation: i64,
    on_delete: OnDelete,
    deleting: bool,
}

#[derive(Clone, Debug)]
struct Object {
    live: LiveObject,
    content: String,
    /// Something of others beside ours.
    extended: bool,
}

#[derive(Clone, Debug)]
struct Namespace {
    uid: String,
    held: bool,
    terminating: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct World {
    now: Timestamp,
    in_scope: bool,
    serial: u32,
    label: Option<usize>,
    namespace: Option<Namespace>,
    classes: BTreeMap<usize, Class>,
    objects: BTreeMap<ObjectIdentity, Object>,
    binding: Option<NamespaceClassBinding>,
    failing: bool,
    /// What the watch saw beside our fields.
    seen: BTreeMap<ObjectIdentity, Suspect>,
    /// The mass-delete guard lets nothing pass.
    pub(crate) guard_holds: bool,
}

impl Default for World {
    fn default() -> Self {
        let namespace = Namespace { uid: "namespace-0".into(), held: false, terminating: false };
        Self {
            now: Timestamp::UNIX_EPOCH,
            in_scope: true,
            serial: 0,
            label: None,
            namespace: Some(namespace),
            classes: BTreeMap::new(),
            objects: BTreeMap::new(),
            binding: None,
            failing: false,
            seen: BTreeMap::new(),
            guard_holds: false,
        }
    }
}

fn identity(item: usize) -> ObjectIdentity {
    let (group, kind, namespaced, name) = POOL[item];
    ObjectIdentity {
        group: group.into(),
        kind: kind.into(),
        namespace: namespaced.then(|| NAMESPACE.into()),
        name: name.into(),
    }
}

/// A question.
fn changes_nothing(step: &Step) -> bool {
    matches!(step, Step::Read(_) | Step::AskGuard { .. })
}

/// Stands for the hash of a rendering: no dash, like the real one.
fn hash(content: &str, namespace_uid: &str) -> String {
    format!("{content}/{namespace_uid}").replace('-', "_")
}

impl World {
    pub(crate) fn happen(&mut self, event: &Event) {
        self.serial += 1;
        match event {
            Event::Label(class) => self.label = *class,
            Event::Edit(class, items, revision) => {
                let entry = self.classes.entry(*class).or_default();
                if !entry.deleting {
                    entry.generation += 1;
                    entry.items.clone_from(items);
                    entry.revision = *revision;
                }
            }
            Event::SetOnDelete(class, on_delete) => {
                if let Some(class) = self.classes.get_mut(class) {
                    class.on_delete = *on_delete;
                }
            }
            Event::DeleteClass(class) => {
                if let Some(class) = self.classes.get_mut(class) {
                    class.deleting = true;
                }
            }
            Event::ForeignObject(item) => {
                let live = LiveObject {
                    uid: format!("foreign-{}", self.serial),
                    managers: vec!["kubectl".into()],
                    ..Default::default()
                };
                let there = POOL[*item].2 && self.namespace.as_ref().is_none_or(|n| n.terminating);
                if !there {
                    self.objects.entry(identity(*item)).or_insert(Object {
                        live,
                        content: "foreign".into(),
                        extended: false,
                    });
                }
            }
            Event::RemoveForeign => self.objects.retain(|_, o| o.content != "foreign"),
            Event::AddFinalizer(item) => {
                if let Some(object) = self.objects.get_mut(&identity(*item)) {
                    object.live.finalizers = vec!["example.io/hold".into()];
                }
            }
            Event::ReleaseFinalizers => {
                for object in self.objects.values_mut() {
                    object.live.finalizers.clear();
                }
                self.objects.retain(|_, o| o.live.deleting_since.is_none());
            }
            Event::Drift(item, drifts) => self.drift(&identity(*item), *drifts),
            Event::Failing(failing) => self.failing = *failing,
            Event::DeleteNamespace => {
                if let Some(namespace) = &mut self.namespace {
                    namespace.terminating = true;
                }
            }
            Event::MakeNamespace => {
                let uid = format!("namespace-{}", self.serial);
                self.namespace.get_or_insert(Namespace { uid, held: false, terminating: false });
            }
            Event::Scope(in_scope) => self.in_scope = *in_scope,
            Event::Later => self.now = self.now.checked_add(SignedDuration::from_mins(2)).unwrap(),
        }
        self.cluster_acts();
    }

    fn drift(&mut self, identity: &ObjectIdentity, drifts: Drifts) {
        let Some(object) = self.objects.get_mut(identity).filter(|o| o.live.uid.starts_with("object")) else { return };
        match drifts {
            Drifts::Delete => {
                self.objects.remove(identity);
            }
            Drifts::Change => {
                "tampered".clone_into(&mut object.content);
                object.live.fields = Some("less".into());
            }
            Drifts::Add { hidden } => {
                object.extended = true;
                let held = Held { manager: "tenant".into(), fields: json!({ "f:spec": { "f:x": {} } }) };
                self.seen.entry(identity.clone()).or_default().beside.push(held.clone());
                object.live.others = if hidden { vec![] } else { vec![held] };
            }
        }
    }

    /// What the namespace controller and the class reconcile do on their own.
    fn cluster_acts(&mut self) {
        if self.namespace.as_ref().is_some_and(|n| n.terminating) {
            self.objects.retain(|id, o| id.namespace.is_none() || !o.live.finalizers.is_empty());
            let empty = self.objects.keys().all(|id| id.namespace.is_none());
            if empty && self.namespace.as_ref().is_some_and(|n| !n.held) {
                self.namespace = None;
            }
        }
        let bound = self.binding.as_ref().map(|b| b.spec.class_name.clone()).unwrap_or_default();
        self.classes.retain(|i, c| !c.deleting || CLASSES[*i] == bound);
    }

    fn class_state(&self, index: usize, uid: &str) -> ClassState {
        let Some(class) = self.classes.get(&index) else { return ClassState::Absent };
        let facts = ClassFacts {
            generation: class.generation,
            adoption: Adoption::Refuse,
            on_delete: class.on_delete,
            immutable: Immutable::Report,
            opt_out_delay: OptOutDelay::default(),
            ..ClassFacts::default()
        };
        if class.deleting {
            return ClassState::Deleting(facts);
        }
        if class.items.is_empty() {
            return ClassState::Absent;
        }
        let desired =
            class.items.iter().map(|&item| Self::desired(CLASSES[index], class.revision, item, uid)).collect();
        if self.failing {
            let failed = Rendering::Failed { reason: Reason::RenderFailed, message: "a label is missing".into() };
            return ClassState::Accepted(facts, failed);
        }
        ClassState::Accepted(facts, Rendering::Objects { desired, waiting: vec![], values: BTreeMap::new() })
    }

    fn desired(class: &str, revision: u8, item: usize, uid: &str) -> Desired {
        let identity = identity(item);
        // The first half of the pool is the same in every class and revision.
        let content = if item.is_multiple_of(2) { "same".to_owned() } else { format!("{class}-{revision}") };
        Desired {
            version: "v1".into(),
            manifest: json!({ "content": content, "uid": uid, "class": class, "hash": hash(&content, uid) }).into(),
            hash: hash(&content, uid),
            exact: Rank::of(&identity.group, &identity.kind).is_exact(),
            identity,
            on_delete: None,
        }
    }

    pub(crate) fn observe(&self) -> Observed {
        let uid = self.namespace.as_ref().map_or("", |n| &n.uid);
        let requested =
            self.label.filter(|_| self.namespace.is_some()).map(|i| (CLASSES[i].to_owned(), self.class_state(i, uid)));
        let bound = self.binding.as_ref().and_then(|b| CLASSES.iter().position(|c| *c == b.spec.class_name));
        Observed {
            now: self.now,
            name: NAMESPACE.into(),
            instance: "default".into(),
            namespace: match &self.namespace {
                Some(n) => NamespaceState::Present(NamespaceFacts {
                    uid: n.uid.clone(),
                    terminating: n.terminating,
                    held: n.held,
                }),
                None => NamespaceState::Gone,
            },
            reserved: false,
            scope: if self.in_scope { Verdict::InScope } else { Verdict::OutOfScope },
            suspended: None,
            unlicensed: None,
            first_start: None,
            search: None,
            hold_namespaces: true,
            requested,
            bound: bound.filter(|i| self.label != Some(*i)).map(|i| self.class_state(i, uid)),
            binding: self.binding.clone(),
            live: BTreeMap::new(),
            suspects: BTreeMap::new(),
            fights: BTreeMap::new(),
            protected: None,
            refused: BTreeMap::new(),
        }
    }

    /// A pass over what is there now.
    pub(crate) fn pass(&self) -> Pass {
        Pass::begin(self.observe())
    }

    /// Carries out one step as the API server would.
    fn carry_out(&mut self, step: &Step) -> Outcome {
        let keeps = !self.in_scope && self.namespace.as_ref().is_some_and(|n| !n.terminating && self.is_of_binding(n));
        assert!(!keeps || matches!(step, Step::WriteBinding(_)), "out of scope, and yet {step:?}");
        let outcome = self.answer(step);
        self.check_inventory_covers_what_is_ours(step);
        self.cluster_acts();
        outcome
    }

    fn answer(&mut self, step: &Step) -> Outcome {
        self.serial += 1;
        match step {
            Step::AskGuard { .. } if self.guard_holds => Outcome::GuardHolds(None),
            Step::AskGuard { .. } => Outcome::GuardPassed,
            Step::WriteBinding(binding) => {
                let stored_version = self.binding.as_ref().and_then(|b| b.metadata.resource_version.clone());
                if binding.metadata.resource_version != stored_version {
                    return Outcome::Stale;
                }
                let mut written = binding.clone();
                written.metadata.resource_version = Some(self.serial.to_string());
                self.binding = Some((*written).clone());
                Outcome::BindingWritten(written)
            }
            Step::DeleteBinding(_) => {
                self.binding = None;
                Outcome::Done
            }
            Step::HoldNamespace { uid } => self.set_held(uid, true),
            Step::FreeNamespace { uid } => self.set_held(uid, false),
            Step::Read(object) => Outcome::Read(self.objects.get(&object.identity).map(|o| Box::new(o.live.clone()))),
            Step::Apply { object, manifest, precondition, .. } => {
                let there = self.objects.get(&object.identity);
                let holds = match precondition {
                    Precondition::Absent => there.is_none(),
                    Precondition::Uid(uid) => there.is_some_and(|o| o.live.uid == *uid),
                };
                if !holds {
                    return Outcome::PreconditionFailed;
                }
                if there.is_none()
                    && object.identity.namespace.is_some()
                    && self.namespace.as_ref().is_none_or(|n| n.terminating)
                {
                    return Outcome::Refused(Refusal {
                        reason: Reason::ApplyFailed,
                        message: "namespace is terminating".into(),
                    });
                }
                let fresh = format!("object-{}", self.serial);
                let entry = self.objects.entry(object.identity.clone()).or_insert_with(|| Object {
                    live: LiveObject { uid: fresh, ..LiveObject::default() },
                    content: String::new(),
                    extended: false,
                });
                manifest["content"].as_str().unwrap().clone_into(&mut entry.content);
                let live = &mut entry.live;
                live.labels.insert(names::MANAGED_LABEL.into(), "true".into());
                live.labels.insert(names::OBJECT_NAMESPACE_LABEL.into(), NAMESPACE.into());
                live.annotations.insert(names::OBJECT_ANNOTATION.into(), object.identity.to_string());
                live.annotations.insert(names::OWNER_UID_ANNOTATION.into(), manifest["uid"].as_str().unwrap().into());
                live.annotations.insert(names::RENDERED_ANNOTATION.into(), manifest["hash"].as_str().unwrap().into());
                live.fields = Some("fields".into());
                Outcome::Applied { uid: live.uid.clone(), fields: "fields".into(), beside: live.beside() }
            }
            Step::Strip { object, uid, .. } => match self.objects.get_mut(&object.identity) {
                Some(there) if there.live.uid == *uid => {
                    there.extended = false;
                    there.live.others.clear();
                    let fields = there.live.fields.clone().unwrap_or_default();
                    Outcome::Applied { uid: uid.clone(), fields, beside: vec![] }
                }
                Some(_) => Outcome::PreconditionFailed,
                None => Outcome::Read(None),
            },
            Step::Delete { object, uid } => match self.objects.get_mut(&object.identity) {
                None => Outcome::Read(None),
                Some(there) if there.live.uid != *uid => Outcome::PreconditionFailed,
                Some(there) => {
                    assert!(there.content != "foreign", "deleted a foreign object: {step:?}");
                    if there.live.finalizers.is_empty() {
                        self.objects.remove(&object.identity);
                    } else {
                        there.live.deleting_since = Some(self.now);
                    }
                    Outcome::DeleteAccepted
                }
            },
            Step::Disown { object, uid } => match self.objects.get_mut(&object.identity) {
                Some(there) if there.live.uid == *uid => {
                    there.live.labels.clear();
                    there.live.annotations.clear();
                    "foreign".clone_into(&mut there.content);
                    Outcome::Done
                }
                Some(_) => Outcome::PreconditionFailed,
                None => Outcome::Read(None),
            },
        }
    }

    /// Whether the inventory speaks of this very namespace.
    fn is_of_binding(&self, namespace: &Namespace) -> bool {
        let recorded = self.binding.as_ref().and_then(|b| b.status.as_ref()).map_or("", |s| &s.observed_namespace_uid);
        recorded.is_empty() || recorded == namespace.uid
    }

    fn set_held(&mut self, meant: &str, held: bool) -> Outcome {
        match &mut self.namespace {
            Some(n) if n.uid == meant && !(held && n.terminating) => n.held = held,
            _ => return Outcome::Stale,
        }
        Outcome::Done
    }

    /// At no instant is there an object that is ours and in no inventory.
    fn check_inventory_covers_what_is_ours(&self, after: &Step) {
        let recorded: BTreeSet<_> = self
            .binding
            .iter()
            .filter_map(|b| b.status.as_ref())
            .flat_map(|s| s.inventory.iter().map(nsclass_shared::api::InventoryEntry::identity))
            .collect();
        for (identity, object) in &self.objects {
            let ours = object.live.annotations.contains_key(names::OBJECT_ANNOTATION);
            // What is left inside a namespace that is gone or going is the namespace controller's.
            let there = identity.namespace.is_none() || self.namespace.as_ref().is_some_and(|n| !n.terminating);
            assert!(
                !ours || !there || recorded.contains(identity),
                "{identity} is ours and in no inventory after {after:?}"
            );
        }
    }

    /// Runs one pass up to `after` steps; the answer to the last of them is lost where `lose_answer`.
    pub(crate) fn run_cut(&mut self, after: usize, lose_answer: bool) {
        let mut pass = self.pass();
        for i in 0..after {
            let Some(step) = pass.next_step() else { return };
            let outcome = self.carry_out(&step);
            let lost = lose_answer && i + 1 == after;
            pass.record(if lost {
                Outcome::Refused(Refusal { reason: Reason::ApplyFailed, message: "connection reset".into() })
            } else {
                outcome
            });
        }
        if lose_answer {
            // The pass goes on with what it believes.
            while let Some(step) = pass.next_step() {
                let outcome = self.carry_out(&step);
                pass.record(outcome);
            }
        }
    }

    /// Runs passes until one has nothing to do, as the queue would.
    pub(crate) fn settle(&mut self) {
        for _ in 0..20 {
            if self.steps_of_one_pass_here().iter().all(changes_nothing) {
                return;
            }
        }
        panic!("no rest after 20 passes: {self:#?}");
    }

    /// The steps that a pass would take, in a copy of the world.
    pub(crate) fn steps_of_one_pass(&self) -> Vec<Step> {
        let mut copy = self.clone();
        let steps = copy.steps_of_one_pass_here();
        // A read is no write, and a question neither: it is how entries without UID and blocked objects are looked at again.
        steps.into_iter().filter(|step| !changes_nothing(step)).collect()
    }

    fn steps_of_one_pass_here(&mut self) -> Vec<Step> {
        self.run(self.pass())
    }

    fn run(&mut self, mut pass: Pass) -> Vec<Step> {
        let (mut steps, mut applied) = (vec![], BTreeSet::new());
        let class_before = self.binding.as_ref().map(|b| b.spec.class_name.clone());
        while let Some(step) = pass.next_step() {
            if let Step::Apply { object, .. } = &step {
                applied.insert(object.identity.clone());
            }
            if let Step::Delete { object, .. } = &step {
                assert!(!applied.contains(&object.identity), "applied and deleted in one pass: {object:?}");
                let owed = matches!(pass.intent(), Intent::Collect | Intent::Terminate(_) | Intent::Renew(_));
                let switches =
                    matches!(pass.intent(), Intent::Converge(goal) if Some(&goal.class) != class_before.as_ref());
                assert!(!self.guard_holds || owed || switches, "deleted past the guard: {object:?}");
            }
            let outcome = self.carry_out(&step);
            pass.record(outcome);
            steps.push(step);
        }
        let spins = pass.report().requeue == Requeue::Now && steps.is_empty();
        assert!(!spins, "a pass without steps wants to run again at once");
        steps
    }

    /// What a person would compare: what is there, whose it is, and what the binding says.
    pub(crate) fn summary(&self) -> String {
        let objects: Vec<_> = self
            .objects
            .iter()
            .map(|(id, o)| format!("{id}={} deleting={}", o.content, o.live.deleting_since.is_some()))
            .collect();
        let binding = self.binding.as_ref().map(|b| {
            let status = b.status.clone().unwrap_or_default();
            let entries: Vec<_> = status.inventory.iter().map(|e| e.identity().to_string()).collect();
            let ready: Vec<_> = status.conditions.iter().map(|c| format!("{}/{}", c.status, c.reason)).collect();
            format!("{} wants {:?}: {entries:?} {ready:?}", b.spec.class_name, status.requested_class)
        });
        let namespace = self.namespace.as_ref().map(|n| (n.held, n.terminating));
        format!("{namespace:?}\n{objects:#?}\n{binding:#?}")
    }

    /// What is on the server: each object with its UID.
    pub(crate) fn objects(&self) -> Vec<(ObjectIdentity, String)> {
        self.objects.iter().map(|(identity, object)| (identity.clone(), object.live.uid.clone())).collect()
    }

    /// The periodic pass: looks at everything that the inventory names.
    pub(crate) fn verify(&mut self) {
        let mut observed = self.observe();
        let status = self.binding.as_ref().and_then(|b| b.status.clone()).unwrap_or_default();
        observed.live = status
            .inventory
            .iter()
            .map(|entry| (entry.identity(), self.objects.get(&entry.identity()).map(|o| o.live.clone())))
            .collect();
        self.run(Pass::begin(observed));
    }

    /// A pass that looks at everything because a watch saw something, with what the class gave last where it gives nothing now.
    pub(crate) fn heal(&mut self) -> Pass {
        let mut observed = self.observe();
        let status = self.binding.as_ref().and_then(|b| b.status.clone()).unwrap_or_default();
        let seen = std::mem::take(&mut self.seen);
        observed.suspects = status
            .inventory
            .iter()
            .map(|entry| (entry.identity(), seen.get(&entry.identity()).cloned().unwrap_or_default()))
            .collect();
        let bound = self.binding.as_ref().and_then(|b| CLASSES.iter().position(|c| *c == b.spec.class_name));
        let uid = self.namespace.as_ref().map_or("", |n| &n.uid);
        let was_failing = std::mem::take(&mut self.failing);
        if let Some(ClassState::Accepted(facts, Rendering::Objects { desired, .. })) =
            bound.map(|i| self.class_state(i, uid))
        {
            observed.protected = Some(Protected { facts, desired });
        }
        self.failing = was_failing;
        let mut pass = Pass::begin(observed);
        while let Some(step) = pass.next_step() {
            let outcome = self.carry_out(&step);
            pass.record(outcome);
        }
        pass
    }

    /// What others have done to objects that are as the inventory records them, in words.
    pub(crate) fn traces(&self) -> Vec<String> {
        let recorded = self.binding.iter().filter_map(|b| b.status.as_ref()).flat_map(|s| &s.inventory);
        let mut traces = vec![];
        for entry in recorded {
            let id = entry.identity();
            match self.objects.get(&id) {
                None => traces.push(format!("{id} is missing")),
                Some(o) if o.content == "tampered" => traces.push(format!("{id} is changed")),
                Some(o) if o.extended && Rank::of(&entry.group, &entry.kind).is_exact() => {
                    traces.push(format!("{id} has more"));
                }
                Some(_) => {}
            }
        }
        traces
    }

    /// The namespace has exactly what its class says, foreign objects aside.
    pub(crate) fn check_converged(&self) {
        let Some(namespace) = self.namespace.as_ref().filter(|n| !n.terminating) else { return };
        let Some((_, ClassState::Accepted(_, Rendering::Objects { desired, .. }))) = self.observe().requested else {
            return;
        };
        for wanted in &desired {
            let object = self.objects.get(&wanted.identity).unwrap_or_else(|| panic!("{} is missing", wanted.identity));
            assert!(
                object.content == "foreign" || hash(&object.content, &namespace.uid) == wanted.hash,
                "{}: {}",
                wanted.identity,
                object.content
            );
        }
    }
}
