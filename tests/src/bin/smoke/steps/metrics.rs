//! A real Prometheus scrapes both processes through their Services.

use std::net::{IpAddr, SocketAddr};

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube::Api;
use kube::api::ListParams;
use nsclass_tests::Prometheus;

use crate::components::{CONTROLLER, NAMESPACE, RELEASE, WEBHOOK};
use crate::stage::Stage;

/// What only processes at work answer so. Namespaces: six with a class, and those that every cluster has.
const QUERIES: [(&str, f64); 5] = [
    ("sum(nsclass_leader)", 1.0),
    ("max(nsclass_bindings{reason=\"BindingRecorded\"})", 6.0),
    ("min(nsclass_scope_namespaces{job=~\"webhook.*\",verdict=\"InScope\"})", 6.0),
    ("sum(nsclass_admission_answers_total{outcome=\"denied\"})", 1.0),
    ("min(nsclass_certificate_not_after_seconds)", 1e9),
];

pub async fn play(stage: &Stage<'_>) -> Result<()> {
    stage.screen.step(
        "Metrics",
        "Prometheus scrapes the addresses of the two Services for metrics, and every endpoint of them, as its operator makes it do.",
    );
    let mut targets = Vec::new();
    for component in [CONTROLLER, WEBHOOK] {
        let service = format!("{RELEASE}-{component}-metrics");
        targets.push((component.to_owned(), address(stage, &service).await?));
        let endpoints = endpoints(stage, &service).await?;
        ensure!(endpoints.len() == 2, "Service {service} has endpoints {endpoints:?}");
        let numbered = endpoints.into_iter().enumerate();
        targets.extend(numbered.map(|(number, address)| (format!("{component}-{number}"), address)));
    }
    let targets: Vec<(&str, SocketAddr)> = targets.iter().map(|(job, address)| (&**job, *address)).collect();
    let prometheus = Prometheus::start(&targets).await?;
    stage
        .claim(format!("all {} targets are up", targets.len()), async || {
            let up = prometheus.query("up == 1").await?;
            ensure!(up.len() == targets.len(), "{up:?}");
            Ok(())
        })
        .await?;
    for (query, least) in QUERIES {
        stage
            .claim(format!("{query} is at least {least}"), async || {
                let found = prometheus.query(query).await?;
                ensure!(found.first().is_some_and(|(_, value)| *value >= least), "{found:?}");
                Ok(())
            })
            .await?;
    }
    Ok(())
}

async fn address(stage: &Stage<'_>, service: &str) -> Result<SocketAddr> {
    let services: Api<Service> = Api::namespaced(stage.client.clone(), NAMESPACE);
    let spec = services.get(service).await?.spec.context("no spec")?;
    let port = u16::try_from(spec.ports.iter().flatten().next().context("no port")?.port)?;
    Ok(SocketAddr::new(spec.cluster_ip.context("no address")?.parse()?, port))
}

async fn endpoints(stage: &Stage<'_>, service: &str) -> Result<Vec<SocketAddr>> {
    let slices: Api<EndpointSlice> = Api::namespaced(stage.client.clone(), NAMESPACE);
    let label = format!("kubernetes.io/service-name={service}");
    let mut found = Vec::new();
    for slice in slices.list(&ListParams::default().labels(&label)).await? {
        let port = slice.ports.iter().flatten().find_map(|port| port.port).context("no port")?;
        for address in slice.endpoints.iter().flat_map(|endpoint| &endpoint.addresses) {
            found.push(SocketAddr::new(address.parse::<IpAddr>()?, u16::try_from(port)?));
        }
    }
    Ok(found)
}
