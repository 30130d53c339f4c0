//! A cluster that is not ours gets back what it was.
//!
//! Before the demo nothing was there under the names it uses (see `preflight`), so whatever has one of them now is from the demo. It is
//! the controller that lets go of it; where that has ended, or does not get there, the demo does its work by hand.

mod by_hand;
mod thing;

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DynamicObject, ListParams};
use kube::core::ApiResource;
use kube::{Api, Client, ResourceExt};
use nsclass_shared::api::{NamespaceClass, NamespaceClassBinding};
use nsclass_shared::names::controller_lease;
use nsclass_tests::{OPERATOR_NAMESPACE, eventually_within};

use crate::examples::{CLASSES, Examples, NAMESPACES, PROBES};
use crate::preflight::{Preflight, cluster_role};
use crate::stage::Stage;
use nsclass_tests::Screen;
use thing::Thing;

/// How long everything may take to go. A namespace on a busy cluster takes its time.
const DEADLINE: Duration = Duration::from_secs(90);

/// Deletes what the demo made, and claims that it is gone.
///
/// # Errors
/// When something stays: what, and how to get rid of it.
pub async fn clean_up(stage: &Stage, before: &Preflight, screen: &Screen) -> Result<()> {
    screen.step("Cleaning up", "The cluster gets back what it was.");
    let client = &stage.client;
    let asked_for = [namespaces(client)?, classes(client)?];
    for things in &asked_for {
        let arguments: Vec<String> = things.iter().map(Thing::argument).collect();
        screen.command(&format!("kubectl delete {}", arguments.join(" \\\n       ")));
        for thing in things {
            thing.delete().await?;
        }
    }
    let all = [asked_for.concat(), bindings(client)?, cluster_roles(client)?].concat();
    let let_go = tokio::select! {
        gone = until_gone(screen, &all), if stage.has_controller() => gone.is_ok(),
        () = stage.controllers_ended(), if stage.has_controller() => false,
        else => false,
    };
    if !let_go {
        screen.say("The controller does not let go of them (any more); the demo does it by hand.");
        by_hand::let_go(&all).await?;
        until_gone(screen, &all).await.with_context(|| remedy(&all))?;
    }
    screen.tick("its namespaces, classes, bindings and cluster roles are gone");
    if let Some(pair) = stage.pair.get() {
        pair.terminate().await?;
    }
    let places = place(client, before);
    for thing in &places {
        thing.delete().await?;
    }
    until_gone(screen, &places).await.with_context(|| remedy(&places))?;
    let mut definitions = definitions(client, &Examples::prefixed().names_in(PROBES)?);
    definitions.extend(ours_to_delete(client, before, screen).await?);
    for definition in &definitions {
        definition.delete().await?;
    }
    until_gone(screen, &definitions).await.with_context(|| remedy(&definitions))?;
    let titles: Vec<String> = definitions.iter().map(Thing::argument).collect();
    screen.tick(&format!("the definitions that it installed are gone: {}", titles.join(", ")));
    screen.end_step();
    Ok(())
}

async fn until_gone(screen: &Screen, things: &[Thing]) -> Result<()> {
    let look = async || {
        let mut there = Vec::new();
        for thing in things {
            if let Some(found) = thing.find().await? {
                there.push(format!("{} (finalizers {:?})", thing.argument(), found.finalizers()));
            }
        }
        ensure!(there.is_empty(), "still there: {}", there.join(", "));
        Ok(())
    };
    let looking = eventually_within(DEADLINE, "everything that the demo made is gone", look);
    screen.while_waiting("everything that the demo made goes", String::new, looking).await
}

fn remedy(things: &[Thing]) -> String {
    let arguments: Vec<String> = things.iter().map(Thing::argument).collect();
    format!("look at what stays, and delete it yourself: kubectl delete {}", arguments.join(" "))
}

fn namespaces(client: &Client) -> Result<Vec<Thing>> {
    let resource = ApiResource::erase::<k8s_openapi::api::core::v1::Namespace>(&());
    Ok(things(client, &resource, Examples::prefixed().names_in(NAMESPACES)?))
}

/// The controllers' lease, and their namespace where the demo made that.
fn place(client: &Client, before: &Preflight) -> Vec<Thing> {
    let resource = ApiResource::erase::<Lease>(&());
    let api = Api::namespaced_with(client.clone(), OPERATOR_NAMESPACE, &resource);
    let mut things = vec![Thing { api, kind: "lease".to_owned(), name: controller_lease("default") }];
    if !before.has_operator_namespace {
        let resource = ApiResource::erase::<k8s_openapi::api::core::v1::Namespace>(&());
        things.push(Thing::new(client, &resource, OPERATOR_NAMESPACE.to_owned()));
    }
    things
}

fn classes(client: &Client) -> Result<Vec<Thing>> {
    let mut classes = Vec::new();
    for file in CLASSES {
        let names = Examples::prefixed().names_in(file)?;
        classes.extend(things(client, &ApiResource::erase::<NamespaceClass>(&()), names));
    }
    Ok(classes)
}

fn bindings(client: &Client) -> Result<Vec<Thing>> {
    let names = Examples::prefixed().names_in(NAMESPACES)?;
    Ok(things(client, &ApiResource::erase::<NamespaceClassBinding>(&()), names))
}

fn cluster_roles(client: &Client) -> Result<Vec<Thing>> {
    let names = Examples::prefixed().names_in(NAMESPACES)?;
    let resource = ApiResource::erase::<k8s_openapi::api::rbac::v1::ClusterRole>(&());
    Ok(things(client, &resource, names.iter().map(|namespace| cluster_role(namespace)).collect()))
}

fn definitions(client: &Client, names: &[String]) -> Vec<Thing> {
    things(client, &ApiResource::erase::<CustomResourceDefinition>(&()), names.to_vec())
}

fn things(client: &Client, resource: &ApiResource, names: Vec<String>) -> Vec<Thing> {
    names.into_iter().map(|name| Thing::new(client, resource, name)).collect()
}

/// The definitions of our kinds that the demo installed. With one of them all objects of its kind go, so it stays if somebody has made
/// some meanwhile.
async fn ours_to_delete(client: &Client, before: &Preflight, screen: &Screen) -> Result<Vec<Thing>> {
    for crd in &before.missing {
        let version = crd.spec.versions.first().map_or("", |version| &version.name);
        let gvk = kube::api::GroupVersionKind::gvk(&crd.spec.group, version, &crd.spec.names.kind);
        let resource = ApiResource::from_gvk_with_plural(&gvk, &crd.spec.names.plural);
        let objects: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
        match objects.list_metadata(&ListParams::default().limit(1)).await {
            Ok(list) if list.items.is_empty() => {}
            Ok(list) => {
                let names: Vec<String> = list.items.iter().map(ResourceExt::name_any).collect();
                screen.say(&format!("Somebody has made {} {}: our definitions stay.", gvk.kind, names.join(", ")));
                return Ok(Vec::new());
            }
            // Interrupted before it was served, or installed at all.
            Err(kube::Error::Api(status)) if status.code == 404 => {}
            Err(error) => bail!("{}: {error}", crd.name_any()),
        }
    }
    Ok(definitions(client, &before.missing.iter().map(ResourceExt::name_any).collect::<Vec<_>>()))
}
