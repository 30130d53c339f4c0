//! The usage report (scope.md S70): what an instance manages, as counts. It is one `ConfigMap` in the operator's namespace, and nothing of
//! it leaves the cluster.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    api::{NamespaceClassBinding, get_condition},
    reason::Reason,
    scope::{Snapshot, Verdict},
};

/// The key of the report in its `ConfigMap`.
pub const REPORT_KEY: &str = "report.json";
/// Of the report's form. Fields may come without another version; none changes its meaning.
const VERSION: u32 = 1;

/// The report.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
pub struct UsageReport {
    /// Of the report's form.
    pub version: u32,
    /// When it was counted, by the leader's clock.
    pub time: Timestamp,
    /// Which instance.
    pub instance: String,
    /// Of the snapshot that it was counted from; equal to that of `/debug/scope` while nothing has changed.
    pub digest: String,
    /// Namespaces that were seen, by verdict; without the operator's own.
    pub namespaces: BTreeMap<String, usize>,
    /// Bindings of namespaces in scope, by class, and for each by readiness. Those without a class yet are under the empty name.
    pub classes: BTreeMap<String, Readiness>,
    /// Objects of these bindings, by `Kind` for the core group, `Kind.group` else.
    pub objects: BTreeMap<String, usize>,
    /// Of these bindings, those that wait for a licence.
    pub unlicensed: usize,
}

/// Bindings by their condition `Ready`.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
pub struct Readiness {
    /// `True`.
    pub ready: usize,
    /// `False`.
    pub failing: usize,
    /// `Unknown`, or none yet.
    pub unknown: usize,
}

impl UsageReport {
    /// Begins a report from one snapshot. A snapshot without the first full list gives none: nothing can be concluded from what is
    /// missing.
    pub fn begin(snapshot: &Snapshot, instance: &str, time: Timestamp) -> Option<Self> {
        let verdicts = [Verdict::InScope, Verdict::OutOfScope];
        snapshot.is_seeded().then(|| Self {
            version: VERSION,
            time,
            instance: instance.to_owned(),
            digest: snapshot.digest().to_string(),
            namespaces: verdicts.map(|verdict| (verdict.to_string(), snapshot.count(verdict))).into(),
            ..Self::default()
        })
    }

    /// Counts a binding, where it is this instance's and its namespace is in scope by the same snapshot.
    pub fn count(&mut self, snapshot: &Snapshot, binding: &NamespaceClassBinding) {
        let is_ours = binding.spec.instance == self.instance;
        if !is_ours || snapshot.verdict(&binding.spec.namespace_name) != Verdict::InScope {
            return;
        }
        let ready = binding.status.as_ref().and_then(|status| get_condition(&status.conditions, "Ready"));
        let class = self.classes.entry(binding.spec.class_name.clone()).or_default();
        let place = match ready.map(|ready| ready.status.as_str()) {
            Some("True") => &mut class.ready,
            Some("False") => &mut class.failing,
            _ => &mut class.unknown,
        };
        *place += 1;
        self.unlicensed += usize::from(ready.is_some_and(|ready| ready.reason == Reason::LicenceRequired.as_str()));
        for entry in binding.status.iter().flat_map(|status| &status.inventory) {
            let dot = if entry.group.is_empty() { "" } else { "." };
            *self.objects.entry(format!("{}{dot}{}", entry.kind, entry.group)).or_default() += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::scope::{Index, Observation, Pick, ScopeRule};

    fn snapshot(listed: bool) -> std::sync::Arc<Snapshot> {
        let mut index = Index::new(ScopeRule::new("own", Pick::Named(["a".to_owned(), "b".to_owned()].into())));
        let labels = BTreeMap::new();
        if listed {
            index.relist_begins();
            for name in ["a", "b", "out"] {
                index.relist_holds(&Observation { name, uid: name, revision: 1, labels: &labels });
            }
            index.relist_done();
        }
        index.publish(Timestamp::UNIX_EPOCH);
        index.snapshot()
    }

    fn binding(name: &str, instance: &str, status: &str, reason: &str) -> NamespaceClassBinding {
        let condition = json!({ "type": "Ready", "status": status, "reason": reason, "message": "", "lastTransitionTime": "1970-01-01T00:00:00Z" });
        serde_json::from_value(json!({
            "apiVersion": "nsclass.io/v1alpha1", "kind": "NamespaceClassBinding", "metadata": { "name": name },
            "spec": { "namespaceName": name, "className": "std", "instance": instance },
            "status": { "conditions": [condition], "inventory": [
                { "version": "v1", "kind": "ConfigMap", "namespace": name, "name": "a" },
                { "group": "networking.k8s.io", "version": "v1", "kind": "NetworkPolicy", "namespace": name, "name": "a" },
            ] },
        }))
        .unwrap()
    }

    #[test]
    fn s70_s34_what_is_in_scope_is_counted_by_class_readiness_and_kind_and_what_is_not_is_not() {
        let snapshot = snapshot(true);
        let mut report = UsageReport::begin(&snapshot, "default", Timestamp::UNIX_EPOCH).unwrap();
        for binding in [
            binding("a", "default", "True", "BindingRecorded"),
            binding("b", "default", "False", "LicenceRequired"),
            binding("out", "default", "True", "BindingRecorded"),
            binding("never-seen", "default", "True", "BindingRecorded"),
            binding("a", "other", "True", "BindingRecorded"),
        ] {
            report.count(&snapshot, &binding);
        }
        let mut shown = json!(report);
        assert_eq!(shown["digest"], snapshot.digest().to_string());
        shown["digest"] = json!("…");
        let expected = json!({
            "version": 1, "time": "1970-01-01T00:00:00Z", "instance": "default", "digest": "…",
            "namespaces": { "InScope": 2, "OutOfScope": 1 },
            "classes": { "std": { "ready": 1, "failing": 1, "unknown": 0 } },
            "objects": { "ConfigMap": 2, "NetworkPolicy.networking.k8s.io": 2 },
            "unlicensed": 1,
        });
        assert_eq!(shown, expected);
        assert_eq!(serde_json::from_value::<UsageReport>(json!(report)).unwrap(), report);
    }

    #[test]
    fn s34_before_the_snapshot_is_complete_there_is_no_report() {
        assert_eq!(UsageReport::begin(&snapshot(false), "default", Timestamp::UNIX_EPOCH), None);
    }
}
