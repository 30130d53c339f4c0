//! Live objects written into their documents (folders.md F30-F39).
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "helpers of tests fail as tests do")]

mod support;

use nsclass_manifests::folder::{Folder, Options};
use nsclass_manifests::identity::LiveId;
use nsclass_manifests::kinds::{KindTable, Scope};
use nsclass_manifests::path::FolderPath;
use nsclass_manifests::plan::{Change, Existing, NewFiles, Plan, Policy, Refusal, STAMP, plan};
use nsclass_manifests::verdict::Reason;
use serde_json::{Value, json};
use support::examples;
use support::world::{self, Files, files};

const WEB: &str = "# the web\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web # its name\nspec:\n  replicas: 2 # raised\n  paused: false\n";
const CONTEXT: &str = "# who\nnamespace: team-a\nresources:\n- web.yaml\n";

fn web(replicas: i64) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "team-a", "uid": "1", "resourceVersion": "9"},
        "spec": {"replicas": replicas, "paused": false}, "status": {"replicas": replicas},
    })
}

fn live(group: &str, resource: &str, namespace: Option<&str>, name: &str) -> LiveId {
    LiveId { group: group.into(), resource: resource.into(), namespace: namespace.map(Into::into), name: name.into() }
}

fn planned(files: &Files, policy: Policy, changes: &[Change]) -> Result<Plan, Refusal> {
    planned_with(files, &Options::default(), policy, changes)
}

fn planned_with(files: &Files, options: &Options, policy: Policy, changes: &[Change]) -> Result<Plan, Refusal> {
    let folder = world::folder(files, options);
    plan(&folder, &KindTable::builtin(), options, policy, changes)
}

/// The one changed file of a plan, by path, with its new text.
fn only(plan: &Plan) -> (String, String) {
    assert_eq!(plan.refused, []);
    assert_eq!(plan.files.len(), 1, "{plan}");
    let (path, change) = plan.files.first_key_value().unwrap();
    (path.to_string(), String::from_utf8(change.after.as_ref().unwrap().to_vec()).unwrap())
}

/// The files with a plan's changes made.
fn applied(files: &Files, plan: &Plan) -> Files {
    let mut files = files.clone();
    for (path, change) in &plan.files {
        match &change.after {
            Some(bytes) => files.insert(path.to_string(), bytes.to_vec()),
            None => files.remove(path.as_str()),
        };
    }
    files
}

#[test]
fn f30_a_changed_object_is_edited_in_place_and_applying_twice_is_a_no_op() {
    let files = files(&[("kustomization.yaml", CONTEXT), ("web.yaml", WEB)]);
    let change = [Change::Put(web(5))];
    let plan = planned(&files, Policy::default(), &change).unwrap();
    assert_eq!(only(&plan), ("web.yaml".to_owned(), WEB.replace("replicas: 2", "replicas: 5")));
    assert!(planned(&applied(&files, &plan), Policy::default(), &change).unwrap().is_empty());
    assert!(planned(&files, Policy::default(), &[Change::Put(web(2))]).unwrap().is_empty(), "equal content, no byte");
}

#[test]
fn f31_the_namespace_that_the_context_supplies_is_never_written_and_an_explicit_one_stays() {
    let explicit = WEB.replace("  name: web # its name\n", "  name: web # its name\n  namespace: 'team-a'\n");
    let files = files(&[("kustomization.yaml", CONTEXT), ("web.yaml", &explicit)]);
    let (_, text) = only(&planned(&files, Policy::default(), &[Change::Put(web(3))]).unwrap());
    assert_eq!(text, explicit.replace("replicas: 2", "replicas: 3"));
}

#[test]
fn f31_what_kustomize_writes_into_subjects_is_not_written_back() {
    let example = examples::all().into_iter().find(|example| example.name == "rolebinding-serviceaccount").unwrap();
    let folder = example.folder();
    let rendered = folder.values(&FolderPath::new("rbac.yaml").unwrap()).unwrap();
    let mut binding = rendered[2].1.clone();
    assert_eq!(binding["subjects"][0]["namespace"], "team-a");
    assert_eq!(binding["subjects"][1]["namespace"], "team-a");
    let kinds = KindTable::builtin();
    let put =
        |live: &Value| plan(&folder, &kinds, &Options::default(), Policy::default(), &[Change::Put(live.clone())]);
    assert!(put(&binding).unwrap().is_empty());
    // Another order, and one subject less: still no namespace line.
    binding["subjects"] = json!([binding["subjects"][1], binding["subjects"][0]]);
    let (_, text) = only(&put(&binding).unwrap());
    assert!(!text.contains("namespace: team-a"), "{text}");
    assert!(text.contains("name: deployer # ours"), "{text}");
    binding["subjects"][0]["namespace"] = json!("elsewhere");
    let plan = put(&binding).unwrap();
    assert!(
        matches!(&plan.refused[0].1, Refusal::Overridden { by, .. } if by == "kustomization.yaml"),
        "{:?}",
        plan.refused
    );
}

