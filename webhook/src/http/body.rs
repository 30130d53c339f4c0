//! Reading a body: bounded in size, in time, and in memory over all requests.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Body;
use tokio::{
    sync::SemaphorePermit,
    time::{Instant, timeout_at},
};

use super::budget::Budget;
use crate::failure::Failure;

/// Up to here a body asks for no room of the budget, in bytes: the number of requests under way bounds these.
pub(super) const SMALL: usize = 256 * 1024;

/// A body, read.
#[derive(Debug)]
pub(super) struct Read<'a> {
    bytes: Bytes,
    /// Given back when the bytes are no longer needed.
    _room: Option<SemaphorePermit<'a>>,
}

impl Read<'_> {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Reads the whole body, at most `limit` bytes, within `pace` from when there is room for it, and before `deadline`.
///
/// # Errors
/// It is larger (at once where the header says so), breaks off, or does not come in time.
pub(super) async fn read<B>(
    mut body: B,
    limit: usize,
    budget: &Budget,
    deadline: Instant,
    pace: Duration,
) -> Result<Read<'_>, Failure>
where
    B: Body<Data = Bytes> + Unpin,
{
    let declared = body.size_hint().exact();
    if declared.is_some_and(|declared| declared > limit as u64) {
        return Err(Failure::TooLarge { limit, declared });
    }
    let expected = declared.and_then(|declared| usize::try_from(declared).ok());
    let mut room = None;
    if expected.is_some_and(|expected| expected > SMALL) {
        room = wait_for_room(budget, expected.unwrap_or(limit), deadline).await?;
    }
    let mut end = deadline.min(Instant::now() + pace);
    let mut bytes = BytesMut::new();
    loop {
        let frame = timeout_at(end, body.frame()).await.map_err(|_| Failure::BodySlow)?;
        let Some(frame) = frame else { return Ok(Read { bytes: bytes.freeze(), _room: room }) };
        let Ok(data) = frame.map_err(|_| Failure::BodyBroken)?.into_data() else { continue };
        if bytes.is_empty() && Some(data.len()) == expected {
            return Ok(Read { bytes: data, _room: room });
        }
        if bytes.len() + data.len() > limit {
            return Err(Failure::TooLarge { limit, declared });
        }
        if room.is_none() && bytes.len() + data.len() > SMALL {
            // Its size was not announced: it may be the largest.
            room = wait_for_room(budget, limit, deadline).await?;
            end = deadline.min(Instant::now() + pace);
        }
        if bytes.is_empty() {
            bytes.reserve(expected.unwrap_or(0).max(data.len()));
        }
        bytes.extend_from_slice(&data);
    }
}

async fn wait_for_room(
    budget: &Budget,
    bytes: usize,
    deadline: Instant,
) -> Result<Option<SemaphorePermit<'_>>, Failure> {
    timeout_at(deadline, budget.room(bytes)).await.map_err(|_| Failure::Overloaded)
}
