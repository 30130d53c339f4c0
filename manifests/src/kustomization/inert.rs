//! Keys that change nothing in the supported subset. kustomize still refuses a value of the wrong type, and so do we.

use crate::scan::text::{Text, is_null, text};
use crate::yaml::{Node, Style};

/// What the value of an inert key must look like.
enum Shape {
    Text,
    Truth,
    Texts,
    TextMap,
    OneOf(&'static [&'static str]),
    Map(&'static [(&'static str, Shape)]),
}

const METADATA: Shape = Shape::Map(&[
    ("annotations", Shape::TextMap),
    ("labels", Shape::TextMap),
    ("name", Shape::Text),
    ("namespace", Shape::Text),
]);

const GENERATOR_OPTIONS: Shape = Shape::Map(&[
    ("annotations", Shape::TextMap),
    ("disableNameSuffixHash", Shape::Truth),
    ("immutable", Shape::Truth),
    ("labels", Shape::TextMap),
]);

const SORT_OPTIONS: Shape = Shape::Map(&[
    ("legacySortOptions", Shape::Map(&[("orderFirst", Shape::Texts), ("orderLast", Shape::Texts)])),
    ("order", Shape::OneOf(&["legacy", "fifo"])),
]);

/// What is wrong with the value of `key`, as a path and what it should be; `None` where kustomize takes it.
pub(super) fn wrong(key: &str, value: &Node<'_>) -> Option<(String, String)> {
    let shape = match key {
        "metadata" => METADATA,
        "generatorOptions" => GENERATOR_OPTIONS,
        _ => return check(key, value, &SORT_OPTIONS).or_else(|| wrong_order(value)),
    };
    check(key, value, &shape)
}

/// Plain `true` or `false`: `yes` means nothing to the readers of YAML 1.2, and a text is no truth to any.
fn is_truth(node: &Node<'_>) -> bool {
    node.as_scalar().is_some_and(|scalar| scalar.style == Style::Plain && matches!(&*scalar.text, "true" | "false"))
}

/// kustomize wants an order, and its own list of kinds for the legacy one only.
fn wrong_order(value: &Node<'_>) -> Option<(String, String)> {
    let order = value.get("order").and_then(Node::as_str);
    let has_legacy = value.get("legacySortOptions").is_some_and(|node| !is_null(node));
    match order {
        None => Some(("sortOptions.order".to_owned(), "one of legacy, fifo".to_owned())),
        Some("fifo") if has_legacy => {
            Some(("sortOptions.legacySortOptions".to_owned(), "absent: the order is fifo".to_owned()))
        }
        Some(_) => None,
    }
}

fn check(at: &str, node: &Node<'_>, shape: &Shape) -> Option<(String, String)> {
    let wanted = |wanted: &str| Some((at.to_owned(), wanted.to_owned()));
    if is_null(node) && !matches!(shape, Shape::OneOf(_)) {
        return None;
    }
    match shape {
        Shape::Text if matches!(text(Some(node)), Text::Is(_)) => None,
        Shape::Text => wanted("a string"),
        Shape::Truth if is_truth(node) => None,
        Shape::Truth => wanted("true or false"),
        Shape::OneOf(words) if node.as_str().is_some_and(|word| words.contains(&word)) => None,
        Shape::OneOf(words) => wanted(&format!("one of {}", words.join(", "))),
        Shape::Texts => match node.as_sequence() {
            Some(list) => list.items.iter().find_map(|item| check(at, &item.node, &Shape::Text)),
            None => wanted("a list of strings"),
        },
        Shape::TextMap => match node.as_mapping() {
            Some(map) => map.entries.iter().find_map(|entry| check(at, &entry.value, &Shape::Text)),
            None => wanted("a mapping of strings"),
        },
        Shape::Map(fields) => {
            let Some(map) = node.as_mapping() else { return wanted("a mapping") };
            map.entries.iter().find_map(|entry| {
                let key = entry.key.as_str().unwrap_or_default();
                let below = format!("{at}.{key}");
                match fields.iter().find(|(field, _)| *field == key) {
                    Some((_, shape)) => check(&below, &entry.value, shape),
                    None => Some((below, "absent: kustomize knows no such key".to_owned())),
                }
            })
        }
    }
}
