//! What is said of certificates while the process goes on: once in the log, and in `/readyz?verbose` as long as it is so.

use arc_swap::ArcSwapOption;
use tokio::sync::Notify;

/// What is not in order now, and whether somebody wants it looked at.
#[derive(Debug, Default)]
pub struct Report {
    note: ArcSwapOption<String>,
    asked: Notify,
}

impl Report {
    /// Asks for a look at once: the configuration has changed.
    pub fn look_again(&self) {
        self.asked.notify_one();
    }

    /// Waits until somebody asks for a look.
    pub async fn asked(&self) {
        self.asked.notified().await;
    }

    /// All is well.
    pub fn well(&self) {
        if let Some(was) = self.note.swap(None) {
            tracing::info!(was = was.as_str(), "certificates and the webhook configuration are looked after again");
        }
    }

    /// Nothing is looked after, and that is as it was asked.
    pub fn off(&self, why: String) {
        if self.note.load().as_deref() != Some(&why) {
            tracing::info!(why, "certificates and the webhook configuration are not looked after");
            self.note.store(Some(why.into()));
        }
    }

    /// Something is wrong; returns whether that is new.
    pub fn wrong(&self, why: String) -> bool {
        let is_new = self.note.load().as_deref() != Some(&why);
        if is_new {
            tracing::error!(why, "certificates or the webhook configuration are not in order; it is tried again");
            self.note.store(Some(why.into()));
        }
        is_new
    }

    /// For `/readyz?verbose`.
    pub fn notes(&self) -> Vec<String> {
        self.note.load().as_deref().map(|note| format!("certificates: {note}")).into_iter().collect()
    }
}
