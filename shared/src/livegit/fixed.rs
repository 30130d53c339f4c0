//! When a target's `namespaceContext` holds (folders.md F36).

use super::fault::{Fault, Reason};

/// Whether `Fixed` to that namespace is valid: only while every rule bound to the target selects that namespace alone. `rules` are
/// their names and namespaces; a cluster rule has none. Names the first rule that is in the way, in the order given.
pub fn check<'a>(namespace: &str, rules: impl IntoIterator<Item = (&'a str, Option<&'a str>)>) -> Option<Fault> {
    let (rule, selects) = rules.into_iter().find(|(_, selects)| *selects != Some(namespace))?;
    let what = match selects {
        Some(other) => format!("is {namespace}, and WatchRule {rule} selects namespace {other}"),
        None => format!("is {namespace}, and ClusterWatchRule {rule} selects what is in no namespace"),
    };
    let remedy = "take namespaceContext away, or let only rules of that namespace name this target";
    Some(Fault::new(Reason::NamespaceContextConflict, "spec.namespaceContext", what, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f36_fixed_holds_only_while_every_rule_selects_that_namespace_alone() {
        assert_eq!(check("pay", []), None);
        assert_eq!(check("pay", [("pay/a", Some("pay")), ("pay/b", Some("pay"))]), None);
        insta::assert_snapshot!(check("pay", [("pay/a", Some("pay")), ("shop/b", Some("shop"))]).unwrap(), @"spec.namespaceContext: is pay, and WatchRule shop/b selects namespace shop; take namespaceContext away, or let only rules of that namespace name this target");
        insta::assert_snapshot!(check("pay", [("all", None)]).unwrap(), @"spec.namespaceContext: is pay, and ClusterWatchRule all selects what is in no namespace; take namespaceContext away, or let only rules of that namespace name this target");
    }
}
