//! The two `Secret`s: the authority with its key, and the serving pair. Webhook replicas mount only the second (admission.md A23).

use std::collections::BTreeMap;

use jiff::SignedDuration;
use k8s_openapi::{ByteString, api::core::v1::Secret};
use kube::{Api, Client, api::PostParams};
use nsclass_certs::{
    authority::{Authority, PemPair},
    pair::{CHAIN_FILE, KEY_FILE},
    rotation::{LeafInfo, Material, Policy},
};
use nsclass_shared::{config::CertificatesConfig, names};

use super::error::CertsError;
use crate::requests::is_definitely_absent;

const CURRENT: [&str; 2] = ["current.crt", "current.key"];
const NEXT: [&str; 2] = ["next.crt", "next.key"];

/// Both, as they were looked at.
pub struct Secrets {
    api: Api<Secret>,
    serving_name: String,
    authority_name: String,
    serving: Option<Secret>,
    authority: Option<Secret>,
    /// Read from `authority`.
    pub current: Option<Authority>,
    /// Read from `authority`.
    pub next: Option<Authority>,
}

impl Secrets {
    /// Looks at both, the serving pair first, as the plan wants it.
    ///
    /// # Errors
    /// A request failed, or an authority is there that cannot be read.
    pub async fn look(client: Client, namespace: &str, config: &CertificatesConfig) -> Result<Self, CertsError> {
        let api: Api<Secret> = Api::namespaced(client, namespace);
        let (serving_name, authority_name) = (config.serving_secret(), config.authority_secret());
        let serving = get(&api, &serving_name).await?;
        let authority = get(&api, &authority_name).await?;
        let (mut current, mut next) = (None, None);
        if let Some(secret) = &authority {
            current = Some(read(secret, &authority_name, CURRENT)?);
            let is_there = NEXT.iter().any(|key| secret.data.as_ref().is_some_and(|data| data.contains_key(*key)));
            next = is_there.then(|| read(secret, &authority_name, NEXT)).transpose()?;
        }
        Ok(Self { api, serving_name, authority_name, serving, authority, current, next })
    }

    /// What the plan needs to know.
    pub fn material(&self, names: &[String]) -> Material {
        let info = |authority: &Option<Authority>| authority.as_ref().map(|authority| authority.info().clone());
        let authorities: Vec<&Authority> = self.authorities().collect();
        let data = |name| Some(&self.serving.as_ref()?.data.as_ref()?.get(name)?.0);
        let pair = data(CHAIN_FILE).zip(data(KEY_FILE));
        let leaf = pair.and_then(|(chain, key)| LeafInfo::of(chain, key, &authorities, names));
        Material { current: info(&self.current), next: info(&self.next), leaf }
    }

    /// The current authority and the next one.
    pub fn authorities(&self) -> impl Iterator<Item = &Authority> {
        self.current.iter().chain(&self.next)
    }

    /// Whom to trust, as PEM.
    pub fn bundle(&self) -> String {
        self.authorities().map(Authority::pem).collect()
    }

    /// Creates the `Secret` of the authority; it fails if there is one by now.
    ///
    /// # Errors
    /// The API server's answer.
    pub async fn create_authority(&self, made: PemPair) -> Result<(), CertsError> {
        let mut secret = new(&self.authority_name, "Opaque");
        put(&mut secret, CURRENT, made);
        self.write(&self.authority_name, secret).await
    }

    /// Adds the next authority.
    ///
    /// # Errors
    /// The API server's answer.
    pub async fn add_next(&self, made: PemPair) -> Result<(), CertsError> {
        let mut secret = self.authority.clone().unwrap_or_default();
        put(&mut secret, NEXT, made);
        self.write(&self.authority_name, secret).await
    }

    /// The next authority becomes the current one.
    ///
    /// # Errors
    /// The API server's answer.
    pub async fn promote(&self) -> Result<(), CertsError> {
        let mut secret = self.authority.clone().unwrap_or_default();
        let data = secret.data.get_or_insert_default();
        for (current, next) in CURRENT.into_iter().zip(NEXT) {
            let taken = data.remove(next);
            data.extend(taken.map(|value| (current.to_owned(), value)));
        }
        self.write(&self.authority_name, secret).await
    }

    /// Creates or replaces the serving pair.
    ///
    /// # Errors
    /// The API server's answer.
    pub async fn serve(&self, made: PemPair) -> Result<(), CertsError> {
        let mut secret = self.serving.clone().unwrap_or_else(|| new(&self.serving_name, "kubernetes.io/tls"));
        put(&mut secret, [CHAIN_FILE, KEY_FILE], made);
        self.write(&self.serving_name, secret).await
    }

    /// Creates what has no resourceVersion, and replaces what has one if it still has it.
    async fn write(&self, name: &str, secret: Secret) -> Result<(), CertsError> {
        let params = PostParams { field_manager: Some(names::CERTS_MANAGER.to_owned()), ..PostParams::default() };
        let written = if secret.metadata.resource_version.is_none() {
            self.api.create(&params, &secret).await
        } else {
            self.api.replace(name, &params, &secret).await
        };
        written.map(drop).map_err(CertsError::request(format!("write Secret {name}")))
    }
}

/// How long things last.
pub fn policy(config: &CertificatesConfig) -> Policy {
    let seconds = |seconds: u64| SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX));
    Policy {
        authority: seconds(config.authority_seconds),
        serving: seconds(config.serving_seconds),
        settle: seconds(config.settle_seconds),
    }
}

async fn get(api: &Api<Secret>, name: &str) -> Result<Option<Secret>, CertsError> {
    match api.get(name).await {
        Ok(secret) => Ok(Some(secret)),
        Err(kube::Error::Api(status)) if is_definitely_absent(&status, name) => Ok(None),
        Err(error) => Err(CertsError::request(format!("read Secret {name}"))(error)),
    }
}

fn read(secret: &Secret, name: &str, keys: [&'static str; 2]) -> Result<Authority, CertsError> {
    let value = |key: &'static str| {
        let found = secret.data.as_ref().and_then(|data| data.get(key));
        let found = found.ok_or_else(|| CertsError::NoAuthority { secret: name.to_owned(), key })?;
        Ok(String::from_utf8_lossy(&found.0).into_owned())
    };
    let (certificate, key) = (value(keys[0])?, value(keys[1])?);
    Authority::read(&certificate, &key).map_err(|why| CertsError::Authority {
        secret: name.to_owned(),
        key: keys[0],
        why,
    })
}

fn new(name: &str, kind: &str) -> Secret {
    let mut secret = Secret { type_: Some(kind.to_owned()), ..Secret::default() };
    secret.metadata.name = Some(name.to_owned());
    secret.metadata.labels = Some(BTreeMap::from([(names::MANAGED_BY_LABEL.to_owned(), "nsclass".to_owned())]));
    secret
}

fn put(secret: &mut Secret, keys: [&str; 2], pair: PemPair) {
    let data = secret.data.get_or_insert_default();
    for (key, text) in keys.into_iter().zip([pair.certificate, pair.key]) {
        data.insert(key.to_owned(), ByteString(text.into_bytes()));
    }
}
