//! What text the API server takes for names and keys.
//!
//! The rules are those of `k8s.io/apimachinery` (`pkg/util/validation`, `pkg/api/validate/content`), which every kind
//! of the API server is built from.

/// A label of RFC 1123: at most 63 lower-case letters, digits and inner dashes.
pub fn is_dns_label(text: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    (1..=63).contains(&text.len()) && text.bytes().all(inner) && !text.starts_with('-') && !text.ends_with('-')
}

/// A kind: the API server takes it for a label of RFC 1123 once it is lower case.
pub fn is_kind(text: &str) -> bool {
    let inner = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
    (1..=63).contains(&text.len()) && text.bytes().all(inner) && !text.starts_with('-') && !text.ends_with('-')
}

/// A subdomain of RFC 1123: labels between dots, at most 253 characters in all.
///
/// A single label of a subdomain may be longer than 63 characters: the API server counts only the whole.
pub fn is_dns_subdomain(text: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let label = |l: &str| !l.is_empty() && l.bytes().all(inner) && !l.starts_with('-') && !l.ends_with('-');
    text.len() <= 253 && text.split('.').all(label)
}

/// One segment of a URL's path, written without escapes.
///
/// Narrower than the API server, which forbids only `/`, `%`, `.` and `..`: names are put into URLs as they are, so
/// that a `?` or `#` in one would make a request for something else. What is left is `pchar` of RFC 3986 without `%`.
pub fn is_path_segment(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&b);
    (1..=253).contains(&text.len()) && text.bytes().all(plain) && text != "." && text != ".."
}

/// A key of labels and annotations: an optional subdomain and a slash, then a name of at most 63 characters.
pub fn is_qualified_name(text: &str) -> bool {
    let (prefix, name) = match text.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, text),
    };
    let inner = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    let edges = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.ends_with(|c: char| c.is_ascii_alphanumeric())
    };
    prefix.is_none_or(is_dns_subdomain) && name.len() <= 63 && name.bytes().all(inner) && edges(name)
}

/// A label's value: empty, or at most 63 letters, digits and inner dashes, underscores and dots.
pub fn is_label_value(text: &str) -> bool {
    text.is_empty() || (!text.contains('/') && is_qualified_name(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_subdomains_are_told_apart() {
        for (text, label, subdomain) in [
            ("blue", true, true),
            ("1st-team", true, true),
            ("a.b", false, true),
            ("", false, false),
            ("-a", false, false),
            ("a-", false, false),
            ("a..b", false, false),
            ("a.-b", false, false),
            ("Blue", false, false),
            ("a_b", false, false),
            ("blü", false, false),
        ] {
            assert_eq!((is_dns_label(text), is_dns_subdomain(text)), (label, subdomain), "{text:?}");
        }
        assert!(is_dns_label(&"a".repeat(63)) && !is_dns_label(&"a".repeat(64)));
        assert!(is_dns_subdomain(&"a".repeat(253)) && !is_dns_subdomain(&"a".repeat(254)));
    }

    #[test]
    fn a_path_segment_cannot_lead_a_request_elsewhere() {
        for good in ["system:node", "Blue.Team", "a@b", "..."] {
            assert!(is_path_segment(good), "{good:?}");
        }
        for bad in ["", ".", "..", "a/b", "a%2fb", "a?dryRun=All", "a#b", "a b", "a\nb", "blü"] {
            assert!(!is_path_segment(bad), "{bad:?}");
        }
    }

    #[test]
    fn keys_have_one_optional_prefix() {
        for good in ["team", "var.nsclass.io/team", "Team_1.x", "a/B"] {
            assert!(is_qualified_name(good), "{good:?}");
        }
        for bad in ["", "/team", "a/", "a/b/c", "-a", "a-", "A.b/c", "te am", "a/\"b"] {
            assert!(!is_qualified_name(bad), "{bad:?}");
        }
        assert!(is_qualified_name(&"a".repeat(63)) && !is_qualified_name(&"a".repeat(64)));
    }

    #[test]
    fn a_label_value_is_like_the_name_in_a_key_or_empty() {
        for good in ["", "blue", "v1.2_x-Y", "0"] {
            assert!(is_label_value(good), "{good:?}");
        }
        for bad in ["a/b", "-", "a b", "x.", "blü"] {
            assert!(!is_label_value(bad), "{bad:?}");
        }
        assert!(is_label_value(&"a".repeat(63)) && !is_label_value(&"a".repeat(64)));
    }
}
