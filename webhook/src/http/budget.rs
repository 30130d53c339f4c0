//! Room for large bodies: many at once wait for one another instead of filling the memory (admission.md A11).

use tokio::sync::{Semaphore, SemaphorePermit};

/// Room for all large bodies together: two of the largest, in bytes.
const ROOM: usize = 2 * super::LARGEST_BODY;
/// What a permit stands for, in bytes; permits are counted in 32 bits.
const UNIT: usize = 1024;

/// The room that is left.
#[derive(Debug)]
pub(super) struct Budget(Semaphore);

impl Default for Budget {
    fn default() -> Self {
        Self(Semaphore::new(ROOM / UNIT))
    }
}

impl Budget {
    /// Waits for room for a body of so many bytes, in the order of asking. It is given back on drop.
    pub(super) async fn room(&self, bytes: usize) -> Option<SemaphorePermit<'_>> {
        let units = u32::try_from(bytes.min(ROOM).div_ceil(UNIT)).unwrap_or(u32::MAX);
        // Fails only when closed, and nobody closes it.
        self.0.acquire_many(units).await.ok()
    }
}
