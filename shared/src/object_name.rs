//! What names an object of a kind may have (class.md C16).
//!
//! After the `validation.go` of each group in Kubernetes 1.36, where most kinds, and every custom resource, take a
//! subdomain. Rules that hang on the rest of an object (a CSR, a trust bundle, an `APIService`) are the server's.

use std::fmt;

use crate::identity::Gvk;
use crate::text;
use crate::validity::{is_dns_label, is_dns_subdomain, is_path_segment};

/// The form that a kind asks of its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameRule {
    /// A subdomain of RFC 1123.
    Subdomain,
    /// A subdomain of at most 52 characters: a `CronJob` appends eleven to the names of its jobs.
    ShortSubdomain,
    /// A label of RFC 1123.
    Label,
    /// Anything that can stand in a URL between two slashes.
    PathSegment,
}

/// Group, kind (`*` for all of a group), rule. What is not here takes [`NameRule::Subdomain`].
const EXCEPTIONS: [(&str, &str, NameRule); 9] = [
    ("", "Namespace", NameRule::Label),
    // Kubernetes 1.36 takes a label of RFC 1123, servers before it one of RFC 1035, which cannot begin with a digit.
    // The wider of the two, for no server may be refused what it takes.
    ("", "Service", NameRule::Label),
    ("apps", "StatefulSet", NameRule::Label),
    ("batch", "CronJob", NameRule::ShortSubdomain),
    ("rbac.authorization.k8s.io", "*", NameRule::PathSegment),
    ("apiregistration.k8s.io", "APIService", NameRule::PathSegment),
    ("certificates.k8s.io", "CertificateSigningRequest", NameRule::PathSegment),
    ("certificates.k8s.io", "ClusterTrustBundle", NameRule::PathSegment),
    ("networking.k8s.io", "IPAddress", NameRule::PathSegment),
];

impl NameRule {
    /// The rule of a kind.
    pub fn of(kind: &Gvk) -> Self {
        let found = EXCEPTIONS
            .iter()
            .find(|(group, name, _)| (*name == "*" || kind.kind == *name) && text::same(group, &kind.group));
        found.map_or(Self::Subdomain, |(_, _, rule)| *rule)
    }

    /// Whether an object of the kind can have this name.
    pub fn admits(self, name: &str) -> bool {
        match self {
            Self::Subdomain => is_dns_subdomain(name),
            Self::ShortSubdomain => is_dns_subdomain(name) && name.len() <= 52,
            Self::Label => is_dns_label(name),
            Self::PathSegment => is_path_segment(name),
        }
    }
}

/// As it goes on behind "is not …".
impl fmt::Display for NameRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Subdomain => "a DNS subdomain (lower-case letters, digits, - and ., at most 253)",
            Self::ShortSubdomain => "a DNS subdomain of at most 52 characters (lower-case letters, digits, - and .)",
            Self::Label => "a DNS label (lower-case letters, digits and -, at most 63)",
            Self::PathSegment => "a path segment (no /, %, ?, # or blank, neither . nor .., at most 253)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c16_each_kind_has_its_rule_for_names() {
        for (api_version, kind, name, admitted) in [
            ("v1", "ConfigMap", "kube-root-ca.crt", true),
            ("v1", "ConfigMap", "Blue", false),
            ("v1", "ConfigMap", "blue:reader", false),
            ("example.com/v1", "Widget", "a.b", true),
            ("example.com/v1", "Widget", "a_b", false),
            ("v1", "Service", "a.b", false),
            ("v1", "Service", "1st", true),
            ("v1", "Namespace", "a.b", false),
            ("apps/v1", "StatefulSet", "a.b", false),
            ("apps/v1", "Deployment", "a.b", true),
            ("rbac.authorization.k8s.io/v1", "Role", "blue:Reader", true),
            ("rbac.authorization.k8s.io/v1", "ClusterRole", "a/b", false),
            ("rbac.authorization.k8s.io/v1", "RoleBinding", "a?force=true", false),
            ("rbac.authorization.k8s.io/v1", "RoleBinding", "..", false),
        ] {
            let rule = NameRule::of(&Gvk::parse(api_version, kind).unwrap());
            assert_eq!(rule.admits(name), admitted, "{kind} {name}");
        }
        let cron_job = NameRule::of(&Gvk::parse("batch/v1", "CronJob").unwrap());
        assert!(cron_job.admits(&"a".repeat(52)) && !cron_job.admits(&"a".repeat(53)));
    }
}