#[test]
fn f22_f33_where_a_parent_or_the_kustomization_overrides_nothing_is_written_at_all() {
    for name in ["conflicting-explicit-namespace", "nested-both-namespaces"] {
        let example = examples::all().into_iter().find(|example| example.name == name).unwrap();
        let folder = example.folder();
        for namespace in ["team-a", "team-b"] {
            let mut live = web(7);
            live["metadata"]["namespace"] = json!(namespace);
            let result =
                plan(&folder, &KindTable::builtin(), &Options::default(), Policy::default(), &[Change::Put(live)]);
            assert!(matches!(result, Err(Refusal::NotValid(_))), "{name}: {result:?}");
        }
        let words = folder.verdict().message();
        assert!(words.contains("team-a") && words.contains("team-b"), "{words}");
    }
}

#[test]
fn f34_deleting_removes_exactly_that_document_and_the_last_one_its_file_and_its_line() {
    let two = format!("{WEB}---\n# next\napiVersion: v1\nkind: Service\nmetadata:\n  name: web\n");
    let kustomization = "namespace: team-a\nresources:\n- other.yaml # keep\n# about web\n- ./web.yaml\n";
    let other = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: other\n";
    let files = files(&[("kustomization.yaml", kustomization), ("web.yaml", &two), ("other.yaml", other)]);
    let service = Change::Delete(live("", "services", Some("team-a"), "web"));
    let deployment = Change::Delete(live("apps", "deployments", Some("team-a"), "web"));
    let plan = planned(&files, Policy::default(), std::slice::from_ref(&service)).unwrap();
    assert_eq!(only(&plan), ("web.yaml".to_owned(), WEB.to_owned()));
    let plan = planned(&files, Policy::default(), &[deployment, service]).unwrap();
    assert_eq!(plan.to_string(), "change kustomization.yaml\nremove web.yaml\n");
    let text = String::from_utf8(applied(&files, &plan)["kustomization.yaml"].clone()).unwrap();
    assert_eq!(text, "namespace: team-a\nresources:\n- other.yaml # keep\n");
    let missing = [Change::Delete(live("", "services", Some("team-a"), "nothing"))];
    assert!(matches!(planned(&files, Policy::default(), &missing).unwrap().refused[0].1, Refusal::NotFound(_)));
}

#[test]
fn f33_a_deletion_that_changes_another_documents_render_is_refused_and_names_it() {
    let rbac = "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: b}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}\nsubjects:\n- {kind: ServiceAccount, name: robot}\n";
    let account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: robot}\n";
    let files = files(&[
        ("kustomization.yaml", "namespace: team-a\nresources: [rbac.yaml, account.yaml]\n"),
        ("rbac.yaml", rbac),
        ("account.yaml", account),
    ]);
    let delete = [Change::Delete(live("", "serviceaccounts", Some("team-a"), "robot"))];
    let refusal = planned(&files, Policy::default(), &delete).unwrap_err();
    assert!(refusal.to_string().starts_with("rbac.yaml#1: "), "{refusal}");
}

#[test]
fn f35_a_new_object_goes_into_an_explicit_file_and_is_said_not_to_be_deployed() {
    let files = files(&[("kustomization.yaml", CONTEXT), ("web.yaml", WEB)]);
    let settings = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "s", "namespace": "team-a"}, "data": {"a": "yes"}});
    let plan = planned(&files, Policy::default(), &[Change::Put(settings.clone())]).unwrap();
    let (path, text) = only(&plan);
    assert_eq!(path, "team-a/core/configmaps/s.yaml");
    assert!(text.contains("  namespace: team-a\n"), "{text}");
    assert_eq!(plan.notes[0].reason, Reason::NotDeployed);
    assert!(planned(&applied(&files, &plan), Policy::default(), &[Change::Put(settings)]).unwrap().is_empty());
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "system:x"}, "rules": []});
    let (path, _) = only(&planned(&files, Policy::default(), &[Change::Put(role)]).unwrap());
    assert_eq!(path, "_cluster/rbac.authorization.k8s.io/clusterroles/system:x.yaml");
}

