//! Where it plays: a node, and what steps have at hand.

use std::env;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::Pod;
use kube::api::{DeleteParams, DynamicObject, ListParams, LogParams};
use kube::core::ApiResource;
use kube::{Api, Client, ResourceExt};
use nsclass_shared::api::{NamespaceClass, NamespaceClassBinding, get_condition};
use nsclass_tests::audit::Mark;
use nsclass_tests::node::Node;
use nsclass_tests::{ControlPlane, Identity, Screen};

use crate::brief::Brief;
use crate::components::NAMESPACE;

/// How long a claim may take to become true: the machine may be busy, and images are unpacked.
const PATIENCE: Duration = Duration::from_secs(90);

/// The node, and who looks at it.
pub struct Stage<'a> {
    pub screen: &'a Screen,
    pub client: Client,
    pub kubeconfig: PathBuf,
    pub brief: Brief,
    /// For files of the run.
    pub dir: PathBuf,
    /// The audit log before anything of ours was installed.
    pub before: Mark,
    node: Node,
}

impl<'a> Stage<'a> {
    /// Starts the node.
    ///
    /// # Errors
    /// When it does not get ready.
    pub async fn set(screen: &'a Screen, brief: Brief, dir: &Path) -> Result<Self> {
        screen
            .step("A node", "kubelet, containerd, kube-proxy and a control plane, in namespaces that nothing leaves.");
        let images = [&*brief.image, &brief.next_image, &brief.pause];
        let node = screen.while_waiting("the node starts", String::new, Node::start(&images)).await?;
        screen.tick("the node is ready");
        let kubeconfig = node.plane().kubeconfig("admin", &Identity::Admin)?;
        let before = node.plane().audit().mark().await?;
        let client = node.plane().admin();
        Ok(Self { screen, client, kubeconfig, brief, dir: dir.to_owned(), before, node })
    }

    pub fn plane(&self) -> &ControlPlane {
        self.node.plane()
    }

    /// Claims something; see [`Screen::claim_within`].
    pub async fn claim<T>(&self, claim: impl Display, probe: impl AsyncFnMut() -> Result<T>) -> Result<T> {
        self.screen.claim_within(PATIENCE, claim, probe).await
    }

    /// The server's classes, untyped.
    pub fn classes(&self) -> Api<DynamicObject> {
        Api::all_with(self.client.clone(), &ApiResource::erase::<NamespaceClass>(&()))
    }

    /// Fails unless the binding of `namespace` is ready with `class`.
    pub async fn ensure_ready(&self, namespace: &str, class: &str) -> Result<NamespaceClassBinding> {
        let bindings: Api<NamespaceClassBinding> = Api::all(self.client.clone());
        let binding = bindings.get(namespace).await?;
        ensure!(binding.spec.class_name == class, "class {:?}", binding.spec.class_name);
        let conditions = &binding.status.as_ref().context("no status")?.conditions;
        let ready = get_condition(conditions, "Ready").context("no condition Ready")?;
        ensure!(ready.status == "True", "{namespace}: {}: {}", ready.reason, ready.message);
        Ok(binding)
    }

    /// Deletes an object, that may be gone, without waiting.
    pub async fn delete<K>(&self, api: &Api<K>, name: &str) -> Result<()>
    where
        K: kube::Resource + Clone + serde::de::DeserializeOwned + std::fmt::Debug,
    {
        api.delete(name, &DeleteParams::default()).await.with_context(|| name.to_owned())?;
        Ok(())
    }

    /// The last lines of every pod of the operator, and why it is not ready: for a failure.
    pub async fn what_pods_say(&self) -> String {
        let pods: Api<Pod> = Api::namespaced(self.client.clone(), NAMESPACE);
        let mut said = Vec::new();
        for pod in pods.list(&ListParams::default()).await.map(|list| list.items).unwrap_or_default() {
            let name = pod.name_any();
            let statuses = pod.status.and_then(|status| status.container_statuses).unwrap_or_default();
            let state = serde_json::to_string(&statuses.first().map(|status| &status.state)).unwrap_or_default();
            let params = LogParams { tail_lines: Some(25), ..LogParams::default() };
            let log = pods.logs(&name, &params).await.unwrap_or_else(|error| error.to_string());
            said.push(format!("-- {name}: {state}\n{log}\n"));
        }
        said.concat()
    }

    /// How a person looks around.
    pub fn say_how_to_get_in(&self) -> Result<()> {
        // Its number outside: inside this is the first process.
        let status = std::fs::read_to_string("/proc/self/status")?;
        let outer = status.lines().find_map(|line| line.strip_prefix("NSpid:")?.split_whitespace().next());
        let pid = outer.unwrap_or("PID-OF-SMOKE");
        self.screen.say("Everything is running, until Ctrl-C. In another terminal, as root:");
        self.screen.command(&format!("nsenter --net --mount --pid --target {pid}"));
        self.screen.command(&format!("export KUBECONFIG={}", self.kubeconfig.display()));
        self.screen.say(&format!("Logs of the node's programs are below {}.", env::temp_dir().display()));
        Ok(())
    }
}
