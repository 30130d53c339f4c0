//! The server's sentences, cut to what a condition can hold.

use kube::core::Status;

/// Most characters of a phrase. A binding names three failures and must stay small (class.md, "The two kinds").
const MOST_CHARACTERS: usize = 300;

/// One line without control characters, of at most [`MOST_CHARACTERS`], to stand after a colon: `Request entity` becomes `request entity`,
/// the name of a kind stays.
pub(super) fn bounded(text: &str) -> String {
    let line = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let mut out = String::new();
    let is_sentence = {
        let first = text.split_whitespace().next().unwrap_or_default();
        first.chars().skip(1).all(|c| c.is_lowercase() || c == ':')
    };
    for (characters, c) in line.collect::<Vec<_>>().join(" ").chars().enumerate() {
        if characters == MOST_CHARACTERS - 1 {
            out.push('…');
            break;
        }
        if characters == 0 && is_sentence {
            out.extend(c.to_lowercase());
        } else {
            out.push(c);
        }
    }
    out.trim_end_matches('.').to_owned()
}

/// The message without its first words, which repeat the object: `configmaps "x" is forbidden: `, `Job.batch "x" is invalid: `.
/// None where it does not begin with them.
pub(super) fn after_subject<'a>(status: &'a Status, verdict: &str) -> Option<&'a str> {
    let details = status.details.as_ref()?;
    let group = if details.group.is_empty() { String::new() } else { format!(".{}", details.group) };
    let subject = format!("{}{group} \"{}\" {verdict}: ", details.kind, details.name);
    status.message.strip_prefix(subject.as_str())
}

/// What stands between the quotes at the beginning of `text`, and what follows: the server quotes names as Go does.
pub(super) fn quoted(text: &str) -> Option<(String, &str)> {
    let mut inside = String::new();
    let mut characters = text.strip_prefix('"')?.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Some((inside, &text[at + 2..])),
            // An escape stays as it is, for it stands for what cannot be shown; only quotes and backslashes can.
            '\\' => match characters.next()?.1 {
                plain @ ('"' | '\\') => inside.push(plain),
                other => inside.extend(['\\', other]),
            },
            _ => inside.push(c),
        }
    }
    None
}

/// `a, b, c and 4 more`.
pub(super) fn few(items: &[String], most: usize, between: &str) -> String {
    let shown = items.iter().take(most).cloned().collect::<Vec<_>>().join(between);
    if items.len() > most { format!("{shown} and {} more", items.len() - most) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_one_line_and_ends_in_time() {
        assert_eq!(bounded("  two\n\tlines\u{7} of\r\ntext.\n"), "two lines of text");
        let long = bounded(&"é".repeat(1000));
        assert_eq!((long.chars().count(), long.chars().last()), (MOST_CHARACTERS, Some('…')));
    }

    #[test]
    fn a_quoted_name_ends_at_its_own_quote() {
        assert_eq!(quoted(r#""helm" using v1"#), Some(("helm".to_owned(), " using v1")));
        assert_eq!(quoted(r#""a\"b\\" x"#), Some((r#"a"b\"#.to_owned(), " x")));
        assert_eq!(quoted(r#""a\n""#), Some((r"a\n".to_owned(), "")));
        assert_eq!(quoted(r#""open"#), None);
        assert_eq!(quoted("helm"), None);
    }

    #[test]
    fn of_many_the_first_are_named() {
        let items: Vec<String> = ["a", "b", "c"].map(str::to_owned).into();
        assert_eq!(few(&items, 2, ", "), "a, b and 1 more");
        assert_eq!(few(&items, 3, ", "), "a, b, c");
    }
}
