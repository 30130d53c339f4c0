//! What is wrong with a `GitTarget` by itself, and beside its provider.

use super::branch::is_branch;
use super::fault::{Fault, Reason};
use super::path;
use crate::api::{GitProvider, GitTargetSpec};
use crate::validity::is_dns_label;

/// Everything that is wrong whatever else there is.
pub fn check(spec: &GitTargetSpec) -> Vec<Fault> {
    let mut faults: Vec<Fault> = path::check(&spec.path).into_iter().collect();
    if !is_branch(&spec.branch) {
        let what = format!("{:?} is no name of a branch", spec.branch.0);
        faults.push(Fault::new(Reason::BranchNotAllowed, "spec.branch", what, "write one like main or team/prod"));
    }
    let fixed = spec.namespace_context.iter().map(|context| ("spec.namespaceContext.namespace", &context.namespace));
    let allowed = spec.allowed_namespaces.iter().map(|namespace| ("spec.allowedNamespaces", namespace));
    for (field, name) in fixed.chain(allowed).filter(|(_, name)| !is_dns_label(name)) {
        let what = format!("{name:?} is no name of a namespace");
        faults.push(Fault::new(Reason::NamespaceInvalid, field, what, "name namespaces one by one"));
    }
    faults
}

/// Whether its provider allows it.
pub fn check_provider(spec: &GitTargetSpec, provider: Option<&GitProvider>) -> Option<Fault> {
    let name = &spec.provider_ref.name;
    let Some(provider) = provider else {
        let what = format!("there is no GitProvider {name} in this namespace");
        return Some(Fault::new(Reason::ProviderNotFound, "spec.providerRef", what, "make it, or correct the name"));
    };
    if provider.spec.branches.contains(&spec.branch) {
        return None;
    }
    let allowed: Vec<&str> = provider.spec.branches.iter().map(|branch| &**branch).collect();
    Some(Fault::new(
        Reason::BranchNotAllowed,
        "spec.branch",
        format!("GitProvider {name} does not allow branch {}", spec.branch),
        format!("name one of {}, or add it to the provider's spec.branches", allowed.join(", ")),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{provider, target};
    use super::*;
    use crate::api::{BranchName, ContextKind, NamespaceContext};

    #[test]
    fn a05_every_fault_of_a_target_is_named_at_once() {
        let mut target = target("pay", "prod", "main", "apps");
        assert_eq!(check(&target.spec), []);
        target.spec.path = "../etc".to_owned();
        target.spec.branch = BranchName("a b".to_owned());
        target.spec.allowed_namespaces = vec!["shop".to_owned(), "*".to_owned()];
        target.spec.namespace_context = Some(NamespaceContext { kind: ContextKind::Fixed, namespace: "A".to_owned() });
        let fields: Vec<_> = check(&target.spec).into_iter().map(|fault| fault.field).collect();
        assert_eq!(fields, ["spec.path", "spec.branch", "spec.namespaceContext.namespace", "spec.allowedNamespaces"]);
    }

    #[test]
    fn bad20_a_branch_that_the_provider_does_not_allow_is_named_with_those_that_it_does() {
        let target = target("pay", "prod", "next", "apps");
        insta::assert_snapshot!(check_provider(&target.spec, Some(&provider("pay", "origin"))).unwrap(), @"spec.branch: GitProvider origin does not allow branch next; name one of main, or add it to the provider's spec.branches");
        insta::assert_snapshot!(check_provider(&target.spec, None).unwrap(), @"spec.providerRef: there is no GitProvider origin in this namespace; make it, or correct the name");
    }
}
