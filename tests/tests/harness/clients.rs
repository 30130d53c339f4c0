//! Who clients are to the server.

use std::os::unix::fs::PermissionsExt;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::authentication::v1::{SelfSubjectReview, UserInfo};
use k8s_openapi::api::core::v1::Secret;
use kube::api::{ListParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config, ResourceExt};
use nsclass_tests::{ControlPlane, Identity, World};

async fn whoami(client: Client) -> Result<UserInfo> {
    let review = Api::all(client).create(&PostParams::default(), &SelfSubjectReview::default()).await?;
    review.status.and_then(|status| status.user_info).context("no user in the answer")
}

#[tokio::test]
async fn the_admin_may_do_everything() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let user = whoami(cp.admin()).await?;
    ensure!(user.username.as_deref() == Some("test-admin"), "{user:?}");
    Api::<Secret>::all(cp.admin()).list(&ListParams::default()).await?;
    Ok(())
}

#[tokio::test]
async fn an_impersonated_tenant_is_nobody_else() -> Result<()> {
    let client = ControlPlane::shared().await?.impersonate("ann", &["team-a"]);
    let user = whoami(client.clone()).await?;
    ensure!(user.username.as_deref() == Some("ann"), "{user:?}");
    ensure!(user.groups == Some(vec!["team-a".to_owned(), "system:authenticated".to_owned()]), "{user:?}");
    let listed = Api::<Secret>::all(client).list(&ListParams::default()).await;
    ensure!(matches!(&listed, Err(kube::Error::Api(status)) if status.is_forbidden()), "{listed:?}");
    Ok(())
}

#[tokio::test]
async fn a_service_account_comes_with_its_token_and_its_kubeconfig() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let namespace = World::new(cp, "accounts").namespace("a").create().await?.name_any();
    let identity = cp.service_account(&namespace, "robot").await?;
    let expected = format!("system:serviceaccount:{namespace}:robot");
    let user = whoami(cp.client(&identity)).await?;
    ensure!(user.username.as_deref() == Some(&*expected), "{user:?}");

    let path = cp.kubeconfig(&namespace, &identity)?;
    let mode = path.metadata()?.permissions().mode() & 0o777;
    ensure!(mode == 0o600, "{mode:o}");
    let config = Config::from_custom_kubeconfig(Kubeconfig::read_from(&path)?, &KubeConfigOptions::default()).await?;
    let user = whoami(Client::try_from(config)?).await?;
    ensure!(user.username.as_deref() == Some(&*expected), "{user:?}");
    Ok(())
}

#[tokio::test]
async fn a_kubeconfig_of_an_impersonated_user_impersonates() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let path = cp.kubeconfig("ben", &Identity::user("ben", &[]))?;
    let config = Config::from_custom_kubeconfig(Kubeconfig::read_from(&path)?, &KubeConfigOptions::default()).await?;
    let user = whoami(Client::try_from(config)?).await?;
    ensure!(user.username.as_deref() == Some("ben"), "{user:?}");
    Ok(())
}
