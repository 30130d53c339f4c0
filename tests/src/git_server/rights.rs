//! Who may do what on the HTTPS server.

use std::collections::HashMap;
use std::fmt::Write as _;

/// What a user may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// Fetch.
    Read,
    /// Fetch and push.
    Write,
}

/// Rights by the `Authorization` header that shows them.
#[derive(Debug, Default)]
pub(super) struct Rights(HashMap<String, Right>);

impl Rights {
    pub(super) fn basic(&mut self, user: &str, password: &str, right: Right) {
        self.0.insert(format!("Basic {}", base64(format!("{user}:{password}").as_bytes())), right);
    }

    pub(super) fn bearer(&mut self, token: &str, right: Right) {
        self.0.insert(format!("Bearer {token}"), right);
    }

    pub(super) fn of(&self, header: &str) -> Option<Right> {
        self.0.get(header).copied()
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            // invariant: writing to a String cannot fail.
            let _ = text.write_char(if place > chunk.len() { '=' } else { char::from(letter) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basic_headers_are_as_curl_makes_them() {
        let mut rights = Rights::default();
        rights.basic("bot", "sesame", Right::Read);
        assert_eq!(rights.of("Basic Ym90OnNlc2FtZQ=="), Some(Right::Read));
        assert_eq!(base64(b"abc"), "YWJj");
        assert_eq!(base64(b"ab"), "YWI=");
    }
}
