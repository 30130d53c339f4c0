//! The `Secret`s, as the watch has them: every document with its place.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Secret;
use kube::{ResourceExt, runtime::watcher::Event};
use nsclass_shared::licence::Paper;

/// By the `Secret`'s name. A list that breaks off half-way changes nothing.
#[derive(Debug, Default)]
pub(super) struct Papers {
    now: BTreeMap<String, Vec<Paper>>,
    list: BTreeMap<String, Vec<Paper>>,
    is_complete: bool,
}

impl Papers {
    /// Takes an event; returns whether anything is new.
    pub(super) fn take(&mut self, event: Event<Secret>) -> bool {
        match event {
            Event::Apply(secret) => {
                let papers = Paper::of_secret(&secret);
                self.now.insert(secret.name_any(), papers.clone()) != Some(papers)
            }
            Event::Delete(secret) => self.now.remove(&secret.name_any()).is_some(),
            Event::Init => {
                self.list.clear();
                false
            }
            Event::InitApply(secret) => {
                self.list.insert(secret.name_any(), Paper::of_secret(&secret));
                false
            }
            Event::InitDone => {
                let list = std::mem::take(&mut self.list);
                let is_first = !std::mem::replace(&mut self.is_complete, true);
                let is_new = list != self.now || is_first;
                self.now = list;
                is_new
            }
        }
    }

    /// Whether there was a full list. Before that, nothing can be concluded from what is missing.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    pub(super) fn all(&self) -> Vec<Paper> {
        self.now.values().flatten().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::ByteString;

    use super::*;

    fn secret(name: &str, keys: &[&str]) -> Secret {
        let mut secret = Secret::default();
        secret.metadata.name = Some(name.into());
        secret.data = Some(keys.iter().map(|key| ((*key).to_owned(), ByteString(b"x".to_vec()))).collect());
        secret
    }

    fn places(papers: &Papers) -> Vec<String> {
        papers.all().into_iter().map(|paper| paper.place).collect()
    }

    #[test]
    fn every_key_is_a_document_an_empty_secret_is_told_and_a_broken_list_changes_nothing() {
        let mut papers = Papers::default();
        assert!(!papers.take(Event::Init) && !papers.is_complete());
        papers.take(Event::InitApply(secret("a", &["one", "two"])));
        assert!(papers.take(Event::InitDone) && papers.is_complete());
        assert!(papers.take(Event::Apply(secret("b", &[]))) && !papers.take(Event::Apply(secret("b", &[]))));
        let all = ["Secret a, key one", "Secret a, key two", "Secret b"];
        assert_eq!(places(&papers), all);
        papers.take(Event::Init);
        papers.take(Event::InitApply(secret("c", &["three"])));
        assert_eq!(places(&papers), all);
        papers.take(Event::Init);
        assert!(papers.take(Event::InitDone) && papers.all().is_empty());
        assert!(!papers.take(Event::Delete(secret("a", &[]))));
    }
}
