//! One kind's rules. A validator sees only what the gate lets through ([`crate::gate`]).

use futures::future::BoxFuture;

use crate::{answer::Answer, failure::Failure, review::Request};

/// Judges one kind.
pub trait Validator: Send + Sync + 'static {
    /// Group and kind that it judges. The webhook configuration sends nothing else.
    fn kind(&self) -> (&'static str, &'static str);

    /// What it says of a request. It asks nothing of the API server but what the verdict cannot do without.
    fn judge<'a>(&'a self, request: &'a Request<'a>) -> BoxFuture<'a, Result<Answer, Failure>>;
}
