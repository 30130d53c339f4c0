//! A thousand namespaces relabelled at once.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures::{StreamExt, TryStreamExt, stream};
use kube::api::ListParams;
use nsclass_shared::api::get_condition;
use nsclass_tests::{ControlPlane, Operator, OperatorOptions, Options, eventually_within};

use crate::stage::{LABEL, Stage, class};

const NAMESPACES: usize = 1000;
/// Requests of the test under way at once.
const AT_ONCE: usize = 32;
/// Most writes a namespace, if each label were acted on: three to take it in, one to give it up, two to take it in again; and the odd
/// event and conflict.
const WRITES_EACH: usize = 8;
/// Most requests a namespace: reads come only after a conflict.
const REQUESTS_EACH: usize = 10;

#[tokio::test]
async fn fault19_a_thousand_namespaces_relabelled_at_once_are_linear_work_and_the_last_label_wins() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let world = Stage::on(&cp, "f19");
    let config = world.patient_config("one", &["in"])?.to_string();
    let operator = Operator::start(&cp, OperatorOptions { config, ..OperatorOptions::default() }).await?;
    world.class("std", class(&["a"], "1")).await?;
    let names: Vec<String> = (0..NAMESPACES).map(|i| format!("n{i}")).collect();
    let create = |name: &String| {
        let name = name.clone();
        let world = &world;
        async move { world.namespace(&name).of_class("std").label(LABEL, world.value("out")).create().await.map(drop) }
    };
    stream::iter(names.iter().map(create)).buffer_unordered(AT_ONCE).try_collect::<()>().await?;
    let mark = cp.audit().mark().await?;
    // The last third ends out of scope, the others in it.
    let last = |i: usize| if i % 3 == 2 { "out" } else { "in" };
    for round in 0..3 {
        let relabel = |(i, name): (usize, &String)| {
            let (name, world) = (name.clone(), &world);
            let value = if round == 2 { last(i) } else { ["in", "out"][(i + round) % 2] };
            async move { world.mark(&name, Some(value)).await }
        };
        stream::iter(names.iter().enumerate().map(relabel)).buffer_unordered(AT_ONCE).try_collect::<()>().await?;
    }
    let settled =
        eventually_within(Duration::from_secs(300), "every namespace is as its last label says", async || {
            // Nobody goes on then, so that waiting for it would hide what happened.
            if let Err(ended) = operator.program().ensure_running() {
                return Ok(Err(ended));
            }
            let bindings = world.bindings().list(&ListParams::default()).await?;
            let found: BTreeMap<&str, _> = bindings.iter().map(|b| (b.spec.namespace_name.as_str(), b)).collect();
            for (i, short) in names.iter().enumerate() {
                let name = world.name(short);
                let binding = found.get(name.as_str()).copied();
                if last(i) == "in" {
                    let binding = binding.with_context(|| format!("{name} has no binding"))?;
                    let conditions = &binding.status.as_ref().context("no status")?.conditions;
                    ensure!(binding.spec.instance == world.name("one"), "{name} is nobody's");
                    ensure!(
                        get_condition(conditions, "Ready").is_some_and(|c| c.status == "True"),
                        "{name} is not ready"
                    );
                } else {
                    ensure!(binding.is_none_or(|b| b.spec.instance.is_empty()), "{name} is still kept");
                }
            }
            Ok(Ok(()))
        });
    settled.await??;
    let ours = cp.audit().since(mark).await?.by_agent("nsclass-controller");
    ensure!(ours.verb("delete").is_empty(), "{}", ours.verb("delete"));
    let of_namespaces = ours.filter(|r| r.verb != "watch" && r.resource != "namespaceclasses.nsclass.io");
    let (writes, requests) = (of_namespaces.writes().len(), of_namespaces.len());
    ensure!(writes <= NAMESPACES * WRITES_EACH, "{writes} writes for {NAMESPACES} namespaces");
    ensure!(requests <= NAMESPACES * REQUESTS_EACH, "{requests} requests for {NAMESPACES} namespaces");
    operator.program().ensure_running()
}
