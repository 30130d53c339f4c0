//! The rights that certificates and the webhook configuration take, and no more; and who is left out of being judged (admission.md A15).

use anyhow::{Result, ensure};
use nsclass_shared::config::Config;
use nsclass_shared::rights::own::Grant;
use nsclass_tests::rights::{manifests, own_objects};
use nsclass_tests::{Operator, OperatorOptions, eventually};
use serde_json::json;

use crate::stage::{Stage, harmless};

#[tokio::test]
async fn a15_with_rights_to_its_own_objects_alone_all_is_kept_and_its_own_writes_are_not_judged() -> Result<()> {
    let stage = Stage::open("a15").await?;
    let config = stage.config("a15", "");
    let own = own_objects(&Config::parse(&config)?, "a15");
    // Everything by name, where a name can be given: it reads no other `Secret` and changes no other configuration.
    stage.cp.apply_yaml(&manifests(&Grant::CONTROLLER, &own, [&stage.name, "controller"], &[])).await?;
    let identity = Some(stage.cp.service_account(&stage.name, "controller").await?);
    let operator =
        Operator::start(stage.cp, OperatorOptions { config, identity, ..OperatorOptions::default() }).await?;
    stage.template(&harmless("a15")).await?;
    stage.in_order("a15").await?;
    let mut edited = stage.configurations().get("a15").await?;
    let conditions = edited.data["webhooks"][0]["matchConditions"].clone();
    let own = "request.userInfo.username != 'system:serviceaccount:ops-a15:controller'";
    ensure!(conditions == json!([{ "name": "not-the-operator", "expression": own }]), "{conditions}");
    // With the rights to mend it, too.
    edited.data["webhooks"][0]["matchConditions"] = json!([]);
    stage.configurations().replace("a15", &kube::api::PostParams::default(), &edited).await?;
    eventually("it is put back", async || {
        let found = stage.configurations().get("a15").await?.data["webhooks"][0]["matchConditions"].clone();
        ensure!(found == conditions, "{found}");
        Ok(())
    })
    .await?;
    let log = operator.log()?;
    let refusals: Vec<&str> =
        log.lines().filter(|line| line.contains("certificate") && line.contains("orbidden")).collect();
    ensure!(refusals.is_empty(), "{refusals:#?}");
    Ok(())
}
