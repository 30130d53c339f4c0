use std::collections::BTreeMap;

use jiff::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::api::{ContextKind, NamespaceContext};
use crate::livegit::fault::Reason;
use crate::livegit::served::Found;
use crate::livegit::testing::{cluster_rule, kinds, provider, rule, target};
use crate::scope::{Index, Observation, Pick, ScopeRule};

/// Serves some kinds.
struct Table(BTreeMap<&'static str, Found>);

impl Served for Table {
    fn find(&self, kind: &GroupResource) -> Found {
        self.0.get(kind.resource.as_str()).copied().unwrap_or(Found::NotServed)
    }
}

fn table() -> Table {
    Table(
        [
            ("configmaps", Found::Namespaced),
            ("secrets", Found::Namespaced),
            ("nodes", Found::Cluster),
            ("dims", Found::Unknown),
        ]
        .into(),
    )
}

/// Lets everybody read all but secrets, which nobody has been asked about.
struct Open;

impl Access for Open {
    fn may(&self, question: &Question) -> May {
        match (question.kind.resource.as_str(), question.namespace.as_deref()) {
            ("secrets", _) => May::Unknown,
            (_, Some("closed")) => May::No(vec!["list", "watch"]),
            _ => May::Yes,
        }
    }
}

fn scope(managed: &[&str]) -> Arc<Snapshot> {
    let mut index =
        Index::new(ScopeRule::new("ops", Pick::Named(managed.iter().map(|name| (*name).to_owned()).collect())));
    let labels = BTreeMap::new();
    for name in ["pay", "shop", "closed", "away"] {
        index.apply(&Observation { name, uid: name, revision: 1, labels: &labels });
    }
    index.publish(Timestamp::UNIX_EPOCH);
    index.snapshot()
}

#[derive(Clone)]
struct Objects {
    providers: Vec<Arc<GitProvider>>,
    targets: Vec<Arc<GitTarget>>,
    rules: Vec<Arc<WatchRule>>,
    cluster_rules: Vec<Arc<ClusterWatchRule>>,
}

impl Objects {
    fn new() -> Self {
        Self {
            providers: vec![Arc::new(provider("pay", "origin"))],
            targets: vec![Arc::new(target("pay", "prod", "main", "apps"))],
            rules: vec![],
            cluster_rules: vec![],
        }
    }

    fn rule(mut self, namespace: &str, resources: &[&str]) -> Self {
        self.rules.push(Arc::new(rule(namespace, "all", ("pay", "prod"), vec![kinds("", resources)])));
        self
    }

    fn outlook(&self, managed: &[&str]) -> Outlook {
        outlook(&World {
            providers: &self.providers,
            locked: &BTreeMap::new(),
            targets: &self.targets,
            rules: &self.rules,
            cluster_rules: &self.cluster_rules,
            scope: &scope(managed),
            allow_local: false,
            served: &table(),
            access: &Open,
        })
    }
}

fn name(namespace: &str, name: &str) -> Name {
    Name { namespace: namespace.to_owned(), name: name.to_owned() }
}

fn of<'a>(outlook: &'a Outlook, namespace: &str) -> &'a RuleOutlook {
    &outlook.rules[&RuleId::Namespaced(name(namespace, "all"))]
}

fn streams(outlook: &Outlook) -> Vec<String> {
    let stream = |id: &StreamId| format!("{} in {}", id.kind, id.namespace.as_deref().unwrap_or("cluster"));
    outlook.targets.values().flat_map(|target| target.streams.keys().map(stream)).collect()
}

