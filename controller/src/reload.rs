//! What a changed configuration means while running: scope and policy change at once.

use std::sync::Arc;

use kube::ResourceExt;
use nsclass_shared::config::Settings;

use crate::{context::Context, feeds, scope};

/// Puts new settings into force and looks at what they may decide differently.
pub fn take(context: &Context, mut settings: Settings) {
    let now = context.settings();
    let fixed = |s: &Settings| {
        let c = &s.config;
        (c.controller.clone(), c.leader_election.clone(), c.instance.clone(), c.operator_namespace.clone())
    };
    if fixed(&settings) != fixed(&now) {
        tracing::warn!(
            "instance, operatorNamespace and everything under controller and leaderElection change with a restart only"
        );
        // The lease and the marks of bindings are those of the start.
        settings.config.instance.clone_from(&now.config.instance);
        settings.config.operator_namespace.clone_from(&now.config.operator_namespace);
    }
    scope::say_empty_selector(&settings);
    let rule = settings.scope.clone();
    context.settings.store(Arc::new(settings));
    context.scope.set_rule(&rule);
    context.certificates.look_again();
    context.licence.look_again();
    feeds::tell_labelled(context);
    context.classes.watched().state().iter().for_each(|class| context.class_queue.add(&class.name_any()));
}
