//! What the API server itself says of the policies.

use anyhow::{Result, ensure};
use nsclass_tests::policies::{OPTIONAL_POLICIES, POLICIES, policy};
use nsclass_tests::{eventually, policies};
use serde_json::{Value, json};

use crate::ask::Ask;
use crate::stage::Stage;

const KIND: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";

#[tokio::test]
async fn the_controller_manager_finds_no_mistake_in_the_types_of_an_expression() -> Result<()> {
    let stage = Stage::open("types").await?;
    for name in OPTIONAL_POLICIES {
        // Without its binding a policy judges nothing.
        let text = policies::policy(name)?;
        stage.cp.apply_yaml(text.split("\n---\n").next().unwrap_or_default()).await?;
    }
    for name in POLICIES.into_iter().chain(OPTIONAL_POLICIES) {
        eventually(format!("the types of {name} are checked"), async || {
            let live = stage.live(&format!("{KIND}/nsclass-{name}")).await?;
            let status = &live["status"];
            ensure!(status["observedGeneration"] == live["metadata"]["generation"], "{status}");
            let warnings = &status["typeChecking"]["expressionWarnings"];
            ensure!(warnings.is_null(), "{warnings:#}");
            Ok(())
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn the_server_takes_every_policy_without_changing_it() -> Result<()> {
    let stage = Stage::open("stored").await?;
    for name in POLICIES.into_iter().chain(OPTIONAL_POLICIES) {
        for document in serde_saphyr::from_multiple::<Value>(&policy(name)?)? {
            ensure!(document["metadata"]["name"] == format!("nsclass-{name}"), "{name} has another name inside");
            let plural = match document["kind"].as_str() {
                Some("ValidatingAdmissionPolicy") => "validatingadmissionpolicies",
                _ => "validatingadmissionpolicybindings",
            };
            let path = format!(
                "/apis/admissionregistration.k8s.io/v1/{plural}/{}",
                document["metadata"]["name"].as_str().unwrap_or_default()
            );
            let stored = Ask::apply(path, "test-admin", document.clone()).dry().done(&stage.admin).await?;
            for part in ["validations", "matchConditions", "variables", "failurePolicy", "validationActions"] {
                let (written, stored) = (&document["spec"][part], &stored["spec"][part]);
                ensure!(written == stored, "{name}: spec.{part} is stored as {stored:#}");
            }
            if document["kind"] == "ValidatingAdmissionPolicy" {
                ensure!(
                    stored["spec"]["failurePolicy"] == json!("Fail"),
                    "{name} lets writes through when it cannot judge"
                );
            }
        }
    }
    Ok(())
}
