//! A short soak; `cargo soak` plays longer ones.

use std::time::Duration;

use anyhow::Result;
use nsclass_tests::soak::Soak;

#[tokio::test]
async fn fault01_random_events_and_kills_end_in_what_the_model_says() -> Result<()> {
    let soak = Soak {
        span: Duration::from_secs(60),
        namespaces: 40,
        pause: Duration::from_millis(100),
        kills: 4,
        seed: fastrand::u64(..),
    };
    let played = soak.run().await?;
    eprintln!("soak: {played}");
    Ok(())
}
