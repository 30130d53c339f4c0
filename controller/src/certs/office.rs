//! One look, and at most one write.

use std::{collections::BTreeSet, sync::Arc};

use jiff::Timestamp;
use k8s_openapi::{
    ByteString,
    api::{authentication::v1::SelfSubjectReview, core::v1::ConfigMap},
};
use kube::{Api, Client, api::PostParams};
use nsclass_certs::{
    authority::Authority,
    bundle,
    fingerprint::Fingerprint,
    rotation::{Published, Served, Step, Waiting, plan},
};
use nsclass_shared::config::{CertificateSource, Config};
use serde_json::Value;

use super::{LONGEST, Next, error::CertsError, events::Events, replicas::served, secrets, secrets::Secrets};
use crate::{
    context::Context,
    requests::is_definitely_absent,
    webhook_configuration::{Filling, Following, Keeper, Live, Reach, Template, Trust, Wrote},
};

/// Key of the template in its `ConfigMap`.
const TEMPLATE_KEY: &str = "webhook-configuration.yaml";

/// The leader's part. What it remembers only saves time: losing it delays a step.
pub struct Office {
    context: Arc<Context>,
    events: Events,
    keeper: Keeper,
    following: Following,
    /// Whom the entries of the configuration trust, and since when that was seen.
    published: Option<(Vec<BTreeSet<Fingerprint>>, Timestamp)>,
    /// Name of the configuration, once the template told it.
    configuration: Option<String>,
    /// Who the API server says we are.
    own_user: Option<String>,
    waiting: Option<Waiting>,
}

impl Office {
    /// That has not looked yet.
    pub fn new(context: Arc<Context>) -> Self {
        Self {
            events: Events::new(context.client.clone()),
            keeper: Keeper::new(context.client.clone()),
            context,
            following: Following::default(),
            published: None,
            configuration: None,
            own_user: None,
            waiting: None,
        }
    }

    /// Name of the configuration; none while no template is there.
    pub fn configuration(&self) -> Option<&str> {
        self.configuration.as_deref()
    }

    /// Looks at everything and does the next thing.
    ///
    /// # Errors
    /// What is not in order.
    pub async fn look(&mut self, now: Timestamp) -> Result<Next, CertsError> {
        let settings = self.context.settings();
        let config = &settings.config;
        let Some(template) = template(&self.context.client, config).await? else {
            self.configuration = None;
            self.context.metrics.certificates.in_step(false);
            let map = format!("{}/{}", config.operator_namespace, config.certificates.template_config_map());
            self.context.certificates.off(format!("there is no ConfigMap {map} with a template"));
            return Ok(Next::Sleep(now + LONGEST));
        };
        self.configuration = Some(template.name().to_owned());
        if self.own_user.is_none() {
            self.own_user = Some(own_user(&self.context.client).await?);
        }
        let doing = format!("read ValidatingWebhookConfiguration {}", template.name());
        let live = self.keeper.look(template.name()).await.map_err(CertsError::request(doing))?;
        let next = match config.certificates.source {
            CertificateSource::BuiltIn => self.built_in(now, config, &template, live.as_ref()).await?,
            CertificateSource::CertManager => {
                let from = format!("{}/{}", config.operator_namespace, config.certificates.certificate);
                let there = live.as_ref().map(Live::injected).unwrap_or_default();
                let is_trusted = live.as_ref().is_some_and(|live| there.len() == live.bundles().len());
                let trust = Trust::Injected { from, there: &there };
                let wrote = self.keep(now, config, &template, live.as_ref(), trust).await?;
                self.context.metrics.certificates.in_step(is_trusted && !wrote);
                if wrote { Next::Look } else { Next::Sleep(now + LONGEST) }
            }
            CertificateSource::Files => {
                let path = config.certificates.bundle_file.clone();
                let text = match std::fs::read(&path) {
                    Ok(text) => text,
                    Err(why) => return Err(CertsError::BundleFile { path, why }),
                };
                if let Err(why) = bundle::certificates(&text) {
                    return Err(CertsError::Bundle { path, why });
                }
                let bundle = base64(&text);
                let wrote = self.keep(now, config, &template, live.as_ref(), Trust::Bundle(&bundle)).await?;
                self.context.metrics.certificates.in_step(!wrote);
                if wrote { Next::Look } else { Next::Sleep(now + LONGEST) }
            }
        };
        self.context.certificates.well();
        let narrows_at = self.following.narrows_at(secrets::policy(&config.certificates).settle);
        Ok(match (next, narrows_at) {
            (Next::Sleep(until), Some(at)) => Next::Sleep(until.min(at)),
            (next, _) => next,
        })
    }

    /// Says what is wrong: in the log, in `/readyz`, and where a person must act, in an event.
    pub async fn complain(&self, error: &CertsError) {
        if self.context.certificates.wrong(error.to_string()) {
            let settings = self.context.settings();
            self.events.complain(&settings.config.operator_namespace, error).await;
        }
    }

