//! The programs that are found or built.

use std::process::Command;

use anyhow::{Result, ensure};
use nsclass_tests::assets::{self, KUSTOMIZE};

#[tokio::test]
async fn kustomize_is_found_or_built_in_the_version_of_its_go_mod() -> Result<()> {
    let dir = tokio::task::spawn_blocking(|| assets::find(&KUSTOMIZE)).await??;
    let output = Command::new(dir.join("kustomize")).arg("version").output()?;
    ensure!(output.status.success(), "{output:?}");
    let go_mod = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/control-plane/kustomize/go.mod"))?;
    let said = String::from_utf8(output.stdout)?;
    ensure!(go_mod.contains(&format!("sigs.k8s.io/kustomize/kustomize/v5 {} ", said.trim())), "it says {said:?}");
    Ok(())
}
