//! Text of users inside our messages.

/// The most characters of a user's text that a message shows.
const LONGEST: usize = 60;

/// The text in quotes, on one line, shortened where it is long: a value may have 256 KiB, a condition may not.
pub(crate) fn excerpt(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{:?}…", &text[..cut]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_shortened_and_kept_on_one_line() {
        assert_eq!(excerpt("a\nb"), r#""a\nb""#);
        assert_eq!(excerpt(&"ü".repeat(61)), format!("\"{}\"…", "ü".repeat(60)));
    }
}
