//! What our own processes may do, spelled here alone: the chart's roles are made of it (`cargo generate`), and so are those that the tests
//! run under. What classes hold comes on top, by opting in ([`KIND_VERBS`]).

use k8s_openapi::api::rbac::v1::PolicyRule;

use super::RBAC_GROUP;
use crate::names::GROUP;

/// What the controller does with the objects of a kind that classes hold.
pub const KIND_VERBS: [&str; 6] = ["get", "list", "watch", "create", "patch", "delete"];

/// Label of `ClusterRole`s that say what classes may make. Its value is `"true"`, or the name of the instance that is meant.
pub const AGGREGATE_LABEL: &str = "rbac.nsclass.io/aggregate-to-controller";

/// Rules that are granted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// The controller, whatever it is configured to do.
    ControllerCluster,
    /// The controller, at home.
    ControllerNamespace,
    /// The controller, where it issues certificates itself.
    ControllerCertificates,
    /// The controller, where it writes usage reports.
    ControllerUsage,
    /// The controller, where it wants a licence.
    ControllerLicence,
    /// The controller's events about what is in no namespace.
    ControllerEvents,
    /// The controller, where live objects are written back to Git (folders.md F50 to F60).
    ControllerGit,
    /// The controller, where classes may hold roles and bindings (class.md C49).
    ControllerGrants,
    /// The webhook.
    Webhook,
    /// `nsclass release`, everywhere.
    ReleaseCluster,
    /// `nsclass release`, at home.
    ReleaseNamespace,
}

/// Where rules hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Everywhere.
    Cluster,
    /// In the operator's namespace.
    Home,
    /// Where events about what is in no namespace are.
    Default,
}

/// Names of the objects that single rights are limited to.
#[derive(Debug, Clone)]
pub struct OwnObjects {
    /// The controller's Lease.
    pub lease: String,
    /// The webhook configuration.
    pub configuration: String,
    /// The `ConfigMap` of its template.
    pub template: String,
    /// The `Secret`s of the authority and of the serving pair.
    pub secrets: [String; 2],
    /// The `ConfigMap` of the usage report.
    pub report: String,
    /// The `ConfigMap` of what the licence gate must not forget.
    pub record: String,
}

impl Grant {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::ControllerCluster,
        Self::ControllerNamespace,
        Self::ControllerCertificates,
        Self::ControllerUsage,
        Self::ControllerLicence,
        Self::ControllerEvents,
        Self::ControllerGit,
        Self::ControllerGrants,
        Self::Webhook,
        Self::ReleaseCluster,
        Self::ReleaseNamespace,
    ];
    /// What the controller has in the default installation.
    pub const CONTROLLER: [Self; 5] = [
        Self::ControllerCluster,
        Self::ControllerNamespace,
        Self::ControllerCertificates,
        Self::ControllerUsage,
        Self::ControllerEvents,
    ];

    /// One word, of the chart's file.
    pub fn name(self) -> &'static str {
        match self {
            Self::ControllerCluster => "controller-cluster",
            Self::ControllerNamespace => "controller-namespace",
            Self::ControllerCertificates => "controller-certificates",
            Self::ControllerUsage => "controller-usage",
            Self::ControllerLicence => "controller-licence",
            Self::ControllerEvents => "controller-events",
            Self::ControllerGit => "controller-git",
            Self::ControllerGrants => "controller-grants",
            Self::Webhook => "webhook",
            Self::ReleaseCluster => "release-cluster",
            Self::ReleaseNamespace => "release-namespace",
        }
    }

    /// Where it holds.
    pub fn place(self) -> Place {
        match self {
            Self::ControllerNamespace
            | Self::ControllerCertificates
            | Self::ControllerUsage
            | Self::ControllerLicence
            | Self::ReleaseNamespace => Place::Home,
            Self::ControllerEvents => Place::Default,
            Self::ControllerCluster
            | Self::ControllerGit
            | Self::ControllerGrants
            | Self::Webhook
            | Self::ReleaseCluster => Place::Cluster,
        }
    }

    /// Its rules, each limited to named objects where RBAC can: it can limit neither `create` nor lists to names.
    pub fn rules(self, own: &OwnObjects) -> Vec<PolicyRule> {
        let events = rule("events.k8s.io", &["events"], &["create", "patch"]);
        let secrets = [&*own.secrets[0], &*own.secrets[1]];
        match self {
            Self::ControllerCluster => vec![
                // `patch` for the finalizer.
                rule("", &["namespaces"], &["get", "list", "watch", "patch"]),
                rule(GROUP, &["namespaceclasses"], &["list", "watch", "patch"]),
                rule(GROUP, &["namespaceclasses/status"], &["patch"]),
                // `manage` is what the policies ask for; without it nobody writes marks and records.
                rule(
                    GROUP,
                    &["namespaceclassbindings"],
                    &["get", "list", "watch", "create", "update", "delete", "manage"],
                ),
                rule("apiextensions.k8s.io", &["customresourcedefinitions"], &["get", "list", "watch"]),
                rule(ADMISSION_GROUP, &[CONFIGURATIONS], &["create"]),
                named(ADMISSION_GROUP, CONFIGURATIONS, &["get", "list", "watch", "update"], &[&own.configuration]),
                // Another installation of this instance would have one, too.
                named(LEASE_GROUP, "leases", &["list"], &[&own.lease]),
            ],
            Self::ControllerNamespace => vec![
                rule(LEASE_GROUP, &["leases"], &["create"]),
                named(LEASE_GROUP, "leases", &["get", "list", "watch", "patch"], &[&own.lease]),
                named("", "configmaps", &["get", "list", "watch"], &[&own.template]),
            ],
            Self::ControllerCertificates => vec![
                rule("", &["secrets"], &["create"]),
                named("", "secrets", &["get", "list", "watch", "update"], &secrets),
                // Who serves which certificate.
                rule("discovery.k8s.io", &["endpointslices"], &["list"]),
                events,
            ],
            Self::ControllerUsage => vec![
                rule("", &["configmaps"], &["create"]),
                named("", "configmaps", &["get", "update"], &[&own.report]),
            ],
            Self::ControllerLicence => vec![
                // Licences are found by their label, to which RBAC cannot limit a list: every Secret at home can be read then.
                rule("", &["secrets"], &["list", "watch"]),
                rule("", &["configmaps"], &["create"]),
                named("", "configmaps", &["get", "update"], &[&own.record]),
                events,
            ],
            Self::ControllerEvents => vec![events],
            Self::ControllerGrants => vec![
                rule(RBAC_GROUP, &["roles", "rolebindings", "clusterroles"], &KIND_VERBS),
                rule(RBAC_GROUP, &["roles", "clusterroles"], &["escalate", "bind"]),
            ],
            Self::ControllerGit => vec![
                rule(GROUP, &GIT_KINDS, &["list", "watch"]),
                rule(GROUP, &GIT_KINDS.map(|kind| format!("{kind}/status")).each_ref().map(String::as_str), &["patch"]),
                rule(REVIEW_GROUP, &["subjectaccessreviews"], &["create"]),
                // Each provider names a Secret of its own namespace.
                rule("", &["secrets"], &["get"]),
                events,
            ],
            Self::Webhook => vec![
                // A namespace that is not in the snapshot yet is read once.
                rule("", &["namespaces"], &["get", "list", "watch"]),
                // What the authors of classes and rules may do (admission.md A01, folders.md F58).
                rule(REVIEW_GROUP, &["subjectaccessreviews"], &["create"]),
            ],
            Self::ReleaseCluster => vec![
                rule("", &["namespaces"], &["get", "list", "patch"]),
                rule(GROUP, &["namespaceclasses"], &["get", "list", "patch"]),
                rule(GROUP, &["namespaceclassbindings"], &["list", "patch", "manage"]),
                rule(ADMISSION_GROUP, &[CONFIGURATIONS], &["list"]),
                named(ADMISSION_GROUP, CONFIGURATIONS, &["delete"], &[&own.configuration]),
            ],
            Self::ReleaseNamespace => vec![
                rule(LEASE_GROUP, &["leases"], &["create"]),
                named(LEASE_GROUP, "leases", &["get", "patch"], &[&own.lease]),
                named("", "secrets", &["delete"], &secrets),
            ],
        }
    }
}

