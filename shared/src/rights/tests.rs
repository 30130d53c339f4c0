use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, subsequence};
use serde_json::{Value, json};

use super::*;
use crate::finding::sentences;
use crate::testing::{RBAC, config_map, manifest};

fn class(items: &[Value]) -> CompiledClass<'static> {
    CompiledClass::compile("standard", items)
}

/// `verb kind/name <- items`, one a line.
fn lines(needed: &[Needed]) -> String {
    let line = |Needed { right, items }: &Needed| {
        let object = match &right.object {
            Object::Kind { gvk, name } => {
                format!("{}{}", gvk.group_kind(), name.as_ref().map_or(String::new(), |name| format!(" {name:?}")))
            }
            Object::Everything => "everything".to_owned(),
        };
        let items: Vec<_> = items.iter().map(|item| item.index.to_string()).collect();
        format!("{} {object} <- {}", right.verb.as_str(), items.join(" "))
    };
    needed.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn rights(old: Option<&[Value]>, new: &[Value]) -> String {
    lines(&needed(old.map(class).as_ref(), &class(new)))
}

fn role(name: &str) -> Value {
    manifest(RBAC, "Role", name, json!({ "rules": [] }))
}

fn binding(kind: &str, role_ref: Value) -> Value {
    let mut binding = manifest(RBAC, kind, "team", json!({}));
    binding["roleRef"] = role_ref;
    binding
}

#[test]
fn a01_each_kind_is_asked_for_once_and_rbac_takes_escalate_and_bind() {
    let items = [
        config_map("a", json!({})),
        role("reader"),
        config_map("b", json!({})),
        binding("RoleBinding", json!({ "kind": "ClusterRole", "name": "edit" })),
    ];
    insta::assert_snapshot!(rights(None, &items), @r#"
    create ConfigMap <- 0 2
    patch ConfigMap <- 0 2
    delete ConfigMap <- 0 2
    bind rbac.authorization.k8s.io/ClusterRole "edit" <- 3
    create rbac.authorization.k8s.io/Role <- 1
    patch rbac.authorization.k8s.io/Role <- 1
    delete rbac.authorization.k8s.io/Role <- 1
    escalate rbac.authorization.k8s.io/Role <- 1
    create rbac.authorization.k8s.io/RoleBinding <- 3
    patch rbac.authorization.k8s.io/RoleBinding <- 3
    delete rbac.authorization.k8s.io/RoleBinding <- 3
    "#);
}

#[test]
fn a01_a_binding_takes_the_role_that_it_names_and_all_where_a_template_names_it() {
    let bind = |role_ref: Value| {
        let all = rights(None, &[binding("ClusterRoleBinding", role_ref)]);
        all.lines().filter(|line| line.starts_with("bind")).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(bind(json!({ "kind": "ClusterRole", "name": "edit" })), @r#"bind rbac.authorization.k8s.io/ClusterRole "edit" <- 0"#);
    insta::assert_snapshot!(bind(json!({ "kind": "Role", "name": "{{ \"edit\" }}" })), @r#"bind rbac.authorization.k8s.io/Role "edit" <- 0"#);
    insta::assert_snapshot!(bind(json!({ "kind": "Role", "name": "edit-{{ .Namespace.Name }}" })), @"bind rbac.authorization.k8s.io/Role <- 0");
    insta::assert_snapshot!(bind(json!({ "kind": "{{ .Class.Name }}", "name": "edit" })), @r#"
    bind rbac.authorization.k8s.io/ClusterRole "edit" <- 0
    bind rbac.authorization.k8s.io/Role "edit" <- 0
    "#);
    insta::assert_snapshot!(bind(json!({ "kind": "ClusterRole", "name": "" })), @"bind rbac.authorization.k8s.io/ClusterRole <- 0");
    insta::assert_snapshot!(bind(json!(null)), @"
    bind rbac.authorization.k8s.io/ClusterRole <- 0
    bind rbac.authorization.k8s.io/Role <- 0
    ");
}

#[test]
fn a01_only_added_and_changed_items_are_judged_wherever_they_stand() {
    let old = [config_map("a", json!({ "x": "1" })), role("reader"), manifest("v1", "Secret", "s", json!({}))];
    let new = [manifest("v1", "Secret", "s", json!({})), config_map("a", json!({ "x": "2" })), role("reader")];
    insta::assert_snapshot!(rights(Some(&old), &new), @"
    create ConfigMap <- 1
    patch ConfigMap <- 1
    delete ConfigMap <- 1
    ");
    assert_eq!(rights(Some(&old), &old[..1]), "");
}

#[test]
fn a01_a_class_of_too_many_kinds_is_judged_by_the_right_to_do_everything() {
    let kinds = |count: usize| -> Vec<Value> {
        (0..count).map(|index| manifest("example.com/v1", &format!("Kind{index}"), "x", json!({}))).collect()
    };
    assert_eq!(needed(None, &class(&kinds(21))).len(), 63);
    let many = needed(None, &class(&kinds(22)));
    assert_eq!(many.len(), 1);
    assert_eq!((&many[0].right.object, many[0].right.verb, many[0].items.len()), (&Object::Everything, Verb::Any, 22));
}

#[test]
fn a05_every_missing_pair_is_named_with_its_remedy() {
    let items =
        [role("reader"), binding("RoleBinding", json!({ "kind": "ClusterRole", "name": "edit" })), role("writer")];
    let lacking: Vec<Missing> = needed(None, &class(&items))
        .into_iter()
        .filter(|needed| needed.right.verb != Verb::Patch)
        .map(|needed| {
            let Object::Kind { gvk, .. } = &needed.right.object else { panic!("too many rights") };
            let resource = format!("{}s.{}", gvk.kind.to_lowercase(), gvk.group);
            Missing { needed, resource }
        })
        .collect();
    let findings = missing("jane", &lacking);
    insta::assert_snapshot!(sentences(&findings).replace(". spec", ".\nspec"), @r#"
    spec.resources[0] (rbac.authorization.k8s.io/v1/Role reader): user "jane" may not create, delete, escalate roles.rbac.authorization.k8s.io in all namespaces, and a class does only what its author may do; have a cluster admin write the class, or grant it by a ClusterRole and a ClusterRoleBinding (apiGroups "rbac.authorization.k8s.io", resources roles, verbs create, delete, escalate).
    spec.resources[1] (rbac.authorization.k8s.io/v1/RoleBinding team): user "jane" may not bind clusterroles.rbac.authorization.k8s.io/edit in all namespaces, and a class does only what its author may do; have a cluster admin write the class, or grant it by a ClusterRole and a ClusterRoleBinding (apiGroups "rbac.authorization.k8s.io", resources clusterroles, resourceNames edit, verbs bind).
    spec.resources[1] (rbac.authorization.k8s.io/v1/RoleBinding team): user "jane" may not create, delete rolebindings.rbac.authorization.k8s.io in all namespaces, and a class does only what its author may do; have a cluster admin write the class, or grant it by a ClusterRole and a ClusterRoleBinding (apiGroups "rbac.authorization.k8s.io", resources rolebindings, verbs create, delete).
    spec.resources[2] (rbac.authorization.k8s.io/v1/Role writer): user "jane" may not create, delete, escalate roles.rbac.authorization.k8s.io in all namespaces, and a class does only what its author may do; have a cluster admin write the class, or grant it by a ClusterRole and a ClusterRoleBinding (apiGroups "rbac.authorization.k8s.io", resources roles, verbs create, delete, escalate)
    "#);
    let everything =
        Needed { right: Right { object: Object::Everything, verb: Verb::Any }, items: lacking[0].needed.items.clone() };
    let everything = Missing { needed: everything, resource: "*".to_owned() };
    insta::assert_snapshot!(sentences(&missing("jane", &[everything])), @r#"spec.resources[1] (rbac.authorization.k8s.io/v1/RoleBinding team): user "jane" may not do everything, and the class takes too many rights to ask for each; change fewer kinds at a time"#);
}

/// Items of few kinds and names, so that histories meet.
fn item() -> impl Strategy<Value = Value> {
    let role_name = prop_oneof![Just("edit"), Just("view"), Just("{{ .Namespace.Name }}")];
    prop_oneof![
        (0..3_u8, 0..2_u8).prop_map(|(name, data)| config_map(&format!("m{name}"), json!({ "x": data.to_string() }))),
        (0..40_u8, 0..2_u8).prop_map(|(kind, version)| {
            manifest(&format!("example.com/v{}", version + 1), &format!("Kind{kind}"), "x", json!({}))
        }),
        (0..3_u8).prop_map(|name| role(&format!("r{name}"))),
        (any::<bool>(), role_name).prop_map(|(cluster, name)| {
            let kind = if cluster { "ClusterRole" } else { "Role" };
            binding("RoleBinding", json!({ "kind": kind, "name": name }))
        }),
    ]
}

/// A right whatever the version of its kind.
fn set(needed: &[Needed]) -> BTreeSet<String> {
    needed.iter().map(|one| lines(&[Needed { items: vec![], ..one.clone() }])).collect()
}

fn everything(needed: &[Needed]) -> bool {
    needed.iter().any(|one| one.right.object == Object::Everything)
}

proptest! {
    /// Few enough to be asked in parallel, none of them twice, each for some item, and never none where an item is new.
    #[test]
    fn a01_rights_are_few_and_distinct(old in vec(item(), 0..12), new in vec(item(), 0..40)) {
        let needed = needed(Some(&class(&old)), &class(&new));
        prop_assert!(needed.len() <= MAX_RIGHTS);
        prop_assert_eq!(set(&needed).len(), needed.len());
        prop_assert!(needed.iter().all(|one| !one.items.is_empty()));
        let is_new = |index: &usize| !old.contains(&new[*index]);
        let judged: BTreeSet<usize> = needed.iter().flat_map(|one| &one.items).map(|item| item.index).collect();
        prop_assert_eq!(judged, (0..new.len()).filter(is_new).collect::<BTreeSet<_>>());
    }

    /// The class as a whole takes what its items take, one by one: nothing is forgotten, nothing comes on top.
    #[test]
    fn a01_a_class_takes_what_its_items_take(items in vec(item(), 1..12)) {
        let whole = needed(None, &class(&items));
        let parts: BTreeSet<String> =
            items.iter().flat_map(|item| set(&needed(None, &class(std::slice::from_ref(item))))).collect();
        prop_assume!(!everything(&whole));
        prop_assert_eq!(set(&whole), parts);
    }

    /// What was there before never makes an edit take more; the same class takes nothing, whatever the order of its items.
    #[test]
    fn a01_old_items_only_take_away(items in vec(item(), 1..12), kept in subsequence((0..12).collect::<Vec<usize>>(), 0..12), turn in any::<Index>()) {
        let old: Vec<Value> = kept.into_iter().filter_map(|index| items.get(index).cloned()).collect();
        let (with, without) = (needed(Some(&class(&old)), &class(&items)), needed(None, &class(&items)));
        if !everything(&without) {
            prop_assert!(set(&with).is_subset(&set(&without)));
        }
        let mut turned = items.clone();
        turned.rotate_left(turn.index(items.len()));
        prop_assert_eq!(set(&needed(None, &class(&turned))), set(&without));
        prop_assert_eq!(needed(Some(&class(&turned)), &class(&items)), vec![]);
    }
}
