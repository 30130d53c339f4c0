//! Messages of commits (folders.md F59): a provider's template, or what is said without one.

use std::fmt::Write as _;

use super::fault::{Fault, Reason};

/// What a commit holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// One change of one object.
    One {
        /// What happened to it.
        operation: Operation,
        /// `group/version/resource namespace/name`.
        object: String,
    },
    /// Several changes.
    Several(usize),
    /// So many objects were brought into line with what is live.
    Resync(usize),
}

/// What happened to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// It has no document yet.
    Create,
    /// Its document changes.
    Update,
    /// Its document goes.
    Delete,
}

impl Operation {
    /// The word in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }
}

/// A checked template: text with `{count}`, `{operation}`, `{object}`, `{target}` and `{author}` in it; `{{` and `}}` are braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageTemplate(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Placeholder(Placeholder),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Placeholder {
    Count,
    Operation,
    Object,
    Target,
    Author,
}

impl MessageTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// A placeholder that there is none of, a brace that is not closed, or a first line that can be empty.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let (mut pieces, mut plain, mut rest) = (Vec::new(), String::new(), text);
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(at);
            plain += before;
            if let Some(after) = from.strip_prefix("{{").or_else(|| from.strip_prefix("}}")) {
                plain += &from[..1];
                rest = after;
                continue;
            }
            let Some((name, after)) = from.strip_prefix('{').and_then(|inner| inner.split_once('}')) else {
                return Err(invalid("has a brace that is not closed or opens nothing".to_owned()));
            };
            pieces.push(Piece::Text(std::mem::take(&mut plain)));
            pieces.push(Piece::Placeholder(placeholder(name)?));
            rest = after;
        }
        plain += rest;
        pieces.push(Piece::Text(plain));
        pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
        if text.lines().next().is_none_or(|line| line.trim().is_empty()) {
            return Err(invalid("has an empty first line, which is the subject of the commit".to_owned()));
        }
        if text.chars().any(|c| c.is_control() && c != '\n') {
            return Err(invalid("has a control character in it".to_owned()));
        }
        Ok(Self(pieces))
    }

    /// The message of a commit.
    pub fn render(&self, contents: &Contents, target: &str, author: &str) -> String {
        let mut message = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => message += text,
                Piece::Placeholder(Placeholder::Count) => {
                    let count = match contents {
                        Contents::One { .. } => 1,
                        Contents::Several(count) | Contents::Resync(count) => *count,
                    };
                    let _ = write!(message, "{count}");
                }
                Piece::Placeholder(Placeholder::Operation) => {
                    message += match contents {
                        Contents::One { operation, .. } => operation.as_str(),
                        Contents::Several(_) => "CHANGE",
                        Contents::Resync(_) => "RECONCILE",
                    };
                }
                Piece::Placeholder(Placeholder::Object) => match contents {
                    Contents::One { object, .. } => message += &one_line(object),
                    Contents::Several(count) | Contents::Resync(count) => {
                        let _ = write!(message, "{count} objects");
                    }
                },
                Piece::Placeholder(Placeholder::Target) => message += &one_line(target),
                Piece::Placeholder(Placeholder::Author) => message += &one_line(author),
            }
        }
        message
    }
}

/// The message where the provider has no template.
pub fn default_message(contents: &Contents, target: &str, author: &str) -> String {
    let (target, author) = (one_line(target), one_line(author));
    match contents {
        Contents::One { operation, object } => format!("[{}] {}", operation.as_str(), one_line(object)),
        Contents::Several(count) => format!("{count} changes to {target} by {author}"),
        Contents::Resync(count) => format!("reconciled {count} objects of {target}"),
    }
}

/// Names come from objects and users; none of them may begin a line of its own, such as a trailer.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn placeholder(name: &str) -> Result<Placeholder, Fault> {
    Ok(match name {
        "count" => Placeholder::Count,
        "operation" => Placeholder::Operation,
        "object" => Placeholder::Object,
        "target" => Placeholder::Target,
        "author" => Placeholder::Author,
        _ => return Err(invalid(format!("has {{{name}}} in it, which stands for nothing"))),
    })
}

fn invalid(what: String) -> Fault {
    Fault::new(
        Reason::MessageInvalid,
        "spec.commit.message",
        what,
        "use {count}, {operation}, {object}, {target} and {author}, and {{ or }} for a brace",
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn one() -> Contents {
        Contents::One { operation: Operation::Update, object: "apps/v1/deployments pay/api".to_owned() }
    }

    #[test]
    fn f59_without_a_template_the_message_says_what_changed() {
        let message = |contents: &Contents| default_message(contents, "pay/prod", "jane");
        insta::assert_snapshot!(message(&one()), @"[UPDATE] apps/v1/deployments pay/api");
        insta::assert_snapshot!(message(&Contents::Several(7)), @"7 changes to pay/prod by jane");
        insta::assert_snapshot!(message(&Contents::Resync(40)), @"reconciled 40 objects of pay/prod");
    }

    #[test]
    fn f59_a_template_takes_its_place() {
        let template = MessageTemplate::parse("ops({target}): {operation} {object} [{count}] {{by}} {author}").unwrap();
        insta::assert_snapshot!(template.render(&one(), "pay/prod", "jane"), @"ops(pay/prod): UPDATE apps/v1/deployments pay/api [1] {by} jane");
        insta::assert_snapshot!(template.render(&Contents::Several(3), "t", "jane"), @"ops(t): CHANGE 3 objects [3] {by} jane");
    }

    #[test]
    fn f59_a_template_that_cannot_be_meant_is_refused() {
        let refused = |text: &str| MessageTemplate::parse(text).unwrap_err().to_string();
        insta::assert_snapshot!(refused("{who}"), @"spec.commit.message: has {who} in it, which stands for nothing; use {count}, {operation}, {object}, {target} and {author}, and {{ or }} for a brace");
        for text in ["{count", "count}", "", "\n\nx", "a\u{7}b", "{}", "{ count }"] {
            refused(text);
        }
    }

    #[test]
    fn f59_a_name_makes_no_line_of_its_own() {
        let author = "jane\nSigned-off-by: root";
        assert_eq!(default_message(&Contents::Several(2), "t", author).lines().count(), 1);
        assert_eq!(MessageTemplate::parse("{author}").unwrap().render(&one(), "t", author).lines().count(), 1);
    }

    proptest! {
        #[test]
        fn f59_text_without_braces_is_its_own_message(text in "[a-z ]{0,20}[a-z][a-z :\n]{0,20}") {
            let template = MessageTemplate::parse(&text).unwrap();
            prop_assert_eq!(template.render(&one(), "t", "a"), text);
        }
    }
}
