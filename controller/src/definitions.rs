//! Whether the definitions of our kinds are there, and are those that this program was built with: asked once, at the start. One that goes
//! later is another matter (class.md C03).

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{Api, Client, ResourceExt};
use nsclass_shared::api::{crds, lacking};
use thiserror::Error;

use crate::requests::is_definitely_absent;

/// What a person has to do first. The text names the definition and the remedy.
#[derive(Error, Debug)]
pub enum DefinitionError {
    /// It is not there.
    #[error("CustomResourceDefinition {0} is missing; apply deploy/crds, or install the chart with crds.enabled")]
    Missing(String),
    /// It would take fields away from what is written.
    #[error(
        "CustomResourceDefinition {name} is older than this controller: it has no {lacking}; apply deploy/crds of this version, or upgrade \
         the release that has the definitions"
    )]
    Old {
        /// The definition.
        name: String,
        /// What it lacks.
        lacking: String,
    },
    /// We may not look.
    #[error("{0}; grant the controller's ServiceAccount the rights that the chart gives it")]
    Forbidden(String),
    /// Nobody knows.
    #[error("CustomResourceDefinition {name}: {why}")]
    Unknown {
        /// The definition.
        name: String,
        /// The API server's answer, or what kept it away.
        why: kube::Error,
    },
}

/// Refuses to go on without them.
///
/// # Errors
/// The first that is not as it must be.
pub async fn ensure(client: &Client) -> Result<(), DefinitionError> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    for needed in crds() {
        let name = needed.name_any();
        let live = match definitions.get(&name).await {
            Ok(live) => live,
            Err(kube::Error::Api(status)) if is_definitely_absent(&status, &name) => {
                return Err(DefinitionError::Missing(name));
            }
            Err(kube::Error::Api(status)) if status.code == 403 => {
                return Err(DefinitionError::Forbidden(status.message.clone()));
            }
            Err(why) => return Err(DefinitionError::Unknown { name, why }),
        };
        if let Some(lacking) = lacking(&needed, &live) {
            return Err(DefinitionError::Old { name, lacking });
        }
    }
    Ok(())
}
