//! A fact that becomes true once and stays so.

use tokio::sync::watch;

/// Everybody who waits is woken when it is set. Clones are the same latch.
#[derive(Clone, Debug)]
pub struct Latch(watch::Sender<bool>);

impl Default for Latch {
    fn default() -> Self {
        Self(watch::Sender::new(false))
    }
}

impl Latch {
    /// Makes it true.
    pub fn set(&self) {
        self.0.send_replace(true);
    }

    /// Whether it is true.
    pub fn is_set(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is true.
    pub async fn wait(&self) {
        // invariant: `self` holds the sender, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(|set| *set).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn everybody_who_waits_is_woken_and_who_comes_later_does_not_wait() {
        let latch = Latch::default();
        let waiting: Vec<_> = (0..3)
            .map(|_| {
                let latch = latch.clone();
                tokio::spawn(async move { latch.wait().await })
            })
            .collect();
        assert!(!latch.is_set());
        latch.set();
        for task in waiting {
            task.await.unwrap();
        }
        latch.wait().await;
        assert!(latch.is_set());
    }
}
