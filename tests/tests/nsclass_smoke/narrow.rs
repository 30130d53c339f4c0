//! Operators that may not do everything, or not everywhere; without webhook and policies.

use anyhow::{Result, ensure};
use nsclass_tests::{ControlPlane, Identity, Operator, OperatorOptions, Options};

use crate::stage::{ensure_clean, ensure_says, smoke};

/// What a controller needs for itself, and a role that sums up what classes may make, as the chart has it.
const ROLES: &str = r#"
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: narrow }
rules:
- { apiGroups: [""], resources: [namespaces], verbs: [get, list, watch, patch] }
- { apiGroups: [nsclass.io], resources: ["*"], verbs: ["*"] }
- { apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [get, list, watch] }
- { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, list, watch, create, patch] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: narrow }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: narrow }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: narrow }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: narrow-kinds }
aggregationRule:
  clusterRoleSelectors: [{ matchLabels: { rbac.nsclass.io/aggregate-to-controller: default } }]
rules: []
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: narrow-kinds }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: narrow-kinds }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: narrow }]
"#;

#[tokio::test]
async fn a_missing_right_and_a_scope_that_leaves_the_namespace_out_are_named_and_can_be_mended_for_the_run()
-> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    cp.apply_yaml(ROLES).await?;
    let config = "scope: { namespaceSelector: { matchLabels: { team: in } } }".to_owned();
    let identity = Some(Identity::user("narrow", &[]));
    let operator = Operator::start(&cp, OperatorOptions { config, identity, ..OperatorOptions::default() }).await?;

    let result = smoke(&cp, &["--timeout", "5"]).await?;
    ensure_says(&result, 1, &["it has no binding", "the scope of instance default", "--label KEY=VALUE"])?;
    ensure_clean(&cp).await?;

    let inside = ["--label", "team=in"];
    let result = smoke(&cp, &inside).await?;
    ensure_says(&result, 1, &["the controller may not make ConfigMaps", "\"narrow\"", "--grant", "rbac.kinds"])?;
    ensure_clean(&cp).await?;

    let (code, said) = smoke(&cp, &[&inside[..], &["--grant"]].concat()).await?;
    ensure!(code == 0, "{code}: {said}");
    let skipped = said.lines().filter(|line| line.starts_with("skipped")).count();
    ensure!(said.contains("what could be tried is as it should be"), "{said}");
    ensure!(skipped == 2 && said.contains("no webhook configuration") && said.contains("deploy/policies"), "{said}");
    ensure_clean(&cp).await?;
    operator.program().ensure_running()
}
