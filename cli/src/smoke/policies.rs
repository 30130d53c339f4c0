//! What the API server keeps tenants from by itself. The tenant is a user who does not exist, with rights in the trial's own namespace alone,
//! and is impersonated.

use anyhow::{Context, Result};
use k8s_openapi::api::admissionregistration::v1::ValidatingAdmissionPolicy;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube::Api;
use nsclass_shared::names::OBJECT_ANNOTATION;
use serde_json::json;

use super::Outcome;
use super::trial::{Trial, creating, dry_run};
use super::wait::until;
use super::wrong::Wrong;

const POLICY: &str = "nsclass-marks";
const TENANT: &str = "nsclass-smoke-tenant";
const FORGED: &str = "forged";

impl Trial<'_> {
    /// The marks say what the operator may change and delete, so that a tenant must not be able to set them.
    pub(super) async fn marks_cannot_be_forged(&self) -> Result<Outcome> {
        let policies: Api<ValidatingAdmissionPolicy> = Api::all(self.client.clone());
        let there = policies.get_opt(POLICY).await.with_context(|| format!("ValidatingAdmissionPolicy {POLICY}"))?;
        if there.is_none() {
            return Ok(Outcome::Skipped(
                "the policies are not installed (deploy/policies), so that tenants can choose their class and forge marks"
                    .to_owned(),
            ));
        }
        self.give_the_tenant_rights().await.context("the tenant's Role")?;
        let maps: Api<ConfigMap> = Api::namespaced(self.impersonating(TENANT).await?, &self.name);
        let mark = format!("/ConfigMap/{}/{FORGED}", self.name);
        let forged: ConfigMap = serde_json::from_value(json!({
            "metadata": { "name": FORGED, "annotations": { OBJECT_ANNOTATION: mark } },
        }))?;
        let tried = until(self.timeout(), async || {
            Ok(match maps.create(&dry_run(), &forged).await {
                Ok(_) => Err("the API server takes it".to_owned()),
                Err(kube::Error::Api(status)) if status.message.contains(POLICY) => Ok(None),
                Err(kube::Error::Api(status)) if status.message.contains("cannot impersonate") => {
                    Ok(Some(status.message))
                }
                // Rights take a moment to be in force.
                Err(kube::Error::Api(status)) if status.code == 403 => Err(status.message),
                Err(error) => return Err(error).context("a ConfigMap with forged marks, in a dry run"),
            })
        });
        match tried.await? {
            Ok(None) => Ok(Outcome::Fine(format!("a tenant cannot forge marks: {POLICY} refuses it"))),
            Ok(Some(why)) => Ok(Outcome::Skipped(format!("whether a tenant can forge marks cannot be tried: {why}"))),
            Err(seen) => Err(Wrong::because(
                format!("a tenant can forge the marks of a managed object, although there is {POLICY}: {seen}"),
                format!(
                    "see whether ValidatingAdmissionPolicyBinding {POLICY} is there and says Deny; helm upgrade with \
                     policies.enabled, or kubectl apply -f deploy/policies, brings it back"
                ),
            )),
        }
    }

    /// Rights that end with the namespace.
    async fn give_the_tenant_rights(&self) -> Result<()> {
        let roles: Api<Role> = Api::namespaced(self.client.clone(), &self.name);
        let bindings: Api<RoleBinding> = Api::namespaced(self.client.clone(), &self.name);
        let role = serde_json::from_value(json!({
            "metadata": { "name": TENANT },
            "rules": [{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["create"] }],
        }))?;
        let binding = serde_json::from_value(json!({
            "metadata": { "name": TENANT },
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": TENANT },
            "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": TENANT }],
        }))?;
        roles.create(&creating(), &role).await?;
        bindings.create(&creating(), &binding).await?;
        Ok(())
    }
}