#[test]
fn f35_contextual_files_omit_the_namespace_and_are_registered_after_the_last_live_entry() {
    let policy = Policy { new_files: NewFiles::Contextual, ..Policy::default() };
    let kustomization = "namespace: team-a\nresources:\n- web.yaml\n# - later.yaml\n";
    let files = files(&[("kustomization.yaml", kustomization), ("web.yaml", WEB)]);
    let settings = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "s", "namespace": "team-a"}});
    let plan = planned(&files, policy, &[Change::Put(settings.clone())]).unwrap();
    assert_eq!(plan.to_string(), "change kustomization.yaml\ncreate team-a/core/configmaps/s.yaml\n");
    let after = applied(&files, &plan);
    let text = |path: &str| String::from_utf8(after[path].clone()).unwrap();
    assert!(!text("team-a/core/configmaps/s.yaml").contains("namespace"));
    assert_eq!(
        text("kustomization.yaml"),
        "namespace: team-a\nresources:\n- web.yaml\n- team-a/core/configmaps/s.yaml\n# - later.yaml\n"
    );
    assert!(planned(&after, policy, &[Change::Put(settings.clone())]).unwrap().is_empty());
    // Another namespace has no context here: it is written explicitly.
    let mut other = settings;
    other["metadata"]["namespace"] = json!("team-b");
    assert!(only(&planned(&files, policy, &[Change::Put(other)]).unwrap()).1.contains("namespace: team-b"));
}

#[test]
fn f35_existing_explicit_adds_the_namespace_with_the_next_update_only() {
    let policy = Policy { existing: Existing::Explicit, ..Policy::default() };
    let files = files(&[("kustomization.yaml", CONTEXT), ("web.yaml", WEB)]);
    assert!(planned(&files, policy, &[Change::Put(web(2))]).unwrap().is_empty());
    let (_, text) = only(&planned(&files, policy, &[Change::Put(web(3))]).unwrap());
    assert!(text.contains("  name: web # its name\n  namespace: team-a\n"), "{text}");
}

#[test]
fn f35_a_new_file_never_takes_a_place_that_is_taken_hidden_or_no_path() {
    let settings = |name: &str| {
        Change::Put(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "team-a"}}))
    };
    let other = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: other\n  namespace: team-a\n";
    let taken = files(&[("team-a/core/configmaps/s.yaml", other)]);
    let chart = files(&[("team-a/Chart.yaml", "name: x\n")]);
    let ignored = files(&[(".sourceignore", "team-a/\n")]);
    let file = files(&[("team-a", "a file\n")]);
    for folder in [taken, chart, ignored, file] {
        let plan = planned(&folder, Policy::default(), &[settings("s")]).unwrap();
        assert!(matches!(plan.refused[0].1, Refusal::NewFile { .. }), "{folder:?}");
    }
    for name in ["../x", "a/b", "..", ".hidden", "a\\b", "a\u{0}b", "%2e"] {
        let plan = planned(&Files::new(), Policy::default(), &[settings(name)]).unwrap();
        assert!(matches!(plan.refused[0].1, Refusal::NewFile { .. }), "{name}: {:?}", plan.files);
    }
}

#[test]
fn f36_a_fixed_context_is_supplied_and_never_written() {
    let options = Options { fixed: Some("team-a".into()), ..Options::default() };
    let files = files(&[("web.yaml", WEB)]);
    let plan = planned_with(&files, &options, Policy::default(), &[Change::Put(web(4))]).unwrap();
    assert_eq!(only(&plan).1, WEB.replace("replicas: 2", "replicas: 4"));
}

#[test]
fn f18_a_live_object_with_the_identity_of_a_local_document_is_refused() {
    let local = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: s\n  annotations:\n    config.kubernetes.io/local-config: \"true\"\n";
    let files = files(&[("kustomization.yaml", "namespace: team-a\nresources: [s.yaml]\n"), ("s.yaml", local)]);
    let settings = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "s", "namespace": "team-a"}});
    let plan = planned(&files, Policy::default(), &[Change::Put(settings)]).unwrap();
    assert!(matches!(&plan.refused[0].1, Refusal::Local { document } if document == "s.yaml#1"));
}

#[test]
fn f39_secrets_are_refused_and_counted_and_everything_else_is_written() {
    let files = files(&[("kustomization.yaml", CONTEXT), ("web.yaml", WEB)]);
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "team-a"}, "data": {"p": "c2VjcmV0"}});
    let plan = planned(&files, Policy::default(), &[Change::Put(secret), Change::Put(web(3))]).unwrap();
    assert_eq!((plan.secrets(), plan.files.len()), (1, 1));
    assert!(!plan.refused[0].1.to_string().contains("c2VjcmV0"));
}

