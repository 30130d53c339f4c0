//! What a namespace that crosses the scope's edge concerns: what is in it, and what refers to that from elsewhere (scope.md S25).

use std::{convert::Infallible, sync::Arc};

use kube::{Resource, ResourceExt};
use nsclass_shared::{
    livegit::world::{Name, RuleId},
    runtime::{FlipMapper, reachable},
    scope::Flip,
};

use super::objects::Objects;

/// The mapper.
pub struct Concerned(pub Arc<Objects>);

/// An object that somebody has to look at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Object {
    /// A `GitProvider`.
    Provider(Name),
    /// A `GitTarget`.
    Target(Name),
    /// A rule.
    Rule(RuleId),
}

impl FlipMapper for Concerned {
    type Object = Object;
    type Error = Infallible;

    async fn objects(&self, flip: &Flip) -> Result<Vec<Object>, Infallible> {
        Ok(self.concerned(&flip.namespace))
    }
}

impl Concerned {
    fn concerned(&self, namespace: &str) -> Vec<Object> {
        let (providers, targets) = (self.0.providers.all(), self.0.targets.all());
        let (rules, cluster_rules) = (self.0.rules.all(), self.0.cluster_rules.all());
        let of = |object: &Name| object.namespace == namespace;
        let providers = providers.iter().map(|object| name_of(&**object));
        let targets: Vec<(Name, Name)> = targets
            .iter()
            .map(|object| {
                let target = name_of(&**object);
                let provider =
                    Name { namespace: target.namespace.clone(), name: object.spec.provider_ref.name.clone() };
                (target, provider)
            })
            .collect();
        let mut named: Vec<(RuleId, Name)> = Vec::new();
        for object in &rules {
            let rule = name_of(&**object);
            let target = &object.spec.target_ref;
            let namespace = target.namespace.clone().unwrap_or_else(|| rule.namespace.clone());
            named.push((RuleId::Namespaced(rule), Name { namespace, name: target.name.clone() }));
        }
        for object in &cluster_rules {
            let target = &object.spec.target_ref;
            let target = Name { namespace: target.namespace.clone().unwrap_or_default(), name: target.name.clone() };
            named.push((RuleId::Cluster(object.name_any()), target));
        }
        let start: Vec<Object> = providers
            .filter(of)
            .map(Object::Provider)
            .chain(targets.iter().map(|(target, _)| target.clone()).filter(of).map(Object::Target))
            .chain(
                named
                    .iter()
                    .filter(|(rule, _)| rule.namespace() == Some(namespace))
                    .map(|(rule, _)| Object::Rule(rule.clone())),
            )
            .collect();
        reachable(start, |object| match object {
            Object::Provider(provider) => targets
                .iter()
                .filter(|(_, of)| of == provider)
                .map(|(target, _)| Object::Target(target.clone()))
                .collect(),
            Object::Target(target) => {
                named.iter().filter(|(_, of)| of == target).map(|(rule, _)| Object::Rule(rule.clone())).collect()
            }
            Object::Rule(_) => vec![],
        })
    }
}

fn name_of<K: Resource>(object: &K) -> Name {
    Name { namespace: object.namespace().unwrap_or_default(), name: object.name_any() }
}

#[cfg(test)]
mod tests {
    use kube::{api::DynamicObject, runtime::watcher::Event};
    use serde_json::{Value, json};

    use super::*;

    fn object(kind: &str, namespace: &str, name: &str, spec: &Value) -> Event<DynamicObject> {
        let metadata = if namespace.is_empty() {
            json!({ "name": name })
        } else {
            json!({ "namespace": namespace, "name": name })
        };
        let object = json!({ "apiVersion": "nsclass.io/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec });
        Event::Apply(serde_json::from_value(object).unwrap())
    }

    #[test]
    fn s25_a_flip_concerns_what_is_there_and_what_refers_to_it_wherever_it_lives() {
        let objects = Objects::default();
        let rules = json!([{ "apiGroups": [""], "resources": ["configmaps"] }]);
        let author = json!({ "user": "jane" });
        let noted = [
            objects.providers.note(&object("GitProvider", "git", "origin", &json!({ "url": "https://example.com/a" }))),
            objects.targets.note(&object(
                "GitTarget",
                "git",
                "prod",
                &json!({ "providerRef": { "name": "origin" }, "branch": "main", "path": "a" }),
            )),
            objects.rules.note(&object(
                "WatchRule",
                "pay",
                "all",
                &json!({ "targetRef": { "name": "prod", "namespace": "git" }, "author": author, "rules": rules }),
            )),
            objects.rules.note(&object(
                "WatchRule",
                "shop",
                "all",
                &json!({ "targetRef": { "name": "other" }, "author": author, "rules": rules }),
            )),
            objects.cluster_rules.note(&object(
                "ClusterWatchRule",
                "",
                "nodes",
                &json!({ "targetRef": { "name": "prod", "namespace": "git" }, "author": author, "rules": rules }),
            )),
        ];
        assert_eq!(noted, [const { None::<String> }; 5]);
        let name = |namespace: &str, name: &str| Name { namespace: namespace.to_owned(), name: name.to_owned() };
        let concerned = Concerned(Arc::new(objects));
        assert_eq!(
            concerned.concerned("git"),
            [
                Object::Provider(name("git", "origin")),
                Object::Target(name("git", "prod")),
                Object::Rule(RuleId::Namespaced(name("pay", "all"))),
                Object::Rule(RuleId::Cluster("nodes".to_owned())),
            ]
        );
        assert_eq!(concerned.concerned("pay"), [Object::Rule(RuleId::Namespaced(name("pay", "all")))]);
        assert_eq!(concerned.concerned("nowhere"), []);
    }
}
