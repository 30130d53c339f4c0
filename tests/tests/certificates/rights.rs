//! The rights that certificates and the webhook configuration take, and no more; and who is left out of being judged (admission.md A15).

use anyhow::{Result, ensure};
use nsclass_tests::{Operator, OperatorOptions, eventually};
use serde_json::json;

use crate::stage::{Stage, harmless};

/// Everything by name, where a name can be given: it reads no other `Secret` and changes no other configuration.
const RIGHTS: &str = r#"
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: controller, namespace: ops-a15 }
rules:
- { apiGroups: [""], resources: [secrets], verbs: [create] }
- { apiGroups: [""], resources: [secrets], verbs: [get, list, watch, update], resourceNames: [nsclass-webhook-ca, nsclass-webhook-tls] }
- { apiGroups: [""], resources: [configmaps], verbs: [get, list, watch], resourceNames: [nsclass-webhook-configuration] }
- { apiGroups: [discovery.k8s.io], resources: [endpointslices], verbs: [list] }
- { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, list, watch, create, update, patch] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: a15 }
rules:
- { apiGroups: [admissionregistration.k8s.io], resources: [validatingwebhookconfigurations], verbs: [create] }
- { apiGroups: [admissionregistration.k8s.io], resources: [validatingwebhookconfigurations], verbs: [get, list, watch, update], resourceNames: [a15] }
- { apiGroups: [events.k8s.io], resources: [events], verbs: [create, patch] }
- { apiGroups: [""], resources: [namespaces], verbs: [get, list, watch] }
- { apiGroups: [nsclass.io], resources: [namespaceclasses, namespaceclassbindings], verbs: [get, list, watch] }
- { apiGroups: [nsclass.io], resources: [gitproviders, gittargets, watchrules, clusterwatchrules], verbs: [list, watch] }
- { apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [get, list, watch] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: controller, namespace: ops-a15 }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: controller }
subjects: [{ kind: ServiceAccount, namespace: ops-a15, name: controller }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: a15 }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: a15 }
subjects: [{ kind: ServiceAccount, namespace: ops-a15, name: controller }]
"#;

#[tokio::test]
async fn a15_with_rights_to_its_own_objects_alone_all_is_kept_and_its_own_writes_are_not_judged() -> Result<()> {
    let stage = Stage::open("a15").await?;
    stage.cp.apply_yaml(RIGHTS).await?;
    let identity = Some(stage.cp.service_account(&stage.name, "controller").await?);
    let config = stage.config("a15", "");
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