fn sealed(stamp: &str, value: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "team-a"}, "data": {"p": value},
        "sops": {"mac": "ENC[m]", "version": "3.11.0", STAMP: stamp},
    })
}

#[test]
fn f39_a_sealed_secret_is_written_whole_replaced_whole_and_removed_whole() {
    let before = files(&[("kustomization.yaml", CONTEXT), ("web.yaml", WEB)]);
    let plan = planned(&before, Policy::default(), &[Change::Put(sealed("u@1", "ENC[a]"))]).unwrap();
    let (path, text) = only(&plan);
    assert_eq!(path, "team-a/core/secrets/s.yaml");
    assert!(text.contains("ENC[a]") && text.contains("u@1"), "{text}");
    let after = applied(&before, &plan);
    let again = planned(&after, Policy::default(), &[Change::Put(sealed("u@2", "ENC[b]"))]).unwrap();
    let (path, text) = only(&again);
    assert!(path == "team-a/core/secrets/s.yaml" && text.contains("ENC[b]") && !text.contains("ENC[a]"), "{text}");
    let gone = planned(&after, Policy::default(), &[Change::Delete(live("", "secrets", Some("team-a"), "s"))]).unwrap();
    assert!(gone.files.values().all(|file| file.after.is_none()) && gone.files.len() == 1, "{gone}");
}

#[test]
fn f39_a_contextual_file_keeps_the_namespace_that_the_code_of_a_sealed_secret_covers() {
    let files = files(&[("kustomization.yaml", CONTEXT), ("web.yaml", WEB)]);
    let policy = Policy { new_files: NewFiles::Contextual, ..Policy::default() };
    let plan = planned(&files, policy, &[Change::Put(sealed("u@1", "ENC[a]"))]).unwrap();
    assert_eq!((plan.refused.len(), plan.files.len()), (0, 2), "{plan}");
    let text = applied(&files, &plan)["team-a/core/secrets/s.yaml"].clone();
    assert!(String::from_utf8(text).unwrap().contains("namespace: team-a"));
}

#[test]
fn f39_what_is_not_sealed_whole_and_documents_of_others_are_refused() {
    let refused = |files: &Files, secret: Value| {
        let plan = planned(files, Policy::default(), &[Change::Put(secret)]).unwrap();
        assert!(plan.files.is_empty(), "{plan}");
        plan.refused[0].1.category()
    };
    let empty = files(&[("kustomization.yaml", CONTEXT), ("web.yaml", WEB)]);
    assert_eq!(refused(&empty, sealed("u@1", "c2VjcmV0")), "secret");
    let mut unstamped = sealed("u@1", "ENC[a]");
    unstamped["sops"].as_object_mut().unwrap().remove(STAMP);
    assert_eq!(refused(&empty, unstamped), "secret");
    let of = |document: &str| {
        files(&[("kustomization.yaml", "namespace: team-a\nresources: [s.yaml]\n"), ("s.yaml", document)])
    };
    let clear = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {p: c2VjcmV0}\n";
    assert_eq!(refused(&of(clear), sealed("u@1", "ENC[a]")), "secret");
    let theirs = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {p: 'ENC[x]'}\nsops: {mac: 'ENC[m]', version: 3.9.0}\n";
    assert_eq!(refused(&of(theirs), sealed("u@1", "ENC[a]")), "encrypted");
}

#[test]
fn f42_a_substituted_field_keeps_its_text_and_the_others_stay_editable() {
    let text = WEB.replace("paused: false", "paused: ${PAUSED}");
    let files = files(&[("kustomization.yaml", CONTEXT), ("web.yaml", &text)]);
    let plan = planned(&files, Policy::default(), &[Change::Put(web(3))]).unwrap();
    assert_eq!(only(&plan).1, text.replace("replicas: 2", "replicas: 3"));
    assert_eq!(plan.kept[0].1.category(), "substituted-value");
}

