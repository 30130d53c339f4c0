//! Objects for tests.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::core::ObjectMeta;

use crate::api::{
    Author, BranchName, ClusterWatchRule, ClusterWatchRuleSpec, CommitSpec, GitProvider, GitProviderSpec, GitTarget,
    GitTargetSpec, KindRule, LocalRef, TargetRef, WatchRule, WatchRuleSpec,
};

pub fn meta(namespace: &str, name: &str) -> ObjectMeta {
    ObjectMeta {
        namespace: Some(namespace.to_owned()).filter(|namespace| !namespace.is_empty()),
        name: Some(name.to_owned()),
        uid: Some(format!("uid of {namespace}/{name}")),
        generation: Some(1),
        creation_timestamp: Some(Time(Timestamp::UNIX_EPOCH)),
        ..ObjectMeta::default()
    }
}

pub fn provider(namespace: &str, name: &str) -> GitProvider {
    let spec = GitProviderSpec {
        url: "https://git.example.com/team/apps.git".to_owned(),
        secret_ref: None,
        branches: vec![BranchName("main".to_owned())],
        create_branches: false,
        commit: CommitSpec::default(),
    };
    GitProvider { metadata: meta(namespace, name), spec, status: None }
}

pub fn target(namespace: &str, name: &str, branch: &str, path: &str) -> GitTarget {
    let spec = GitTargetSpec {
        provider_ref: LocalRef { name: "origin".to_owned() },
        branch: BranchName(branch.to_owned()),
        path: path.to_owned(),
        prune: crate::api::Prune::default(),
        new_files: crate::api::FileStyle::default(),
        existing: crate::api::ExistingFiles::default(),
        namespace_context: None,
        allowed_namespaces: vec![],
    };
    GitTarget { metadata: meta(namespace, name), spec, status: None }
}

pub fn kinds(group: &str, resources: &[&str]) -> KindRule {
    KindRule {
        api_groups: vec![group.to_owned()],
        resources: resources.iter().map(|resource| (*resource).to_owned()).collect(),
        label_selector: None,
    }
}

pub fn rule(namespace: &str, name: &str, target: (&str, &str), rules: Vec<KindRule>) -> WatchRule {
    let target_ref = TargetRef { name: target.1.to_owned(), namespace: Some(target.0.to_owned()) };
    let author = Author { user: "jane".to_owned(), groups: vec![] };
    WatchRule { metadata: meta(namespace, name), spec: WatchRuleSpec { target_ref, author, rules }, status: None }
}

pub fn cluster_rule(name: &str, target: (&str, &str), rules: Vec<KindRule>) -> ClusterWatchRule {
    let target_ref = TargetRef { name: target.1.to_owned(), namespace: Some(target.0.to_owned()) };
    let author = Author { user: "jane".to_owned(), groups: vec![] };
    ClusterWatchRule {
        metadata: meta("", name),
        spec: ClusterWatchRuleSpec { target_ref, author, rules },
        status: None,
    }
}
