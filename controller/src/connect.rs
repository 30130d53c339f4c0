//! The clients of the controller. No other file makes a client: each of these asks before it writes, or writes nothing but the lease.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "this is where clients are made")]

use std::path::Path;

use anyhow::{Context, bail};
use http::{HeaderValue, Request, header::ACCEPT};
use hyper_timeout::TimeoutConnector;
use hyper_util::{
    client::legacy::{Client as HttpClient, connect::HttpConnector},
    rt::TokioExecutor,
};
use kube::{
    Client, Config,
    client::{Body, ClientBuilder, ConfigExt},
};
use nsclass_shared::runtime::{KeepRetryAfter, UNUSABLE, cluster_of, ensure_supported};
use tower::{BoxError, ServiceBuilder};

use crate::leader::{Fence, Gate, LeaderGuard};

const ONE: HeaderValue = HeaderValue::from_static("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
const LIST: HeaderValue = HeaderValue::from_static("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");

/// What the process asks the cluster with.
pub struct Clients {
    /// For everything: reads at any time, and writes only while the guard lets them through.
    pub gated: Client,
    /// For the lease alone: with connections of its own, which no burst of other requests keeps busy.
    pub lease: Client,
}

/// Connects, to the cluster of a kubeconfig file where one is given.
///
/// # Errors
/// There is no cluster, it does not answer, or it is too old.
pub async fn connect(kubeconfig: Option<&Path>, guard: &LeaderGuard) -> anyhow::Result<Clients> {
    let gated = gated(&cluster_of(kubeconfig, "nsclass-controller").await?, guard).context(UNUSABLE)?;
    let lease =
        ClientBuilder::try_from(cluster_of(kubeconfig, "nsclass-leader-election").await?).context(UNUSABLE)?.build();
    ensure_supported(&gated).await?;
    Ok(Clients { gated, lease })
}

/// As kube makes a client, with the gate before its requests and the fence before its sockets; kube lets nobody at the latter.
fn gated(config: &Config, guard: &LeaderGuard) -> anyhow::Result<Client> {
    if config.proxy_url.is_some() {
        bail!("proxy-url is not supported; remove it from the kubeconfig");
    }
    let mut tcp = HttpConnector::new();
    // TLS comes on top of it.
    tcp.enforce_http(false);
    let fence = Fence { connector: tcp, guard: guard.clone() };
    let mut connector = TimeoutConnector::new(config.rustls_https_connector_with_connector(fence)?);
    connector.set_connect_timeout(config.connect_timeout);
    connector.set_read_timeout(config.read_timeout);
    connector.set_write_timeout(config.write_timeout);
    let http = HttpClient::builder(TokioExecutor::new()).build::<_, Body>(connector);
    let service = ServiceBuilder::new()
        .layer(Gate(guard.clone()))
        .layer(KeepRetryAfter)
        .layer(config.base_uri_layer())
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .map_err(BoxError::from)
        .service(http);
    Ok(ClientBuilder::new(service, config.default_namespace.clone()).build())
}

/// A client over the same connections, through the same gate, that asks for metadata alone. kube's own metadata watch decodes into a type
/// in which one object that cannot be read ends the watch of all.
pub fn metadata_only(client: &Client) -> Client {
    let namespace = client.default_namespace().to_owned();
    let client = client.clone();
    let service = tower::service_fn(move |mut request: Request<Body>| {
        let is_watch = request.uri().query().is_some_and(|query| query.split('&').any(|pair| pair == "watch=true"));
        request.headers_mut().insert(ACCEPT, if is_watch { ONE } else { LIST });
        let client = client.clone();
        async move { client.send(request).await }
    });
    Client::new(service, namespace)
}
