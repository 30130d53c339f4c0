//! When the API server was last heard of.
//!
//! A quiet cluster has no events, so that their age would tell nothing. Every answer on the client of this watch counts: a watch is begun
//! anew twice a minute, and what does not come back then is not there.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use kube::{Client, client::Body};
use tokio::time::Instant;

/// The time of the last sign of life. Clones are the same one.
#[derive(Clone, Debug)]
pub(super) struct Contact(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    begin: Instant,
    /// Milliseconds after `begin`.
    last: AtomicU64,
}

impl Default for Contact {
    fn default() -> Self {
        Self(Arc::new(Inner { begin: Instant::now(), last: AtomicU64::new(0) }))
    }
}

impl Contact {
    /// It was heard of now.
    pub(super) fn touch(&self) {
        let millis = u64::try_from(self.0.begin.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.0.last.fetch_max(millis, Ordering::Relaxed);
    }

    /// How long ago that was; since the start of the process where it never was.
    pub(super) fn age(&self) -> Duration {
        self.0.begin.elapsed().saturating_sub(Duration::from_millis(self.0.last.load(Ordering::Relaxed)))
    }

    /// The client, with every good answer noted.
    pub(super) fn listen(&self, client: Client) -> Client {
        let contact = self.clone();
        let namespace = client.default_namespace().to_owned();
        let service = tower::service_fn(move |request: http::Request<Body>| {
            let (client, contact) = (client.clone(), contact.clone());
            async move {
                let answer = client.send(request).await?;
                if answer.status().is_success() {
                    contact.touch();
                }
                Ok::<_, kube::Error>(answer)
            }
        });
        Client::new(service, namespace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s52_age_rises_until_the_server_is_heard_of() {
        let contact = Contact::default();
        std::thread::sleep(Duration::from_millis(30));
        let before = contact.age();
        assert!(before >= Duration::from_millis(30));
        contact.touch();
        assert!(contact.age() < before);
        std::thread::sleep(Duration::from_millis(30));
        assert!(contact.age() >= Duration::from_millis(29), "{:?}", contact.age());
    }
}
