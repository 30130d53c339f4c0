//! Tells when to look: the template, a `Secret` or the configuration changed. A hint, no more; it is looked without it too.

use futures::{StreamExt, stream::BoxStream};
use k8s_openapi::api::{
    admissionregistration::v1::ValidatingWebhookConfiguration,
    core::v1::{ConfigMap, Secret},
};
use kube::{Api, Client, core::PartialObjectMeta, runtime::watcher};
use nsclass_shared::{
    config::{CertificateSource, CertificatesConfig, Settings},
    runtime::{WATCH_SECONDS, watch_cluster, watch_own},
};

/// What is watched: the template, and once it is there, what is made of it. Only metadata is: no key travels for a hint.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Subject {
    namespace: String,
    config_map: String,
    /// Those that we keep ourselves.
    secrets: Vec<String>,
    configuration: Option<String>,
}

/// Something may have changed.
pub struct Told {
    client: Client,
    watched: Option<(Subject, BoxStream<'static, ()>)>,
}

impl Told {
    /// Of nothing yet.
    pub fn new(client: Client) -> Self {
        Self { client, watched: None }
    }

    /// Watches what these settings speak of.
    pub fn follow(&mut self, settings: &Settings, configuration: Option<&str>) {
        let config = &settings.config;
        let subject = Subject {
            namespace: config.operator_namespace.clone(),
            config_map: config.certificates.template_config_map(),
            secrets: secrets(&config.certificates),
            configuration: configuration.map(str::to_owned),
        };
        if self.watched.as_ref().is_some_and(|(watched, _)| *watched == subject) {
            return;
        }
        let one =
            |name: &str| watcher::Config::default().timeout(WATCH_SECONDS).fields(&format!("metadata.name={name}"));
        let maps: Api<PartialObjectMeta<ConfigMap>> = Api::namespaced(self.client.clone(), &subject.namespace);
        let mut streams = vec![watch_own(maps, one(&subject.config_map)).map(drop).boxed()];
        if let Some(name) = &subject.configuration {
            for secret in &subject.secrets {
                let secrets: Api<PartialObjectMeta<Secret>> = Api::namespaced(self.client.clone(), &subject.namespace);
                streams.push(watch_own(secrets, one(secret)).map(drop).boxed());
            }
            let api: Api<PartialObjectMeta<ValidatingWebhookConfiguration>> = Api::all(self.client.clone());
            streams.push(watch_cluster(api, one(name)).map(drop).boxed());
        }
        self.watched = Some((subject, futures::stream::select_all(streams).boxed()));
    }

    /// Waits for a change. Without one, for ever.
    pub async fn next(&mut self) {
        match &mut self.watched {
            Some((_, stream)) => drop(stream.next().await),
            None => std::future::pending().await,
        }
    }
}

fn secrets(config: &CertificatesConfig) -> Vec<String> {
    match config.source {
        CertificateSource::BuiltIn => vec![config.authority_secret(), config.serving_secret()],
        CertificateSource::CertManager | CertificateSource::Files => Vec::new(),
    }
}
