//! The task that keeps the gate up: it watches the `Secret`s and the clock, and tells what changes.

use std::{pin::pin, sync::Arc};

use futures::StreamExt;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Secret;
use kube::{
    Api,
    runtime::{events::Recorder, watcher::Config as WatchConfig},
};
use nsclass_shared::{
    config::Settings,
    licence::{Found, GateMode, PublicKey, Record, Shown, State, explain, found},
    names,
    runtime::{WATCH_SECONDS, watch_own},
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{
    events,
    papers::Papers,
    record::{RecordError, Stored},
    tell,
};
use crate::context::Context;

/// How often everything is checked although nothing was told (scope.md S60).
const CHECK_EVERY: SignedDuration = SignedDuration::from_mins(5);
/// After a record that could not be read or written.
const AFTER_ERROR: SignedDuration = SignedDuration::from_secs(5);

/// Keeps the gate up until shutdown, on every replica; what is written is the leader's.
///
/// # Errors
/// When the watch ends, which it never should.
pub async fn keep(context: Arc<Context>, shutdown: CancellationToken) -> anyhow::Result<()> {
    let mut keeper = Keeper { recorder: events::recorder(&context), context, told: None, record_is_behind: false };
    loop {
        let settings = keeper.context.settings();
        let in_force = (settings.config.gate.mode, settings.public_keys.clone());
        if in_force.0 == GateMode::None {
            keeper.off();
            tokio::select! {
                () = shutdown.cancelled() => return Ok(()),
                () = keeper.context.licence.asked() => continue,
            }
        }
        keeper.on(&settings, &in_force, &shutdown).await?;
        if shutdown.is_cancelled() {
            return Ok(());
        }
    }
}

struct Keeper {
    context: Arc<Context>,
    recorder: Recorder,
    /// The mode and state that everybody was told.
    told: Option<(GateMode, State)>,
    record_is_behind: bool,
}

impl Keeper {
    /// No licence is wanted.
    fn off(&mut self) {
        let Self { context, told, .. } = self;
        context.licence.forget();
        context.metrics.licence.state(None);
        context.metrics.licence.found(&Found::default(), &Found::default());
        context.scope.show("licence", &json!({ "mode": GateMode::None }));
        context.licence.in_office().set();
        if told.take().is_some() {
            tracing::info!("gate.mode is None: every namespace is gone on with");
            tell(context);
        }
    }

    /// A licence is wanted, as these settings say; comes back when they change.
    async fn on(
        &mut self,
        settings: &Settings,
        in_force: &(GateMode, Vec<PublicKey>),
        shutdown: &CancellationToken,
    ) -> anyhow::Result<()> {
        let context = self.context.clone();
        let secrets: Api<Secret> = Api::namespaced(context.client.clone(), &settings.config.operator_namespace);
        let config = WatchConfig::default().labels(names::LICENCE_LABEL).timeout(WATCH_SECONDS);
        let mut watch = pin!(watch_own(secrets, config));
        let (mut papers, mut has_looked, mut leads) = (Papers::default(), false, false);
        let clock = context.licence.clock().clone();
        let mut next_check = clock.now() + CHECK_EVERY;
        loop {
            let until = context.licence.standing().until;
            let wake = until.into_iter().chain([next_check]).min().unwrap_or(next_check);
            let mut is_check = false;
            tokio::select! {
                () = shutdown.cancelled() => return Ok(()),
                () = context.licence.asked() => {
                    let settings = context.settings();
                    if (settings.config.gate.mode, settings.public_keys.clone()) != *in_force {
                        return Ok(());
                    }
                }
                () = context.guard.elected(), if !leads && has_looked => {
                    // What the bindings know of the first start counts.
                    tokio::select! {
                        () = shutdown.cancelled() => return Ok(()),
                        () = context.listed.bindings.wait() => {}
                    }
                    leads = true;
                    is_check = true;
                }
                () = clock.sleep_until(wake) => is_check = clock.now() >= next_check,
                event = watch.next() => match event {
                    Some(Ok(event)) => {
                        if papers.take(event) {
                            self.take(found(papers.all(), &in_force.1));
                        }
                        has_looked |= papers.is_complete();
                        if !has_looked {
                            continue;
                        }
                    }
                    Some(Err(error)) => {
                        context.metrics.watch_errors.with_label_values(&["Secret"]).inc();
                        tracing::warn!(%error, "the watch of licences broke; it is taken up again");
                        // What was read before stays true; without it, nothing opens the gate.
                        if !papers.is_complete() {
                            self.take(Found::unread(error.to_string()));
                        }
                        has_looked = true;
                    }
                    None => anyhow::bail!("the watch of licences ended"),
                },
            }
            if has_looked {
                self.look(in_force, leads, is_check).await;
            }
            if is_check || self.record_is_behind {
                let pause = if self.record_is_behind { AFTER_ERROR } else { CHECK_EVERY };
                next_check = clock.now() + pause;
            }
        }
    }

    fn take(&self, found: Found) {
        let licence = &self.context.licence;
        self.context.metrics.licence.found(&licence.found(), &found);
        licence.take(found);
    }

    /// Looks at what the state is now, and tells whoever it concerns.
    async fn look(&mut self, (mode, keys): &(GateMode, Vec<PublicKey>), leads: bool, is_check: bool) {
        let context = self.context.clone();
        let licence = &context.licence;
        if is_check || self.told.is_none() {
            self.follow_record().await;
        }
        let state = licence.standing().state;
        let now = (*mode, state.clone());
        let is_new = self.told.as_ref() != Some(&now);
        licence.remember(licence.record().with_state(&state, licence.clock().now()));
        context.metrics.licence.state(Some(&state));
        if leads && (is_new || is_check || self.record_is_behind) {
            self.write_record(*mode, keys, &state).await;
        }
        let shown = self.shown(*mode, keys, &state, licence.record());
        context.scope.show("licence", &json!({ "shown": shown, "record": licence.record() }));
        if is_new {
            tracing::info!(state = state.word(), ?mode, "{}", shown.message);
            self.told = Some(now);
            tell(&context);
        }
        if leads {
            licence.in_office().set();
            if is_new || (is_check && !state.is_valid()) {
                events::say(&context, &self.recorder, &state, &shown.message).await;
            }
        }
    }

    /// Reads what the leader, or the one before us, has written down.
    async fn follow_record(&mut self) {
        match self.stored().await {
            Ok(stored) => self.context.licence.remember(stored.record),
            Err(error) => self.failed(&error),
        }
    }

    /// The first start is now, where nobody knows of an earlier one.
    async fn write_record(&mut self, mode: GateMode, keys: &[PublicKey], state: &State) {
        let licence = &self.context.licence;
        let mut known = Record::default();
        let instance = self.context.settings().config.instance.clone();
        self.context.bindings.visit(|binding| {
            // Another instance on the cluster has a first start of its own.
            if binding.spec.instance != instance {
                return;
            }
            let first_start = binding.status.as_ref().and_then(|status| status.first_start.clone()).map(|time| time.0);
            known = known.with(Record { first_start, expired_seen: None });
        });
        // Also where the record cannot be read.
        licence.remember(known);
        let written = match self.stored().await {
            Ok(stored) => {
                let mut record = licence.record().with(stored.record);
                record.first_start.get_or_insert_with(|| second_after(licence.clock().now()));
                // What is not written down could be another thing after a restart.
                let shown = self.shown(mode, keys, state, record);
                stored.write(record, &shown).await.map(|()| licence.remember(record))
            }
            Err(error) => Err(error),
        };
        match written {
            Ok(()) => self.record_is_behind = false,
            Err(error) => self.failed(&error),
        }
    }

    /// What people are shown of a state.
    fn shown(&self, mode: GateMode, keys: &[PublicKey], state: &State, record: Record) -> Shown {
        let licence = &self.context.licence;
        let explained = explain(mode, &licence.found(), record.first_start, licence.clock().now());
        let doing = explained.now.last().cloned().unwrap_or_default();
        Shown {
            mode,
            public_keys: keys.iter().map(ToString::to_string).collect(),
            state: state.word().to_owned(),
            message: format!("{}: {doing}", state.phrase()),
        }
    }

    fn failed(&mut self, error: &RecordError) {
        self.record_is_behind = true;
        self.context.metrics.licence.record_failed();
        tracing::warn!(%error, "the record of the licence gate is tried again");
    }

    async fn stored(&self) -> Result<Stored, RecordError> {
        let config = &self.context.settings().config;
        Stored::read(self.context.client.clone(), &config.operator_namespace, &config.instance).await
    }
}

/// The API server keeps whole seconds of when it made something: what was there already is older than this.
fn second_after(time: Timestamp) -> Timestamp {
    Timestamp::from_second(time.as_second().saturating_add(1)).unwrap_or(time)
}
