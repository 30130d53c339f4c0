//! One label change while every namespace of a class follows an edit.

use std::time::Duration;

use anyhow::Result;
use serde_json::Value;

use crate::{alone::label_to_ready, figure, fleet::Fleet};

/// Changes measured in one edit; the worst counts.
const CHANGES: usize = 5;

pub(crate) async fn measure(fleet: &mut Fleet) -> Result<()> {
    for i in 0..CHANGES {
        fleet.world.namespace(&format!("late-{i}")).create().await?;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let generation = fleet.revise(4, Value::Null).await?;
    let (class, mut worst) = (fleet.world.name("std"), Duration::ZERO);
    for i in 0..CHANGES {
        worst = worst.max(label_to_ready(&fleet.world, &format!("late-{i}"), &class).await?);
        fleet.bound += 1;
    }
    if follows_everywhere(fleet, generation).await? {
        eprintln!("no figure of label changes amid an edit: it was over before them; take more namespaces");
    } else {
        eprintln!("{CHANGES} label changes while all others follow an edit: worst {:.2} s", worst.as_secs_f64());
        figure("label_change_s", format!("{:.2}", worst.as_secs_f64()), "s");
    }
    fleet.settled(generation).await?;
    fleet.note_memory()
}

/// Whether no namespace is left that has not followed.
async fn follows_everywhere(fleet: &Fleet, generation: i64) -> Result<bool> {
    let params = kube::api::ListParams::default().fields(&format!("spec.className={}", fleet.world.name("std")));
    let bindings = fleet.world.bindings().list(&params).await?;
    Ok(bindings.iter().all(|b| b.status.as_ref().is_some_and(|s| s.observed_class_generation == Some(generation))))
}