/// The rights that the controller takes for kinds that classes hold.
pub fn for_kinds(group: &str, resources: &[&str]) -> PolicyRule {
    rule(group, resources, &KIND_VERBS)
}

/// The kinds of writing live objects back to Git.
const GIT_KINDS: [&str; 4] = ["gitproviders", "gittargets", "watchrules", "clusterwatchrules"];
const REVIEW_GROUP: &str = "authorization.k8s.io";
const LEASE_GROUP: &str = "coordination.k8s.io";
const ADMISSION_GROUP: &str = "admissionregistration.k8s.io";
const CONFIGURATIONS: &str = "validatingwebhookconfigurations";

fn rule(group: &str, resources: &[&str], verbs: &[&str]) -> PolicyRule {
    PolicyRule {
        api_groups: Some(vec![group.to_owned()]),
        resources: Some(owned(resources)),
        verbs: owned(verbs),
        ..PolicyRule::default()
    }
}

fn named(group: &str, resource: &str, verbs: &[&str], names: &[&str]) -> PolicyRule {
    PolicyRule { resource_names: Some(owned(names)), ..rule(group, &[resource], verbs) }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().copied().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> OwnObjects {
        let name = str::to_owned;
        OwnObjects {
            lease: name("lease"),
            configuration: name("configuration"),
            template: name("template"),
            secrets: ["ca", "tls"].map(name),
            report: name("report"),
            record: name("record"),
        }
    }

    #[test]
    fn nothing_is_granted_by_a_star_and_no_secret_without_its_name_but_for_making_one() {
        let star = "*".to_owned();
        for grant in Grant::ALL {
            for rule in grant.rules(&own()) {
                let resources = rule.resources.clone().unwrap_or_default();
                let groups = rule.api_groups.clone().unwrap_or_default();
                let all = [&groups, &resources, &rule.verbs];
                assert!(all.iter().all(|words| !words.contains(&star)), "{grant:?}: {rule:?}");
                if resources == ["secrets"] && ![Grant::ControllerLicence, Grant::ControllerGit].contains(&grant) {
                    assert!(rule.verbs == ["create"] || rule.resource_names.is_some(), "{grant:?}: {rule:?}");
                }
            }
        }
    }

    #[test]
    fn c49_only_opting_in_lets_the_controller_grant_what_it_does_not_hold() {
        for grant in Grant::ALL.into_iter().filter(|grant| *grant != Grant::ControllerGrants) {
            let rules = grant.rules(&own());
            let verbs: Vec<&String> = rules.iter().flat_map(|rule| &rule.verbs).collect();
            assert!(
                !verbs.iter().any(|verb| ["escalate", "bind", "impersonate"].contains(&verb.as_str())),
                "{grant:?}"
            );
        }
    }

    #[test]
    fn every_grant_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<_> = Grant::ALL.iter().map(|grant| grant.name()).collect();
        assert_eq!(names.len(), Grant::ALL.len());
    }
}
