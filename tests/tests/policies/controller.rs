//! The controller under the policies: a `ServiceAccount` with exactly these rights, one for all tests.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use nsclass_tests::{Operator, OperatorOptions};
use tokio::sync::OnceCell;

use crate::stage::Stage;

/// Of the operator's own verbs it needs `manage`, and not `use`: it never writes the label.
const RIGHTS: &str = "
apiVersion: v1
kind: Namespace
metadata: { name: nsclass-system }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: nsclass-controller }
rules:
- { apiGroups: [nsclass.io], resources: [namespaceclasses], verbs: [get, list, watch, update, patch] }
- { apiGroups: [nsclass.io], resources: [namespaceclasses/status], verbs: [get, update, patch] }
- { apiGroups: [nsclass.io], resources: [namespaceclassbindings], verbs: [get, list, watch, create, update, patch, delete, manage] }
- { apiGroups: [nsclass.io], resources: [gitproviders, gittargets, watchrules, clusterwatchrules], verbs: [list, watch] }
- { apiGroups: [''], resources: [namespaces], verbs: [get, list, watch, update, patch] }
- { apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [get, list, watch] }
- { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, list, watch, create, update, patch, delete] }
- { apiGroups: ['', events.k8s.io], resources: [events], verbs: [get, create, update, patch] }
# What the classes of these tests make.
- { apiGroups: [''], resources: [configmaps, services], verbs: [get, list, watch, create, patch, delete] }
- { apiGroups: [rbac.authorization.k8s.io], resources: [clusterroles], verbs: [get, list, watch, create, patch, delete] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: nsclass-controller }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: nsclass-controller }
subjects: [{ kind: ServiceAccount, namespace: nsclass-system, name: nsclass-controller }]
";

/// A world in which the controller works; it ends with the process.
pub(crate) async fn open(prefix: &str) -> Result<Stage> {
    static RUNNING: OnceCell<Result<Operator, Arc<anyhow::Error>>> = OnceCell::const_new();
    let stage = Stage::open(prefix).await?;
    let start = async || {
        stage.cp.apply_yaml(RIGHTS).await?;
        let identity = Some(stage.cp.service_account("nsclass-system", "nsclass-controller").await?);
        Operator::start(stage.cp, OperatorOptions { identity, ..OperatorOptions::default() }).await
    };
    let running = RUNNING.get_or_init(async || start().await.map_err(Arc::new)).await;
    running.as_ref().map_err(|error| anyhow!("{error:#}"))?.program().ensure_running()?;
    Ok(stage)
}
