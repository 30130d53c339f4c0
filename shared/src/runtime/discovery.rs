//! What the API server serves, looked at in the background, so that nobody waits for it.

use std::time::Duration;

use kube::{Client, Discovery};
use tokio::{
    sync::Notify,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

/// How often everything is asked again although nobody missed a kind.
const EVERY: Duration = Duration::from_secs(300);
/// Longest that a look may take.
const LONGEST: Duration = Duration::from_secs(30);

/// Looks at once, and again whenever something is `missed`, with at least `pause` between two looks, until shutdown. `looked` is told what
/// was found, or nothing of a look that failed: then the last one had better stay in use.
pub async fn follow_discovery(
    client: Client,
    missed: &Notify,
    pause: Duration,
    mut looked: impl FnMut(Option<&Discovery>) + Send,
    shutdown: CancellationToken,
) {
    loop {
        let look = timeout(LONGEST, Discovery::new(client.clone()).run_aggregated());
        let answer = tokio::select! {
            () = shutdown.cancelled() => return,
            answer = look => answer,
        };
        let found = match answer {
            Ok(found) => found.map_err(|error| error.to_string()),
            Err(_) => Err("no answer in time".to_owned()),
        };
        match found {
            Ok(found) => looked(Some(&found)),
            Err(why) => {
                tracing::warn!(why, "what the API server serves is not known anew; the last look stays in use");
                looked(None);
            }
        }
        let wait = async {
            sleep(pause).await;
            let _ = timeout(EVERY, missed.notified()).await;
        };
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = wait => {}
        }
    }
}
