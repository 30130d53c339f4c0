//! Looks at the configuration and replaces it where it is not as it must be.

use k8s_openapi::{ByteString, api::admissionregistration::v1::ValidatingWebhookConfiguration};
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, PostParams},
};
use nsclass_shared::names;
use serde_json::{Value, json};

use crate::requests::is_definitely_absent;

/// Why the configuration was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrote {
    /// It was not there when we came.
    Created,
    /// It must be something else than before.
    Changed,
    /// Somebody edited or deleted it.
    Repaired,
}

impl Wrote {
    /// For a metric.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Repaired => "repaired",
        }
    }
}

/// The configuration as the API server has it.
#[derive(Debug, Clone)]
pub struct Live(DynamicObject);

impl Live {
    /// The bundle of each entry, PEM; empty where there is none.
    pub fn bundles(&self) -> Vec<Vec<u8>> {
        let bytes = |bundle: Value| serde_json::from_value::<ByteString>(bundle).map(|bytes| bytes.0);
        self.entries().map(|(_, bundle)| bytes(bundle).unwrap_or_default()).collect()
    }

    /// The name and the bundle of each entry that has one, base64.
    pub fn injected(&self) -> Vec<(String, Value)> {
        self.entries().filter(|(_, bundle)| bundle.is_string()).collect()
    }

    /// The selectors of those entries that have one.
    pub fn selectors(&self) -> impl Iterator<Item = &Value> {
        let is_one = |selector: &&Value| selector.as_object().is_some_and(|selector| !selector.is_empty());
        self.webhooks().map(|webhook| &webhook["namespaceSelector"]).filter(is_one)
    }

    fn entries(&self) -> impl Iterator<Item = (String, Value)> {
        let name = |webhook: &Value| webhook["name"].as_str().unwrap_or_default().to_owned();
        self.webhooks().map(move |webhook| (name(webhook), webhook["clientConfig"]["caBundle"].clone()))
    }

    fn webhooks(&self) -> impl Iterator<Item = &Value> {
        self.0.data["webhooks"].as_array().into_iter().flatten()
    }
}

/// Looks and writes, and remembers what the API server made of what it wrote last.
pub struct Keeper {
    api: Api<DynamicObject>,
    last: Option<Last>,
}

struct Last {
    wanted: Value,
    /// With what the API server adds by itself. Comparing with this, and not with a list of its defaults, there is nothing to keep in
    /// step with its versions.
    webhooks: Value,
}

impl Keeper {
    /// Of this cluster.
    pub fn new(client: Client) -> Self {
        let resource = ApiResource::erase::<ValidatingWebhookConfiguration>(&());
        Self { api: Api::all_with(client, &resource), last: None }
    }

    /// The configuration of that name, if there is one.
    ///
    /// # Errors
    /// It is not known whether there is.
    pub async fn look(&self, name: &str) -> Result<Option<Live>, kube::Error> {
        match self.api.get(name).await {
            Ok(found) => Ok(Some(Live(found))),
            Err(kube::Error::Api(status)) if is_definitely_absent(&status, name) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Makes `live`, as it was looked at, what is `wanted`; returns why it had to. It fails if it has changed since.
    ///
    /// # Errors
    /// The API server's answer.
    pub async fn keep(&mut self, live: Option<&Live>, wanted: &Value) -> Result<Option<Wrote>, kube::Error> {
        let params = PostParams { field_manager: Some(names::CERTS_MANAGER.to_owned()), ..PostParams::default() };
        let is_same_wanted = self.last.as_ref().is_some_and(|last| last.wanted == *wanted);
        let (written, why) = match live {
            None => {
                let why = if self.last.is_some() { Wrote::Repaired } else { Wrote::Created };
                (self.api.create(&params, &object(wanted)?).await?, Some(why))
            }
            Some(live) => {
                if is_same_wanted && self.is_in_step(live, wanted) {
                    return Ok(None);
                }
                let mut next = object(wanted)?;
                let mut metadata = live.0.metadata.clone();
                metadata.labels.get_or_insert_default().extend(next.metadata.labels.unwrap_or_default());
                metadata.annotations.get_or_insert_default().extend(next.metadata.annotations.unwrap_or_default());
                metadata.managed_fields = None;
                next.metadata = metadata;
                let written = self.api.replace(&next.metadata.name.clone().unwrap_or_default(), &params, &next).await?;
                // The API server leaves alone what is replaced by the same.
                let is_written = written.metadata.resource_version != live.0.metadata.resource_version;
                let why = if is_same_wanted { Wrote::Repaired } else { Wrote::Changed };
                (written, is_written.then_some(why))
            }
        };
        self.last = Some(Last { wanted: wanted.clone(), webhooks: written.data["webhooks"].clone() });
        Ok(why)
    }

    fn is_in_step(&self, live: &Live, wanted: &Value) -> bool {
        let has = |field: &str, live: &Option<std::collections::BTreeMap<String, String>>| {
            let wanted = wanted["metadata"][field].as_object().into_iter().flatten();
            let live = live.clone().unwrap_or_default();
            wanted.into_iter().all(|(key, value)| live.get(key).is_some_and(|there| *value == json!(there)))
        };
        let metadata = &live.0.metadata;
        self.last.as_ref().is_some_and(|last| last.webhooks == live.0.data["webhooks"])
            && has("labels", &metadata.labels)
            && has("annotations", &metadata.annotations)
    }
}

fn object(wanted: &Value) -> Result<DynamicObject, kube::Error> {
    serde_json::from_value(wanted.clone()).map_err(kube::Error::SerdeError)
}
