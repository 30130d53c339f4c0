//! The name of a branch, as the schema has it too.

/// Whether it names a branch.
pub fn is_branch(name: &str) -> bool {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"._+-".contains(&b))
            && part.strip_suffix(".lock").is_none()
            && !part.ends_with('.')
    };
    (1..=200).contains(&name.len()) && name.split('/').all(part) && !name.contains("..") && name != "HEAD"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad20_what_git_takes_for_something_else_is_no_branch() {
        for name in ["main", "team/prod", "v1.2", "a-b_c+d", "_x"] {
            assert!(is_branch(name), "{name}");
        }
        for name in [
            "", "-x", "a..b", "a/", "/a", "a//b", "a.lock", "a.lock/b", "a.", "a b", "a~1", "a^", "a:b", "@{u}",
            "HEAD", ".a", "a/.b", "é",
        ] {
            assert!(!is_branch(name), "{name}");
        }
    }
}
