use crate::yaml::resolve::{Resolved, plain};
use crate::yaml::{Node, Reader, Style};

/// What a field that should be a string holds.
pub(crate) enum Text<'n> {
    /// Nothing: no such field, null or no value.
    Absent,
    /// A string to every reader.
    Is(&'n str),
    /// A number, a truth, a date, a collection, or a string to one reader only.
    Other,
}

/// Reads a string field; a plain scalar counts only where kustomize and the Kubernetes decoder agree on it.
pub(crate) fn text<'n>(node: Option<&'n Node<'_>>) -> Text<'n> {
    let Some(node) = node else { return Text::Absent };
    let Some(scalar) = node.as_scalar() else { return Text::Other };
    match (node.tag(), scalar.style) {
        (None, Style::Empty) => Text::Absent,
        (None, Style::Plain) => {
            let read = [Reader::Kustomize, Reader::Kubernetes].map(|reader| plain(&scalar.text, reader));
            match read {
                [Resolved::Null, Resolved::Null] => Text::Absent,
                [Resolved::Text, Resolved::Text] => Text::Is(&scalar.text),
                _ => Text::Other,
            }
        }
        (None | Some("tag:yaml.org,2002:str"), _) => Text::Is(&scalar.text),
        (Some(_), _) => Text::Other,
    }
}

/// Whether the node is null, or has no value.
pub(crate) fn is_null(node: &Node<'_>) -> bool {
    matches!(text(Some(node)), Text::Absent)
}

/// Whether `text` holds `${NAME}`, or `${NAME` with a default: what a later substitution replaces.
pub(crate) fn is_substituted(text: &str) -> bool {
    text.match_indices("${").any(|(at, _)| {
        let rest = text[at + 2..].trim_start();
        rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
    })
}

/// Whether the text is a DNS label, as the name of a namespace must be.
pub(crate) fn is_label(text: &str) -> bool {
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    text.len() <= 63
        && ends(text.chars().next())
        && ends(text.chars().next_back())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// Whether the text can be a kind.
pub(super) fn is_kind(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(|c| c.is_ascii_alphanumeric())
}

/// Whether the text can be an apiVersion.
pub(super) fn is_api_version(text: &str) -> bool {
    let part =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'));
    text.split_once('/').map_or_else(|| part(text), |(group, version)| part(group) && part(version))
}
