//! The licence gate at work (scope.md S60–S62): the shell around [`nsclass_shared::licence`].
//!
//! ```text
//! Secrets ──watch──▶ Gate ◀── clock            (every replica)
//!                     ├──▶ asked by each pass: [`Gate::ask`]
//!                     └──▶ on a change: queues, event, metrics, /debug/scope, record (the last by the leader)
//! ```
//! Each pass is decided by the clock of its moment; the task [`keep`] only tells when something changes, so that what waits goes on at
//! once, and what must wait says so.

mod events;
mod gate;
mod keeper;
mod metrics;
mod papers;
mod record;

pub use events::Pod;
pub use gate::Gate;
pub use keeper::keep;
pub use metrics::LicenceMetrics;

use std::collections::{BTreeMap, HashMap};

use nsclass_shared::{
    api::{NamespaceClassBinding, get_condition},
    licence::{Decision, Why},
    reason::Reason,
};

use crate::{context::Context, feeds};

/// The flow of namespaces that a licence frees or holds.
pub const FLOW: &str = "licence";

/// Whether a binding says that its namespace waits for a licence.
pub fn waits(binding: &NamespaceClassBinding) -> bool {
    let ready = binding.status.as_ref().and_then(|status| get_condition(&status.conditions, "Ready"));
    ready.is_some_and(|ready| ready.reason == Reason::LicenceRequired.as_str())
}

/// The class that a binding concerns: that whose objects are there, else that which is waited for.
pub fn class_of(binding: &NamespaceClassBinding) -> &str {
    let had = binding.spec.class_name.as_str();
    let asked = || binding.status.as_ref().map_or("", |status| status.requested_class.as_str());
    if had.is_empty() && waits(binding) { asked() } else { had }
}

/// Recounts what waits, and queues what could go on: a place may be free that another namespace had.
pub fn count(context: &Context) {
    let instance = &context.settings().config.instance;
    let mut waiting = Vec::new();
    context.bindings.visit(|binding| {
        if binding.spec.instance == *instance && waits(binding) {
            waiting.push(binding.spec.namespace_name.clone());
        }
    });
    let (mut counts, mut free): (HashMap<&str, usize>, BTreeMap<_, _>) = (HashMap::new(), BTreeMap::new());
    for name in waiting {
        match context.licence.look(context, &name) {
            Decision::Held(why) => *counts.entry(why.word()).or_default() += 1,
            Decision::Open => {
                let created = context.namespaces.get(&kube::runtime::reflector::ObjectRef::new(&name));
                let created =
                    created.and_then(|namespace| namespace.metadata.creation_timestamp.clone()).map(|time| time.0);
                free.insert((created, name.clone()), name);
            }
        }
    }
    context.metrics.licence.held(|word| counts.get(word).copied().unwrap_or_default(), &Why::WORDS);
    for name in free.into_values() {
        context.namespace_queue.add_to(FLOW, &name);
    }
}

/// Another state: everything that has, wants or owes something is looked at, the oldest first, and so is every class. What is as it must
/// be costs no request.
fn tell(context: &Context) {
    feeds::tell_oldest_first(context, FLOW);
}
