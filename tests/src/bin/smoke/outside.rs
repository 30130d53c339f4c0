//! The half outside: gets and builds everything, then starts the half inside.

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use nsclass_tests::node::image::{Image, Images};
use nsclass_tests::node::{enclosure, programs};
use nsclass_tests::{ScratchDir, assets};
use tokio::task::spawn_blocking;

use crate::args::Args;
use crate::brief::Brief;
use crate::complain;

/// Exit code where this machine cannot be a node, which says nothing of the operator.
const NO_NODE: u8 = 3;
/// Tags of the operator's image: one to install, and one to upgrade to.
pub const TAG: &str = "smoke";
pub const NEXT_TAG: &str = "smoke-next";

pub async fn run(args: &Args) -> Result<ExitCode> {
    if let Err(why) = spawn_blocking(programs::ensure_all).await? {
        complain(&format!("{why:#}"));
        return Ok(ExitCode::from(NO_NODE));
    }
    let dir = ScratchDir::new("nsclass-smoke-")?;
    let place = dir.path().to_owned();
    spawn_blocking(move || prepare(&place)).await??.write(dir.path())?;
    let mut inside = vec!["--inside".into(), dir.path().into()];
    inside.extend(args.keep.then(|| "--keep".into()));
    enclosure::run(&dir, inside).await
}

/// Blocks while things are fetched and built.
fn prepare(dir: &Path) -> Result<Brief> {
    assets::find(&assets::CONTROL_PLANE)?;
    assets::find(&assets::NODE)?;
    assets::find_debian(&assets::PROMETHEUS)?;
    let helm = assets::find(&assets::HELM)?.join("helm");
    let images = Images::new()?;
    let Image { archive: image, id } = images.operator(TAG, dir)?;
    // Cargo finds everything built; every layer is made again.
    let next = images.operator(NEXT_TAG, dir)?;
    let pause = images.pause(dir)?.archive;
    let home = env::var_os("HOME").map(PathBuf::from);
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let paths = [Some(workspace), home].into_iter().flatten().chain([dir.to_owned()]);
    let paths_of_the_build = paths.map(|path| path.display().to_string()).filter(|path| path.len() > 1).collect();
    Ok(Brief { image, next_image: next.archive, pause, ids: [id, next.id], paths_of_the_build, helm })
}
