//! Random live changes of a value.

use super::dice::Dice;
use serde_json::{Value, json};

/// Texts that are easy to get wrong.
pub const TEXTS: &[&str] = &[
    "x",
    "nginx:1.27",
    "yes",
    "0644",
    "1_000",
    "012",
    "1:2",
    "=",
    "<<",
    "2020-01-01",
    "~",
    "null",
    "",
    "true",
    "1.5",
    ".inf",
    "a: b",
    "a #b",
    "#a",
    "- a",
    "-",
    "?",
    "? a",
    "a:",
    ":a",
    "'",
    "\"",
    "it's",
    "say \"hi\"",
    "back\\slash",
    " lead",
    "trail ",
    "tab\tin",
    "\ttab",
    "é",
    "日本",
    "😀",
    "\u{2028}",
    "\u{feff}",
    "\u{85}",
    "\u{7f}",
    "two\nlines",
    "two\nlines\n",
    "a\n\nb\n",
    "a\n b\n",
    " a\nb\n",
    "\na\n",
    "a\n\n",
    "\n",
    "a\n  \n",
    "a \nb\n",
    "a\n\tb\n",
    "#!/bin/sh\nset -e\n# c\n",
    "---",
    "...",
    "---\na: b\n",
    "{a}",
    "[a]",
    "a,b",
    "a]",
    "{{ .Values.x }}",
    "&a",
    "*a",
    "!a",
    "%a",
    "@a",
    "`a",
    "|",
    ">",
    "--flag=x",
    "10.0.0.0/8",
    "v1",
    "1.2.3",
    "$5",
    "a\r\nb\n",
    "\u{0}",
];

const KEYS: &[&str] =
    &["name", "image", "new", "on", "a.b/c", "1", "", "key with space", "y", "<<", "é", "nested", "port"];

pub fn text(dice: &mut Dice<'_>) -> String {
    (*dice.pick(TEXTS)).to_owned()
}

pub fn scalar(dice: &mut Dice<'_>) -> Value {
    match dice.roll(10) {
        7 => json!(dice.roll(200)),
        8 => json!(dice.rarely(2)),
        9 => dice.pick(&[json!(1.5), json!(-1), json!(1e30), json!(null), json!({}), json!([])]).clone(),
        _ => Value::from(text(dice)),
    }
}

fn value(dice: &mut Dice<'_>, depth: usize) -> Value {
    match dice.roll(5) {
        3 if depth > 0 => {
            let count = dice.roll(4);
            Value::Object((0..count).map(|_| ((*dice.pick(KEYS)).to_owned(), value(dice, depth - 1))).collect())
        }
        4 if depth > 0 => {
            let count = dice.roll(4);
            Value::Array((0..count).map(|_| value(dice, depth - 1)).collect())
        }
        _ => scalar(dice),
    }
}

/// The value after a few changes somewhere in it. A mapping at the top stays one.
pub fn changed(dice: &mut Dice<'_>, current: &Value) -> Value {
    let mut wanted = current.clone();
    for _ in 0..=dice.roll(3) {
        change(dice, &mut wanted, true);
    }
    wanted
}

fn change(dice: &mut Dice<'_>, at: &mut Value, top: bool) {
    match at {
        Value::Object(object) if !object.is_empty() && (top || !dice.rarely(8)) => {
            let keys: Vec<String> = object.keys().cloned().collect();
            let key = dice.pick(&keys).clone();
            match dice.roll(6) {
                4 if object.len() > 1 || !top => drop(object.remove(&key)),
                5 => drop(object.insert((*dice.pick(KEYS)).to_owned(), value(dice, 2))),
                _ => change(dice, object.get_mut(&key).unwrap(), false),
            }
        }
        Value::Array(items) if !items.is_empty() && !dice.rarely(8) => {
            let index = dice.roll(items.len());
            match dice.roll(7) {
                3 => drop(items.remove(index)),
                4 => items.insert(index, value(dice, 2)),
                5 => items.push(value(dice, 2)),
                6 => {
                    let other = dice.roll(items.len());
                    items.swap(index, other);
                }
                _ => change(dice, &mut items[index], false),
            }
        }
        other if !top => *other = value(dice, 2),
        _ => {}
    }
}

/// Equal, where a null says as little as nothing and numbers are equal by value.
pub fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let covers = |one: &serde_json::Map<String, Value>, other: &serde_json::Map<String, Value>| {
                one.iter().all(|(key, value)| other.get(key).map_or(value.is_null(), |other| same(value, other)))
            };
            covers(one, other) && covers(other, one)
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        _ => one == other,
    }
}

/// Whether nothing comes, goes or moves: only scalars change. No comment has a reason to go then.
pub fn keeps_shape(current: &Value, wanted: &Value) -> bool {
    match (current, wanted) {
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| keeps_shape(value, other)))
        }
        (Value::Array(one), Value::Array(other)) => {
            let identity = |item: &Value| {
                ["name", "key", "port", "containerPort", "protocol", "mountPath"].map(|key| item.get(key).cloned())
            };
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| identity(one) == identity(other) && keeps_shape(one, other))
        }
        (Value::Object(_) | Value::Array(_), _) => false,
        (_, Value::Object(other)) => other.is_empty(),
        (_, Value::Array(other)) => other.is_empty(),
        _ => true,
    }
}
