//! The harness itself, on the real control plane.

use anyhow::Result;
use nsclass_tests::ControlPlane;

#[tokio::test]
async fn a_control_plane_is_ready_in_seconds() -> Result<()> {
    let start = std::time::Instant::now();
    let cp = ControlPlane::shared().await?;
    println!("ready in {:?}", start.elapsed());
    let version = cp.admin().apiserver_version().await?;
    anyhow::ensure!(version.git_version == "v1.36.3", "{version:?}");
    Ok(())
}
