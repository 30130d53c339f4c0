//! How large a class may be before the server itself refuses it: larger than we allow, so the limit of 1 MiB (class.md C18) is ours.

use anyhow::{Context, Result, ensure};
use nsclass_shared::class::CompiledClass;
use nsclass_shared::finding::sentences;
use serde_json::{Value, json};

use super::{class, client, create_class, refusal};

/// A class of about so many bytes, in items that are each within their own budget.
fn class_of_size(name: &str, bytes: usize) -> Value {
    let items = bytes.div_ceil(200_000);
    let item = |index| {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": format!("part-{index}") },
            "data": { "x": "x".repeat(bytes / items) },
        })
    };
    class(name, &(0..items).map(item).collect::<Vec<_>>())
}

#[tokio::test]
async fn bad09_a_class_of_1_4_megabytes_gets_past_the_server_and_is_refused_by_our_own_limit() -> Result<()> {
    let client = client().await?;
    let stored = create_class(&client, &class_of_size("size-1400000", 1_400_000)).await?;
    let bytes = stored["spec"].to_string().len();
    ensure!(bytes > 1_400_000, "{bytes} bytes");

    let resources = stored["spec"]["resources"].as_array().context("the resources are stored")?;
    let answer = sentences(CompiledClass::compile("size-1400000", resources).findings());
    ensure!(answer.contains("a class has at most 1048576") && answer.contains("split the class"), "{answer}");
    Ok(())
}

#[tokio::test]
async fn a_class_too_large_for_the_server_is_refused_by_its_store_and_above_three_mebibytes_at_its_door() -> Result<()>
{
    let client = client().await?;
    let answer = refusal(create_class(&client, &class_of_size("size-1600000", 1_600_000)).await)?;
    ensure!(answer.code == 500 && answer.message == "etcdserver: request is too large", "{answer:?}");

    let answer = refusal(create_class(&client, &class_of_size("size-3200000", 3_200_000)).await)?;
    ensure!(answer.code == 413 && answer.message.contains("limit is 3145728"), "{answer:?}");
    Ok(())
}
