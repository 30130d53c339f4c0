//! What the API server takes, and what it refuses on the webhook's word.

use anyhow::{Context, Result};
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use kube::api::{DynamicObject, ListParams};
use kube::{Api, ResourceExt};
use nsclass_shared::names::{INSTANCE_LABEL, MANAGED_BY_LABEL};
use serde_json::Value;

use super::Outcome;
use super::trial::{Trial, creating, dry_run};
use super::wait::until;
use super::wrong::Wrong;

impl Trial<'_> {
    pub(super) async fn bad_class_is_refused(&self) -> Result<Outcome> {
        let instance = &self.command.instance;
        let api: Api<ValidatingWebhookConfiguration> = Api::all(self.client.clone());
        let ours = ListParams::default().labels(&format!("{MANAGED_BY_LABEL}=nsclass,{INSTANCE_LABEL}={instance}"));
        let found = api.list_metadata(&ours).await.context("ValidatingWebhookConfigurations")?;
        let Some(configuration) = found.items.first().map(ResourceExt::name_any) else {
            return Ok(Outcome::Skipped(format!(
                "instance {instance} has no webhook configuration, so that nobody refuses a bad class; the controller does not \
                 apply it"
            )));
        };
        let bad = object(self.bad_class())?;
        // Where the webhook was just started, the API server may not ask it yet.
        let refusal = until(self.timeout(), async || {
            Ok(match self.classes().create(&dry_run(), &bad).await {
                Ok(_) => Err(format!(
                    "a class that makes Namespaces is taken, although there is ValidatingWebhookConfiguration {configuration}: the \
                     webhook is not asked, or does not answer and failurePolicy is Ignore"
                )),
                Err(kube::Error::Api(status)) if is_denial(&status.message) => Ok(status.message),
                Err(kube::Error::Api(status)) if status.message.contains("failed calling webhook") => {
                    Err(status.message)
                }
                Err(error) => return Err(error).context("a class, in a dry run"),
            })
        });
        match refusal.await? {
            Ok(message) => Ok(Outcome::Fine(format!("the webhook refuses a bad class: {}", shortened(&message)))),
            Err(seen) => Err(Wrong::because(
                seen,
                format!(
                    "kubectl get pods -n {} -l app.kubernetes.io/component=webhook; one that is not ready says why at \
                     /readyz?verbose, and the leader says there whether the caBundle is in order",
                    self.command.operator_namespace
                ),
            )),
        }
    }

    pub(super) async fn class_is_taken(&self) -> Result<Outcome> {
        self.made.class.set(true);
        let created = self.classes().create(&creating(), &object(self.class())?).await;
        if refused(&created) {
            self.made.class.set(false);
        }
        created.with_context(|| format!("NamespaceClass {}", self.name))?;
        Ok(Outcome::Fine(format!("NamespaceClass {} of one ConfigMap is taken", self.name)))
    }
}

/// Whether the API server has said that it did not make the object. Another one of that name is somebody else's.
pub(super) fn refused<T>(answer: &kube::Result<T>) -> bool {
    matches!(answer, Err(kube::Error::Api(status)) if (400..500).contains(&status.code))
}

pub(super) fn object(value: Value) -> Result<DynamicObject> {
    Ok(serde_json::from_value(value)?)
}

/// A webhook's own no, and not that it could not be asked, or that a right is missing.
fn is_denial(message: &str) -> bool {
    message.contains("admission webhook") && message.contains("denied the request")
}

/// The first of what may be many sentences.
fn shortened(message: &str) -> String {
    const LONGEST: usize = 200;
    match message.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denial_is_told_from_a_webhook_that_does_not_answer_and_from_a_missing_right() {
        assert!(is_denial(
            "admission webhook \"namespaceclasses.nsclass.io\" denied the request: spec.resources[0]: …"
        ));
        assert!(!is_denial("Internal error occurred: failed calling webhook \"namespaceclasses.nsclass.io\": refused"));
        assert!(!is_denial("namespaceclasses.nsclass.io is forbidden: User \"x\" cannot create resource"));
    }

    #[test]
    fn a_long_message_is_cut_between_characters() {
        assert_eq!(shortened(&"ü".repeat(200)).chars().count(), 200);
        assert_eq!(shortened(&"ü".repeat(201)).chars().count(), 201);
    }
}
