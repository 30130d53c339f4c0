//! All that can be known about a class without a namespace: what admission answers, and what the condition Accepted
//! of a class says (admission.md A04, A05).

use serde_json::Value;

use crate::class::{CompiledClass, CompiledItem};
use crate::finding::{Finding, Reason, most_of};
use crate::guarded::GuardedKeys;
use crate::kinds::{Kinds, Scope};
use crate::path::FieldPath;
use crate::placement;
use crate::policy::Policy;
use crate::shared_name;
use crate::trust;

/// Judges a class from the text of its items. Errors refuse it; warnings do not.
pub fn validate_class(
    name: &str,
    resources: &[Value],
    policy: &Policy,
    kinds: &dyn Kinds,
    guarded: &GuardedKeys,
) -> Vec<Finding> {
    CompiledClass::compile(name, resources).validate(policy, kinds, guarded)
}

impl CompiledClass<'_> {
    /// All findings, errors and warnings: first what concerns the class, then item by item, in one order always.
    ///
    /// A class without errors here can still fail for a namespace: a label is missing there, or holds what does not
    /// fit its place.
    pub fn validate(&self, policy: &Policy, kinds: &dyn Kinds, guarded: &GuardedKeys) -> Vec<Finding> {
        let mut findings = self.findings().to_vec();
        for item in self.items() {
            let scope = kinds.scope(item.gvk());
            let mut mistakes: Vec<Finding> =
                policy.finding(item.item_ref(), item.gvk(), item.manifest()).into_iter().collect();
            mistakes.extend(placement::check(item, scope));
            mistakes.extend(placement::warn(item, scope));
            mistakes.extend(shared_name::warn(item, scope));
            mistakes.extend(unknown_kind(item, scope));
            mistakes.extend(trust::check(item, scope, guarded));
            mistakes.extend(trust::system_prefixes(item));
            findings.extend(most_of(mistakes));
        }
        findings.sort_by_key(|finding| finding.item.as_ref().map(|item| item.index));
        findings
    }
}

/// Warns of a kind that is not served: a typing error, or a CRD that comes later.
fn unknown_kind(item: &CompiledItem<'_>, scope: Scope) -> Option<Finding> {
    let (message, remedy) = ("the API server does not serve it", "right if its CRD comes later");
    (scope == Scope::Unknown)
        .then(|| item.item_ref().warning(Reason::KindNotFound, &FieldPath::of(["kind"]), message, remedy))
}

#[cfg(test)]
mod tests;
