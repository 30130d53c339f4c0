//! The rules of a verdict, one by one (folders.md F01-F24).

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail as tests do")]

mod support;

use nsclass_manifests::folder::{BoundRule, Folder, Options, Placed};
use nsclass_manifests::identity::{Diagnostic, NamespaceSource};
use nsclass_manifests::kinds::{KindTable, Scope};
use nsclass_manifests::path::FolderPath;
use nsclass_manifests::verdict::{Reason, Validity, Verdict};
use support::world::{self, files};

fn object(kind: &str, name: &str, rest: &str) -> String {
    let api_version = match kind {
        "Deployment" => "apps/v1",
        "Widget" => "example.com/v1",
        "ClusterRole" | "RoleBinding" | "ClusterRoleBinding" => "rbac.authorization.k8s.io/v1",
        _ => "v1",
    };
    format!("apiVersion: {api_version}\nkind: {kind}\nmetadata:\n  name: {name}\n{rest}")
}

fn judged(list: &[(&str, &str)]) -> Folder {
    world::folder(&files(list), &Options::default())
}

fn document<'f>(folder: &'f Folder, title: &str) -> &'f Placed {
    folder.documents().iter().find(|document| document.title() == title).unwrap_or_else(|| panic!("no {title}"))
}

/// Reasons and places of the refusals.
fn refusals(folder: &Folder) -> Vec<(Reason, String)> {
    let place = |finding: &nsclass_manifests::verdict::Finding| match finding.document {
        Some(document) => format!("{}#{document}", finding.path),
        None => finding.path.to_string(),
    };
    folder.verdict().refusals().iter().map(|finding| (finding.reason, place(finding))).collect()
}

#[test]
fn f01_raw_and_effective_identity_are_both_kept() {
    let web = object("Deployment", "web", "");
    let folder = judged(&[("kustomization.yaml", "namespace: team-a\nresources: [web.yaml]\n"), ("web.yaml", &web)]);
    let web = document(&folder, "web.yaml#1");
    assert_eq!(web.raw().unwrap().to_string(), "apps/v1 Deployment web");
    assert_eq!(web.effective().unwrap().to_string(), "apps/v1 Deployment team-a/web");
    assert_eq!(folder.find(web.live.as_ref().unwrap()).unwrap().title(), "web.yaml#1");
}

#[test]
fn f02_the_source_of_a_namespace_is_one_of_four() {
    let a = object("ConfigMap", "a", "  namespace: team-a\n");
    let b = object("ConfigMap", "b", "");
    let role = object("ClusterRole", "r", "");
    let list = [
        ("a.yaml", &*a),
        ("b.yaml", &b),
        ("r.yaml", &role),
        ("k/kustomization.yaml", "namespace: team-b\nresources: [c.yaml]\n"),
        ("k/c.yaml", &b),
    ];
    let folder = judged(&list);
    let source = |folder: &Folder, title: &str| document(folder, title).source.clone();
    assert_eq!(source(&folder, "a.yaml#1"), NamespaceSource::Explicit);
    assert_eq!(source(&folder, "r.yaml#1"), NamespaceSource::Explicit);
    assert_eq!(
        source(&folder, "k/c.yaml#1"),
        NamespaceSource::Kustomize(FolderPath::new("k/kustomization.yaml").unwrap())
    );
    assert_eq!(source(&folder, "b.yaml#1"), NamespaceSource::None);
    let fixed = Options { fixed: Some("team-f".into()), ..Options::default() };
    let folder = world::folder(&files(&list), &fixed);
    assert_eq!(source(&folder, "b.yaml#1"), NamespaceSource::Fixed);
    assert_eq!(source(&folder, "k/c.yaml#1").as_str(), "Kustomize", "kustomize beats fixed");
}

#[test]
fn f03_a_kind_that_the_look_up_does_not_know_is_structure_only() {
    let widget = object("Widget", "w", "");
    let folder = judged(&[("w.yaml", &widget)]);
    assert_eq!(document(&folder, "w.yaml#1").source, NamespaceSource::Unresolved);
    assert_eq!(document(&folder, "w.yaml#1").live, None);
    assert!(folder.verdict().is_valid(), "nothing is called None");
}