#[test]
fn f54_a_rule_is_pending_while_its_target_is_out_of_scope_and_is_restored_with_it() {
    let mut objects = Objects::new().rule("shop", &["configmaps"]);
    Arc::make_mut(&mut objects.targets[0]).spec.allowed_namespaces.push("shop".to_owned());
    assert_eq!(streams(&objects.outlook(&["pay", "shop"])), ["configmaps in shop"]);
    let away = objects.outlook(&["shop"]);
    assert_eq!((streams(&away).len(), away.targets.len()), (0, 0));
    let rule = of(&away, "shop");
    assert_eq!(rule.waits.as_ref().map(|fault| fault.reason), Some(Reason::TargetOutOfScope));
    assert!(rule.faults.is_empty());
    assert_eq!(objects.outlook(&["pay", "shop"]).targets.len(), 1);
    // A rule whose own namespace is away is not spoken of at all.
    assert!(objects.outlook(&["pay"]).rules.is_empty());
}

#[test]
fn f58_what_nobody_answered_for_is_asked_and_what_is_denied_is_not_watched() {
    let mut objects = Objects::new().rule("pay", &["configmaps", "secrets"]).rule("closed", &["configmaps"]);
    Arc::make_mut(&mut objects.targets[0]).spec.allowed_namespaces.push("closed".to_owned());
    let outlook = objects.outlook(&["pay", "closed"]);
    assert_eq!(streams(&outlook), ["configmaps in pay"]);
    assert_eq!(outlook.questions.len(), 1);
    let denied = &of(&outlook, "closed").kinds.values().next();
    assert!(matches!(denied, Some(KindState::Refused(fault)) if fault.reason == Reason::Forbidden), "{denied:?}");
    assert_eq!(outlook.targets[&name("pay", "prod")].waiting, 2);
}

#[test]
fn f58_a_target_that_does_not_name_the_namespace_takes_no_rule_from_there() {
    let outlook = Objects::new().rule("shop", &["configmaps"]).outlook(&["pay", "shop"]);
    assert_eq!(of(&outlook, "shop").faults[0].reason, Reason::TargetForeign);
    assert!(streams(&outlook).is_empty() && outlook.targets[&name("pay", "prod")].bound.is_empty());
}

#[test]
fn bad20_a_kind_that_does_not_exist_waits_and_the_rest_goes_on() {
    let outlook = Objects::new().rule("pay", &["configmaps", "widgets", "nodes", "dims"]).outlook(&["pay"]);
    assert_eq!(streams(&outlook), ["configmaps in pay"]);
    let states: Vec<_> = of(&outlook, "pay").kinds.iter().map(|(kind, state)| format!("{kind}: {state:?}")).collect();
    let states = states.join("\n");
    assert!(
        states.contains("widgets: Waits") && states.contains("nodes: Refused") && states.contains("dims: Asking"),
        "{states}"
    );
}

#[test]
fn a_cluster_rule_watches_cluster_scoped_kinds_only() {
    let mut objects = Objects::new();
    objects.cluster_rules.push(Arc::new(cluster_rule(
        "all",
        ("pay", "prod"),
        vec![kinds("", &["nodes", "configmaps"])],
    )));
    let outlook = objects.outlook(&["pay"]);
    assert_eq!(streams(&outlook), ["nodes in cluster"]);
    let kinds = &outlook.rules[&RuleId::Cluster("all".to_owned())].kinds;
    assert!(
        kinds.values().any(|state| matches!(state, KindState::Refused(fault) if fault.reason == Reason::ScopeMismatch))
    );
}

#[test]
fn f36_a_fixed_context_is_refused_with_a_rule_of_another_namespace_and_nothing_is_watched() {
    let mut objects = Objects::new().rule("pay", &["configmaps"]);
    let spec = &mut Arc::make_mut(&mut objects.targets[0]).spec;
    spec.namespace_context = Some(NamespaceContext { kind: ContextKind::Fixed, namespace: "pay".to_owned() });
    spec.allowed_namespaces.push("shop".to_owned());
    assert_eq!(streams(&objects.outlook(&["pay"])), ["configmaps in pay"]);
    let conflict = objects.rule("shop", &["configmaps"]).outlook(&["pay", "shop"]);
    assert_eq!(conflict.targets[&name("pay", "prod")].faults[0].reason, Reason::NamespaceContextConflict);
    assert!(streams(&conflict).is_empty());
    assert_eq!(of(&conflict, "pay").waits.as_ref().map(|fault| fault.reason), Some(Reason::TargetInvalid));
}

