//! Objects that the control plane puts into every namespace by itself: nobody keeps them in a folder.

use super::kinds::GroupResource;

/// Group, resource and name.
const PUBLISHED: [(&str, &str, &str); 1] = [("", "configmaps", "kube-root-ca.crt")];

/// Whether an object is one of them. Its document, should there be one, stays as it is.
pub fn is_published(kind: &GroupResource, name: &str) -> bool {
    PUBLISHED.contains(&(kind.group.as_str(), kind.resource.as_str(), name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_authority_that_every_namespace_has_is_published_and_others_are_not() {
        let kind = |group: &str| GroupResource { group: group.to_owned(), resource: "configmaps".to_owned() };
        assert!(is_published(&kind(""), "kube-root-ca.crt"));
        assert!(!is_published(&kind(""), "settings") && !is_published(&kind("example.com"), "kube-root-ca.crt"));
    }
}
