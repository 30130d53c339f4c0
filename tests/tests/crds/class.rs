//! The other fields of a class, its name and its status.

use anyhow::{Result, ensure};
use kube::Api;
use kube::api::{Patch, PatchParams};
use nsclass_shared::api::NamespaceClass;
use serde_json::json;

use super::{class, class_of, client, config_map, create_class, ensure_refused};

#[tokio::test]
async fn the_server_fills_in_the_defaults() -> Result<()> {
    let stored = create_class(&client().await?, &class("defaults", &[config_map("a")])).await?;
    let mut expected = json!({
        "adoption": "Refuse", "drift": "Repair", "onDelete": "Delete", "immutable": "Report", "optOutDelay": "1m",
    });
    expected["resources"] = json!([config_map("a")]);
    ensure!(stored["spec"] == expected, "{:#}", stored["spec"]);
    Ok(())
}

#[tokio::test]
async fn a_word_that_is_no_choice_is_refused_with_the_choices() -> Result<()> {
    let client = client().await?;
    for (field, choices) in [
        ("adoption", ["\"Refuse\"", "\"Adopt\""].as_slice()),
        ("drift", &["\"Repair\"", "\"Report\"", "\"Ignore\""]),
        ("onDelete", &["\"Delete\"", "\"Orphan\""]),
        ("immutable", &["\"Report\"", "\"Recreate\""]),
    ] {
        for word in ["Never", "refuse", ""] {
            let mut object = class("choices", &[config_map("a")]);
            object["spec"][field] = json!(word);
            let path = format!("spec.{field}: Unsupported value");
            ensure_refused(create_class(&client, &object).await, &[&[path.as_str()], choices].concat())?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn c06_a_class_name_of_64_characters_is_refused_and_one_of_63_is_not() -> Result<()> {
    let client = client().await?;
    let named = |length: usize| class(&"n".repeat(length), &[config_map("a")]);
    ensure_refused(
        create_class(&client, &named(64)).await,
        &["metadata.name: at most 63 characters", "choose a shorter name"],
    )?;
    create_class(&client, &named(63)).await?;
    Ok(())
}

#[tokio::test]
async fn an_unknown_field_is_not_stored() -> Result<()> {
    let spec = json!({ "resources": [config_map("a")], "resource": "a slip" });
    let stored = create_class(&client().await?, &class_of("unknown-field", &spec)).await?;
    ensure!(stored["spec"].get("resource").is_none(), "{:#}", stored["spec"]);
    Ok(())
}

#[tokio::test]
async fn the_status_of_a_class_is_written_only_through_its_subresource() -> Result<()> {
    let client = client().await?;
    let mut object = class("status", &[config_map("a")]);
    object["status"] = json!({ "observedGeneration": 7 });
    let created = create_class(&client, &object).await?;
    ensure!(created.get("status").is_none(), "{:#}", created["status"]);

    let classes: Api<NamespaceClass> = Api::all(client);
    let status = json!({ "status": {
        "observedGeneration": 1,
        "namespaces": { "bound": 3, "ready": 2, "failing": 1 },
        "conditions": [{
            "type": "Ready", "status": "False", "reason": "NamespacesFailing", "message": "pay: NotOwned",
            "lastTransitionTime": "2026-11-29T12:00:00Z", "observedGeneration": 1,
        }],
    } });
    let patched = classes.patch_status("status", &PatchParams::default(), &Patch::Merge(&status)).await?;
    let written = patched.status.map(serde_json::to_value).transpose()?;
    ensure!(written.as_ref() == Some(&status["status"]), "{written:?}");
    ensure!(
        patched.metadata.generation == Some(1),
        "a status moved the generation to {:?}",
        patched.metadata.generation
    );

    let bad = json!({ "status": { "conditions": [{
        "type": "Ready", "status": "No", "reason": "because it failed", "message": "", "lastTransitionTime": "2026-11-29T12:00:00Z",
    }] } });
    let refused = classes.patch_status("status", &PatchParams::default(), &Patch::Merge(&bad)).await;
    ensure_refused(refused, &["status.conditions[0].status: Unsupported value", "status.conditions[0].reason"])?;
    Ok(())
}
