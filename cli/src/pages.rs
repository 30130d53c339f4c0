//! Long lists in pages, and what is not there any more.

use anyhow::Result;
use kube::api::{ListParams, ObjectList};

/// Objects of one page.
const PAGE: u32 = 500;

/// All objects of a list. None where the kind is not served (any more): then there are none.
pub(crate) async fn all<K: Clone>(list: impl AsyncFn(ListParams) -> kube::Result<ObjectList<K>>) -> Result<Vec<K>> {
    let (mut all, mut next) = (Vec::new(), None::<String>);
    loop {
        let mut params = ListParams::default().limit(PAGE);
        if let Some(token) = &next {
            params = params.continue_token(token);
        }
        let Some(page) = gone(list(params).await)? else { return Ok(all) };
        next = page.metadata.continue_.filter(|token| !token.is_empty());
        all.extend(page.items);
        if next.is_none() {
            return Ok(all);
        }
    }
}

/// The answer; none where the object or its kind is gone.
pub(crate) fn gone<T>(answer: kube::Result<T>) -> Result<Option<T>> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(None),
        Err(error) => Err(error.into()),
    }
}
