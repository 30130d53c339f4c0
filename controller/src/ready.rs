//! When the process is ready, and what is missing while it is not.

use std::sync::Arc;

use nsclass_shared::runtime::Readiness;

use crate::context::Context;

/// What `/readyz` asks.
pub struct Ready(pub Arc<Context>);

impl Readiness for Ready {
    fn parts(&self) -> Vec<(&'static str, Result<(), String>)> {
        let definitions = " (are the definitions of deploy/crds installed?)";
        let listed = &self.0.listed;
        [
            ("namespaces", &listed.namespaces, ""),
            ("namespaceclasses", &listed.classes, definitions),
            ("namespaceclassbindings", &listed.bindings, definitions),
        ]
        .map(|(part, latch, hint)| {
            (part, if latch.is_set() { Ok(()) } else { Err(format!("no full list of {part} yet{hint}")) })
        })
        .into_iter()
        .chain([("lease", self.0.standing.ready())])
        .collect()
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.0.metrics.reloads.notes();
        notes.extend(self.0.certificates.notes());
        notes
    }

    fn facts(&self) -> Vec<String> {
        vec![self.0.standing.note()]
    }
}