#[test]
fn f04_one_live_object_in_two_documents_or_two_versions_is_refused_and_names_both() {
    let folder = judged(&[
        ("a.yaml", &object("ConfigMap", "a", "  namespace: x\n")),
        ("b.yaml", &object("ConfigMap", "a", "  namespace: x\n")),
    ]);
    assert_eq!(folder.verdict().message(), "b.yaml#1: configmaps x/a is also a.yaml#1; remove one of the two");
}

#[test]
fn f05_an_empty_namespace_counts_as_absent() {
    for empty in ["  namespace: \"\"\n", "  namespace:\n", "  namespace: ~\n"] {
        let text = object("ConfigMap", "a", empty);
        let folder = judged(&[("kustomization.yaml", "namespace: team-a\nresources: [a.yaml]\n"), ("a.yaml", &text)]);
        assert!(folder.verdict().is_valid());
        assert_eq!(document(&folder, "a.yaml#1").raw().unwrap().namespace, None);
        assert_eq!(document(&folder, "a.yaml#1").effective().unwrap().namespace.as_deref(), Some("team-a"));
    }
}

#[test]
fn f06_documents_count_from_1_and_empty_ones_count_too() {
    let text = format!("# head\n---\n---\n# only a comment\n---\n{}", object("ConfigMap", "a", "  namespace: x\n"));
    let folder = judged(&[("a.yaml", &text)]);
    assert_eq!(folder.documents().iter().map(Placed::title).collect::<Vec<_>>(), ["a.yaml#3"]);
}

#[test]
fn f07_lists_are_refused_and_generated_names_own_nothing_outside_a_graph() {
    let list = "apiVersion: v1\nkind: ConfigMapList\nitems: []\n";
    assert_eq!(refusals(&judged(&[("a.yaml", list)])), [(Reason::UnsupportedDocument, "a.yaml#1".to_owned())]);
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  generateName: migrate-\n";
    let folder = judged(&[("job.yaml", job)]);
    assert!(folder.verdict().is_valid());
    assert_eq!(document(&folder, "job.yaml#1").live, None);
    let folder = judged(&[("kustomization.yaml", "namespace: a\nresources: [job.yaml]\n"), ("job.yaml", job)]);
    assert_eq!(refusals(&folder), [(Reason::UnsupportedDocument, "job.yaml#1".to_owned())]);
}

#[test]
fn f08_a_store_learns_of_ambiguous_namespaces_unknown_kinds_and_scopes_that_do_not_match() {
    let role = object("ClusterRole", "r", "  namespace: x\n");
    let widget = object("Widget", "w", "  namespace: x\n");
    let list = files(&[("r.yaml", &role), ("w.yaml", &widget)]);
    let folder = world::folder_with(&list, &Options::default(), KindTable::builtin().ready(true));
    assert!(folder.verdict().is_valid());
    assert_eq!(document(&folder, "r.yaml#1").diagnostic, Some(Diagnostic::ScopeMismatch));
    assert_eq!(document(&folder, "r.yaml#1").effective().unwrap().namespace, None, "identity without it");
    assert_eq!(document(&folder, "w.yaml#1").diagnostic, Some(Diagnostic::UnresolvedMapping));
    let folder = judged(&[
        ("kustomization.yaml", "namespace: a\nresources: [b]\n"),
        ("b/kustomization.yaml", "namespace: b\nresources: [c.yaml]\n"),
        ("b/c.yaml", &object("ConfigMap", "c", "")),
    ]);
    assert_eq!(document(&folder, "b/c.yaml#1").diagnostic, Some(Diagnostic::AmbiguousNamespace));
    assert_eq!(document(&folder, "b/c.yaml#1").source, NamespaceSource::None);
}

