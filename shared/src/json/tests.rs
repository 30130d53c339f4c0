use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::testing::json_value;

fn read(text: &str) -> Json<'_> {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a11_strings_and_keys_are_borrowed_where_the_text_holds_them_as_they_are() {
    let json = read(r#"{"a":["x","\n"],"\u0062":1}"#);
    let Some(Json::List(list)) = json.get("a") else { panic!("{json:?}") };
    assert!(matches!(&list[..], [Json::Text(Cow::Borrowed("x")), Json::Text(Cow::Owned(line))] if line == "\n"));
    assert_eq!(json.get("b"), Some(&Json::Number(1.into())));
}

#[test]
fn keys_are_sorted_and_the_last_of_each_counts() {
    let json = read(r#"{"b":1,"a":2,"b":3,"a":4,"c":5}"#);
    assert_eq!(json.to_value(), json!({ "a": 4, "b": 3, "c": 5 }));
    let keys: Vec<&str> = json.as_map().unwrap().iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["a", "b", "c"]);
}

#[test]
fn what_serde_json_does_not_read_as_it_is_written_is_refused() {
    let text = r#"{"x":{"$serde_json::private::RawValue":"{\"a\":1}"}}"#;
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), json!({ "x": { "a": 1 } }));
    assert!(serde_json::from_str::<Json<'_>>(text).is_err());
}

#[test]
fn c18_levels_are_counted_as_they_stand_in_one_another() {
    let deeper = |value: &Value, levels| Json::copied(value, levels).is_deeper_than(levels);
    let nested = |levels: usize| (1..levels).fold(json!([]), |inner, _| json!([inner]));
    assert!(!deeper(&json!("text"), 0));
    assert!(deeper(&json!({}), 0) && !deeper(&json!({ "a": 1 }), 1));
    assert!(deeper(&json!([1, { "a": {} }]), 2) && !deeper(&json!([1, { "a": {} }]), 3));
    assert!(!deeper(&nested(64), 64) && deeper(&nested(65), 64) && deeper(&nested(100), 64));
}

#[test]
fn c18_bytes_are_those_of_json_without_blanks() {
    let every_byte: String = (0..=0x7f_u8).map(char::from).collect();
    for value in [
        json!({ "a": ["ü\n", 1.5, null], "b": {} }),
        json!({ every_byte.as_str(): every_byte }),
        json!([]),
        json!([u64::MAX, i64::MIN, f64::MIN, f64::MIN_POSITIVE, -1.0 / 3.0e300]),
    ] {
        let (json, bytes) = (Json::copied(&value, 64), value.to_string().len());
        assert!(json.bytes() == bytes && json.most_bytes() >= bytes, "{value}");
    }
}

proptest! {
    /// However it came to be, it is the value that its text is.
    #[test]
    fn a04_text_and_value_are_read_alike(value in json_value()) {
        let text = value.to_string();
        let (read, copied) = (read(&text), Json::copied(&value, 64));
        prop_assert_eq!(&read, &copied);
        prop_assert_eq!(read.to_value(), value);
        prop_assert_eq!(read.bytes(), text.len());
        prop_assert!(read.most_bytes() >= text.len());
    }
}
