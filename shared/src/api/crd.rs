//! The custom resource definitions, as the API server gets them.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};
use kube::CustomResourceExt;

use super::{ClusterWatchRule, GitProvider, GitTarget, NamespaceClass, NamespaceClassBinding, WatchRule};

/// All of our definitions, in the order in which they are installed.
pub fn crds() -> Vec<CustomResourceDefinition> {
    [namespace_class_crd(), namespace_class_binding_crd()].into_iter().chain(git_crds()).collect()
}

/// Those of writing live objects back to Git, in the order in which they refer to each other.
pub fn git_crds() -> Vec<CustomResourceDefinition> {
    [GitProvider::crd(), GitTarget::crd(), WatchRule::crd(), ClusterWatchRule::crd()].map(polished).into()
}

/// `namespaceclasses.nsclass.io`, with the status subresource.
pub fn namespace_class_crd() -> CustomResourceDefinition {
    polished(NamespaceClass::crd())
}

/// `namespaceclassbindings.nsclass.io`, without the status subresource: with it, a status sent with a create would be dropped, and
/// each change would be two writes that can be torn.
pub fn namespace_class_binding_crd() -> CustomResourceDefinition {
    let mut crd = polished(NamespaceClassBinding::crd());
    for version in &mut crd.spec.versions {
        version.subresources = None;
    }
    crd
}

/// Takes out what the derive puts in and no user needs.
fn polished(mut crd: CustomResourceDefinition) -> CustomResourceDefinition {
    let schemas = crd.spec.versions.iter_mut().filter_map(|version| version.schema.as_mut());
    for schema in schemas.filter_map(|schema| schema.open_api_v3_schema.as_mut()) {
        schema.title = None;
        polish(schema);
    }
    crd
}

/// No field of ours means anything by `null`: an absent one is absent, so that no third state is ever stored. A description is one line
/// per paragraph, since the source's line breaks are not the reader's.
fn polish(schema: &mut JSONSchemaProps) {
    schema.nullable = None;
    if let Some(text) = &mut schema.description {
        *text = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " ")).collect::<Vec<_>>().join("\n\n");
    }
    for property in schema.properties.iter_mut().flat_map(|properties| properties.values_mut()) {
        polish(property);
    }
    if let Some(JSONSchemaPropsOrArray::Schema(items)) = &mut schema.items {
        polish(items);
    }
    if let Some(JSONSchemaPropsOrBool::Schema(values)) = &mut schema.additional_properties {
        polish(values);
    }
}