#[test]
fn f04_a_live_object_of_another_version_is_refused_with_the_version_to_read() {
    let hpa = "apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata: {name: web, namespace: team-a}\nspec: {maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: web}}\n";
    let put = Change::Put(
        json!({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web", "namespace": "team-a"}, "spec": {}}),
    );
    let plan = planned(&files(&[("hpa.yaml", hpa)]), Policy::default(), &[put]).unwrap();
    assert!(matches!(&plan.refused[0].1, Refusal::Version { written, .. } if written == "autoscaling/v1"));
}

#[test]
fn f23_a_discovery_outage_never_flips_a_verdict() {
    let files = files(&[("w.yaml", "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n")]);
    let mut kinds = KindTable::builtin();
    kinds.insert("example.com", "Widget", "widgets", Scope::Namespaced);
    let judged = |kinds: KindTable| -> Folder { world::folder_with(&files, &Options::default(), kinds) };
    let before = judged(kinds.ready(true));
    assert!(!before.verdict().is_valid());
    let outage = judged(KindTable::builtin());
    assert!(outage.verdict().is_valid(), "by itself it knows no better");
    assert_eq!(&outage.settled(before.verdict()), before.verdict());
    let after = judged(KindTable::builtin().ready(true));
    assert_eq!(&after.settled(before.verdict()), after.verdict());
    assert_eq!(after.verdict().findings()[0].reason, Reason::UnresolvedMapping);
}

#[test]
fn f30_the_last_change_of_an_object_counts_and_several_of_one_file_are_made_together() {
    let service = "---\napiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec: {type: ClusterIP}\n";
    let text = format!("{WEB}{service}");
    let files = files(&[("kustomization.yaml", CONTEXT), ("web.yaml", &text)]);
    let id = live("apps", "deployments", Some("team-a"), "web");
    let put = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "team-a"}, "spec": {"type": "NodePort"}});
    let changes = [Change::Put(web(9)), Change::Delete(id.clone()), Change::Put(web(4)), Change::Put(put)];
    let (_, edited) = only(&planned(&files, Policy::default(), &changes).unwrap());
    assert_eq!(edited, text.replace("replicas: 2", "replicas: 4").replace("ClusterIP", "NodePort"));
    let changes = [Change::Put(web(9)), Change::Delete(id)];
    let (_, edited) = only(&planned(&files, Policy::default(), &changes).unwrap());
    assert!(!edited.contains("Deployment") && edited.contains("ClusterIP"), "{edited}");
}

#[test]
fn f08_a_cluster_scoped_document_that_states_a_namespace_keeps_its_bytes() {
    let text = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: r\n  namespace: x # wrong\nrules: []\n";
    let files = files(&[("r.yaml", text)]);
    let rule = json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]});
    let live = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "r"}, "rules": [rule]});
    let (_, edited) = only(&planned(&files, Policy::default(), &[Change::Put(live)]).unwrap());
    assert!(edited.contains("  namespace: x # wrong\n") && edited.contains("pods"), "{edited}");
}

#[test]
fn f18_annotations_that_kustomize_drops_or_makes_strings_keep_their_bytes() {
    let text = WEB.replace("  name: web # its name\n", "  name: web # its name\n  annotations:\n    config.kubernetes.io/path: x\n    count: 12 # a number\n    old: gone\n");
    let files = files(&[("kustomization.yaml", CONTEXT), ("web.yaml", &text)]);
    let mut live = web(2);
    live["metadata"]["annotations"] = json!({"count": "12", "deployment.kubernetes.io/revision": "3"});
    let (_, edited) = only(&planned(&files, Policy::default(), &[Change::Put(live)]).unwrap());
    assert_eq!(edited, text.replace("    old: gone\n", ""));
}

#[test]
fn f32_an_anchored_value_refuses_only_the_edit_that_touches_it() {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: x}\ndata:\n  one: &v text\n  two: *v\n  three: free\n";
    let files = files(&[("a.yaml", text)]);
    let live = |one: &str, three: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "x"}, "data": {"one": one, "two": "text", "three": three}});
    let (_, edited) = only(&planned(&files, Policy::default(), &[Change::Put(live("text", "changed"))]).unwrap());
    assert_eq!(edited, text.replace("free", "changed"));
    let plan = planned(&files, Policy::default(), &[Change::Put(live("other", "changed"))]).unwrap();
    assert_eq!((plan.refused[0].1.category(), plan.is_empty()), ("shared-value", true));
}

#[test]
fn f32_an_encrypted_document_is_never_edited_and_can_be_deleted() {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: x}\ndata: {k: 'ENC[x]'}\nsops: {mac: 'ENC[y]'}\n";
    let files = files(&[("a.yaml", text)]);
    let put = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "x"}, "data": {"k": "clear"}});
    let plan = planned(&files, Policy::default(), &[Change::Put(put)]).unwrap();
    assert_eq!((plan.refused[0].1.category(), plan.is_empty()), ("encrypted", true));
    let delete = Change::Delete(live("", "configmaps", Some("x"), "a"));
    assert_eq!(planned(&files, Policy::default(), &[delete]).unwrap().to_string(), "remove a.yaml\n");
}
