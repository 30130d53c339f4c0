//! What a test may want differently.

use super::NodeNetwork;

/// How to start a control plane; the default serves nearly every test.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub(super) api_server_flags: Vec<String>,
    pub(super) controller_manager_flags: Vec<String>,
    pub(super) node: Option<NodeNetwork>,
}

impl Options {
    /// Adds a flag for kube-apiserver, `--name=value`; it wins over the harness's own of that name.
    #[must_use]
    pub fn api_server_flag(mut self, flag: impl Into<String>) -> Self {
        self.api_server_flags.push(flag.into());
        self
    }

    /// Serves pods and a kubelet as well: for a network namespace of its own, where addresses other than loopback may be used.
    #[must_use]
    pub fn with_node(mut self, network: NodeNetwork) -> Self {
        self.node = Some(network);
        self
    }

    /// Adds a flag for kube-controller-manager, `--name=value`; it wins over the harness's own of that name.
    #[must_use]
    pub fn controller_manager_flag(mut self, flag: impl Into<String>) -> Self {
        self.controller_manager_flags.push(flag.into());
        self
    }
}
