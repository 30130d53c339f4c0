//! Which item of a list is which (F41).

use super::walk::same;
use serde_json::Value;

/// For each wanted item, the current item that it is; none for a new one.
pub(super) fn matching(current: &[Value], wanted: &[Value]) -> Vec<Option<usize>> {
    let identities: [fn(&Value) -> Option<String>; 4] =
        [|item| field(item, "name"), |item| field(item, "key"), port, |item| field(item, "mountPath")];
    for identity in identities {
        if let (Some(current), Some(wanted)) = (unique(current, identity), unique(wanted, identity)) {
            return wanted.iter().map(|wanted| current.iter().position(|current| current == wanted)).collect();
        }
    }
    by_index(current, wanted)
}

fn field(item: &Value, name: &str) -> Option<String> {
    item.get(name)?.as_str().map(str::to_owned)
}

/// `containerPort` or `port`, with the protocol, which is TCP if none is given.
fn port(item: &Value) -> Option<String> {
    let port = item.get("containerPort").or_else(|| item.get("port"))?;
    let protocol = item.get("protocol").and_then(Value::as_str).unwrap_or("TCP");
    Some(format!("{port}/{protocol}"))
}

/// The identities of all items, if each has one of its own.
fn unique(items: &[Value], identity: fn(&Value) -> Option<String>) -> Option<Vec<String>> {
    let found: Vec<String> = items.iter().map(identity).collect::<Option<_>>()?;
    let distinct: std::collections::HashSet<&String> = found.iter().collect();
    (distinct.len() == found.len()).then_some(found)
}

/// By index, after the items that both lists begin with and those that both end with: so that one item that goes takes only itself along.
fn by_index(current: &[Value], wanted: &[Value]) -> Vec<Option<usize>> {
    let shorter = current.len().min(wanted.len());
    let head = current.iter().zip(wanted).take_while(|(current, wanted)| same(current, wanted)).count();
    let tail = current
        .iter()
        .rev()
        .zip(wanted.iter().rev())
        .take_while(|(current, wanted)| same(current, wanted))
        .count()
        .min(shorter - head);
    let middle = current.len() - head - tail;
    (0..wanted.len())
        .map(|index| match index {
            _ if index >= wanted.len() - tail => Some(index + current.len() - wanted.len()),
            _ if index < head + middle => Some(index),
            _ => None,
        })
        .collect()
}
