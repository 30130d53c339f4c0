//! Dates and times as go-yaml takes them, and as Go writes them to JSON.

/// A date or time as Go writes it to JSON.
pub(super) enum Time {
    /// In RFC 3339, with its fraction's trailing zeros cut off.
    Written(String),
    /// One that Go reads and will not write: with a zone of 24 hours.
    Unwritable,
}

/// The time that `text` is; none if go-yaml takes it for something else.
pub(super) fn parse(text: &str) -> Option<Time> {
    let (year, rest) = text.split_at_checked(4)?;
    if !year.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (month, rest) = two_digits(rest.strip_prefix('-')?)?;
    let (day, rest) = two_digits(rest.strip_prefix('-')?)?;
    let year: u32 = year.parse().ok()?;
    if !(1..=12).contains(&month) || !(1..=days(year, month)).contains(&day) {
        return None;
    }
    let date = format!("{year:04}-{month:02}-{day:02}");
    match rest.chars().next() {
        None => Some(Time::Written(format!("{date}T00:00:00Z"))),
        // A space says that no zone follows; a `T` that one does.
        Some(' ') => {
            let (clock, rest) = clock(&rest[1..])?;
            rest.is_empty().then(|| Time::Written(format!("{date}T{clock}Z")))
        }
        Some('T' | 't') => {
            let (clock, rest) = clock(&rest[1..])?;
            Some(match zone(rest)? {
                Time::Written(zone) => Time::Written(format!("{date}T{clock}{zone}")),
                Time::Unwritable => Time::Unwritable,
            })
        }
        Some(_) => None,
    }
}

/// One or two digits.
fn two_digits(text: &str) -> Option<(u32, &str)> {
    let length = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at_checked(length)?;
    Some((digits.parse().ok()?, rest))
}

fn clock(text: &str) -> Option<(String, &str)> {
    let (hour, rest) = two_digits(text)?;
    let (minute, rest) = two_digits(rest.strip_prefix(':')?)?;
    let (second, rest) = two_digits(rest.strip_prefix(':')?)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let digits = rest.strip_prefix(['.', ',']).map_or(0, |text| text.bytes().take_while(u8::is_ascii_digit).count());
    let (fraction, rest) = if digits == 0 { ("", rest) } else { (&rest[1..=digits], &rest[digits + 1..]) };
    // Nanoseconds: Go reads nine digits and drops what follows.
    let fraction = fraction.get(..9).unwrap_or(fraction).trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    Some((format!("{hour:02}:{minute:02}:{second:02}{point}{fraction}"), rest))
}

/// `Z` or `±hh:mm`; an offset of nothing is `Z`.
fn zone(text: &str) -> Option<Time> {
    if text == "Z" {
        return Some(Time::Written(text.to_owned()));
    }
    let bytes = text.as_bytes();
    if bytes.len() != 6 || !matches!(bytes[0], b'+' | b'-') || bytes[3] != b':' {
        return None;
    }
    let number = |range: std::ops::Range<usize>| {
        text.get(range).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?.parse::<u32>().ok()
    };
    let (hours, minutes) = (number(1..3)?, number(4..6)?);
    match (hours, minutes) {
        (0, 0) => Some(Time::Written("Z".to_owned())),
        (..=23, ..=59) => Some(Time::Written(text.to_owned())),
        (..=24, ..=60) => Some(Time::Unwritable),
        _ => None,
    }
}

fn days(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
