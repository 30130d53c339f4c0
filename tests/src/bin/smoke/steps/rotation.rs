//! Certificates rotate under steady requests.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::core::v1::Secret;
use kube::Api;

use crate::components::{CONFIGURATION, NAMESPACE, SERVICE};
use crate::helm::CHART;
use crate::load::Load;
use crate::outside::TAG;
use crate::stage::Stage;
use crate::steps::install;

/// A rotation has several steps, and waits for each to be seen everywhere.
const PATIENCE: Duration = Duration::from_secs(240);
/// So short that they are replaced while one watches.
const AUTHORITY_SECONDS: u64 = 100;
const SERVING_SECONDS: u64 = 50;

pub async fn play(stage: &Stage<'_>) -> Result<()> {
    stage.screen.step(
        "Certificates rotate under steady requests",
        &format!("With an authority of {AUTHORITY_SECONDS} s and serving certificates of {SERVING_SECONDS} s: what is there is too old at once."),
    );
    let before = Material::read(stage).await?;
    let load = Load::start(stage.plane())?;
    let mut values = install::values(TAG);
    values["certificates"]["authoritySeconds"] = AUTHORITY_SECONDS.into();
    values["certificates"]["servingSeconds"] = SERVING_SECONDS.into();
    stage.helm_upgrade(CHART.as_ref(), &values).await?;
    let wait = async |claim: &str, happened: &dyn Fn(&Material) -> bool| {
        let probe = async || {
            let now = Material::read(stage).await?;
            ensure!(happened(&now), "{} authorities are trusted", now.trusted.len());
            Ok(now)
        };
        stage.screen.claim_within(PATIENCE, claim, probe).await
    };
    wait("the new authority is trusted beside the old one", &|now| now.trusted.len() > before.trusted.len()).await?;
    wait("a serving certificate of the new one is issued", &|now| now.serving != before.serving).await?;
    let after = wait("every webhook pod serves it, so the old authority is trusted no more", &|now| {
        now.authority != before.authority && !now.trusted.iter().any(|one| before.trusted.contains(one))
    })
    .await?;
    ensure!(after.serving != before.serving, "the authority was replaced, and the serving certificate was not");
    stage.helm_upgrade(CHART.as_ref(), &install::values(TAG)).await?;
    let count = stage.screen.fact("no request was lost", async || load.stop().await).await?;
    stage.screen.say(&format!("{count} requests, each decided as it should be."));
    Ok(())
}

/// What is in the `Secret`s and in the webhook configuration.
struct Material {
    authority: Vec<u8>,
    serving: Vec<u8>,
    /// The certificates in the caBundle, as text.
    trusted: Vec<String>,
}

impl Material {
    async fn read(stage: &Stage<'_>) -> Result<Self> {
        let secrets: Api<Secret> = Api::namespaced(stage.client.clone(), NAMESPACE);
        let certificate = async |kind: &str, file: &str| {
            let mut data = secrets.get(&format!("{SERVICE}-{kind}")).await?.data.unwrap_or_default();
            anyhow::Ok(data.remove(file).with_context(|| format!("no certificate in the Secret of the {kind}"))?.0)
        };
        let configurations: Api<ValidatingWebhookConfiguration> = Api::all(stage.client.clone());
        let webhooks = configurations.get(CONFIGURATION).await?.webhooks.unwrap_or_default();
        let bundle =
            webhooks.into_iter().next().and_then(|webhook| webhook.client_config.ca_bundle).context("no caBundle")?;
        let end = "-----END CERTIFICATE-----";
        let bundle = String::from_utf8(bundle.0)?;
        let trusted = bundle.split_inclusive(end).map(|one| one.trim().to_owned()).filter(|one| !one.is_empty());
        Ok(Self {
            authority: certificate("ca", "current.crt").await?,
            serving: certificate("tls", "tls.crt").await?,
            trusted: trusted.collect(),
        })
    }
}
