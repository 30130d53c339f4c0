//! The items that classes are made of: their manifests at a revision, and what of a live object must be as rendered.

use kube::api::{ApiResource, DynamicObject, GroupVersionKind};
use serde_json::{Value, json};

/// The kind that comes and goes.
pub(super) const WIDGETS: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.soak.example }
spec:
  group: soak.example
  scope: Namespaced
  names: { kind: Widget, plural: widgets, singular: widget, listKind: WidgetList }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: { spec: { type: object, properties: { rev: { type: string } } } }
";

/// One item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Item {
    Policy,
    Settings,
    Extra,
    Widget,
    Grant,
    Reader,
}

impl Item {
    pub(super) const ALL: [Self; 6] =
        [Self::Policy, Self::Settings, Self::Extra, Self::Widget, Self::Grant, Self::Reader];

    /// Group, version, kind, plural.
    fn kind(self) -> (&'static str, &'static str, &'static str, &'static str) {
        match self {
            Self::Policy => ("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies"),
            Self::Settings | Self::Extra => ("", "v1", "ConfigMap", "configmaps"),
            Self::Widget => ("soak.example", "v1", "Widget", "widgets"),
            Self::Grant => ("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings"),
            Self::Reader => ("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles"),
        }
    }

    pub(super) fn resource(self) -> ApiResource {
        let (group, version, kind, plural) = self.kind();
        ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, version, kind), plural)
    }

    pub(super) fn is_cluster_scoped(self) -> bool {
        self == Self::Reader
    }

    /// Its name in a namespace.
    pub(super) fn name(self, namespace: &str) -> String {
        match self {
            Self::Policy => "deny".into(),
            Self::Settings => "settings".into(),
            Self::Extra => "extra".into(),
            Self::Widget => "widget".into(),
            Self::Grant => "team".into(),
            Self::Reader => format!("{namespace}-reader"),
        }
    }

    /// What must be in the live object exactly as here: nothing beside it, nothing missing.
    pub(super) fn essence(self, revision: u32) -> Value {
        let rev = format!("r{revision}");
        match self {
            Self::Policy => {
                json!({ "spec": { "podSelector": { "matchLabels": { "rev": rev } }, "policyTypes": ["Ingress"] } })
            }
            Self::Settings | Self::Extra => json!({ "data": { "rev": rev } }),
            Self::Widget => json!({ "spec": { "rev": rev } }),
            Self::Grant => json!({
                "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view" },
                "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": rev }],
            }),
            Self::Reader => {
                json!({ "rules": [{ "apiGroups": [""], "resources": ["configmaps"], "resourceNames": [rev], "verbs": ["get"] }] })
            }
        }
    }

    /// As it stands in a class.
    pub(super) fn manifest(self, revision: u32) -> Value {
        let (group, version, kind, _) = self.kind();
        let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
        let name = self.name("{{ .Namespace.Name }}");
        let mut manifest = json!({ "apiVersion": api_version, "kind": kind, "metadata": { "name": name } });
        if let (Value::Object(manifest), Value::Object(essence)) = (&mut manifest, self.essence(revision)) {
            manifest.extend(essence);
        }
        manifest
    }

    /// The part of a live object that [`Self::essence`] speaks of.
    pub(super) fn live_essence(object: &DynamicObject) -> Value {
        let fields = ["spec", "data", "roleRef", "subjects", "rules"];
        fields
            .into_iter()
            .filter_map(|field| Some((field.to_owned(), object.data.get(field)?.clone())))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }

    /// A merge patch by which somebody changes what the class says.
    pub(super) fn tampering(self) -> Value {
        match self {
            Self::Policy => json!({ "spec": { "ingress": [{}] } }),
            Self::Settings | Self::Extra => json!({ "data": { "rev": "tampered" } }),
            Self::Widget => json!({ "spec": { "rev": "tampered" } }),
            Self::Grant => {
                json!({ "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "tampered" }] })
            }
            Self::Reader => json!({ "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] }] }),
        }
    }
}