#[test]
fn f53_the_later_target_of_two_that_overlap_is_refused_and_the_earlier_one_goes_on() {
    let mut objects = Objects::new().rule("pay", &["configmaps"]);
    let mut later = target("pay", "later", "main", "apps/web");
    later.metadata.creation_timestamp.as_mut().unwrap().0 = Timestamp::from_second(9).unwrap();
    objects.targets.push(Arc::new(later));
    let outlook = objects.outlook(&["pay"]);
    assert_eq!(outlook.targets[&name("pay", "later")].faults[0].reason, Reason::TargetConflict);
    assert_eq!(streams(&outlook), ["configmaps in pay"]);
}

#[test]
fn f60_a_target_that_is_being_deleted_is_written_no_more() {
    let mut objects = Objects::new().rule("pay", &["configmaps"]);
    let time = k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(Timestamp::UNIX_EPOCH);
    Arc::make_mut(&mut objects.targets[0]).metadata.deletion_timestamp = Some(time);
    let outlook = objects.outlook(&["pay"]);
    assert!(outlook.targets.is_empty());
    assert_eq!(of(&outlook, "pay").waits.as_ref().map(|fault| fault.reason), Some(Reason::TargetNotFound));
}

#[test]
fn two_entries_of_one_kind_are_one_watch_that_picks_what_either_picks() {
    let mut objects = Objects::new();
    let select = |value: &str| {
        let mut kinds = kinds("", &["configmaps"]);
        let labels = [("tier".to_owned(), value.to_owned())].into();
        kinds.label_selector = Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector {
            match_labels: Some(labels),
            match_expressions: None,
        });
        kinds
    };
    objects.rules.push(Arc::new(rule("pay", "all", ("pay", "prod"), vec![select("a"), select("b")])));
    let outlook = objects.outlook(&["pay"]);
    let selection = outlook.targets[&name("pay", "prod")].streams.values().next().unwrap().clone();
    let labels = |value: &str| BTreeMap::from([("tier".to_owned(), value.to_owned())]);
    assert_eq!(
        [selection.picks(&labels("a")), selection.picks(&labels("b")), selection.picks(&labels("c"))],
        [true, true, false]
    );
}

proptest! {
    /// Nothing is ever watched in a namespace that is not managed, for a target that is not, or for a rule that was not answered for.
    #[test]
    fn f54_what_is_watched_is_in_scope_on_both_ends(
        managed in proptest::sample::subsequence(vec!["pay", "shop", "closed", "away"], 0..=4),
        rules in proptest::collection::vec((proptest::sample::select(vec!["pay", "shop", "closed", "away"]), 0_usize..4), 0..5),
        allowed in proptest::sample::subsequence(vec!["shop", "closed", "away"], 0..=3),
    ) {
        let mut objects = Objects::new();
        Arc::make_mut(&mut objects.targets[0]).spec.allowed_namespaces = allowed.iter().map(|name| (*name).to_owned()).collect();
        for (index, (namespace, kind)) in rules.iter().enumerate() {
            let resource = ["configmaps", "secrets", "nodes", "widgets"][*kind];
            objects.rules.push(Arc::new(rule(namespace, &format!("r{index}"), ("pay", "prod"), vec![kinds("", &[resource])])));
        }
        let outlook = objects.outlook(&managed);
        for target in outlook.targets.values() {
            prop_assert!(managed.contains(&"pay"));
            for stream in target.streams.keys() {
                let namespace = stream.namespace.as_deref().unwrap();
                prop_assert!(managed.contains(&namespace) && (namespace == "pay" || allowed.contains(&namespace)));
                prop_assert!(stream.kind.resource == "configmaps" && namespace != "closed");
            }
        }
        prop_assert_eq!(outlook.rules.len(), rules.iter().filter(|(namespace, _)| managed.contains(namespace)).count());
    }
}
