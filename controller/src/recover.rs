//! Looks for the objects of a namespace by their labels, where its inventory was lost or damaged (class.md C45). It costs a list for each
//! kind in use, so it is done for that alone.

use std::collections::BTreeSet;

use kube::{Api, ResourceExt, api::ListParams};
use nsclass_shared::{
    api::InventoryEntry,
    identity::{Gvk, ObjectIdentity},
    kinds::Scope,
    names,
    plan::{ObjectRef, Search},
};

use crate::{context::Context, requests};

/// Everything that carries our labels for this namespace, of every kind that a class or an inventory names. Whose it really is the plan
/// decides, by the marks.
pub async fn search(context: &Context, namespace: &str) -> Search {
    let mut found = Vec::new();
    for gvk in kinds_in_use(context) {
        if let Err(error) = list(context, namespace, &gvk, &mut found).await {
            let why = format!("{gvk} cannot be listed: {error}");
            tracing::error!(
                namespace,
                why,
                "the inventory is damaged and cannot be rebuilt yet; nothing here is touched"
            );
            return Search::Incomplete(why);
        }
    }
    tracing::warn!(namespace, objects = found.len(), "objects with our labels were looked for");
    Search::Found(found)
}

async fn list(
    context: &Context,
    namespace: &str,
    gvk: &Gvk,
    found: &mut Vec<(ObjectRef, nsclass_shared::plan::LiveObject)>,
) -> Result<(), kube::Error> {
    context.kinds.learn([gvk.clone()]).await?;
    // A kind that is not served took its objects with it.
    let Some((resource, scope)) = context.kinds.resource(gvk) else { return Ok(()) };
    let place = (scope == Scope::Namespaced).then_some(namespace);
    let api: Api<kube::api::DynamicObject> = match place {
        Some(namespace) => Api::namespaced_with(context.client.clone(), namespace, &resource),
        None => Api::all_with(context.client.clone(), &resource),
    };
    let selector = format!("{}=true,{}={namespace}", names::MANAGED_LABEL, names::OBJECT_NAMESPACE_LABEL);
    for object in api.list_metadata(&ListParams::default().labels(&selector)).await?.items {
        let identity = ObjectIdentity::new(&gvk.group_kind(), place, &object.name_any());
        let version = gvk.version.clone();
        found.push((ObjectRef { identity, version }, requests::live_object(&object.metadata)));
    }
    Ok(())
}

/// One version of each kind.
fn kinds_in_use(context: &Context) -> Vec<Gvk> {
    let mut kinds: BTreeSet<Gvk> = BTreeSet::new();
    context.bindings.visit(|binding| {
        kinds.extend(binding.status.iter().flat_map(|status| status.inventory.iter().map(InventoryEntry::gvk)));
    });
    for class in context.classes.watched().state() {
        kinds.extend(context.classes.gvks(&class));
    }
    let mut seen = BTreeSet::new();
    kinds.retain(|gvk| !gvk.kind.is_empty() && !gvk.version.is_empty() && seen.insert(gvk.group_kind()));
    kinds.into_iter().collect()
}
