//! Another installation of the same instance on this cluster: it would lead by a lease of its own, and both would take every binding for
//! theirs. Whoever is elected second ends, and says so.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use kube::{Api, ResourceExt, api::ListParams};
use nsclass_shared::names::controller_lease;
use thiserror::Error;

use crate::context::Context;

/// Why we do not lead.
#[derive(Error, Debug)]
pub enum RivalError {
    /// Somebody else does.
    #[error(
        "instance {instance} is installed in namespace {namespace} too, and led by {holder}: give one of the two another name (instance), or, \
         if that one is gone, delete its Lease {namespace}/{lease}"
    )]
    Leads {
        /// Our instance, and its.
        instance: String,
        /// Where it is.
        namespace: String,
        /// Who leads there.
        holder: String,
        /// By what.
        lease: String,
    },
    /// We may not look.
    #[error("{0}; grant the controller's ServiceAccount the rights that the chart gives it")]
    Forbidden(String),
}

/// Pause between two questions.
const PAUSE: Duration = Duration::from_secs(1);

/// Refuses to go on beside another one. A lease that was given up is none. Without an answer it asks again.
///
/// # Errors
/// There is one, or we may not look.
pub async fn ensure_none(context: &Context) -> Result<(), RivalError> {
    let settings = context.settings();
    let (instance, home) = (&settings.config.instance, &settings.config.operator_namespace);
    let lease = controller_lease(instance);
    let named = ListParams::default().fields(&format!("metadata.name={lease}"));
    let leases: Api<Lease> = Api::all(context.client.clone());
    let found = loop {
        match leases.list(&named).await {
            Ok(found) => break found,
            Err(kube::Error::Api(status)) if status.code == 403 => {
                return Err(RivalError::Forbidden(status.message.clone()));
            }
            Err(error) => {
                tracing::warn!(%error, "whether another installation has the name of this instance is not known; it is asked again");
                tokio::time::sleep(PAUSE).await;
            }
        }
    };
    for found in found {
        let namespace = found.namespace().unwrap_or_default();
        let holder = found.spec.and_then(|spec| spec.holder_identity).filter(|holder| !holder.is_empty());
        if let Some(holder) = holder.filter(|_| namespace != *home) {
            return Err(RivalError::Leads { instance: instance.clone(), namespace, holder, lease });
        }
    }
    Ok(())
}