#[test]
fn f09_dot_directories_charts_and_ignored_paths_are_not_scanned_unless_an_entry_names_them() {
    let a = |name: &str| object("ConfigMap", name, "");
    let folder = judged(&[
        ("a.yaml", &object("ConfigMap", "a", "  namespace: team-a\n")),
        (".github/b.yaml", &a("b")),
        ("chart/Chart.yaml", "name: x"),
        ("chart/templates/c.yaml", "{{ no yaml }}"),
        ("skip/d.yaml", &a("d")),
        (".sourceignore", "skip/\n"),
        ("kustomization.yaml", "namespace: team-a\nresources: [skip/d.yaml, .hidden, e.txt]"),
        (".hidden/kustomization.yaml", "resources: [f.yml]"),
        (".hidden/f.yml", &a("f")),
        (".hidden/g.yaml", &a("g")),
        ("e.txt", &a("e")),
        ("notes.txt", "text"),
    ]);
    assert!(folder.verdict().is_valid(), "{}", folder.verdict().message());
    let read: Vec<_> = folder.tree().files().map(|file| file.path.as_str()).collect();
    assert_eq!(read, [".hidden/f.yml", "a.yaml", "e.txt", "skip/d.yaml"]);
}

#[test]
fn f09_files_of_other_tools_are_left_alone_outside_of_graphs_only() {
    let compose = "services: {web: {image: x}}\n";
    assert!(judged(&[("compose.yaml", compose)]).verdict().is_valid());
    let folder =
        judged(&[("kustomization.yaml", "namespace: a\nresources: [compose.yaml]\n"), ("compose.yaml", compose)]);
    assert_eq!(refusals(&folder), [(Reason::UnsupportedDocument, "compose.yaml".to_owned())]);
    let mixed = format!("{compose}---\n{}", object("ConfigMap", "a", "  namespace: x\n"));
    assert_eq!(refusals(&judged(&[("a.yaml", &mixed)])), [(Reason::MixedFile, "a.yaml#1".to_owned())]);
    assert_eq!(refusals(&judged(&[("a.yaml", "a: [")])), [(Reason::MalformedYaml, "a.yaml#1".to_owned())]);
}

#[test]
fn f10_kustomization_files_that_a_strict_reader_refuses_are_refused_by_name() {
    let a = object("ConfigMap", "a", "");
    for (text, words) in [
        ("", "is empty"),
        ("# nothing\n", "is empty"),
        ("namespace: ''\n", "is empty"),
        ("namespace: a\nresources: [a.yaml]\nfoo: 1\n", "knows no key \"foo\""),
        ("namespace: a\nResources: [a.yaml]\n", "\"Resources\" is written \"resources\""),
        ("namespace: a\nnamespace: a\nresources: [a.yaml]\n", "stands twice"),
        ("namespace: a\nresources: [a.yaml]\n---\nfoo: 1\n", "document 2 follows"),
        ("namespace: &a a\nresources: [a.yaml]\n", "anchor &a"),
        ("kind: Component\nnamespace: a\nresources: [a.yaml]\n", "kind is Component"),
        ("apiVersion: v1\nnamespace: a\nresources: [a.yaml]\n", "apiVersion is v1"),
        ("namespace: a\nresources: a.yaml\n", "resources is not a list"),
        ("namespace: a\nresources: [1]\n", "resources[0] is not a string"),
        ("namespace: 12\nresources: [a.yaml]\n", "namespace is not a string"),
        ("namespace: Team_A\nresources: [a.yaml]\n", "no name a namespace can have"),
        ("- a.yaml\n", "is no mapping"),
        ("resources: [a.yaml]\nsortOptions: {order: random}\n", "sortOptions.order is not one of"),
    ] {
        let folder = judged(&[("kustomization.yaml", text), ("a.yaml", &a)]);
        let first = &folder.verdict().refusals()[0];
        assert_eq!(
            (first.path.as_str(), first.reason),
            ("kustomization.yaml", Reason::InvalidKustomization),
            "{text}: {first}"
        );
        assert!(first.what.contains(words), "{text}: {first}");
    }
    let folder = judged(&[("kustomization.yaml", "resources: []\n"), ("kustomization.yml", "resources: []\n")]);
    assert!(
        folder.verdict().message().contains("kustomization.yml stands beside it"),
        "{}",
        folder.verdict().message()
    );
}

