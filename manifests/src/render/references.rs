//! Which namespace kustomize writes beside a name (folders.md F17): that of the one object it can mean.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::accumulate::Member;
use super::field_specs::REFERENCES;
use crate::record::Reference;
use crate::render::{FieldPath, Supplied};
use crate::scan::references::selects;

/// A reference that could mean several objects.
pub(crate) struct Ambiguous {
    /// Where the name is.
    pub(crate) at: FieldPath,
    /// Two of the documents it could mean.
    pub(crate) candidates: [usize; 2],
}

/// What a reference may lead to, by name, and which namespaces there are.
pub(crate) struct Candidates<'m, 'd> {
    by_name: HashMap<&'d str, Vec<&'m Member<'d>>>,
    /// (original, current, current as written) of every namespaced member.
    namespaces: HashSet<(&'m str, &'m str, Option<&'m str>)>,
}

impl<'m, 'd> Candidates<'m, 'd> {
    pub(crate) fn new(members: &'m [Member<'d>]) -> Self {
        let mut by_name: HashMap<_, Vec<_>> = HashMap::new();
        for member in members.iter().filter(|member| member.assigned.is_some()) {
            by_name.entry(member.name).or_default().push(member);
        }
        let inside = members.iter().filter(|member| !member.is_cluster);
        let namespaces =
            inside.map(|member| (member.original(), member.current(), member.namespace.as_deref())).collect();
        Self { by_name, namespaces }
    }

    /// The fields that kustomize sets in one document, in the order in which it sets them.
    pub(crate) fn supplied(&self, referrer: &Member<'d>) -> Result<Supplied, Ambiguous> {
        let mut supplied = Supplied::default();
        if referrer.assigned.is_some() && !referrer.is_cluster {
            supplied.namespace.clone_from(&referrer.namespace);
        }
        let Some(extra) = referrer.placed.record().extra() else { return Ok(supplied) };
        if let Some(namespace) = &referrer.assigned {
            supplied.fields = extra.supplied.iter().map(|path| (path.clone(), namespace.clone())).collect();
        }
        let now: Vec<(&Reference, Option<Arc<str>>)> = extra
            .references
            .iter()
            .map(|reference| {
                let field = reference.at.key("namespace");
                let set =
                    supplied.fields.iter().find(|(path, _)| *path == field).map(|(_, namespace)| namespace.clone());
                (reference, set.or_else(|| reference.namespace.clone()))
            })
            .collect();
        let bound = if &*referrer.placed.record().kind == "RoleBinding" { accounts(&now) } else { Vec::new() };
        for (reference, namespace) in &now {
            let found = self.find(referrer, reference, namespace.as_deref(), &bound)?;
            if let Some(namespace) = found.and_then(|member| member.namespace.clone()) {
                let field = reference.at.key("namespace");
                supplied.fields.retain(|(path, _)| *path != field);
                supplied.fields.push((field, namespace));
            }
        }
        Ok(supplied)
    }

    fn find(
        &self,
        referrer: &Member<'d>,
        reference: &Reference,
        namespace: Option<&str>,
        bound: &[Arc<str>],
    ) -> Result<Option<&'m Member<'d>>, Ambiguous> {
        let target = REFERENCES[reference.rule].target;
        let could_be_seen = |current: &str, written: Option<&str>| {
            referrer.is_cluster
                || current == referrer.current()
                || bound.iter().any(|namespace| **namespace == *written.unwrap_or_default())
        };
        // A stated namespace means the former one if anything here had it, else the present one.
        let is_former = namespace.is_some_and(|stated| {
            self.namespaces
                .iter()
                .any(|(original, current, written)| *original == stated && could_be_seen(current, *written))
        });
        let mut found = self.by_name.get(&*reference.name).into_iter().flatten().filter(|member| {
            let record = member.placed.record();
            let is_visible = member.is_cluster || could_be_seen(member.current(), member.namespace.as_deref());
            let is_stated = namespace.is_none_or(|stated| {
                !member.is_cluster && if is_former { member.original() == stated } else { member.current() == stated }
            });
            let is_near = referrer.is_cluster
                || member.is_cluster
                || &*record.kind == "ServiceAccount"
                || member.current() == referrer.current();
            is_visible && is_stated && is_near && selects(target, &record.api_version, &record.kind)
        });
        let Some(first) = found.next() else { return Ok(None) };
        match found.find(|other| other.namespace != first.namespace) {
            Some(other) => Err(Ambiguous { at: reference.at.clone(), candidates: [first.index, other.index] }),
            None => Ok(Some(first)),
        }
    }
}

/// The namespaces of the `ServiceAccounts` among the subjects: a `RoleBinding` sees those beside its own.
fn accounts(now: &[(&Reference, Option<Arc<str>>)]) -> Vec<Arc<str>> {
    let accounts = now.iter().filter(|(reference, _)| reference.kind.as_deref() == Some("ServiceAccount"));
    accounts.filter_map(|(_, namespace)| namespace.clone()).collect()
}
