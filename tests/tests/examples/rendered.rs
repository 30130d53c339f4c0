//! What the examples become in their namespaces.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind};
use kube::discovery::{self, pinned_kind};
use kube::{Api, Client, ResourceExt};
use nsclass_shared::api::NamespaceClass;
use nsclass_shared::class::CompiledClass;
use nsclass_shared::finding::sentences;
use nsclass_shared::guarded::GuardedKeys;
use nsclass_shared::identity::Gvk;
use nsclass_shared::kinds::Scope;
use nsclass_shared::names::CLASS_LABEL;
use nsclass_shared::policy::Policy;
use nsclass_shared::reason::Reason;
use nsclass_shared::render::Rendered;
use nsclass_shared::variables::Variables;
use serde_json::json;

use super::files::{CLASSES, class, documents};
use super::{client, dry_run};

/// What the server says of each kind of a class.
struct Discovered(BTreeMap<Gvk, (ApiResource, Scope)>);

impl Discovered {
    async fn of(client: &Client, class: &CompiledClass<'_>) -> Self {
        let mut kinds = BTreeMap::new();
        for gvk in class.items().iter().map(|item| item.gvk().clone()) {
            let asked = GroupVersionKind::gvk(&gvk.group, &gvk.version, &gvk.kind);
            if let Ok((resource, capabilities)) = pinned_kind(client, &asked).await {
                let scope = match capabilities.scope {
                    discovery::Scope::Namespaced => Scope::Namespaced,
                    discovery::Scope::Cluster => Scope::ClusterScoped,
                };
                kinds.insert(gvk, (resource, scope));
            }
        }
        Self(kinds)
    }

    fn scope(&self, gvk: &Gvk) -> Scope {
        self.0.get(gvk).map_or(Scope::Unknown, |(_, scope)| *scope)
    }
}

fn compiled(name: &str) -> Result<CompiledClass<'static>> {
    let class: NamespaceClass = class(name)?;
    let items: Vec<_> = class.spec.resources.iter().map(|item| item.0.clone()).collect();
    Ok(CompiledClass::compile(&class.name_any(), &items))
}

fn namespace_of(class: &str) -> Result<Namespace> {
    let asks = |namespace: &Namespace| namespace.labels().get(CLASS_LABEL).is_some_and(|label| label == class);
    documents("namespaces.yaml")?.into_iter().find(asks).with_context(|| format!("no namespace asks for {class}"))
}

fn render(class: &CompiledClass<'_>, namespace: &Namespace, kinds: &Discovered) -> Result<Rendered> {
    let name = namespace.name_any();
    let variables = Variables::live(&name, "a-uid", namespace.labels(), namespace.annotations(), class.name());
    Ok(class.render(&variables, &|gvk: &Gvk| kinds.scope(gvk), &GuardedKeys::default())?)
}

#[tokio::test]
async fn no_example_is_objected_to_but_for_the_kind_that_comes_later() -> Result<()> {
    let client = client().await?;
    for name in CLASSES {
        let class = compiled(name)?;
        let kinds = Discovered::of(&client, &class).await;
        let findings = class.validate(&Policy::default(), &|gvk: &Gvk| kinds.scope(gvk), &GuardedKeys::default());
        let expected = if name == "observability" { vec![Reason::KindNotFound] } else { vec![] };
        let reasons: Vec<_> = findings.iter().map(|finding| finding.reason).collect();
        ensure!(reasons == expected, "{name}: {}", sentences(&findings));
    }
    Ok(())
}

#[tokio::test]
async fn the_server_takes_every_object_that_an_example_becomes() -> Result<()> {
    let client = client().await?;
    let mut not_served = Vec::new();
    for name in CLASSES {
        let class = compiled(name)?;
        let namespace = namespace_of(name)?;
        let kinds = Discovered::of(&client, &class).await;
        for object in render(&class, &namespace, &kinds)?.objects {
            let Some((resource, scope)) = kinds.0.get(&object.gvk) else {
                not_served.push(object.gvk.kind);
                continue;
            };
            let api: Api<DynamicObject> = match scope {
                Scope::Namespaced => Api::namespaced_with(client.clone(), &namespace.name_any(), resource),
                _ => Api::all_with(client.clone(), resource),
            };
            let sent: DynamicObject = serde_json::from_value(object.manifest)?;
            api.create(&dry_run(), &sent).await.with_context(|| format!("{name}: {} {}", object.gvk, object.name))?;
        }
    }
    ensure!(not_served == ["Probe"], "{not_served:?}");
    Ok(())
}

#[tokio::test]
async fn typed_values_become_numbers_and_booleans_from_annotations_or_defaults() -> Result<()> {
    let client = client().await?;
    let class = compiled("typed-values")?;
    let kinds = Discovered::of(&client, &class).await;
    let shown = |namespace: &Namespace| {
        let rendered = render(&class, namespace, &kinds)?;
        let manifest =
            |kind: &str| rendered.objects.iter().find(|object| object.gvk.kind == kind).map(|it| it.manifest.clone());
        let scaler = manifest("HorizontalPodAutoscaler").context("there is a scaler")?;
        let account = manifest("ServiceAccount").context("there is an account")?;
        let limits = (scaler["spec"]["minReplicas"].clone(), scaler["spec"]["maxReplicas"].clone());
        Ok::<_, anyhow::Error>((limits.0, limits.1, account["automountServiceAccountToken"].clone()))
    };
    let mut namespace = namespace_of("typed-values")?;
    ensure!(shown(&namespace)? == (json!(4), json!(10), json!(true)), "{:?}", shown(&namespace)?);
    namespace.metadata.annotations = None;
    ensure!(shown(&namespace)? == (json!(2), json!(10), json!(false)), "{:?}", shown(&namespace)?);
    Ok(())
}