    async fn built_in(
        &mut self,
        now: Timestamp,
        config: &Config,
        template: &Template,
        live: Option<&Live>,
    ) -> Result<Next, CertsError> {
        let (certificates, namespace) = (&config.certificates, &config.operator_namespace);
        let (client, metrics) = (self.context.client.clone(), self.context.metrics.certificates.clone());
        let secrets = Secrets::look(client.clone(), namespace, certificates).await?;
        let names = certificates.names(namespace);
        let material = secrets.material(&names);
        let ends = |authority: &Option<Authority>| authority.as_ref().map(|authority| authority.info().not_after);
        metrics.runs_out("authority", ends(&secrets.current));
        metrics.runs_out("next_authority", ends(&secrets.next));
        metrics.runs_out("serving", material.leaf.as_ref().map(|leaf| leaf.not_after));
        let trusted = material.trusted();
        let bundles = self.published(live, now);
        metrics.in_step(!bundles.is_empty() && bundles.iter().all(|published| published.authorities == trusted));
        if secrets.current.is_some() {
            let bundle = base64(secrets.bundle().as_bytes());
            if self.keep(now, config, template, live, Trust::Bundle(&bundle)).await? {
                return Ok(Next::Look);
            }
        }
        let served = match (&secrets.next, names.first()) {
            (Some(_), Some(host)) => served(&client, namespace, certificates, host).await,
            // Nobody asks.
            _ => Served::Unknown,
        };
        let policy = secrets::policy(certificates);
        let step = plan(now, &policy, &material, &bundles, &served);
        if let Step::Wait { until, reason } = step {
            if self.waiting.replace(reason) != Some(reason) {
                tracing::info!(?reason, %until, "certificates wait");
            }
            // Replicas change at any time.
            return Ok(Next::Sleep(if reason == Waiting::Replicas { now } else { until }));
        }
        tracing::info!(?step, "certificates");
        let make = || Authority::make(now, policy.authority).map_err(CertsError::Make);
        let name = match &step {
            Step::MakeAuthority => secrets.create_authority(make()?).await.map(|()| "make_authority"),
            Step::MakeNext => secrets.add_next(make()?).await.map(|()| "make_next"),
            Step::Promote => secrets.promote().await.map(|()| "promote"),
            Step::Issue(by) => {
                let signer = secrets.authorities().find(|authority| authority.info().id == *by);
                let Some(signer) = signer else { return Ok(Next::Sleep(now)) };
                let pair = signer.issue(&names, now, policy.serving).map_err(CertsError::Make)?;
                secrets.serve(pair).await.map(|()| "issue")
            }
            // The configuration was as it must be a moment ago: whoever changed it since is seen at the next look.
            Step::Publish(_) | Step::Wait { .. } => return Ok(Next::Sleep(now)),
        }?;
        metrics.stepped(name);
        Ok(Next::Look)
    }

    /// Makes the configuration what it must be; returns whether it had to be written.
    async fn keep(
        &mut self,
        now: Timestamp,
        config: &Config,
        template: &Template,
        live: Option<&Live>,
        trust: Trust<'_>,
    ) -> Result<bool, CertsError> {
        let wanted = Reach::of(&config.scope);
        let settle = secrets::policy(&config.certificates).settle;
        let selector = wanted.selector(["kube-system", &config.operator_namespace]);
        if self.following.is_new() && live.is_some_and(|live| live.selectors().any(|other| *other != selector)) {
            self.following.begin_wide(now);
        }
        let reach = self.following.publish(&wanted, now, settle);
        let own_user = self.own_user.as_deref().filter(|user| user.starts_with("system:serviceaccount:"));
        let Config { instance, operator_namespace, .. } = config;
        let filling = Filling { instance, operator_namespace, own_user, reach: &reach, trust };
        let doing = format!("write ValidatingWebhookConfiguration {}", template.name());
        let wrote = self.keeper.keep(live, &template.render(&filling)).await.map_err(CertsError::request(doing))?;
        let Some(why) = wrote else { return Ok(false) };
        self.context.metrics.certificates.wrote(why);
        tracing::info!(configuration = template.name(), why = why.as_str(), "webhook configuration written");
        if why == Wrote::Repaired {
            self.events.repaired(template.name(), live.is_some()).await;
        }
        Ok(true)
    }

    /// Whom each entry trusts, and since when that has been so.
    fn published(&mut self, live: Option<&Live>, now: Timestamp) -> Vec<Published> {
        let seen: Vec<_> = live.map(Live::bundles).unwrap_or_default().iter().map(|pem| bundle::trusted(pem)).collect();
        let since = match &self.published {
            Some((last, since)) if *last == seen => *since,
            _ => now,
        };
        self.published = Some((seen.clone(), since));
        seen.into_iter().map(|authorities| Published { authorities, since }).collect()
    }
}

async fn template(client: &Client, config: &Config) -> Result<Option<Template>, CertsError> {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), &config.operator_namespace);
    let config_map = config.certificates.template_config_map();
    let map = match maps.get(&config_map).await {
        Ok(map) => map,
        Err(kube::Error::Api(status)) if is_definitely_absent(&status, &config_map) => return Ok(None),
        Err(error) => return Err(CertsError::request(format!("read ConfigMap {config_map}"))(error)),
    };
    let text = map.data.unwrap_or_default().remove(TEMPLATE_KEY).unwrap_or_default();
    Template::parse(&text).map(Some).map_err(|why| CertsError::Template { config_map, why })
}

/// Who the API server takes us for. Everybody may ask.
async fn own_user(client: &Client) -> Result<String, CertsError> {
    let reviews: Api<SelfSubjectReview> = Api::all(client.clone());
    let answer = reviews.create(&PostParams::default(), &SelfSubjectReview::default()).await;
    let answer = answer.map_err(CertsError::request("ask who we are (SelfSubjectReview)"))?;
    Ok(answer.status.and_then(|status| status.user_info).and_then(|user| user.username).unwrap_or_default())
}

fn base64(bytes: &[u8]) -> String {
    match serde_json::to_value(ByteString(bytes.to_vec())) {
        Ok(Value::String(text)) => text,
        _ => String::new(),
    }
}
