//! The half inside: the play.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use nsclass_tests::node::enclosure;
use nsclass_tests::{Interrupts, Screen};

use crate::args::Args;
use crate::brief::Brief;
use crate::complain;
use crate::stage::Stage;
use crate::steps;

pub async fn run(dir: &Path, args: &Args) -> Result<ExitCode> {
    enclosure::furnish().await?;
    let brief = Brief::read(dir)?;
    let screen = Screen::default();
    screen.title("Namespace Class as pods on a real node. What has a ✓ was checked.");
    steps::image::play(&screen, &brief).await?;
    let stage = Stage::set(&screen, brief, dir).await?;
    let played = steps::play(&stage).await;
    if let Err(why) = &played {
        complain(&format!("{why:#}\n{}", stage.what_pods_say().await));
    }
    if args.keep {
        stage.say_how_to_get_in()?;
        Interrupts::new()?.next().await;
    }
    Ok(if played.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
