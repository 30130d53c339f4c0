/// What the value of a key must be for kustomize to read the file at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Text,
    List,
    Map,
}

/// What is made of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Read.
    Supported,
    /// Changes nothing in the supported subset; its value is checked.
    Inert,
    /// Refuses the folder unless it has no value.
    Unsupported(Type),
}

/// Every key of a Kustomization in kustomize 5.8.2.
const KEYS: &[(&str, Meaning)] = {
    use Meaning::{Inert, Supported, Unsupported};
    use Type::{List, Map, Text};
    &[
        ("apiVersion", Supported),
        ("bases", Supported),
        ("buildMetadata", Unsupported(List)),
        ("commonAnnotations", Unsupported(Map)),
        ("commonLabels", Unsupported(Map)),
        ("components", Unsupported(List)),
        ("configMapGenerator", Unsupported(List)),
        ("configurations", Unsupported(List)),
        ("crds", Unsupported(List)),
        ("generatorOptions", Inert),
        ("generators", Unsupported(List)),
        ("helmChartInflationGenerator", Unsupported(List)),
        ("helmCharts", Unsupported(List)),
        ("helmGlobals", Unsupported(Map)),
        ("imageTags", Unsupported(List)),
        ("images", Unsupported(List)),
        ("kind", Supported),
        ("labels", Unsupported(List)),
        ("metadata", Inert),
        ("namePrefix", Unsupported(Text)),
        ("nameSuffix", Unsupported(Text)),
        ("namespace", Supported),
        ("openapi", Unsupported(Map)),
        ("patches", Unsupported(List)),
        ("patchesJson6902", Unsupported(List)),
        ("patchesStrategicMerge", Unsupported(List)),
        ("replacements", Unsupported(List)),
        ("replicas", Unsupported(List)),
        ("resources", Supported),
        ("secretGenerator", Unsupported(List)),
        ("sortOptions", Inert),
        ("transformers", Unsupported(List)),
        ("validators", Unsupported(List)),
        ("vars", Unsupported(List)),
    ]
};

/// What a key means, if it is one.
pub(super) fn meaning(key: &str) -> Option<Meaning> {
    KEYS.binary_search_by(|(known, _)| known.cmp(&key)).ok().map(|at| KEYS[at].1)
}

/// The key that `key` is but for its case: kustomize reads it, a strict reader does not.
pub(super) fn same_but_for_case(key: &str) -> Option<&'static str> {
    KEYS.iter().map(|(known, _)| *known).find(|known| known.eq_ignore_ascii_case(key))
}

#[cfg(test)]
mod tests {
    use super::KEYS;

    #[test]
    fn f11_the_list_of_keys_can_be_searched() {
        assert!(KEYS.is_sorted_by_key(|(key, _)| *key));
    }
}