#[test]
fn f11_keys_without_a_value_say_nothing_and_inert_ones_do_nothing() {
    let text = "namespace: team-a\nresources: [a.yaml]\npatches: []\ncommonLabels: {}\nnamePrefix: ''\nimages:\nbuildMetadata: []\nmetadata: {name: x}\nsortOptions: {order: fifo}\ngeneratorOptions: {disableNameSuffixHash: true}\n";
    let folder = judged(&[("kustomization.yaml", text), ("a.yaml", &object("ConfigMap", "a", ""))]);
    assert!(folder.verdict().is_valid(), "{}", folder.verdict().message());
}

#[test]
fn f12_attribution_follows_the_graph_and_never_the_nearest_file_on_disk() {
    let a = object("ConfigMap", "a", "");
    // The nearest kustomization assigns near; the one that names the file assigns far.
    let folder = judged(&[
        ("kustomization.yaml", "namespace: far\nresources: [sub/a.yaml]\n"),
        ("sub/kustomization.yaml", "namespace: near\nresources: [b.yaml]\n"),
        ("sub/a.yaml", &a),
        ("sub/b.yaml", &a),
    ]);
    let namespace = |title: &str| document(&folder, title).effective().unwrap().namespace.unwrap().to_string();
    assert_eq!((namespace("sub/a.yaml#1"), namespace("sub/b.yaml#1")), ("far".to_owned(), "near".to_owned()));
    // `..` to a directory within the folder.
    let folder = judged(&[
        ("overlay/kustomization.yaml", "namespace: x\nresources: [../base]\n"),
        ("base/kustomization.yaml", "resources: [a.yaml]\n"),
        ("base/a.yaml", &a),
    ]);
    assert_eq!(document(&folder, "base/a.yaml#1").effective().unwrap().namespace.as_deref(), Some("x"));
}

#[test]
fn f14_a_document_reached_by_two_paths_is_refused_with_both() {
    let folder = judged(&[
        ("kustomization.yaml", "namespace: x\nresources: [a, b]\n"),
        ("a/kustomization.yaml", "resources: [../base]\n"),
        ("b/kustomization.yaml", "resources: [../base]\n"),
        ("base/kustomization.yaml", "resources: [a.yaml]\n"),
        ("base/a.yaml", &object("ConfigMap", "a", "")),
    ]);
    assert_eq!(folder.graph().roots().len(), 1);
    let message = folder.verdict().message();
    assert!(message.contains("a/kustomization.yaml") && message.contains("b/kustomization.yaml"), "{message}");
    assert_eq!(refusals(&folder)[0].0, Reason::ReachedTwice);
}

#[test]
fn f15_outside_every_graph_only_a_namespaced_document_without_a_namespace_refuses() {
    let folder = judged(&[
        ("a.yaml", &object("ConfigMap", "a", "  namespace: x\n")),
        ("b.yaml", &object("ConfigMap", "b", "")),
        ("r.yaml", &object("ClusterRole", "r", "")),
    ]);
    assert_eq!(refusals(&folder), [(Reason::NoNamespace, "b.yaml#1".to_owned())]);
    // Below an unsupported kustomization the walk stops, also for what it names in turn.
    let folder = judged(&[
        ("kustomization.yaml", "namespace: x\nnamePrefix: p-\nresources: [base]\n"),
        ("base/kustomization.yaml", "namespace: team-y\nresources: [a.yaml, b.yaml]\n"),
        ("base/a.yaml", &object("ConfigMap", "a", "")),
        ("base/b.yaml", &object("ConfigMap", "b", "  namespace: team-y\n")),
    ]);
    assert_eq!(document(&folder, "base/a.yaml#1").source, NamespaceSource::None);
    assert_eq!(document(&folder, "base/b.yaml#1").source, NamespaceSource::Explicit);
}

