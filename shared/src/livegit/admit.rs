//! Which rules a target takes (folders.md F58).

use super::fault::{Fault, Reason};
use crate::api::GitTarget;

/// Whether a target takes the rules of a namespace: always those of its own, others only if it names them. Cluster rules are in no
/// namespace, and whoever may write them is above namespaces.
///
/// # Errors
/// It does not.
pub fn takes(target: &GitTarget, rule_namespace: Option<&str>) -> Result<(), Fault> {
    let own = target.metadata.namespace.as_deref();
    let is_taken = rule_namespace
        .is_none_or(|from| own == Some(from) || target.spec.allowed_namespaces.iter().any(|allowed| allowed == from));
    if is_taken {
        return Ok(());
    }
    let (from, own) = (rule_namespace.unwrap_or_default(), own.unwrap_or_default());
    let name = target.metadata.name.as_deref().unwrap_or_default();
    Err(Fault::new(
        Reason::TargetForeign,
        "spec.targetRef",
        format!("GitTarget {own}/{name} takes no rules from namespace {from}"),
        format!("have its owner add {from} to its spec.allowedNamespaces, or name a target of this namespace"),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::testing::target;
    use super::*;

    #[test]
    fn f58_a_target_takes_rules_from_other_namespaces_only_if_it_names_them() {
        let mut target = target("pay", "prod", "main", "apps");
        assert_eq!(takes(&target, Some("pay")), Ok(()));
        assert_eq!(takes(&target, None), Ok(()));
        insta::assert_snapshot!(takes(&target, Some("shop")).unwrap_err(), @"spec.targetRef: GitTarget pay/prod takes no rules from namespace shop; have its owner add shop to its spec.allowedNamespaces, or name a target of this namespace");
        target.spec.allowed_namespaces.push("shop".to_owned());
        assert_eq!(takes(&target, Some("shop")), Ok(()));
        assert!(takes(&target, Some("sho")).is_err());
    }
}
