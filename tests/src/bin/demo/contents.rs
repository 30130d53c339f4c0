//! What a namespace got, as its binding records it and as the API server has it.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use kube::ResourceExt;
use kube::api::DynamicObject;
use nsclass_shared::api::{InventoryEntry, NamespaceClassBinding};
use nsclass_shared::names::{OBJECT_CLASS_LABEL, OBJECT_NAMESPACE_LABEL};
use serde_json::Value;

use crate::demo::{Demo, ready};

/// An object that is there, beside its record.
#[derive(Debug, Clone)]
pub struct Found {
    /// The record.
    pub entry: InventoryEntry,
    /// The object.
    pub object: DynamicObject,
}

/// Objects of one namespace by `Kind name`.
pub type Contents = BTreeMap<String, Found>;

impl Demo<'_> {
    /// The objects of the namespace `short`, each compared with its record: it is there, under the UID that was recorded, with the marks
    /// of `class`.
    ///
    /// # Errors
    /// At the first one that is not.
    pub async fn contents(&self, short: &str, class: &str) -> Result<Contents> {
        let (namespace, class) = (self.name(short), self.name(class));
        let mut contents = Contents::new();
        for entry in self.cluster.inventory(&namespace).await? {
            let title = title(&entry);
            let object =
                self.cluster.object(&entry).await?.with_context(|| format!("{title} is recorded and not there"))?;
            ensure!(object.uid().as_ref() == Some(&entry.uid), "{title} has another UID than its record");
            for (mark, value) in [(OBJECT_CLASS_LABEL, &class), (OBJECT_NAMESPACE_LABEL, &namespace)] {
                let there = object.labels().get(mark);
                ensure!(there == Some(value), "{title} has {mark}={there:?}");
            }
            contents.insert(title, Found { entry, object });
        }
        Ok(contents)
    }

    /// Claims that the namespace `short` is ready with all that `class` says; returns what it has.
    ///
    /// # Errors
    /// When it does not get so.
    pub async fn filled(&self, short: &str, class: &str) -> Result<Contents> {
        let (namespace, class_name) = (self.name(short), self.name(class));
        let manifests = self.cluster.class(&class_name).await?.context("the class is gone")?.spec.resources.len();
        let claim = format!("{namespace} is Ready: the {manifests} manifests of {class_name} are {manifests} objects");
        self.claim(claim, async || {
            let binding = self.cluster.binding(&namespace).await?.context("no binding yet")?;
            ensure!(binding.spec.class_name == class_name, "it has class {:?}", binding.spec.class_name);
            let ready = ready(&binding)?;
            ensure!(ready.status == "True", "{}: {}", ready.reason, ready.message);
            let contents = self.contents(short, class).await?;
            ensure!(contents.len() == manifests, "{} objects are there", contents.len());
            Ok(contents)
        })
        .await
    }

    /// Claims that none of `entries` is there any more.
    ///
    /// # Errors
    /// When one stays.
    pub async fn all_gone(&self, claim: &str, entries: &[InventoryEntry]) -> Result<()> {
        self.claim(claim, async || {
            for entry in entries {
                ensure!(self.cluster.object(entry).await?.is_none(), "{} is there", title(entry));
            }
            Ok(())
        })
        .await
    }

    /// Shows objects in a table.
    pub fn show_contents(&self, contents: &Contents) {
        let row = |found: &Found| vec![found.entry.kind.clone(), found.entry.name.clone(), short_uid(&found.entry.uid)];
        self.screen.table(&["KIND", "NAME", "UID"], &contents.values().map(row).collect::<Vec<_>>());
    }

    /// Shows bindings as `kubectl get` does, and what a binding that is not ready says.
    ///
    /// # Errors
    /// When the API server does not answer.
    pub async fn show_bindings(&self, shorts: &[&str]) -> Result<()> {
        let mut rows = Vec::new();
        let mut messages = Vec::new();
        for short in shorts {
            let Some(binding) = self.cluster.binding(&self.name(short)).await? else { continue };
            if let Ok(ready) = ready(&binding)
                && ready.status != "True"
            {
                messages.push(format!("{}: {}", binding.name_any(), ready.message));
            }
            rows.push(row(&binding));
        }
        let names: Vec<String> = shorts.iter().map(|short| self.name(short)).collect();
        self.screen.command(&format!("kubectl get nscb {}", names.join(" ")));
        self.screen.table(&["NAME", "CLASS", "READY", "REASON", "OBJECTS"], &rows);
        for message in &messages {
            self.screen.say(message);
        }
        Ok(())
    }
}

/// What is where in an object.
pub fn value<'a>(contents: &'a Contents, title: &str, path: &str) -> Result<&'a Value> {
    let Some(found) = contents.get(title) else { bail!("{title} is not there") };
    found.object.data.pointer(path).with_context(|| format!("{title} has no {path}"))
}

/// `Kind name`.
pub fn title(entry: &InventoryEntry) -> String {
    format!("{} {}", entry.kind, entry.name)
}

/// As much of a UID as tells two apart at a glance.
pub fn short_uid(uid: &str) -> String {
    uid.chars().take(8).collect()
}

fn row(binding: &NamespaceClassBinding) -> Vec<String> {
    let (ready, objects) = (ready(binding).ok(), binding.status.as_ref().map_or(0, |status| status.objects));
    let word = |word: Option<String>| word.unwrap_or_default();
    vec![
        binding.name_any(),
        binding.spec.class_name.clone(),
        word(ready.as_ref().map(|ready| ready.status.clone())),
        word(ready.map(|ready| ready.reason)),
        objects.to_string(),
    ]
}
