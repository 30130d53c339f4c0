//! Names and addresses that can stand in the header of a commit (folders.md F52).

use std::fmt;

/// What stands in a commit for somebody who cannot be told with certainty.
pub const UNKNOWN: &str = "unknown";
/// Longest name, in bytes; the API server takes names of any length.
const LONGEST: usize = 128;

/// A name and an address, safe in a header: no control characters, no `<`, no `>`, one line, never empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Person {
    name: String,
    email: String,
}

impl Person {
    /// A person of these texts, made safe.
    pub fn new(name: &str, email: &str) -> Self {
        let or_unknown = |line: String| if line.is_empty() { UNKNOWN.to_owned() } else { line };
        Self { name: or_unknown(safe(name)), email: or_unknown(safe(email).replace(' ', "")) }
    }

    /// A user as the API server calls it. One that looks like an address is its own; others get one that nobody receives.
    pub fn of_user(user: &str) -> Self {
        let is_address = user.split_once('@').is_some_and(|(left, right)| {
            !left.is_empty() && !right.is_empty() && !right.contains('@') && safe(user) == user && !user.contains(' ')
        });
        if is_address {
            return Self::new(user, user);
        }
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-._".contains(c) { c } else { '-' };
        let local: String = safe(user).chars().map(plain).collect();
        Self::new(user, &format!("{}@users.invalid", if local.is_empty() { UNKNOWN } else { &local }))
    }

    /// Nobody in particular.
    pub fn unknown() -> Self {
        Self::of_user(UNKNOWN)
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The address.
    pub fn email(&self) -> &str {
        &self.email
    }
}

impl fmt::Display for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} <{}>", self.name, self.email)
    }
}

/// One line without what ends a name in a header. Git itself drops `.,:;<>"\'` at both ends of a name.
fn safe(text: &str) -> String {
    let kept = text.chars().map(|c| if c.is_control() || c.is_whitespace() { ' ' } else { c });
    let kept: String = kept.filter(|c| !matches!(c, '<' | '>') && !is_invisible(*c)).collect();
    let mut line = kept.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let mut end = line.len().min(LONGEST);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line.truncate(end);
    line.trim_matches(|c: char| " .,:;\"\\'".contains(c)).to_owned()
}

/// Characters that turn or hide what stands beside them.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn f52_users_of_the_api_server_become_authors() {
        let shown = |user: &str| Person::of_user(user).to_string();
        assert_eq!(shown("ann@example.com"), "ann@example.com <ann@example.com>");
        assert_eq!(shown("ann"), "ann <ann@users.invalid>");
        assert_eq!(
            shown("system:serviceaccount:a:robot"),
            "system:serviceaccount:a:robot <system-serviceaccount-a-robot@users.invalid>"
        );
        assert_eq!(
            shown("x\ncommitter evil <e@e> 0 +0000"),
            "x committer evil e@e 0 +0000 <x-committer-evil-e-e-0--0000@users.invalid>"
        );
        assert_eq!(shown(""), "unknown <unknown@users.invalid>");
        assert_eq!(shown("<>"), "unknown <unknown@users.invalid>");
    }

    proptest! {
        #[test]
        fn f52_no_user_can_end_the_header_or_begin_another(user in "(\\PC|[\\x00-\\x1f<>@.:,]){0,200}") {
            for person in [Person::of_user(&user), Person::new(&user, &user)] {
                for part in [person.name(), person.email()] {
                    prop_assert!(!part.is_empty() && part.len() <= 300);
                    prop_assert!(!part.chars().any(|c| c.is_control() || c == '<' || c == '>'), "{part:?}");
                }
                prop_assert!(!person.email().contains(char::is_whitespace));
            }
        }
    }
}
