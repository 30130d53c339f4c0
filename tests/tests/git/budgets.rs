//! Repositories and files beyond the budget.

use anyhow::{Result, ensure};
use nsclass_manifests::limits::Limits;
use nsclass_tests::git_server::Origin;

use crate::stage::{FILES, Live, Stage, Wanted, local};

/// Text that does not compress well.
fn noise(bytes: usize) -> String {
    let mut state = 1_u64;
    let mut text = String::with_capacity(bytes + 16);
    while text.len() < bytes {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.extend([format!("{:016x}", state ^ state >> 29)]);
    }
    text
}

#[tokio::test]
async fn f56_a_repository_over_the_budget_is_refused_in_words() -> Result<()> {
    let origin = Origin::with(&[FILES, &[("noise.txt", &*noise(6 << 20))]].concat())?;
    let live = Live::with(&[("one", "debug")]);
    let wanted = Wanted { repository_bytes: 1 << 20, ..Wanted::default() };
    let stage = Stage::start(local(&origin)?, &live, wanted).await?;
    let report = stage.report("refused", |report| report.synced.reason.as_str() == "TooLarge").await?;
    ensure!(report.synced.message.contains("git.repositoryMegabytes"), "{report:?}");
    ensure!(origin.log()?.len() == 1);
    stage.stop().await
}

#[tokio::test]
async fn f56_a_file_over_the_budget_refuses_the_folder_by_its_name() -> Result<()> {
    let large = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: big, namespace: a}}\ndata: {{x: '{}'}}\n",
        noise(70_000)
    );
    let origin = Origin::with(&[FILES, &[("apps/big.yaml", &*large)]].concat())?;
    let live = Live::with(&[("one", "debug")]);
    let limits = Limits { file_bytes: 65_536, ..Limits::default() };
    let stage = Stage::start(local(&origin)?, &live, Wanted { limits, ..Wanted::default() }).await?;
    let report = stage.report("refused", |report| report.repository_valid.status == Some(false)).await?;
    ensure!(report.repository_valid.reason.as_str() == "TooLarge", "{report:?}");
    ensure!(report.repository_valid.message.starts_with("big.yaml: it is larger than 65536 bytes"), "{report:?}");
    ensure!(origin.log()?.len() == 1);
    stage.stop().await
}
