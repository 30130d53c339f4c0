//! The image that `deploy/Dockerfile` makes.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use nsclass_tests::Screen;
use serde_json::Value;

use crate::brief::Brief;

const PROGRAMS: [&str; 3] = ["nsclass", "nsclass-controller", "nsclass-webhook"];

pub async fn play(screen: &Screen, brief: &Brief) -> Result<()> {
    screen.step("The image", "buildah built it from deploy/Dockerfile, whose last stage starts from nothing.");
    let image = &brief.image;
    let read = |member: &str| tar(image, &["-xOf"], member);
    let manifest: Value = serde_json::from_slice(&read("manifest.json")?)?;
    let config: Value = serde_json::from_slice(&read(manifest[0]["Config"].as_str().context("no config")?)?)?;
    let layers: Vec<&str> = manifest[0]["Layers"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let unpacked = tempfile::tempdir()?;
    for layer in layers {
        let file = unpacked.path().join("layer.tar");
        std::fs::write(&file, read(layer)?)?;
        let into = unpacked.path().display().to_string();
        tar(&file, &["-C", &into, "-xf"], "")?;
        std::fs::remove_file(file)?;
    }
    screen
        .fact("it holds the two processes and the command line, and nothing else: no shell, no library", async || {
            let names = std::fs::read_dir(unpacked.path())?.map(|entry| Ok(entry?.file_name().into_string().ok()));
            let names = names.collect::<Result<Option<BTreeSet<_>>>>()?.context("a name that is not UTF-8")?;
            ensure!(names.iter().eq(&PROGRAMS), "{names:?}");
            Ok(())
        })
        .await?;
    screen
        .fact("it runs as nobody in particular: user and group 65532", async || {
            ensure!(config["config"]["User"] == "65532:65532", "{}", config["config"]);
            Ok(())
        })
        .await?;
    screen
        .fact("no path of this machine is in it", async || {
            for program in PROGRAMS {
                let bytes = std::fs::read(unpacked.path().join(program))?;
                for path in &brief.paths_of_the_build {
                    let is_there = bytes.windows(path.len()).any(|window| window == path.as_bytes());
                    ensure!(!is_there, "{program} has {path}");
                }
            }
            Ok(())
        })
        .await?;
    screen
        .fact("built a second time it has the same hash", async || {
            ensure!(brief.ids[0] == brief.ids[1], "{:?}", brief.ids);
            Ok(brief.ids[0].clone())
        })
        .await?;
    let mut sizes = Vec::new();
    for program in PROGRAMS {
        let bytes = std::fs::metadata(unpacked.path().join(program))?.len();
        sizes.push(vec![program.to_owned(), format!("{:.1} MB", megabytes(bytes))]);
    }
    screen.table(&["PROGRAM", "SIZE"], &sizes);
    screen.figure("image.size_mb", megabytes(std::fs::metadata(image)?.len()), "MB");
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a size for people")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn tar(archive: &Path, how: &[&str], member: &str) -> Result<Vec<u8>> {
    let mut tar = Command::new("tar");
    tar.args(how).arg(archive).args(Some(member).filter(|member| !member.is_empty()));
    let output = tar.output().context("tar cannot be run")?;
    ensure!(output.status.success(), "tar: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(output.stdout)
}
