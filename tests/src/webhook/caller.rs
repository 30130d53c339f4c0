//! Who asks the webhook without an API server between.

use anyhow::Result;
use http::Request;
use http::header::CONTENT_TYPE;
use kube::{Client, Config};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use serde_json::{Value, json};

use super::{ServingFiles, Webhook};

/// Asks one webhook, over TLS that it verifies.
#[derive(Clone)]
pub struct Caller(Client);

impl Caller {
    /// Of a webhook that serves by these files.
    ///
    /// # Errors
    /// When the files hold no certificate.
    pub fn of(webhook: &Webhook, files: &ServingFiles) -> Result<Self> {
        let mut config = Config::new(format!("https://{}", webhook.address()).parse()?);
        config.default_retry = false;
        config.root_cert = Some(vec![CertificateDer::from_pem_slice(files.ca().as_bytes())?.to_vec()]);
        Ok(Self(Client::try_from(config)?))
    }

    /// The answer to a review of a class that is created with these items.
    ///
    /// # Errors
    /// When there is none, or an HTTP error.
    pub async fn create_class(&self, items: &[Value]) -> Result<Value> {
        let class = json!({ "metadata": { "name": "std" }, "spec": { "resources": items } });
        let review = json!({
            "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
            "request": {
                "uid": "u", "operation": "CREATE", "name": "std", "object": class,
                "userInfo": { "username": "test-admin", "groups": ["system:masters"] },
                "kind": { "group": "nsclass.io", "version": "v1alpha1", "kind": "NamespaceClass" },
            },
        });
        let request = Request::post("/admit/namespaceclasses").header(CONTENT_TYPE, "application/json");
        let mut answer: Value = self.0.request(request.body(serde_json::to_vec(&review)?)?).await?;
        Ok(answer["response"].take())
    }
}
