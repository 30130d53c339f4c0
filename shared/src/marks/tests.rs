use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::identity::GroupKind;

const OWNER: Owner<'static> = Owner { class: "standard", namespace: "blue", uid: "u-1" };

fn identity(kind: &str, namespace: Option<&str>, name: &str) -> ObjectIdentity {
    let kind = GroupKind { group: "networking.k8s.io".to_owned(), kind: kind.to_owned() };
    ObjectIdentity::new(&kind, namespace, name)
}

fn strings(manifest: &Value, field: &str) -> BTreeMap<String, String> {
    let map = manifest["metadata"][field].as_object().unwrap();
    map.iter().map(|(key, value)| (key.clone(), value.as_str().unwrap().to_owned())).collect()
}

fn whose(manifest: &Value, identity: &ObjectIdentity, uid: &str) -> Ownership {
    ownership(&strings(manifest, "labels"), &strings(manifest, "annotations"), identity, uid)
}

#[test]
fn c31_marks_join_what_the_class_set() {
    let identity = identity("NetworkPolicy", Some("blue"), "deny");
    let mut manifest = json!({ "metadata": { "name": "deny", "labels": { "a": "b" }, "annotations": null } });
    mark(&mut manifest, &identity, &OWNER);
    assert_eq!(
        manifest,
        json!({ "metadata": {
            "name": "deny",
            "labels": {
                "a": "b",
                "nsclass.io/managed": "true",
                "nsclass.io/class": "standard",
                "nsclass.io/namespace": "blue",
            },
            "annotations": {
                "nsclass.io/object": "networking.k8s.io/NetworkPolicy/blue/deny",
                "nsclass.io/owner-namespace-uid": "u-1",
            },
        } })
    );
}

#[test]
fn c40_marks_that_prove_too_little_make_nothing_ours() {
    let identity = identity("NetworkPolicy", Some("blue"), "deny");
    let labels = BTreeMap::from([(MANAGED_LABEL.to_owned(), "true".to_owned())]);
    let mut annotations = BTreeMap::new();
    assert_eq!(ownership(&labels, &annotations, &identity, "u-1"), Ownership::Foreign);
    annotations.insert(OBJECT_ANNOTATION.to_owned(), identity.to_string());
    assert_eq!(ownership(&labels, &annotations, &identity, ""), Ownership::Foreign);
    annotations.insert(OWNER_UID_ANNOTATION.to_owned(), String::new());
    assert_eq!(ownership(&labels, &annotations, &identity, ""), Ownership::Foreign);
}

#[test]
fn c44_marks_of_another_uid_name_their_owner() {
    let identity = identity("NetworkPolicy", Some("blue"), "deny");
    let mut manifest = json!({ "metadata": {} });
    mark(&mut manifest, &identity, &OWNER);
    assert_eq!(
        whose(&manifest, &identity, "u-2"),
        Ownership::OtherOwner {
            uid: "u-1".to_owned(),
            namespace: Some("blue".to_owned()),
            class: Some("standard".to_owned())
        }
    );
}

fn any_identity() -> impl Strategy<Value = ObjectIdentity> {
    ("[A-Z][a-z]{0,3}", proptest::option::of("[a-z]{1,2}"), "[a-z:.]{1,3}")
        .prop_map(|(kind, namespace, name)| identity(&kind, namespace.as_deref(), &name))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn c40_what_was_marked_is_ours_and_a_copy_of_its_marks_never_is(
        marked in any_identity(),
        copy in any_identity(),
        uid in "[a-f0-9]{1,4}",
        other_uid in "[a-f0-9]{1,4}",
    ) {
        let mut manifest = json!({ "metadata": {} });
        mark(&mut manifest, &marked, &Owner { uid: &uid, ..OWNER });
        prop_assert_eq!(whose(&manifest, &marked, &uid), Ownership::Ours);
        if other_uid != uid {
            prop_assert_ne!(whose(&manifest, &marked, &other_uid), Ownership::Ours);
        }
        if copy != marked {
            let copied = Ownership::CopiedMarks { of: marked.to_string() };
            prop_assert_eq!(whose(&manifest, &copy, &uid), copied.clone());
            prop_assert_eq!(whose(&manifest, &copy, &other_uid), copied);
        }
    }
}
