//! When the process is ready, and how it stops.

use std::time::Duration;

use anyhow::{Result, ensure};
use nsclass_tests::webhook::{ServingFiles, Webhook};
use nsclass_tests::{ControlPlane, eventually};

use crate::raw::{post, review};
use crate::stage::{config_map, says};

#[tokio::test]
async fn a21_without_a_pair_it_is_not_ready_and_says_so_and_with_one_it_is() -> Result<()> {
    let (cp, mut files) = (ControlPlane::shared().await?, ServingFiles::empty()?);
    let webhook = Webhook::start_unready(cp, &files, "").await?;
    eventually("everything else is there", async || {
        let (status, body) = webhook.get("/readyz").await?;
        ensure!(status == 503, "{body}");
        ensure!(!body.contains("namespaces") && !body.contains("kinds"), "{body}");
        says(&body, &["[-] serving pair: no serving pair yet", "[-] admission port: "])
    })
    .await?;
    files.renew()?;
    webhook.until_ready().await?;
    let (_, body) = webhook.get("/readyz?verbose").await?;
    says(&body, &["[+] namespaces", "[+] serving pair", "[+] admission port", "ready"])
}

#[tokio::test]
async fn a18_after_sigterm_it_is_not_ready_serves_on_for_five_seconds_and_ends_well() -> Result<()> {
    let (cp, files) = (ControlPlane::shared().await?, ServingFiles::new()?);
    let webhook = Webhook::start(cp, &files, "").await?;
    let (address, start) = (webhook.address(), std::time::Instant::now());
    let body = review(&[config_map("a")]);
    let (ended, served) = tokio::join!(webhook.program().terminate(), async {
        eventually("it says that it stops", async || {
            let (status, body) = webhook.get("/readyz").await?;
            ensure!(status == 503, "{body}");
            says(&body, &["[-] running: stopping"])
        })
        .await?;
        let mut served = 0;
        while start.elapsed() < Duration::from_millis(4_500) {
            let body = body.clone();
            let status = tokio::task::spawn_blocking(move || post(address, &body)).await??;
            ensure!(status == 200, "{status}");
            served += 1;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok(served)
    });
    ensure!(served? > 1 && start.elapsed() >= Duration::from_secs(5), "{:?}", start.elapsed());
    ensure!(ended?.success(), "{}", webhook.log()?);
    says(&webhook.log()?, &["stopped"])
}

#[tokio::test]
async fn a17_with_client_authorities_it_waits_for_the_api_server_and_is_no_stranger_to_itself() -> Result<()> {
    let (cp, files) = (ControlPlane::shared().await?, ServingFiles::new()?);
    let authorities = files.dir().join("tls.crt");
    let config = format!("webhook: {{ clientCA: {} }}", authorities.display());
    let webhook = Webhook::start_unready(cp, &files, &config).await?;
    eventually("all but the API server is there", async || {
        let (status, body) = webhook.get("/readyz").await?;
        ensure!(status == 503 && body.matches("[-]").count() == 1, "{body}");
        says(&body, &["[-] client certificate: the API server has shown no client certificate yet"])
    })
    .await?;
    let strangers = webhook.metric("nsclass_admission_connections_total{event=\"handshake_failed\"}").await?;
    ensure!(strangers.is_none(), "{strangers:?}");
    Ok(())
}
