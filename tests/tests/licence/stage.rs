//! What these tests stand on: one control plane for all, and for each test a world, an instance with a namespace of its own, and an issuer.

use std::collections::BTreeMap;
use std::ops::Deref;

use anyhow::{Context, Result, ensure};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Api;
use kube::api::{DeleteParams, ObjectMeta, Patch, PatchParams};
use nsclass_shared::api::crds;
use nsclass_shared::licence::{Record, SigningKey, Terms, sign};
use nsclass_shared::names::{LICENCE_LABEL, licence_record};
use nsclass_tests::install::{TEST_ADMIN, ensure_namespace};
use nsclass_tests::{ControlPlane, Identity, Program, World, eventually};
use serde_json::{Value, json};

use crate::running::Running;

/// The label that the scopes of these tests select by; its value is the instance.
const LABEL: &str = "licence-test";

pub(crate) struct Stage {
    pub(crate) cp: &'static ControlPlane,
    world: World,
    key: SigningKey,
}

impl Deref for Stage {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl Stage {
    pub(crate) async fn open(prefix: &str) -> Result<Self> {
        let cp = ControlPlane::shared().await?;
        cp.install_crds(&crds()).await?;
        let stage = Self { cp, world: World::new(cp, prefix), key: SigningKey::generate()? };
        ensure_namespace(&cp.admin(), &stage.operator()).await?;
        stage.class("std", class("1")).await?;
        Ok(stage)
    }

    /// Name of the instance, and of its namespace.
    pub(crate) fn operator(&self) -> String {
        self.name("operator")
    }

    pub(crate) fn config(&self, mode: &str) -> Value {
        json!({
            "instance": self.operator(),
            "operatorNamespace": self.operator(),
            "scope": { "namespaceSelector": { "matchLabels": { LABEL: self.operator() } } },
            "gate": { "mode": mode, "publicKeys": [self.key.public().to_string()] },
            "usage": { "enabled": false },
        })
    }

    pub(crate) async fn run(&self, mode: &str) -> Result<Running> {
        Running::start(self.cp, &self.config(mode).to_string(), &Identity::Admin, None).await
    }

    /// A namespace with the class `std`, in scope.
    pub(crate) async fn team(&self, name: &str) -> Result<()> {
        self.namespace(name).of_class("std").label(LABEL, self.operator()).create().await?;
        Ok(())
    }

    /// Takes a namespace into the scope, or out of it.
    pub(crate) async fn scope(&self, name: &str, is_in: bool) -> Result<()> {
        let value = self.operator();
        self.label(name, LABEL, is_in.then_some(value.as_str())).await?;
        Ok(())
    }

    /// A licence of this issuer.
    pub(crate) fn issue(&self, not_before: Timestamp, expiry: Timestamp, namespaces: Option<u32>) -> Result<String> {
        Ok(sign(&Terms { holder: "Team Blue".into(), not_before, expiry, namespaces }, &self.key)?)
    }

    /// One that began an hour ago, and lasts for a day.
    pub(crate) fn good(&self, namespaces: Option<u32>) -> Result<String> {
        let now = Timestamp::now();
        self.issue(now - SignedDuration::from_hours(1), now + SignedDuration::from_hours(24), namespaces)
    }

    /// Puts a document into a `Secret` with the label of licences; an empty one where none.
    pub(crate) async fn put(&self, name: &str, document: Option<&str>) -> Result<()> {
        let data = document.map(|text| BTreeMap::from([("licence".to_owned(), ByteString(text.as_bytes().to_vec()))]));
        let metadata = ObjectMeta {
            name: Some(name.into()),
            labels: Some([(LICENCE_LABEL.to_owned(), "true".to_owned())].into()),
            ..ObjectMeta::default()
        };
        let secret = Secret { metadata, data, ..Secret::default() };
        let params = PatchParams::apply(TEST_ADMIN).force();
        self.secrets().patch(name, &params, &Patch::Apply(&secret)).await?;
        Ok(())
    }

    pub(crate) async fn withdraw(&self, name: &str) -> Result<()> {
        self.secrets().delete(name, &DeleteParams::default()).await?;
        Ok(())
    }

    pub(crate) fn secrets(&self) -> Api<Secret> {
        Api::namespaced(self.client(), &self.operator())
    }

    pub(crate) fn maps(&self, namespace: &str) -> Api<ConfigMap> {
        Api::namespaced(self.client(), &self.name(namespace))
    }

    /// Waits until the class's config map in a namespace has this value.
    pub(crate) async fn follows(&self, namespace: &str, value: &str) -> Result<()> {
        eventually(format!("{namespace} has {value:?}"), async || {
            let data = self.maps(namespace).get("about").await?.data.context("no data")?;
            ensure!(data["value"] == value, "{data:?}");
            Ok(())
        })
        .await
    }

    /// Waits until a namespace waits for a licence; returns the sentence.
    pub(crate) async fn waits(&self, namespace: &str) -> Result<String> {
        self.not_ready(namespace, "LicenceRequired").await
    }

    /// Fails where anything was made in a namespace.
    pub(crate) async fn has_nothing(&self, namespace: &str) -> Result<()> {
        let map = self.maps(namespace).get_opt("about").await?;
        ensure!(map.is_none(), "{namespace} has {map:?}");
        Ok(())
    }

    pub(crate) fn operator_maps(&self) -> Api<ConfigMap> {
        Api::namespaced(self.client(), &self.operator())
    }

    /// What the leader has written down.
    pub(crate) async fn record(&self) -> Result<Record> {
        eventually("the first start is written down", async || {
            let map = self.operator_maps().get(&licence_record(&self.operator())).await?;
            let record: Record = serde_json::from_str(&map.data.context("no data")?["record"])?;
            record.first_start.context("no first start")?;
            Ok(record)
        })
        .await
    }

    /// Waits until the API server's clock, which has whole seconds, shows more than a time.
    pub(crate) async fn until_after(&self, time: Timestamp) -> Result<()> {
        eventually(format!("it is after {time}"), async || {
            let left = time.as_second() + 1 - Timestamp::now().as_second();
            ensure!(left <= 0, "{left} s more");
            Ok(())
        })
        .await
    }

    /// Runs `nsclass` as a person would; returns what it prints.
    pub(crate) async fn nsclass(&self, args: &[&str]) -> Result<String> {
        let kubeconfig = self.cp.kubeconfig("person", &Identity::Admin)?;
        let program = Program::named("nsclass").args(args).env("KUBECONFIG", kubeconfig);
        let program =
            program.args(["--instance", &self.operator(), "--operator-namespace", &self.operator()]).start().await?;
        let status = program.wait(nsclass_tests::GENEROUS).await?;
        ensure!(status.success(), "{status}: {}{}", program.stdout()?, program.stderr()?);
        program.stdout()
    }
}

/// The spec of a class of one config map with this value.
pub(crate) fn class(value: &str) -> Value {
    let map =
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "about" }, "data": { "value": value } });
    json!({ "resources": [map], "optOutDelay": "0s" })
}
