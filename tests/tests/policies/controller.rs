//! The controller under the policies: a `ServiceAccount` with exactly the rights that the chart gives it, one for all tests.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use nsclass_shared::config::Config;
use nsclass_shared::rights::RBAC_GROUP;
use nsclass_shared::rights::own::{Grant, for_kinds};
use nsclass_tests::install::ensure_namespace;
use nsclass_tests::rights::{manifests, own_objects};
use nsclass_tests::{OPERATOR_NAMESPACE, Operator, OperatorOptions};
use tokio::sync::OnceCell;

use crate::stage::Stage;

/// A world in which the controller works; it ends with the process.
pub(crate) async fn open(prefix: &str) -> Result<Stage> {
    static RUNNING: OnceCell<Result<Operator, Arc<anyhow::Error>>> = OnceCell::const_new();
    let stage = Stage::open(prefix).await?;
    let start = async || {
        // Of the operator's own verbs it has `manage`, and not `use`: it never writes the label. And what the classes of these tests make.
        let account = [OPERATOR_NAMESPACE, "nsclass-controller"];
        let kinds = [for_kinds("", &["configmaps", "services"]), for_kinds(RBAC_GROUP, &["clusterroles"])];
        let own = own_objects(&Config::default(), "nsclass");
        ensure_namespace(&stage.cp.admin(), OPERATOR_NAMESPACE).await?;
        stage.cp.apply_yaml(&manifests(&Grant::CONTROLLER, &own, account, &kinds)).await?;
        let identity = Some(stage.cp.service_account(account[0], account[1]).await?);
        Operator::start(stage.cp, OperatorOptions { identity, ..OperatorOptions::default() }).await
    };
    let running = RUNNING.get_or_init(async || start().await.map_err(Arc::new)).await;
    running.as_ref().map_err(|error| anyhow!("{error:#}"))?.program().ensure_running()?;
    Ok(stage)
}
