//! What no class may hold unless `policy.permit` says so (class.md C22): one row, one rule.

use crate::identity::Gvk;
use crate::manifest::Manifest;
use crate::names::GROUP;
use crate::text;

/// One built-in rule.
#[derive(Debug)]
pub struct BuiltinDeny {
    group: &'static str,
    kind: &'static str,
    /// Beyond group and kind, what the manifest must hold for the rule to apply.
    condition: fn(&dyn Manifest) -> bool,
    /// Why, in words that go on behind "the built-in rule that ".
    pub reason: &'static str,
}

/// Rules are told apart by what they say.
impl PartialEq for BuiltinDeny {
    fn eq(&self, other: &Self) -> bool {
        (self.group, self.kind, self.reason) == (other.group, other.kind, other.reason)
    }
}

impl Eq for BuiltinDeny {}

const fn row(group: &'static str, kind: &'static str, reason: &'static str) -> BuiltinDeny {
    BuiltinDeny { group, kind, condition: always, reason }
}

const fn row_if(
    group: &'static str,
    kind: &'static str,
    condition: fn(&dyn Manifest) -> bool,
    reason: &'static str,
) -> BuiltinDeny {
    BuiltinDeny { group, kind, condition, reason }
}

const RBAC: &str = "rbac.authorization.k8s.io";
const ADMISSION: &str = "admissionregistration.k8s.io";
const FLOW_CONTROL: &str = "flowcontrol.apiserver.k8s.io";

const GRANTS_EVERYWHERE: &str = "keeps grants for the whole cluster out of classes";
const OWN_KINDS: &str = "keeps this operator's own kinds out of classes";
const SECOND_NAME: &str = "keeps a second API for RBAC objects from going round the rules of the first";
const NO_NAMESPACES: &str = "keeps a class from making namespaces";
const LISTS: &str = "wants each object as an item of its own, not in a list";
const ADMITS_EVERYWHERE: &str = "keeps a class from deciding about requests of the whole cluster";
const EXTENDS_API: &str = "keeps a class from changing which kinds the API server serves";
const CLUSTER_INFRASTRUCTURE: &str = "keeps what the whole cluster shares out of classes";
const SIGNS: &str = "keeps a class from asking for certificates of the cluster";
const TOKEN_SECRETS: &str = "keeps a class from minting tokens that do not expire";
const AGGREGATION: &str = "keeps a class from widening roles that others hold, such as view";
const DEFAULT_ACCOUNT: &str = "leaves the ServiceAccount default to Kubernetes, which makes it";
const ROOT_CA: &str = "leaves the ConfigMap kube-root-ca.crt to Kubernetes, which makes it";

/// `*` stands for every group or every kind.
static RULES: &[BuiltinDeny] = &[
    row(RBAC, "ClusterRoleBinding", GRANTS_EVERYWHERE),
    row(GROUP, "*", OWN_KINDS),
    // OpenShift serves the objects of rbac.authorization.k8s.io once more under this name.
    row("authorization.openshift.io", "*", SECOND_NAME),
    row("", "Namespace", NO_NAMESPACES),
    row_if("*", "*", is_list, LISTS),
    row(ADMISSION, "MutatingWebhookConfiguration", ADMITS_EVERYWHERE),
    row(ADMISSION, "ValidatingWebhookConfiguration", ADMITS_EVERYWHERE),
    row(ADMISSION, "ValidatingAdmissionPolicy", ADMITS_EVERYWHERE),
    row(ADMISSION, "ValidatingAdmissionPolicyBinding", ADMITS_EVERYWHERE),
    row(ADMISSION, "MutatingAdmissionPolicy", ADMITS_EVERYWHERE),
    row(ADMISSION, "MutatingAdmissionPolicyBinding", ADMITS_EVERYWHERE),
    row("apiregistration.k8s.io", "APIService", EXTENDS_API),
    row("apiextensions.k8s.io", "CustomResourceDefinition", EXTENDS_API),
    row("", "Node", CLUSTER_INFRASTRUCTURE),
    row("", "PersistentVolume", CLUSTER_INFRASTRUCTURE),
    row("storage.k8s.io", "StorageClass", CLUSTER_INFRASTRUCTURE),
    row("storage.k8s.io", "CSIDriver", CLUSTER_INFRASTRUCTURE),
    row("scheduling.k8s.io", "PriorityClass", CLUSTER_INFRASTRUCTURE),
    row("node.k8s.io", "RuntimeClass", CLUSTER_INFRASTRUCTURE),
    row(FLOW_CONTROL, "FlowSchema", CLUSTER_INFRASTRUCTURE),
    row(FLOW_CONTROL, "PriorityLevelConfiguration", CLUSTER_INFRASTRUCTURE),
    row("certificates.k8s.io", "CertificateSigningRequest", SIGNS),
    row_if("", "Secret", is_token_secret, TOKEN_SECRETS),
    row_if(RBAC, "ClusterRole", aggregates, AGGREGATION),
    row_if(RBAC, "ClusterRole", is_aggregated, AGGREGATION),
    row_if("", "ServiceAccount", is_default, DEFAULT_ACCOUNT),
    row_if("", "ConfigMap", is_root_ca, ROOT_CA),
];

/// The first rule that denies this manifest.
pub(super) fn find(kind: &Gvk, manifest: &dyn Manifest) -> Option<&'static BuiltinDeny> {
    let fits = |wanted: &str, here: &str| wanted == "*" || text::same(wanted, here);
    RULES.iter().find(|rule| fits(rule.kind, &kind.kind) && fits(rule.group, &kind.group) && (rule.condition)(manifest))
}

fn always(_: &dyn Manifest) -> bool {
    true
}

fn is_list(manifest: &dyn Manifest) -> bool {
    manifest.text(&["kind"]).is_some_and(|kind| kind.ends_with("List")) && manifest.has(&["items"])
}

fn is_token_secret(manifest: &dyn Manifest) -> bool {
    manifest.text(&["type"]) == Some("kubernetes.io/service-account-token")
}

fn aggregates(manifest: &dyn Manifest) -> bool {
    manifest.is_set(&["aggregationRule"])
}

/// Any role may select what it aggregates by labels of its own, but all are called alike: `…/aggregate-to-view`.
fn is_aggregated(manifest: &dyn Manifest) -> bool {
    let says_so = |key: &str| key.rsplit('/').next().is_some_and(|name| name.starts_with("aggregate-to-"));
    manifest.any_key(&["metadata", "labels"], says_so)
}

fn is_default(manifest: &dyn Manifest) -> bool {
    manifest.text(&["metadata", "name"]) == Some("default")
}

fn is_root_ca(manifest: &dyn Manifest) -> bool {
    manifest.text(&["metadata", "name"]) == Some("kube-root-ca.crt")
}
