//! Which rules a target takes, and what they have watched.

use kube::{Resource, ResourceExt};

use super::targets::managed;
use super::{KindState, May, Name, Outlook, RuleId, RuleOutlook, StreamId, World};
use crate::api::{Author, GitTarget, KindRule, TargetRef};
use crate::livegit::access::Question;
use crate::livegit::admit;
use crate::livegit::fault::{Fault, Reason};
use crate::livegit::kinds::{self, GroupResource};
use crate::livegit::served::{self, Found};
use crate::scope::{Selector, Verdict};

/// A rule of either kind.
struct Rule<'a> {
    id: RuleId,
    target: &'a TargetRef,
    author: &'a Author,
    rules: &'a [KindRule],
}

/// Every rule that is in scope: cluster rules always are.
fn all<'a>(world: &World<'a>) -> impl Iterator<Item = Rule<'a>> {
    let namespaced = world.rules.iter().filter_map(|rule| {
        let spec = &rule.spec;
        let id = RuleId::Namespaced(managed(world, &**rule)?);
        Some(Rule { id, target: &spec.target_ref, author: &spec.author, rules: &spec.rules })
    });
    let cluster = world.cluster_rules.iter().filter(|rule| rule.meta().deletion_timestamp.is_none()).map(|rule| {
        let spec = &rule.spec;
        let id = RuleId::Cluster(rule.name_any());
        Rule { id, target: &spec.target_ref, author: &spec.author, rules: &spec.rules }
    });
    namespaced.collect::<Vec<_>>().into_iter().chain(cluster)
}

/// Binds every rule to its target, if that takes it.
pub(super) fn bind(world: &World<'_>, outlook: &mut Outlook) {
    for rule in all(world) {
        let namespace = rule.target.namespace.as_deref().or(rule.id.namespace()).unwrap_or_default();
        let target = Name { namespace: namespace.to_owned(), name: rule.target.name.clone() };
        let mut judged = RuleOutlook {
            faults: kinds::check(rule.rules),
            waits: None,
            kinds: std::collections::BTreeMap::new(),
            target: target.clone(),
        };
        match find(world, outlook, &target) {
            Ok(object) => match admit::takes(object, rule.id.namespace()) {
                Ok(()) => {
                    if let Some(target) = outlook.targets.get_mut(&target) {
                        target.bound.push(rule.id.clone());
                    }
                }
                Err(fault) => judged.faults.push(fault),
            },
            Err(waits) => judged.waits = Some(waits),
        }
        outlook.rules.insert(rule.id, judged);
    }
}

/// Says of every kind of every bound rule whether it is watched.
pub(super) fn expand(world: &World<'_>, outlook: &mut Outlook) {
    for rule in all(world) {
        let Some(judged) = outlook.rules.get_mut(&rule.id) else { continue };
        if !judged.faults.is_empty() || judged.waits.is_some() {
            continue;
        }
        let Some(target) = outlook.targets.get_mut(&judged.target) else { continue };
        if let Some(fault) = target.faults.first() {
            judged.waits = Some(invalid(&judged.target, fault));
            continue;
        }
        for kind in kinds::named(rule.rules) {
            let stream = StreamId { kind: kind.clone(), namespace: rule.id.namespace().map(str::to_owned) };
            let question =
                Question { author: rule.author.clone(), kind: kind.clone(), namespace: stream.namespace.clone() };
            let state = match fits(world, &rule.id, &kind) {
                Err(state) => state,
                Ok(()) => match world.access.may(&question) {
                    May::Yes => KindState::Streams(stream),
                    May::No(verbs) => question.missing(&verbs).map_or(KindState::Asking, KindState::Refused),
                    May::Unknown => {
                        outlook.questions.insert(question);
                        KindState::Asking
                    }
                },
            };
            if let KindState::Streams(stream) = &state {
                let selection = target.streams.entry(stream.clone()).or_default();
                for selector in selectors(rule.rules, &kind) {
                    if !selection.0.contains(&selector) {
                        selection.0.push(selector);
                    }
                }
            } else {
                target.waiting += 1;
            }
            judged.kinds.insert(kind, state);
        }
    }
}

/// The target, if it is there and managed.
fn find<'a>(world: &World<'a>, outlook: &Outlook, name: &Name) -> Result<&'a GitTarget, Fault> {
    if outlook.targets.contains_key(name) {
        let is = |object: &GitTarget| {
            object.name_any() == name.name && object.namespace().as_deref() == Some(&name.namespace)
        };
        if let Some(object) = world.targets.iter().find(|object| is(object)) {
            return Ok(object);
        }
    }
    let field = "spec.targetRef";
    Err(match world.scope.verdict(&name.namespace) {
        Verdict::InScope => Fault::new(
            Reason::TargetNotFound,
            field,
            format!("there is no GitTarget {name}"),
            "make it, or correct the reference",
        ),
        Verdict::OutOfScope | Verdict::Unknown => Fault::new(
            Reason::TargetOutOfScope,
            field,
            format!("namespace {} of GitTarget {} is not managed by this operator now", name.namespace, name.name),
            "nothing is watched until it is again; that is noticed at once",
        ),
    })
}

/// Whether the kind is one that this rule can name.
fn fits(world: &World<'_>, rule: &RuleId, kind: &GroupResource) -> Result<(), KindState> {
    let found = world.served.find(kind);
    match served::check(kind, found, matches!(rule, RuleId::Cluster(_))) {
        None if found == Found::Unknown => Err(KindState::Asking),
        None => Ok(()),
        Some(fault) if fault.reason == Reason::KindNotFound => Err(KindState::Waits(fault)),
        Some(fault) => Err(KindState::Refused(fault)),
    }
}

/// The selectors of the entries that name a kind.
fn selectors(rules: &[KindRule], kind: &GroupResource) -> Vec<Selector> {
    let named = rules.iter().filter(|rule| kinds::of_entry(rule).any(|named| named == *kind));
    named
        .filter_map(|rule| {
            rule.label_selector.as_ref().map_or(Some(Selector::default()), |selector| Selector::compile(selector).ok())
        })
        .collect()
}

fn invalid(target: &Name, fault: &Fault) -> Fault {
    let what = format!("GitTarget {target} is not sound: {fault}");
    Fault::new(Reason::TargetInvalid, "spec.targetRef", what, "it is watched as soon as the target is sound")
}
