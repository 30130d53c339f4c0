//! What changes when there is a node: the API server is reached by pods, and reaches the kubelet.

use std::net::Ipv4Addr;

use super::components::Components;

/// The addresses of a node and its pods.
#[derive(Debug, Clone, Copy)]
pub struct NodeNetwork {
    /// The node's own address, at which the API server is reached through the Service `kubernetes`.
    pub node: Ipv4Addr,
    /// The range that pods have their addresses from, in CIDR notation.
    pub pods: &'static str,
}

impl NodeNetwork {
    pub(super) fn controller_manager_flags(&self) -> Vec<String> {
        vec![format!("--cluster-cidr={}", self.pods), "--allocate-node-cidrs".to_owned()]
    }
}

impl Components {
    /// Of two flags with one name the later one holds.
    pub(super) fn node_flags(&self, network: &NodeNetwork) -> Vec<String> {
        vec![
            "--bind-address=0.0.0.0".to_owned(),
            format!("--advertise-address={}", network.node),
            "--endpoint-reconciler-type=lease".to_owned(),
            // This one adds up.
            "--authorization-mode=Node".to_owned(),
            format!("--kubelet-client-certificate={}", self.pki.admin.certificate.display()),
            format!("--kubelet-client-key={}", self.pki.admin.key.display()),
            // Nobody resolves the node's name.
            "--kubelet-preferred-address-types=InternalIP".to_owned(),
        ]
    }
}
