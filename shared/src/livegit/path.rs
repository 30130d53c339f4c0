//! The path of a target's folder (folders.md, Live → Git).

use super::fault::{Fault, Reason};

/// Checks the path of a folder; `.` is the whole repository. The schema holds the same.
///
/// # Errors
/// What is wrong with it.
pub fn check(path: &str) -> Option<Fault> {
    let what = if path == "." {
        return None;
    } else if path.is_empty() {
        "is empty"
    } else if path.starts_with('/') {
        "begins with a slash, and paths lead from the root of the repository"
    } else if path.chars().any(char::is_control) || path.contains('\\') {
        "has a backslash or a control character in it"
    } else if path.split('/').any(|part| part == "..") {
        "has .. in it, and a folder is never left"
    } else if path.split('/').any(|part| part.is_empty() || part == ".") {
        "has an empty part or . in it"
    } else if path.split('/').any(|part| part.eq_ignore_ascii_case(".git")) {
        "has .git in it, which is Git's own"
    } else {
        return None;
    };
    Some(Fault::new(
        Reason::PathInvalid,
        "spec.path",
        what,
        "write it like clusters/prod, or . for the whole repository",
    ))
}

/// Whether two folders of one branch are the same, or one lies within the other (F53).
pub fn overlap(one: &str, other: &str) -> bool {
    let within = |inner: &str, outer: &str| {
        outer == "." || inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    within(one, other) || within(other, one)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bad20_a_path_that_leaves_the_repository_or_is_none_is_refused() {
        for path in [
            "", "/", "/a", "a/", "a//b", "..", "a/..", "../a", "a/../b", "./a", "a/.", ".git", "a/.GIT/b", "a\\b",
            "a\nb",
        ] {
            let fault = check(path).map(|fault| fault.to_string());
            assert!(fault.is_some_and(|text| text.starts_with("spec.path: ")), "{path:?}");
        }
        for path in [".", "a", "clusters/prod", ".github/x", "a..b", "a b"] {
            assert_eq!(check(path), None, "{path:?}");
        }
    }

    #[test]
    fn f53_equal_and_nested_folders_overlap_and_siblings_do_not() {
        for (one, other, overlaps) in [
            ("a", "a", true),
            ("a", "a/b", true),
            ("a/b", "a", true),
            (".", "a", true),
            (".", ".", true),
            ("a", "ab", false),
            ("a/b", "a/c", false),
        ] {
            assert_eq!(overlap(one, other), overlaps, "{one} {other}");
        }
    }

    proptest! {
        #[test]
        fn f53_overlap_is_the_same_from_both_sides(one in "[ab](/[ab]){0,3}", other in "[ab](/[ab]){0,3}") {
            prop_assert_eq!(overlap(&one, &other), overlap(&other, &one));
            let (mut x, mut y) = (one.split('/'), other.split('/'));
            let is_prefix = loop {
                match (x.next(), y.next()) {
                    (Some(x), Some(y)) if x == y => {}
                    (Some(_), Some(_)) => break false,
                    _ => break true,
                }
            };
            prop_assert_eq!(overlap(&one, &other), is_prefix);
        }
    }
}
