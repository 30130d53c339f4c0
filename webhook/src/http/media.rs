//! Which bodies are JSON by their header.

use hyper::header::{CONTENT_TYPE, HeaderMap};

/// `application/json`, with any parameters, such as a charset.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let Some(Ok(value)) = headers.get(CONTENT_TYPE).map(|value| value.to_str()) else { return false };
    value.split(';').next().is_some_and(|media| media.trim().eq_ignore_ascii_case("application/json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a10_json_is_json_with_any_parameter_and_nothing_else_is() {
        let is = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, value.parse().unwrap());
            is_json(&headers)
        };
        assert!(is("application/json") && is("Application/JSON; charset=utf-8") && is("application/json ;x=y"));
        assert!(!is("text/plain") && !is("application/jsonp") && !is("") && !is("application/vnd.x+json"));
        assert!(!is_json(&HeaderMap::new()));
    }
}
