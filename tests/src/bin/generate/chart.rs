//! What the chart holds that is written elsewhere, and what it renders to.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::api::rbac::v1::PolicyRule;
use kube::core::ObjectMeta;
use nsclass_shared::names::{controller_lease, licence_record, usage_report};
use nsclass_shared::rights::own::{Grant, KIND_VERBS, OwnObjects};
use nsclass_tests::helm::{Helm, RELEASE};

use crate::HEADER;
use crate::tree::GeneratedFile;
use crate::yaml;

const DEPLOY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy");

/// Copies, because a chart is packed without what is beside it.
pub(crate) fn policies() -> Result<Vec<GeneratedFile>> {
    copies("policies")
}

pub(crate) fn optional_policies() -> Result<Vec<GeneratedFile>> {
    copies("policies/optional")
}

pub(crate) fn webhook_configuration() -> Result<Vec<GeneratedFile>> {
    Ok(vec![copy(&Path::new(DEPLOY).join("webhook-configuration.yaml"), "")?])
}

/// Rules of roles, for the templates to fill in.
pub(crate) fn rights() -> Vec<GeneratedFile> {
    let webhook = r#"{{ include "nsclass.webhookName" . }}"#;
    let own = OwnObjects {
        lease: controller_lease("{{ .Values.instance }}"),
        configuration: r#"{{ include "nsclass.clusterName" . }}"#.to_owned(),
        template: format!("{webhook}-configuration"),
        secrets: ["ca", "tls"].map(|what| format!("{webhook}-{what}")),
        report: usage_report("{{ .Values.instance }}"),
        record: licence_record("{{ .Values.instance }}"),
    };
    let file = |name: &str, text: String| GeneratedFile { name: format!("{name}.yaml"), text };
    let mut files: Vec<_> = Grant::ALL.iter().map(|grant| file(grant.name(), rules(&grant.rules(&own)))).collect();
    files.push(file("kind-verbs", format!("# {HEADER}\n[{}]\n", KIND_VERBS.join(", "))));
    files
}

/// Everything that the default installation is, for whoever has no Helm.
pub(crate) fn manifests() -> Result<Vec<GeneratedFile>> {
    let rendered = Helm::find()?.manifests().context("the chart does not render")?;
    let metadata = ObjectMeta { name: Some(RELEASE[1].to_owned()), ..ObjectMeta::default() };
    let namespace = yaml::document(&Namespace { metadata, ..Namespace::default() })?;
    Ok(vec![GeneratedFile { name: "manifests.yaml".to_owned(), text: format!("{namespace}{rendered}") }])
}

/// A rule a line, as people write them.
fn rules(rules: &[PolicyRule]) -> String {
    let list = |words: &[String]| {
        let words: Vec<_> = words.iter().map(|word| if is_plain(word) { word.clone() } else { quoted(word) }).collect();
        format!("[{}]", words.join(", "))
    };
    let line = |rule: &PolicyRule| {
        let part = |name: &str, words: &Option<Vec<String>>| {
            words.as_ref().map(|words| format!("{name}: {}, ", list(words))).unwrap_or_default()
        };
        let (groups, resources) = (part("apiGroups", &rule.api_groups), part("resources", &rule.resources));
        let names = part("resourceNames", &rule.resource_names);
        format!("- {{ {groups}{resources}{names}verbs: {} }}\n", list(&rule.verbs))
    };
    format!("# {HEADER}\n{}", rules.iter().map(line).collect::<String>())
}

fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "./-".contains(c))
}

/// A template's own quotes stand in double quotes, so that single ones are around it.
fn quoted(word: &str) -> String {
    format!("'{word}'")
}

fn copies(dir: &str) -> Result<Vec<GeneratedFile>> {
    let from = Path::new(DEPLOY).join(dir);
    let mut paths: Vec<PathBuf> = fs::read_dir(&from)
        .with_context(|| format!("{} cannot be listed", from.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    paths.iter().map(|path| copy(path, &format!("{dir}/"))).collect()
}

fn copy(path: &Path, dir: &str) -> Result<GeneratedFile> {
    let text = fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = format!("# {HEADER} A copy of deploy/{dir}{name}.\n{text}");
    Ok(GeneratedFile { name, text })
}
