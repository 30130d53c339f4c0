//! Labels that change while a controller starts.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, ensure};
use nsclass_tests::eventually;

use crate::stage::{LABEL, Stage, verdict};

const NAMESPACES: usize = 20;

#[tokio::test]
async fn s08_a_flip_during_the_very_first_list_is_not_lost() -> Result<()> {
    let world = Stage::open("first").await?;
    let names: Vec<String> = (0..NAMESPACES).map(|i| format!("n{i}")).collect();
    for name in &names {
        world.namespace(name).label(LABEL, world.value("out")).create().await?;
    }
    let started = AtomicBool::new(false);
    let flip = async {
        let mut rounds = 0;
        while !started.load(Ordering::Relaxed) || rounds % 2 == 1 {
            let value = if rounds % 2 == 0 { "in" } else { "out" };
            for name in &names {
                world.mark(name, Some(value)).await?;
            }
            rounds += 1;
        }
        anyhow::Ok(())
    };
    let start = async {
        let operator = world.operator("one", &["in"]).await?;
        started.store(true, Ordering::Relaxed);
        anyhow::Ok(operator)
    };
    let (flipped, operator) = tokio::join!(flip, start);
    flipped?;
    let operator = operator?;
    // The last round said `out`; half of them come back.
    for name in names.iter().step_by(2) {
        world.mark(name, Some("in")).await?;
    }
    for (i, name) in names.iter().enumerate() {
        let expected = if i % 2 == 0 { "InScope" } else { "OutOfScope" };
        eventually(format!("{name} is {expected}"), async || {
            let verdict = verdict(&operator, &world.name(name)).await?;
            ensure!(verdict == expected, "{verdict}");
            Ok(())
        })
        .await?;
    }
    Ok(())
}
