//! The custom resource definitions, as the API server gets them.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;

use super::{NamespaceClass, NamespaceClassBinding};

/// All of our definitions, in the order in which they are installed.
pub fn crds() -> Vec<CustomResourceDefinition> {
    vec![namespace_class_crd(), namespace_class_binding_crd()]
}

/// `namespaceclasses.nsclass.io`, with the status subresource.
pub fn namespace_class_crd() -> CustomResourceDefinition {
    NamespaceClass::crd()
}

/// `namespaceclassbindings.nsclass.io`, without the status subresource: with it, a status sent with a create would be dropped, and
/// each change would be two writes that can be torn.
pub fn namespace_class_binding_crd() -> CustomResourceDefinition {
    let mut crd = NamespaceClassBinding::crd();
    for version in &mut crd.spec.versions {
        version.subresources = None;
    }
    crd
}