#[test]
fn f17_subjects_named_default_and_accounts_and_services_of_the_build_get_its_namespace() {
    let binding = "subjects:\n- {kind: User, name: default}\n- {kind: ServiceAccount, name: robot}\n- {kind: ServiceAccount, name: other}\n- {kind: ServiceAccount, name: robot, namespace: elsewhere}\n";
    let text = [object("ServiceAccount", "robot", ""), object("RoleBinding", "b", binding)].join("---\n");
    let folder = judged(&[("kustomization.yaml", "namespace: team-a\nresources: [a.yaml]\n"), ("a.yaml", &text)]);
    let values = folder.values(&FolderPath::new("a.yaml").unwrap()).unwrap();
    let namespaces: Vec<_> = (0..4).map(|at| values[1].1["subjects"][at]["namespace"].as_str()).collect();
    assert_eq!(namespaces, [Some("team-a"), Some("team-a"), None, Some("elsewhere")]);
}

#[test]
fn f17_an_api_service_without_a_service_is_refused_under_a_namespace_only() {
    let service = "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: v1.x}\nspec: {group: x}\n";
    let with = |namespace: &str| {
        judged(&[("kustomization.yaml", &format!("{namespace}resources: [a.yaml]\n")), ("a.yaml", service)])
    };
    assert_eq!(refusals(&with("namespace: team-a\n")), [(Reason::UnsupportedRender, "a.yaml#1".to_owned())]);
    assert!(with("").verdict().is_valid());
}

#[test]
fn f18_local_documents_own_nothing_and_still_collide() {
    let local = "  annotations:\n    config.kubernetes.io/local-config: x\n";
    let text = object("ConfigMap", "a", local);
    let folder = judged(&[("kustomization.yaml", "namespace: team-a\nresources: [a.yaml]\n"), ("a.yaml", &text)]);
    assert_eq!(document(&folder, "a.yaml#1").live, None);
    assert!(folder.renders()[0].documents[0].is_dropped);
    let other = object("ConfigMap", "a", "");
    let folder = judged(&[
        ("kustomization.yaml", "namespace: team-a\nresources: [a.yaml, b.yaml]\n"),
        ("a.yaml", &text),
        ("b.yaml", &other),
    ]);
    assert_eq!(refusals(&folder), [(Reason::DuplicateIdentity, "b.yaml#1".to_owned())]);
}

#[test]
fn f19_what_kustomize_stumbles_over_refuses_in_a_graph_only() {
    for (rest, field) in [
        ("  annotations: [a]\n", "metadata.annotations"),
        ("  labels: x\n", "metadata.labels"),
        ("  annotations:\n    a: {b: c}\n", "metadata.annotations"),
        ("spec: {template: {spec: {volumes: text}}}\n", "spec.template.spec.volumes"),
        (
            "spec: {template: {spec: {containers: [{env: [{valueFrom: {configMapKeyRef: {name: [[a]]}}}]}]}}}\n",
            "configMapKeyRef.name[0]",
        ),
        ("1: x\n", "\"1\" is not a string"),
        ("x: 1\nx: 2\n", "\"x\" stands twice"),
        ("x: .inf\n", ".inf"),
    ] {
        let text = object("Deployment", "web", rest);
        let folder = judged(&[("kustomization.yaml", "namespace: a\nresources: [web.yaml]\n"), ("web.yaml", &text)]);
        assert!(folder.verdict().message().contains(field), "{rest}: {}", folder.verdict().message());
    }
    for name in ["12", "[a]", "{a: b}", "true"] {
        assert!(
            judged(&[("a.yaml", &object("ConfigMap", name, ""))])
                .verdict()
                .message()
                .contains("metadata.name is not a string")
        );
    }
}

#[test]
fn f21_a_folder_becomes_valid_again_with_the_change_that_repairs_it() {
    let folder = judged(&[("a.yaml", &object("ConfigMap", "a", ""))]);
    assert!(matches!(folder.verdict().validity(), Validity::False(Reason::NoNamespace)));
    let repaired = object("ConfigMap", "a", "  namespace: x\n").into_bytes();
    let changes = [(FolderPath::new("a.yaml").unwrap(), Some(repaired.into()))].into();
    let folder = folder.with(&changes, &KindTable::builtin(), &Options::default());
    assert!(folder.verdict().is_valid());
    let gone = [(FolderPath::new("a.yaml").unwrap(), None)].into();
    assert_eq!(folder.with(&gone, &KindTable::builtin(), &Options::default()).documents().len(), 0);
}

