//! The enclosure's network: loopback, and a bridge that stands for the node's network card.

use std::net::Ipv4Addr;

use anyhow::Result;

use super::command;
use crate::control_plane::NodeNetwork;

/// The node's address and its pods'.
pub(super) const NETWORK: NodeNetwork = NodeNetwork { node: Ipv4Addr::new(10, 99, 0, 1), pods: "10.244.0.0/16" };
/// The part of the pods' range that this one node gives out.
pub(super) const PODS_HERE: &str = "10.244.0.0/24";

pub(super) async fn up() -> Result<()> {
    let address = format!("{}/24", NETWORK.node);
    for args in [
        &["link", "set", "lo", "up"][..],
        &["link", "add", "node0", "type", "bridge"],
        &["address", "add", &address, "dev", "node0"],
        &["link", "set", "node0", "up"],
        // kubelet and API server look for the address of the default route.
        &["route", "add", "default", "dev", "node0"],
    ] {
        command("ip", args).await?;
    }
    Ok(())
}
