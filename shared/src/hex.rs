//! Bytes as people read them.

use std::fmt::Write;

/// The first `count` bytes in hex.
pub(crate) fn hex(bytes: &[u8], count: usize) -> String {
    bytes.iter().take(count).fold(String::with_capacity(2 * count), |mut text, byte| {
        // invariant: writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