#[test]
fn f20_the_same_folder_gives_the_same_verdict_whatever_order_it_is_read_in() {
    let list = files(&[
        ("b.yaml", &object("ConfigMap", "b", "")),
        ("a/c.yaml", &object("ConfigMap", "c", "")),
        ("a.yaml", "x: ["),
    ]);
    let first = world::folder(&list, &Options::default()).verdict().clone();
    assert_eq!(&first, world::folder(&list, &Options::default()).verdict());
    let mut shuffled: Vec<_> = first.findings().to_vec();
    shuffled.reverse();
    assert_eq!(Verdict::new(shuffled), first);
}

#[test]
fn f24_flux_and_argo_objects_are_no_source_and_what_they_change_is_named() {
    let flux = |spec: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: apps, namespace: flux-system}}\nspec:\n{spec}"
        )
    };
    let apps = ("apps/a.yaml", object("ConfigMap", "a", "  namespace: x\n"));
    let judge = |spec: &str, options: &Options| {
        let mut kinds = KindTable::builtin();
        kinds.insert("kustomize.toolkit.fluxcd.io", "Kustomization", "kustomizations", Scope::Namespaced);
        world::folder_with(&files(&[("sync.yaml", &flux(spec)), (apps.0, &apps.1)]), options, kinds)
    };
    let plain = Options::default();
    assert!(judge("  path: ./apps\n", &plain).verdict().findings().is_empty());
    let folder = judge(
        "  path: ./apps\n  targetNamespace: team-y\n  patches: [{patch: x}]\n  postBuild: {substitute: {A: b}}\n",
        &plain,
    );
    let text: Vec<String> = folder.verdict().findings().iter().map(ToString::to_string).collect();
    assert!(
        text.iter().any(|line| line.contains("spec.patches") && line.contains("narrow the target's path")),
        "{text:?}"
    );
    assert!(
        text.iter().any(|line| line.contains("spec.targetNamespace team-y") && line.contains("namespaceContext")),
        "{text:?}"
    );
    assert!(text.iter().any(|line| line.contains("spec.postBuild.substitute")), "{text:?}");
    assert_eq!(document(&folder, "apps/a.yaml#1").source, NamespaceSource::Explicit);
    // Another directory of the repository is no concern of this folder.
    assert!(judge("  path: ./elsewhere\n  targetNamespace: team-y\n", &plain).verdict().is_valid());
    let located = Options { location: Some(FolderPath::new("clusters/prod").unwrap()), ..Options::default() };
    assert!(judge("  path: ./apps\n  targetNamespace: team-y\n", &located).verdict().is_valid());
    assert!(!judge("  path: ./clusters/prod/apps\n  targetNamespace: team-y\n", &located).verdict().is_valid());
    assert!(
        !judge("  path: clusters\n  targetNamespace: team-y\n", &located).verdict().is_valid(),
        "it applies the folder as a whole"
    );
}

#[test]
fn f36_a_fixed_context_is_valid_only_where_every_rule_selects_that_namespace_alone() {
    let list = files(&[("a.yaml", &object("ConfigMap", "a", ""))]);
    let with = |rules: &[(&str, Option<&[&str]>)]| {
        let rule = |(name, namespaces): &(&str, Option<&[&str]>)| BoundRule {
            name: (*name).to_owned(),
            namespaces: namespaces.map(|names| names.iter().map(|name| (*name).into()).collect()),
        };
        let options = Options { fixed: Some("x".into()), rules: rules.iter().map(rule).collect(), location: None };
        world::folder(&list, &options).verdict().clone()
    };
    assert!(with(&[("one", Some(&["x"]))]).is_valid());
    assert!(with(&[("one", Some(&["x", "y"]))]).message().contains("the rule one selects x, y"));
    assert!(with(&[("one", Some(&["x"])), ("all", None)]).message().contains("the cluster rule all"));
}
