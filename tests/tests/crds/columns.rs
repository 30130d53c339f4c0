//! What `kubectl get` shows, by the representation that it asks for.

use anyhow::{Context, Result, ensure};
use http::{Request, header::ACCEPT};
use kube::api::{Patch, PatchParams};
use kube::{Api, Client, Resource};
use nsclass_shared::api::{NamespaceClass, NamespaceClassBinding};
use serde_json::{Value, json};

use super::binding::binding;
use super::{class, client, config_map, create_binding, create_class};

const AS_TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

/// The names of the columns, and the cells of the only row.
async fn table<K: Resource<DynamicType = ()>>(client: &Client, name: &str) -> Result<(Vec<String>, Vec<Value>)> {
    table_in::<K>(client, None, name).await
}

/// The same, of an object in a namespace.
pub(crate) async fn table_in<K: Resource<DynamicType = ()>>(
    client: &Client,
    namespace: Option<&str>,
    name: &str,
) -> Result<(Vec<String>, Vec<Value>)> {
    let url = format!("{}/{name}", K::url_path(&(), namespace));
    let table: Value = client.request(Request::get(url).header(ACCEPT, AS_TABLE).body(Vec::new())?).await?;
    ensure!(table["kind"] == "Table", "{table:#}");
    let columns = table["columnDefinitions"].as_array().context("a table has columns")?;
    let names = columns.iter().map(|column| column["name"].as_str().unwrap_or_default().to_owned());
    let cells = table["rows"][0]["cells"].as_array().context("a table has rows")?.clone();
    Ok((names.collect(), cells))
}

#[tokio::test]
async fn a_class_shows_how_many_namespaces_have_it_and_how_many_fail() -> Result<()> {
    let client = client().await?;
    create_class(&client, &class("columns", &[config_map("a")])).await?;
    let classes: Api<NamespaceClass> = Api::all(client.clone());
    let status = json!({ "status": { "namespaces": { "bound": 120, "ready": 118, "failing": 2 } } });
    classes.patch_status("columns", &PatchParams::default(), &Patch::Merge(status)).await?;

    let (names, cells) = table::<NamespaceClass>(&client, "columns").await?;
    ensure!(names == ["Name", "Bound", "Ready", "Failing", "Age"], "{names:?}");
    ensure!(cells[..4] == [json!("columns"), json!(120), json!(118), json!(2)], "{cells:?}");
    Ok(())
}

#[tokio::test]
async fn a_binding_shows_its_class_and_why_it_is_not_ready() -> Result<()> {
    let client = client().await?;
    let mut object = binding("columns", 5);
    // Not the first condition, so that the column must look for it.
    object["status"]["conditions"] = json!([
        { "type": "InScope", "status": "True", "reason": "Selected", "message": "", "lastTransitionTime": "2026-11-29T12:00:00Z" },
        { "type": "Ready", "status": "False", "reason": "NotOwned", "message": "", "lastTransitionTime": "2026-11-29T12:00:00Z" },
    ]);
    create_binding(&client, &object).await?;

    let (names, cells) = table::<NamespaceClassBinding>(&client, "columns").await?;
    ensure!(names == ["Name", "Class", "Ready", "Reason", "Objects", "Age"], "{names:?}");
    ensure!(
        cells[..5] == [json!("columns"), json!("team-standard"), json!("False"), json!("NotOwned"), json!(5)],
        "{cells:?}"
    );
    Ok(())
}

#[tokio::test]
async fn both_kinds_have_their_short_names() -> Result<()> {
    let resources = client().await?.list_api_group_resources("nsclass.io/v1alpha1").await?.resources;
    let names: Vec<_> =
        resources.iter().map(|it| (it.name.as_str(), it.short_names.clone().unwrap_or_default())).collect();
    for (name, short) in [("namespaceclasses", "nsc"), ("namespaceclassbindings", "nscb")] {
        ensure!(names.contains(&(name, vec![short.to_owned()])), "{names:?}");
    }
    Ok(())
}
