//! Certificates of the admission port, and the webhook configuration that trusts them: looked after by the leader.
//!
//! ```text
//! template, configuration, Secrets, replicas ──look──▶ nsclass_certs::rotation::plan (pure) ──▶ one write ──▶ look again
//! ```
//! Nothing is remembered that a restart could lose: what is done depends on what is there. While no template is there, nothing is done.
//! Watches of the metadata of all of these tell when to look; and it is looked every half a minute all the same, by the wall clock, so that neither a lost event nor a machine that slept lets a certificate run out.

mod error;
mod events;
mod metrics;
mod office;
mod replicas;
mod report;
mod secrets;
mod watch;

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::context::Context;
pub use error::CertsError;
pub use metrics::CertificateMetrics;
use office::Office;
pub use report::Report;

/// The longest sleep between two looks.
const LONGEST: Duration = Duration::from_secs(30);
/// The shortest: whatever waits for others is not asked more often.
const SHORTEST: Duration = Duration::from_secs(1);
/// After an error. Its cause is rarely gone at once.
const AFTER_ERROR: Duration = Duration::from_secs(5);

/// What to do after a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Something was written: look again at once.
    Look,
    /// Nothing changes by itself before then.
    Sleep(Timestamp),
}

/// Waits for the leadership, and then keeps everything in order until shutdown.
///
/// # Errors
/// None; the signature is that of a supervised task.
pub async fn keep(context: Arc<Context>, shutdown: CancellationToken) -> anyhow::Result<()> {
    tokio::select! {
        () = shutdown.cancelled() => return Ok(()),
        () = context.guard.elected() => {}
    }
    let mut office = Office::new(context.clone());
    let mut told = watch::Told::new(context.client.clone());
    loop {
        let now = Timestamp::now();
        let pause = match office.look(now).await {
            Ok(Next::Look) => continue,
            Ok(Next::Sleep(until)) => Duration::try_from(now.duration_until(until)).unwrap_or(SHORTEST),
            // Whoever was faster has changed what we looked at.
            Err(error) if error.is_conflict() => SHORTEST,
            Err(error) => {
                context.metrics.certificates.failed(&error);
                office.complain(&error).await;
                AFTER_ERROR
            }
        };
        told.follow(&context.settings(), office.configuration());
        tokio::select! {
            () = shutdown.cancelled() => return Ok(()),
            () = tokio::time::sleep(pause.clamp(SHORTEST, LONGEST)) => {}
            () = told.next() => {}
            () = context.certificates.asked() => {}
        }
    }
}
