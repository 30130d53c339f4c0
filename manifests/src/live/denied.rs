/// Something in a live object that its author did not write.
pub(super) enum Denied {
    /// A field.
    Field { kinds: Kinds, path: &'static [&'static str] },
    /// A field that the server fills in, unless it holds this text, or a list of just this text.
    Allocated { kinds: Kinds, path: &'static [&'static str], unless: &'static str },
    /// One entry of a mapping of texts.
    Entry { kinds: Kinds, map: &'static [&'static str], key: &'static str },
    /// Every entry of a mapping of texts whose key begins so.
    Prefix { kinds: Kinds, map: &'static [&'static str], prefix: &'static str },
    /// One text in a list of texts.
    Item { kinds: Kinds, list: &'static [&'static str], text: &'static str },
}

/// The kinds it is denied in, as (group, kind); none for every kind.
type Kinds = &'static [(&'static str, &'static str)];

impl Denied {
    pub(super) fn applies(&self, kind: &(&str, &str)) -> bool {
        let (Self::Field { kinds, .. }
        | Self::Allocated { kinds, .. }
        | Self::Entry { kinds, .. }
        | Self::Prefix { kinds, .. }
        | Self::Item { kinds, .. }) = self;
        kinds.is_empty() || kinds.contains(kind)
    }
}

const ANY: Kinds = &[];
const ANNOTATIONS: &[&str] = &["metadata", "annotations"];
const LABELS: &[&str] = &["metadata", "labels"];
const FINALIZERS: &[&str] = &["metadata", "finalizers"];
const NAMESPACE: Kinds = &[("", "Namespace")];
const SERVICE: Kinds = &[("", "Service")];
const CLAIM: Kinds = &[("", "PersistentVolumeClaim")];
const VOLUME: Kinds = &[("", "PersistentVolume")];
const VOLUMES: Kinds = &[("", "PersistentVolumeClaim"), ("", "PersistentVolume")];
const JOB: Kinds = &[("batch", "Job")];

/// What is denied, and who writes it: the API server, or a controller of the control plane, of Flux or of Argo CD.
#[rustfmt::skip]
pub(super) const LIST: &[Denied] = {
    use Denied::{Allocated, Entry, Field, Item, Prefix};
    &[
        Field { kinds: ANY, path: &["status"] },
        Field { kinds: ANY, path: &["metadata", "uid"] },
        Field { kinds: ANY, path: &["metadata", "resourceVersion"] },
        Field { kinds: ANY, path: &["metadata", "generation"] },
        Field { kinds: ANY, path: &["metadata", "creationTimestamp"] },
        Field { kinds: ANY, path: &["metadata", "deletionTimestamp"] },
        Field { kinds: ANY, path: &["metadata", "deletionGracePeriodSeconds"] },
        Field { kinds: ANY, path: &["metadata", "managedFields"] },
        Field { kinds: ANY, path: &["metadata", "selfLink"] },
        Entry { kinds: ANY, map: ANNOTATIONS, key: "kubectl.kubernetes.io/last-applied-configuration" },
        Prefix { kinds: ANY, map: ANNOTATIONS, prefix: "deployment.kubernetes.io/" },
        Entry { kinds: ANY, map: ANNOTATIONS, key: "deprecated.daemonset.template.generation" },
        Prefix { kinds: ANY, map: ANNOTATIONS, prefix: "kustomize.toolkit.fluxcd.io/checksum" },
        Entry { kinds: ANY, map: ANNOTATIONS, key: "argocd.argoproj.io/tracking-id" },
        Entry { kinds: ANY, map: LABELS, key: "kustomize.toolkit.fluxcd.io/name" },
        Entry { kinds: ANY, map: LABELS, key: "kustomize.toolkit.fluxcd.io/namespace" },
        Entry { kinds: &[("autoscaling", "HorizontalPodAutoscaler")], map: ANNOTATIONS, key: "autoscaling.alpha.kubernetes.io/conditions" },
        Entry { kinds: &[("autoscaling", "HorizontalPodAutoscaler")], map: ANNOTATIONS, key: "autoscaling.alpha.kubernetes.io/current-metrics" },
        Entry { kinds: &[("", "Endpoints")], map: ANNOTATIONS, key: "endpoints.kubernetes.io/last-change-trigger-time" },
        Entry { kinds: ANY, map: ANNOTATIONS, key: "control-plane.alpha.kubernetes.io/leader" },
        Prefix { kinds: VOLUMES, map: ANNOTATIONS, prefix: "pv.kubernetes.io/" },
        Prefix { kinds: CLAIM, map: ANNOTATIONS, prefix: "volume.kubernetes.io/" },
        Prefix { kinds: CLAIM, map: ANNOTATIONS, prefix: "volume.beta.kubernetes.io/storage-provisioner" },
        Item { kinds: CLAIM, list: FINALIZERS, text: "kubernetes.io/pvc-protection" },
        Item { kinds: VOLUME, list: FINALIZERS, text: "kubernetes.io/pv-protection" },
        Item { kinds: ANY, list: FINALIZERS, text: "foregroundDeletion" },
        Item { kinds: ANY, list: FINALIZERS, text: "orphan" },
        Item { kinds: SERVICE, list: FINALIZERS, text: "service.kubernetes.io/load-balancer-cleanup" },
        Item { kinds: NAMESPACE, list: &["spec", "finalizers"], text: "kubernetes" },
        Entry { kinds: NAMESPACE, map: LABELS, key: "kubernetes.io/metadata.name" },
        Allocated { kinds: SERVICE, path: &["spec", "clusterIP"], unless: "None" },
        Allocated { kinds: SERVICE, path: &["spec", "clusterIPs"], unless: "None" },
        Field { kinds: CLAIM, path: &["spec", "volumeName"] },
        Field { kinds: VOLUME, path: &["spec", "claimRef"] },
        Field { kinds: &[("", "Pod")], path: &["spec", "nodeName"] },
        Field { kinds: &[("", "ServiceAccount")], path: &["secrets"] },
        Entry { kinds: JOB, map: LABELS, key: "controller-uid" },
        Entry { kinds: JOB, map: LABELS, key: "batch.kubernetes.io/controller-uid" },
        Entry { kinds: JOB, map: &["spec", "template", "metadata", "labels"], key: "controller-uid" },
        Entry { kinds: JOB, map: &["spec", "template", "metadata", "labels"], key: "batch.kubernetes.io/controller-uid" },
        Entry { kinds: JOB, map: &["spec", "selector", "matchLabels"], key: "batch.kubernetes.io/controller-uid" },
    ]
};
