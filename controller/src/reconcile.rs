//! One namespace: observe, plan, carry out, remember. The shell around [`nsclass_shared::plan::Pass`].

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use nsclass_shared::{
    api::{NamespaceClassBinding, get_condition},
    plan::{Intent, Outcome, Pass, Report, Requeue, Step},
    scope::Verdict,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{
    carry_out::carry_out,
    context::Context,
    drift, memory,
    observe::{ObserveError, observe},
    scope, worker,
};

/// How often one step is asked for again, when the API server says that it is busy, before the pass goes on without it.
const MOST_PUSHBACKS: u32 = 3;
/// Longest time that a worker waits for the API server within a pass; for a longer one the namespace goes back into the queue.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// Works on namespaces until shutdown. A pass that has begun is carried to its end.
///
/// # Errors
/// None; the signature is that of a supervised task.
pub async fn work(context: Arc<Context>, shutdown: CancellationToken) -> anyhow::Result<()> {
    let handle = |name: String| {
        let context = &context;
        async move { reconcile(context, &name).await }
    };
    let panicked = |name: &str| retry(&context, name, "panic");
    worker::work(&context.namespace_queue, &context.metrics.panics, &shutdown, handle, panicked).await;
    Ok(())
}

async fn reconcile(context: &Context, name: &str) {
    let timer = context.metrics.pass_seconds.start_timer();
    // The scope is asked first (scope.md S32): out of it nothing is looked at, and what is remembered goes.
    let verdict = context.scope.handle().verdict(name);
    if verdict == Verdict::OutOfScope {
        context.metrics.out_of_scope.inc();
    }
    let look = verdict == Verdict::InScope && context.memory.is_look_due(name, Instant::now());
    let asked = context.drift.pass_begins(name);
    let observed = observe(context, name, look, asked).await;
    if observed.is_err() {
        let end = |binding: &NamespaceClassBinding| context.drift.pass_ended(name, None, binding.status.as_ref());
        context.bindings.read(name, end);
    }
    match observed {
        Ok(observed) => {
            let before = ready_reason(observed.binding.as_ref());
            let mut left_alone = Duration::ZERO;
            let pass = run(context, name, Pass::begin(observed), &mut left_alone).await;
            if pass.has_ended() && !pass.is_held() {
                context.mass_delete.not_held(context, name).await;
            }
            conclude(context, name, &pass, before.as_deref(), left_alone);
        }
        Err(ObserveError::Damaged(why)) => {
            context.metrics.passes.with_label_values(&["error"]).inc();
            tracing::error!(namespace = name, %why, "the binding cannot be read: nothing in this namespace is touched");
            retry(context, name, "damaged binding");
        }
        Err(why) => {
            context.metrics.passes.with_label_values(&["error"]).inc();
            tracing::warn!(namespace = name, %why, "nothing is touched before this is known");
            retry(context, name, "unknown state");
        }
    }
    context.licence.pass_ended(name);
    timer.observe_duration();
}

/// Carries a pass to its end. `left_alone` becomes the time that the API server asks for beyond it.
async fn run(context: &Context, name: &str, mut pass: Pass, left_alone: &mut Duration) -> Pass {
    while let Some(step) = pass.next_step() {
        let mut outcome = ask(context, name, &step).await;
        // Waiting here costs the server one request more; a pass that gave up would read and record everything again. While this
        // worker waits it asks for nothing, and the others go on: the fewer requests the server takes, the fewer it gets.
        for _ in 0..MOST_PUSHBACKS {
            let Outcome::Busy { after, .. } = &outcome else { break };
            *left_alone = (*left_alone).max(*after);
            if *after > LONGEST_WAIT {
                break;
            }
            tokio::time::sleep(memory::stretched(*after * 10 / 9, 10, memory::random())).await;
            outcome = ask(context, name, &step).await;
        }
        pass.record(outcome);
    }
    pass
}

async fn ask(context: &Context, name: &str, step: &Step) -> Outcome {
    // A pass of a replica that no longer leads ends here, whatever the step: what it stood on may be old.
    let outcome = if context.guard.may_write() { carry_out(context, name, step).await } else { Outcome::Stale };
    tracing::debug!(namespace = name, step = step.word(), outcome = outcome.word(), "step");
    context.metrics.requests.with_label_values(&[step.word(), outcome.word()]).inc();
    outcome
}

fn conclude(context: &Context, name: &str, pass: &Pass, reason_before: Option<&str>, left_alone: Duration) {
    let report = pass.report();
    say(context, name, pass, &report);
    if pass.has_ended() {
        context.events.tell(context, name, pass, &report, reason_before);
    }
    let retried = report.requeue == Requeue::Backoff;
    let failures = context.memory.ended(name, report.refused.clone(), retried);
    context.memory.waits_for(name, groups_waited_for(pass));
    let status = pass.binding().and_then(|binding| binding.status.as_ref());
    let suspicion = context.drift.pass_ended(name, Some(&report), status);
    if report.lost {
        tracing::warn!(
            namespace = name,
            "the binding was lost: objects of this namespace are looked for by their marks"
        );
        context.memory.search(name);
        context.namespace_queue.add(name);
    }
    let end = match report.requeue {
        Requeue::Rest => {
            if pass.binding().is_some() && is_kept(pass.intent()) {
                if let Some(at) = context.memory.look_at(name) {
                    context.namespace_queue.add_at(name, at);
                }
            } else {
                if pass.binding().is_none() {
                    context.drift.forget(name);
                }
                scope::forget(context, name);
            }
            "rest"
        }
        Requeue::Now => {
            context.namespace_queue.add(name);
            "again"
        }
        Requeue::Backoff => {
            let pause = memory::pause(failures, memory::random()).max(left_alone.min(memory::LONGEST_PAUSE));
            context.namespace_queue.add_at(name, Instant::now() + pause);
            "retry"
        }
        Requeue::At(at) => {
            let wait = at.duration_since(jiff::Timestamp::now()).max(jiff::SignedDuration::ZERO).unsigned_abs();
            // A second more: the plan reads a clock of whole seconds.
            context.namespace_queue.add_at(name, Instant::now() + wait + Duration::from_secs(1));
            "wait"
        }
    };
    if let Some(wake) = suspicion {
        drift::wake_up(context, name, wake);
    }
    context.metrics.passes.with_label_values(&[end]).inc();
}

fn retry(context: &Context, name: &str, why: &str) {
    let failures = context.memory.ended(name, context.memory.refused(name), true);
    let pause = memory::pause(failures, memory::random());
    tracing::debug!(namespace = name, why, ?pause, "tried again later");
    context.namespace_queue.add_at(name, Instant::now() + pause);
}

fn say(context: &Context, name: &str, pass: &Pass, report: &Report) {
    if let Intent::OtherInstance(instance) = pass.intent() {
        tracing::warn!(namespace = name, instance, "another operator instance keeps this namespace: hands off");
        if let Some(binding) = pass.binding() {
            context.class_queue.add(&binding.spec.class_name);
        }
    }
    for note in &report.notes {
        tracing::warn!(namespace = name, note, "dropped from the inventory");
    }
    for repair in report.repairs.iter().filter(|repair| repair.done) {
        context.metrics.repairs.inc();
        tracing::info!(namespace = name, object = %repair.object, what = repair.what, "drift repaired");
    }
    for failure in &report.failures {
        context.metrics.failures.with_label_values(&[failure.reason.as_str()]).inc();
        let object = failure.object.as_ref().map(ToString::to_string);
        tracing::warn!(namespace = name, object, reason = %failure.reason, message = failure.message, "not as desired");
    }
}

fn ready_reason(binding: Option<&NamespaceClassBinding>) -> Option<String> {
    let conditions = &binding?.status.as_ref()?.conditions;
    get_condition(conditions, "Ready").map(|ready| ready.reason.clone())
}

/// Whether the namespace is looked at again without an event.
fn is_kept(intent: &Intent) -> bool {
    !matches!(intent, Intent::Nothing | Intent::OutOfScope(_) | Intent::OtherInstance(_))
}

fn groups_waited_for(pass: &Pass) -> BTreeSet<String> {
    match pass.intent() {
        Intent::Converge(goal) => goal.waiting.iter().map(|waiting| waiting.gvk.group.clone()).collect(),
        _ => BTreeSet::new(),
    }
}

#[cfg(test)]
mod pushback_tests;
