//! What kustomize does to annotations, whatever else it does (folders.md F18): it drops its own and makes the others strings.

/// Takes a document out of kustomize's output, with any value but `"false"`.
pub(crate) const LOCAL_CONFIG: &str = "config.kubernetes.io/local-config";

/// Annotations that never come out of kustomize.
const DROPPED: [&str; 10] = [
    "config.kubernetes.io/path",
    "config.kubernetes.io/index",
    "config.k8s.io/id",
    "config.kubernetes.io/origin",
    "alpha.config.kubernetes.io/transformations",
    "internal.config.kubernetes.io/path",
    "internal.config.kubernetes.io/index",
    "internal.config.kubernetes.io/seqindent",
    "internal.config.kubernetes.io/id",
    "internal.config.kubernetes.io/annotations-migration-resource-id",
];

/// Whether kustomize drops the annotation.
pub(crate) fn is_dropped(key: &str) -> bool {
    DROPPED.contains(&key)
}

/// Whether kustomize would take the annotation for a note of its own build: names it had, suffixes it needs.
pub(crate) fn steers_the_build(key: &str) -> bool {
    key.starts_with("internal.config.kubernetes.io/") && !is_dropped(key)
}
