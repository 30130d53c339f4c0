//! Clients of the control plane, as whoever a test wants to be.
//!
//! A client belongs to the runtime it was made in and every test has its own, so they are made here, one per test and identity.

use std::path::PathBuf;

use anyhow::{Context, Result};
use http::{HeaderValue, header::USER_AGENT};
use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::ServiceAccount;
use kube::api::{ObjectMeta, PostParams};
use kube::config::AuthInfo;
use kube::{Api, Client, Config};
use serde_json::{Value, json};

use super::components::Components;
use super::{ControlPlane, kubeconfig};

/// The agent that clients of the harness give themselves, to be told from our programs in the audit log.
pub(super) const USER_AGENT_OF_TESTS: &str = "nsclass-tests";

/// Who a client is to the API server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// `test-admin` of `system:masters`: everything is allowed.
    Admin,
    /// Anybody else, impersonated by the admin: a tenant, for instance.
    Impersonated {
        /// The user's name.
        user: String,
        /// Its groups; `system:authenticated` is among them only if listed.
        groups: Vec<String>,
    },
    /// Whoever a bearer token says.
    Token(String),
}

impl Identity {
    /// A user with groups, and `system:authenticated` as everybody who logs in has it.
    pub fn user(user: impl Into<String>, groups: &[&str]) -> Self {
        let groups = groups.iter().copied().chain(["system:authenticated"]).map(ToOwned::to_owned).collect();
        Self::Impersonated { user: user.into(), groups }
    }
}

impl ControlPlane {
    /// A client that may do everything, as user `test-admin`.
    pub fn admin(&self) -> Client {
        self.client(&Identity::Admin)
    }

    /// A client that acts as `user` with `groups` and `system:authenticated`; RBAC and admission see nobody else.
    pub fn impersonate(&self, user: &str, groups: &[&str]) -> Client {
        self.client(&Identity::user(user, groups))
    }

    /// A client for the current runtime.
    #[expect(
        clippy::expect_used,
        reason = "the start of the control plane went through the same steps with the same files"
    )]
    pub fn client(&self, identity: &Identity) -> Client {
        let config = self.client_config(identity).expect("invariant: our own URL and header parse");
        Client::try_from(config).expect("invariant: the files that the harness wrote are valid")
    }

    /// What [`ControlPlane::client`] is made of, for a client that differs: no retries, another agent, shorter timeouts.
    ///
    /// # Errors
    /// When the token of the identity cannot be sent in a header.
    pub fn client_config(&self, identity: &Identity) -> Result<Config> {
        config(&self.components, identity)
    }

    /// The identity of a `ServiceAccount`, by a token from `TokenRequest`; the account is made if it is not there.
    ///
    /// # Errors
    /// When the namespace is not there.
    pub async fn service_account(&self, namespace: &str, name: &str) -> Result<Identity> {
        let accounts: Api<ServiceAccount> = Api::namespaced(self.admin(), namespace);
        let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
        let account = ServiceAccount { metadata, ..ServiceAccount::default() };
        match accounts.create(&PostParams::default(), &account).await {
            Err(kube::Error::Api(status)) if status.is_already_exists() => {}
            created => drop(created?),
        }
        let spec = TokenRequestSpec { expiration_seconds: Some(24 * 3600), ..TokenRequestSpec::default() };
        let request = TokenRequest { spec, ..TokenRequest::default() };
        let answer = accounts.create_token_request(name, &PostParams::default(), &request).await?;
        Ok(Identity::Token(answer.status.context("the API server answered a TokenRequest without a status")?.token))
    }

    /// Writes a kubeconfig for `identity` into the control plane's directory; only its owner can read it.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn kubeconfig(&self, name: &str, identity: &Identity) -> Result<PathBuf> {
        let Components { dir, pki, .. } = &self.components;
        let path = dir.join(format!("{name}.kubeconfig"));
        kubeconfig::write(&path, self.url(), &pki.ca, &user_entry(&self.components, identity))?;
        Ok(path)
    }
}

/// What every client and kubeconfig of an identity authenticates by, in the words of the kubeconfig format.
fn user_entry(components: &Components, identity: &Identity) -> Value {
    let admin = json!({
        "client-certificate": components.pki.admin.certificate,
        "client-key": components.pki.admin.key,
    });
    match identity {
        Identity::Admin => admin,
        Identity::Impersonated { user, groups } => {
            let mut entry = admin;
            entry["as"] = json!(user);
            entry["as-groups"] = json!(groups);
            entry
        }
        Identity::Token(token) => json!({ "token": token }),
    }
}

pub(super) fn config(components: &Components, identity: &Identity) -> Result<Config> {
    let mut config = Config::new(components.url().parse()?);
    config.root_cert = Some(vec![components.pki.ca_der.clone()]);
    config.headers.push((USER_AGENT, HeaderValue::from_static(USER_AGENT_OF_TESTS)));
    config.auth_info = serde_json::from_value::<AuthInfo>(user_entry(components, identity))?;
    Ok(config)
}
