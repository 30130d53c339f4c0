//! From rendered items to objects that a pass can apply: policy asked again, marks put on, hashes taken.

use std::sync::Arc;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Desired, Rendering, Waiting};
use crate::{
    api::OnDelete,
    finding::{Finding, sentences},
    hex::hex,
    marks::{self, Owner},
    names,
    plan::Rank,
    policy::Policy,
    reason::Reason,
    render::{RenderError, Rendered},
};

/// What a class gives for one namespace (class.md C23: the policy is asked before anything is applied).
pub fn rendering(rendered: Result<Rendered, RenderError>, policy: &Policy, owner: &Owner<'_>) -> Rendering {
    let rendered = match rendered {
        Ok(rendered) => rendered,
        Err(error) => return failed(&error.findings),
    };
    let denials = rendered.denials(policy);
    if !denials.is_empty() {
        return failed(&denials);
    }
    let values = rendered.values.clone();
    let (desired, waiting) = marked(rendered, owner);
    Rendering::Objects { desired, waiting, values }
}

/// What a class gave with the values of an earlier rendering (class.md C50). The policy is not asked: a kind that it denies since is not
/// removed, and so not left to others.
pub fn protection(rendered: Result<Rendered, RenderError>, owner: &Owner<'_>) -> Option<Vec<Desired>> {
    Some(marked(rendered.ok()?, owner).0)
}

fn marked(rendered: Rendered, owner: &Owner<'_>) -> (Vec<Desired>, Vec<Waiting>) {
    let (mut desired, mut waiting) = (Vec::with_capacity(rendered.objects.len()), Vec::new());
    for object in rendered.objects {
        let Some(identity) = object.identity else {
            waiting.push(Waiting { gvk: object.gvk, name: object.name });
            continue;
        };
        let mut manifest = object.manifest;
        marks::mark(&mut manifest, &identity, owner);
        let hash = short_hash(&manifest);
        let annotations = manifest.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut);
        let mut exact = Rank::of(&identity.group, &identity.kind).is_exact();
        let on_delete = annotations.and_then(|annotations| {
            annotations.insert(names::RENDERED_ANNOTATION.into(), Value::from(hash.clone()));
            match annotations.get(names::EXACT_ANNOTATION).and_then(Value::as_str) {
                Some("true") => exact = true,
                Some("false") => exact = false,
                _ => {}
            }
            match annotations.get(names::ON_DELETE_ANNOTATION).and_then(Value::as_str) {
                Some("Orphan") => Some(OnDelete::Orphan),
                Some("Delete") => Some(OnDelete::Delete),
                _ => None,
            }
        });
        desired.push(Desired {
            identity,
            version: object.gvk.version,
            manifest: Arc::new(manifest),
            hash,
            on_delete,
            exact,
        });
    }
    (desired, waiting)
}

fn failed(findings: &[Finding]) -> Rendering {
    let reason = findings.first().map_or(Reason::RenderFailed, |finding| finding.reason);
    Rendering::Failed { reason, message: sentences(findings) }
}

/// The first 64 bits of SHA-256 over the JSON text, in hex: enough to tell two renderings of one object apart, and no defence.
pub fn short_hash(value: &Value) -> String {
    hex(&Sha256::digest(value.to_string()), 8)
}
