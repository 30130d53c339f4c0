//! The policies of `deploy/policies`, as they are on disk, and in force.

use std::fs;

use anyhow::{Context, Result};
use kube::Api;
use kube::Client;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, PostParams};
use nsclass_shared::names::{CLASS_LABEL, GROUP, OBJECT_ANNOTATION, VERSION};
use serde_json::{Value, json};

use crate::ControlPlane;
use crate::install::until_it_bites;

const DIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/policies");

/// The policies that every installation has; each file is named after its policy, without the operator's name.
pub const POLICIES: [&str; 5] = ["namespace-class", "namespace-keys", "bindings", "marks", "rule-authors"];

/// Those that are off unless somebody applies them.
pub const OPTIONAL_POLICIES: [&str; 2] = ["lock", "require-class"];

/// Somebody who may write what the policies judge, and holds none of the rights that they ask for.
const OUTSIDER: &str = "nsclass-outsider";

const OUTSIDERS_RIGHTS: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: nsclass-outsider }
rules:
- { apiGroups: [''], resources: [namespaces, configmaps], verbs: [create] }
- { apiGroups: [nsclass.io], resources: [namespaceclassbindings, clusterwatchrules], verbs: [create] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: nsclass-outsider }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: nsclass-outsider }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: nsclass-outsider }]
";

/// The text of a policy's file.
///
/// # Errors
/// When it cannot be read.
pub fn policy(name: &str) -> Result<String> {
    let dir = if OPTIONAL_POLICIES.contains(&name) { format!("{DIR}/optional") } else { DIR.to_owned() };
    let path = format!("{dir}/{name}.yaml");
    fs::read_to_string(&path).with_context(|| format!("{path} cannot be read"))
}

impl ControlPlane {
    /// Applies the files of [`POLICIES`] and waits until each of them denies. Our definitions must be installed.
    ///
    /// # Errors
    /// When the server refuses one, or one does not come into force.
    pub async fn install_policies(&self) -> Result<()> {
        for name in POLICIES {
            self.apply_yaml(&policy(name)?).await.with_context(|| format!("the policy {name}"))?;
        }
        self.apply_yaml(OUTSIDERS_RIGHTS).await?;
        let outsider = self.impersonate(OUTSIDER, &[]);
        let name = "nsclass-not-allowed";
        let namespace = |metadata: Value| json!({ "metadata": metadata });
        let trials = [
            ("", "v1", "Namespace", namespace(json!({ "labels": { CLASS_LABEL: name } }))),
            ("", "v1", "Namespace", namespace(json!({ "annotations": { "nsclass.io/suspend": "true" } }))),
            (GROUP, VERSION, "NamespaceClassBinding", json!({ "spec": { "namespaceName": name } })),
            ("", "v1", "ConfigMap", {
                json!({ "metadata": { "annotations": { OBJECT_ANNOTATION: format!("/ConfigMap/default/{name}") } } })
            }),
            (GROUP, VERSION, "ClusterWatchRule", {
                let rules = json!([{ "apiGroups": [""], "resources": ["nodes"] }]);
                json!({ "spec": { "targetRef": { "name": name, "namespace": name }, "author": { "user": name }, "rules": rules } })
            }),
        ];
        for (policy, (group, version, kind, object)) in POLICIES.into_iter().zip(trials) {
            let kind = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
            until_denied(&outsider, &format!("nsclass-{policy}"), &kind, name, object).await?;
        }
        Ok(())
    }
}

/// Waits until `policy` denies the creation of an object.
async fn until_denied(client: &Client, policy: &str, kind: &ApiResource, name: &str, mut object: Value) -> Result<()> {
    object["apiVersion"] = json!(kind.api_version);
    object["kind"] = json!(kind.kind);
    object["metadata"]["name"] = json!(name);
    let object: DynamicObject = serde_json::from_value(object)?;
    let api: Api<DynamicObject> = match kind.kind.as_str() {
        "ConfigMap" => Api::namespaced_with(client.clone(), "default", kind),
        _ => Api::all_with(client.clone(), kind),
    };
    let dry_run = PostParams { dry_run: true, ..PostParams::default() };
    until_it_bites(policy, async || api.create(&dry_run, &object).await).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_policy_is_listed() {
        let files = |dir: &str| {
            let names = fs::read_dir(dir).unwrap().filter_map(|entry| entry.unwrap().file_name().into_string().ok());
            let mut names: Vec<_> = names.filter_map(|n| n.strip_suffix(".yaml").map(str::to_owned)).collect();
            names.sort();
            names
        };
        let sorted = |names: &[&str]| {
            let mut names = names.to_vec();
            names.sort_unstable();
            names.join(" ")
        };
        assert_eq!(files(DIR).join(" "), sorted(&POLICIES));
        assert_eq!(files(&format!("{DIR}/optional")).join(" "), sorted(&OPTIONAL_POLICIES));
    }
}
