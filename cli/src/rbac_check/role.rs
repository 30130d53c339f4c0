//! What is printed: comments for people, and the role to add for kubectl.

use std::collections::BTreeMap;

use anyhow::Result;
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::core::ObjectMeta;
use nsclass_shared::rights::grant::{Spelled, rules};
use nsclass_shared::rights::own::AGGREGATE_LABEL;
use serde_json::{Value, json};

use super::{RbacCheck, Verdict, is_grant};
use crate::output::Output;

/// Prints every verdict, and one role for all that is missing.
pub(super) fn print(command: &RbacCheck, verdicts: &[Verdict], out: &mut Output) -> Result<()> {
    for verdict in verdicts {
        comment(verdict, out)?;
    }
    let rights: Vec<Spelled> =
        verdicts.iter().flat_map(|verdict| &verdict.lacking).map(|lacking| lacking.right.clone()).collect();
    if rights.is_empty() {
        return Ok(());
    }
    if rights.iter().any(is_grant) {
        out.line("# With escalate and bind for the controller, whoever may write classes can become cluster admin.")?;
    }
    let role = ClusterRole {
        metadata: ObjectMeta {
            name: Some(format!("nsclass-{}-classes", command.instance)),
            labels: Some([(AGGREGATE_LABEL.to_owned(), command.instance.clone())].into()),
            ..ObjectMeta::default()
        },
        rules: Some(rules(&rights)),
        aggregation_rule: None,
    };
    let role: Value = json!(role);
    out.line(nsclass_manifests::edit::new_file(&role).trim_end())
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
    if verdict.lacking.is_empty() && verdict.unknown.is_empty() {
        return out.line(format!("# class {class}: nothing is missing"));
    }
    let mut missing: BTreeMap<String, Missing<'_>> = BTreeMap::new();
    for lacking in &verdict.lacking {
        let Spelled { group, resource, name, verb } = &lacking.right;
        let resource = if group.is_empty() { resource.clone() } else { format!("{resource}.{group}") };
        let named = name.as_ref().map_or(resource.clone(), |name| format!("{resource}/{name}"));
        let Missing { verbs, items } = missing.entry(named).or_default();
        verbs.push(verb.as_str());
        for item in &lacking.needed.items {
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
