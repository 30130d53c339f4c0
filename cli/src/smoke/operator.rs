//! Whether there is an operator at all.

use anyhow::{Context, Result};
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::ListParams;
use kube::{Api, ResourceExt};
use nsclass_shared::names::{RELEASED_ANNOTATION, controller_lease};

use super::Outcome;
use super::trial::Trial;
use super::wait::until;
use super::wrong::Wrong;
use crate::pages::gone;

impl Trial<'_> {
    pub(super) async fn definitions_are_served(&self) -> Result<Outcome> {
        let one = ListParams::default().limit(1);
        let classes = gone(self.classes().list_metadata(&one).await).context("NamespaceClasses")?.is_some();
        let bindings = gone(self.bindings().list_metadata(&one).await).context("NamespaceClassBindings")?.is_some();
        if !classes || !bindings {
            let missing = if classes { "NamespaceClassBinding" } else { "NamespaceClass" };
            return Err(Wrong::because(
                format!("the API server does not serve {missing}: the definitions are not installed"),
                "install the chart, or kubectl apply -f deploy/crds",
            ));
        }
        Ok(Outcome::Fine("NamespaceClass and NamespaceClassBinding are served".to_owned()))
    }

    /// That somebody holds the lease is not enough: who is dead holds it, too.
    pub(super) async fn somebody_leads(&self) -> Result<Outcome> {
        let (instance, namespace) = (&self.command.instance, &self.command.operator_namespace);
        let name = controller_lease(instance);
        let title = format!("Lease {namespace}/{name}");
        let api: Api<Lease> = Api::namespaced(self.client.clone(), namespace);
        let mut first: Option<(String, String)> = None;
        let leader = until(self.timeout(), async || {
            let lease = api.get_opt(&name).await.with_context(|| title.clone())?;
            let Some(lease) = lease else {
                return Err(Wrong::because(
                    format!("there is no {title}: no controller of instance {instance} has ever run in {namespace}"),
                    "install the chart, or name the right ones with --instance and --operator-namespace",
                ));
            };
            if let Some(since) = lease.annotations().get(RELEASED_ANNOTATION) {
                return Err(Wrong::because(
                    format!("instance {instance} is released since {since}, so that its controllers do nothing"),
                    format!("nsclass release --undo --instance {instance} --operator-namespace {namespace}"),
                ));
            }
            let version = lease.resource_version().unwrap_or_default();
            let holder = lease.spec.and_then(|spec| spec.holder_identity).filter(|holder| !holder.is_empty());
            Ok(match (holder, &first) {
                (None, _) => Err("nobody holds it".to_owned()),
                (Some(holder), Some((who, seen))) if *who == holder && *seen != version => Ok(holder),
                (Some(holder), Some((who, _))) if *who == holder => {
                    Err(format!("{holder} holds it and does not renew it"))
                }
                (Some(holder), _) => {
                    first = Some((holder.clone(), version));
                    Err(format!("{holder} holds it"))
                }
            })
        });
        match leader.await? {
            Ok(holder) => Ok(Outcome::Fine(format!("{holder} leads instance {instance}"))),
            Err(seen) => Err(Wrong::because(
                format!("no controller leads instance {instance} ({title}: {seen})"),
                format!(
                    "kubectl get pods -n {namespace} -l app.kubernetes.io/component=controller shows them; one that ends says \
                     why in the last line of its log, one that is not ready at /readyz?verbose"
                ),
            )),
        }
    }
}
