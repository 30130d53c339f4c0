//! How repositories are reached: providers with what their Secrets say, which are read again from time to time.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use futures::{StreamExt, stream};
use k8s_openapi::api::core::v1::Secret;
use kube::{Api, Client, ResourceExt};
use nsclass_shared::{
    api::GitProvider,
    livegit::{
        credentials::Credentials,
        fault::{Fault, Reason},
        message::MessageTemplate,
        person::Person,
        url::RepositoryUrl,
        world::Name,
    },
};
use tokio::time::{Instant, timeout};

use crate::livegit::change::Remote;

/// How long a Secret is believed to be what it was.
const HOLDS: Duration = Duration::from_secs(15);
/// Longest wait for one.
const LONGEST: Duration = Duration::from_secs(5);
/// How many are read at the same time.
const AT_ONCE: usize = 8;

/// What is known of each provider.
#[derive(Default)]
pub(super) struct Remotes(HashMap<Name, Known>);

struct Known {
    uid: Option<String>,
    generation: Option<i64>,
    remote: Result<Remote, Fault>,
    until: Instant,
}

impl Remotes {
    /// Reads what is not known or may have changed, of these providers; the others are forgotten.
    pub(super) async fn refresh(&mut self, client: &Client, providers: &[Arc<GitProvider>], allow_local: bool) {
        let names: HashSet<Name> = providers.iter().map(name).collect();
        self.0.retain(|name, _| names.contains(name));
        let now = Instant::now();
        let is_known = |provider: &Arc<GitProvider>| {
            let is = |known: &Known| {
                known.uid == provider.uid() && known.generation == provider.metadata.generation && now < known.until
            };
            self.0.get(&name(provider)).is_some_and(is)
        };
        let due: Vec<_> = providers.iter().filter(|provider| !is_known(provider)).cloned().collect();
        let read = stream::iter(due).map(|provider| {
            let client = client.clone();
            async move {
                let data = timeout(LONGEST, secret(&client, &provider)).await.unwrap_or(Err(Unread::NoAnswer));
                (provider, data)
            }
        });
        for (provider, data) in read.buffer_unordered(AT_ONCE).collect::<Vec<_>>().await {
            let remote = match data {
                Ok(data) => remote(&provider, data.as_ref(), allow_local),
                Err(Unread::Missing(fault)) => Err(fault),
                // What was known stands: nothing follows from no answer.
                Err(Unread::NoAnswer) => continue,
            };
            let (uid, generation) = (provider.uid(), provider.metadata.generation);
            self.0.insert(name(&provider), Known { uid, generation, remote, until: now + HOLDS });
        }
    }

    /// The providers whose Secret cannot be used.
    pub(super) fn locked(&self) -> BTreeMap<Name, Fault> {
        let locked =
            self.0.iter().filter_map(|(name, known)| Some((name.clone(), known.remote.as_ref().err()?.clone())));
        locked.filter(|(_, fault)| fault.reason == Reason::SecretInvalid).collect()
    }

    /// How one is reached, if that is known.
    pub(super) fn of(&self, provider: &Name) -> Option<&Remote> {
        self.0.get(provider)?.remote.as_ref().ok()
    }
}

/// Why a Secret was not read.
enum Unread {
    Missing(Fault),
    NoAnswer,
}

/// What the provider's Secret holds; nothing where it names none.
async fn secret(client: &Client, provider: &GitProvider) -> Result<Option<BTreeMap<String, Vec<u8>>>, Unread> {
    let Some(reference) = &provider.spec.secret_ref else { return Ok(None) };
    let secrets: Api<Secret> = Api::namespaced(client.clone(), &provider.namespace().unwrap_or_default());
    match secrets.get(&reference.name).await {
        Ok(secret) => {
            Ok(Some(secret.data.unwrap_or_default().into_iter().map(|(key, value)| (key, value.0)).collect()))
        }
        Err(kube::Error::Api(status)) if status.code == 404 => Err(Unread::Missing(fault(
            format!("there is no Secret {} in this namespace", reference.name),
            "make it, or correct the name",
        ))),
        Err(kube::Error::Api(status)) if status.code == 403 => Err(Unread::Missing(fault(
            format!("the operator may not read Secret {}", reference.name),
            "grant its ServiceAccount the verb get on Secrets of this namespace",
        ))),
        Err(error) => {
            tracing::warn!(secret = reference.name, %error, "the Secret of a GitProvider cannot be read now; what it last said stands");
            Err(Unread::NoAnswer)
        }
    }
}

/// A provider that is not sound in itself says so by its own rule, and is not reached.
fn remote(
    provider: &GitProvider,
    data: Option<&BTreeMap<String, Vec<u8>>>,
    allow_local: bool,
) -> Result<Remote, Fault> {
    let spec = &provider.spec;
    let url = RepositoryUrl::parse(&spec.url, allow_local)?;
    let message = spec.commit.message.as_deref().map(MessageTemplate::parse).transpose()?;
    let credentials = Credentials::read(url.transport, data).map_err(|error| {
        let secret = spec.secret_ref.as_ref().map_or_else(String::new, |secret| format!("Secret {}: ", secret.name));
        fault(format!("{secret}{error}"), "correct the Secret; it is read again within seconds")
    })?;
    Ok(Remote {
        url,
        credentials,
        creates_branches: spec.create_branches,
        window: spec.commit.window.0,
        committer: Person::new(&spec.commit.name, &spec.commit.email),
        message,
    })
}

fn fault(what: String, remedy: &str) -> Fault {
    Fault::new(Reason::SecretInvalid, "spec.secretRef", what, remedy)
}

fn name(provider: &Arc<GitProvider>) -> Name {
    Name { namespace: provider.namespace().unwrap_or_default(), name: provider.name_any() }
}
