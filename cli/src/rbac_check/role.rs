//! What is printed: comments for people, and for kubectl the roles to add. Each has all that its class takes, so that adding it again, or that
//! of another class, takes nothing away.

use std::collections::BTreeMap;

use anyhow::Result;
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::core::ObjectMeta;
use nsclass_shared::rights::grant::{Spelled, rules};
use nsclass_shared::rights::own::AGGREGATE_LABEL;
use serde_json::json;

use super::{RbacCheck, Verdict, is_grant};
use crate::output::Output;

/// Prints every verdict, and a role for each class that lacks something.
pub(super) fn print(command: &RbacCheck, verdicts: &[Verdict], out: &mut Output) -> Result<()> {
    for verdict in verdicts {
        comment(verdict, out)?;
    }
    for verdict in verdicts.iter().filter(|verdict| verdict.taken.iter().any(|taken| !taken.is_held)) {
        out.line("---")?;
        let rights: Vec<Spelled> = verdict.taken.iter().map(|taken| taken.right.clone()).collect();
        if rights.iter().any(is_grant) {
            out.line(
                "# With escalate and bind for the controller, whoever may write classes can become cluster admin.",
            )?;
        }
        let role = ClusterRole {
            metadata: ObjectMeta {
                name: Some(format!("nsclass-{}-class-{}", command.instance, verdict.class)),
                labels: Some([(AGGREGATE_LABEL.to_owned(), command.instance.clone())].into()),
                ..ObjectMeta::default()
            },
            rules: Some(rules(&rights)),
            aggregation_rule: None,
        };
        out.line(nsclass_manifests::edit::new_file(&json!(role)).trim_end())?;
    }
    Ok(())
}

/// What may not be done with a resource, and for whom it is needed.
#[derive(Default)]
struct Missing<'a> {
    verbs: Vec<&'a str>,
    items: Vec<&'a str>,
}

fn comment(verdict: &Verdict, out: &mut Output) -> Result<()> {
    let class = &verdict.class;
    for kind in &verdict.unknown {
        out.line(format!(
            "# class {class}: nobody serves {kind} here, so its rights are not known; install its definition, or pass \
             --api-resources"
        ))?;
    }
    if verdict.is_fine() {
        return out.line(format!("# class {class}: nothing is missing"));
    }
    let mut missing: BTreeMap<String, Missing<'_>> = BTreeMap::new();
    for taken in verdict.taken.iter().filter(|taken| !taken.is_held) {
        let Spelled { group, resource, name, verb } = &taken.right;
        let resource = if group.is_empty() { resource.clone() } else { format!("{resource}.{group}") };
        let named = name.as_ref().map_or(resource.clone(), |name| format!("{resource}/{name}"));
        let Missing { verbs, items } = missing.entry(named).or_default();
        verbs.push(verb.as_str());
        for item in &taken.needed.items {
            if !items.contains(&item.label.as_str()) {
                items.push(&item.label);
            }
        }
    }
    for (resource, Missing { verbs, items }) in missing {
        let line = format!("# class {class}: the controller may not {} {resource}", verbs.join(", "));
        out.line(format!("{line}, for {}", items.join(", ")))?;
    }
    Ok(())
}
