//! Which providers and targets stand.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use kube::{Resource, ResourceExt};

use super::{Name, Outlook, ProviderOutlook, TargetOutlook, World};
use crate::api::{GitProvider, GitTarget};
use crate::livegit::fault::{Fault, Reason};
use crate::livegit::overlap::{Claim, conflicts};
use crate::livegit::url::RepositoryUrl;
use crate::livegit::{fixed, provider, target};
use crate::scope::Verdict;

/// The name of an object, where its namespace is managed and it is not on its way out (F60).
pub(super) fn managed<K: Resource>(world: &World<'_>, object: &K) -> Option<Name> {
    let namespace = object.namespace().unwrap_or_default();
    let is_managed = world.scope.verdict(&namespace) == Verdict::InScope && object.meta().deletion_timestamp.is_none();
    is_managed.then(|| Name { namespace, name: object.name_any() })
}

/// Every provider by itself, every target beside its provider and the other targets.
pub(super) fn judge(world: &World<'_>, outlook: &mut Outlook) {
    let mut providers: HashMap<Name, &Arc<GitProvider>> = HashMap::new();
    for object in world.providers {
        let Some(name) = managed(world, &**object) else { continue };
        let mut faults = provider::check(&object.spec, world.allow_local);
        faults.extend(world.locked.get(&name).cloned());
        outlook.providers.insert(name.clone(), ProviderOutlook { faults, targets: 0 });
        providers.insert(name, object);
    }
    let mut claims = Vec::new();
    let mut claimed = Vec::new();
    for object in world.targets {
        let Some(name) = managed(world, &**object) else { continue };
        let mut faults = target::check(&object.spec);
        let provider_name = Name { namespace: name.namespace.clone(), name: object.spec.provider_ref.name.clone() };
        let provider = providers.get(&provider_name);
        faults.extend(target::check_provider(&object.spec, provider.map(|provider| &***provider)));
        if let Some(judged) = outlook.providers.get_mut(&provider_name) {
            judged.targets += 1;
            faults.extend(judged.faults.first().map(|fault| unsound(&provider_name, fault)));
        }
        if faults.is_empty()
            && let Some(claim) = provider.and_then(|provider| claim(world, provider, object, &name))
        {
            claims.push(claim);
            claimed.push(name.clone());
        }
        outlook.targets.insert(name, TargetOutlook { faults, ..TargetOutlook::default() });
    }
    for (name, conflict) in claimed.iter().zip(conflicts(&claims)) {
        if let Some(target) = outlook.targets.get_mut(name) {
            target.faults.extend(conflict);
        }
    }
}

/// Every `namespaceContext` beside the rules that are bound (F36).
pub(super) fn judge_contexts(world: &World<'_>, outlook: &mut Outlook) {
    for object in world.targets {
        let Some(context) = &object.spec.namespace_context else { continue };
        let name = Name { namespace: object.namespace().unwrap_or_default(), name: object.name_any() };
        let Some(target) = outlook.targets.get_mut(&name) else { continue };
        let bound: Vec<(String, Option<String>)> =
            target.bound.iter().map(|rule| (rule.to_string(), rule.namespace().map(str::to_owned))).collect();
        let rules = bound.iter().map(|(rule, namespace)| (rule.as_str(), namespace.as_deref()));
        target.faults.extend(fixed::check(&context.namespace, rules));
    }
}

fn claim(world: &World<'_>, provider: &GitProvider, target: &GitTarget, name: &Name) -> Option<Claim> {
    let url = RepositoryUrl::parse(&provider.spec.url, world.allow_local).ok()?;
    Some(Claim {
        target: name.to_string(),
        since: target.metadata.creation_timestamp.as_ref().map_or(Timestamp::UNIX_EPOCH, |time| time.0),
        repository: url.repository(),
        branch: target.spec.branch.0.clone(),
        path: target.spec.path.clone(),
    })
}

fn unsound(provider: &Name, fault: &Fault) -> Fault {
    let what = format!("GitProvider {} is not sound: {fault}", provider.name);
    Fault::new(Reason::ProviderInvalid, "spec.providerRef", what, "mend the provider")
}
