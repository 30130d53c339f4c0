//! The API server's `?timeout=`: how long it waits for the answer.

use std::time::Duration;

use jiff::SignedDuration;

/// How much of the time is left to the way back, in parts of the whole.
const WAY_BACK: u32 = 20;

/// What the query says, less the way back. A duration as Go writes it, such as `3s` or `1m0s`; none where there is none that can be
/// read, or it is not positive.
pub(super) fn asked(query: Option<&str>) -> Option<Duration> {
    let value = query?.split('&').find_map(|pair| pair.strip_prefix("timeout="))?;
    let asked = value.parse::<SignedDuration>().ok().and_then(|asked| Duration::try_from(asked).ok())?;
    (!asked.is_zero()).then(|| asked.saturating_sub(asked / WAY_BACK))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a12_the_timeout_of_the_api_server_is_read_as_go_writes_it() {
        let millis = |query| asked(Some(query)).map(|asked| asked.as_millis());
        assert_eq!(millis("timeout=10s"), Some(9_500));
        assert_eq!(millis("x=y&timeout=2.5s"), Some(2_375));
        assert_eq!(millis("timeout=1m0s"), Some(57_000));
        assert_eq!(millis("timeout=500ms"), Some(475));
        for useless in ["", "timeout=", "timeout=soon", "timeout=0s", "timeout=-1s"] {
            assert_eq!(millis(useless), None, "{useless}");
        }
        assert_eq!(asked(None), None);
    }
}
