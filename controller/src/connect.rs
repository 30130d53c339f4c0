//! The clients of the controller. No other file makes a client: each of these asks before it writes, or writes nothing but the lease.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "this is where clients are made")]

use anyhow::Context;
use http::{HeaderValue, Request, header::ACCEPT};
use kube::{
    Client,
    client::{Body, ClientBuilder},
};
use nsclass_shared::runtime::{KeepRetryAfter, UNUSABLE, cluster, ensure_supported};

use crate::leader::{Gate, LeaderGuard};

const ONE: HeaderValue = HeaderValue::from_static("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
const LIST: HeaderValue = HeaderValue::from_static("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");

/// What the process asks the cluster with.
pub struct Clients {
    /// For everything: reads at any time, and writes only while the guard lets them through.
    pub gated: Client,
    /// For the lease alone: with connections of its own, which no burst of other requests keeps busy.
    pub lease: Client,
}

/// Connects.
///
/// # Errors
/// There is no cluster, it does not answer, or it is too old.
pub async fn connect(guard: &LeaderGuard) -> anyhow::Result<Clients> {
    let gated = ClientBuilder::try_from(cluster("nsclass-controller").await?).context(UNUSABLE)?;
    let gated = gated.with_layer(&KeepRetryAfter).with_layer(&Gate(guard.clone())).build();
    let lease = ClientBuilder::try_from(cluster("nsclass-leader-election").await?).context(UNUSABLE)?.build();
    ensure_supported(&gated).await?;
    Ok(Clients { gated, lease })
}

/// A client over the same connections, through the same gate, that asks for metadata alone. kube's own metadata watch decodes into a type in which one object
/// that cannot be read ends the watch of all.
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
