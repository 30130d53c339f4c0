//! Edits of one document, each with the bytes it should leave.

// Helpers of tests count as tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use nsclass_manifests::edit::{Edited, Reason, edit, remove_document, set_namespace};
use nsclass_manifests::yaml::{Reader, parse};
use serde_json::{Value, json};

/// The first document after `change` was made to what it says.
fn edited_as(reader: Reader, text: &str, change: impl FnOnce(&mut Value)) -> Edited {
    let file = parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut wanted = file.documents[0].to_value(reader).unwrap();
    change(&mut wanted);
    let edited = edit(&file, 1, &wanted, reader).unwrap_or_else(|refused| panic!("{refused}\n{text}"));
    let again = parse(edited.text.as_bytes()).unwrap();
    let again = edit(&again, 1, &wanted, reader).unwrap();
    assert_eq!(again.changes, [], "the second time changes nothing");
    edited
}

fn edited(text: &str, change: impl FnOnce(&mut Value)) -> String {
    let edited = edited_as(Reader::Kubernetes, text, change);
    assert_eq!(edited.refused, []);
    edited.text
}

fn set(text: &str, pointer: &str, value: impl Into<Value>) -> String {
    edited(text, |wanted| *wanted.pointer_mut(pointer).unwrap() = value.into())
}

fn refused(text: &str, change: impl FnOnce(&mut Value)) -> Vec<(String, &'static str)> {
    let edited = edited_as(Reader::Kubernetes, text, change);
    assert_eq!(edited.text, text, "what is refused keeps its bytes");
    edited.refused.into_iter().map(|refused| (refused.path, refused.reason.category())).collect()
}

#[test]
fn f30_equal_content_changes_no_byte() {
    let text = "\u{feff}# head\r\na:   1   # odd\r\nb: { x: yes,y: [ 1,2 ] }\r\nc: null\r\nd: 1.0";
    assert_eq!(edited(text, |_| {}), text);
    assert_eq!(edited(text, |wanted| drop(wanted.as_object_mut().unwrap().remove("c"))), text, "a null says nothing");
}

#[test]
fn f30_a_changed_scalar_changes_only_its_own_bytes() {
    assert_eq!(set("a: 1 # one\nb:   2\n", "/a", 3), "a: 3 # one\nb:   2\n");
    assert_eq!(set("a: 1\r\nb: x\r\n", "/b", "z"), "a: 1\r\nb: z\r\n");
    assert_eq!(set("a: 1\nb: x", "/b", "z"), "a: 1\nb: z");
    assert_eq!(set("\u{feff}a: 1\n", "/a", true), "\u{feff}a: true\n");
    assert_eq!(set("a: {b: 1, c: [x, y]}\n", "/a/c/1", "z"), "a: {b: 1, c: [x, z]}\n");
    assert_eq!(set("a:\n- - 1\n  - 2\n", "/a/0/1", 3), "a:\n- - 1\n  - 3\n");
    assert_eq!(set("a:   # comment\nb: 1\n", "/a", "x"), "a: x   # comment\nb: 1\n");
    assert_eq!(set("- x\n-\n- z\n", "/1", "w"), "- x\n- w\n- z\n");
}

#[test]
fn f38_quote_and_block_styles_stay_where_they_can_express_the_value() {
    assert_eq!(set("a: 'x'\n", "/a", "it's"), "a: 'it''s'\n");
    assert_eq!(set("a: 'x'\n", "/a", "two\nlines"), "a: \"two\\nlines\"\n");
    assert_eq!(set("a: \"x\"\n", "/a", "say \"y\"\t\u{2028}"), "a: \"say \\\"y\\\"\\t\\u2028\"\n");
    assert_eq!(set("a: |\n  x\n  y\nb: 1\n", "/a", "x\nz\n"), "a: |\n  x\n  z\nb: 1\n");
    assert_eq!(set("a: |  # why\n    x\n\nb: 1\n", "/a", "z"), "a: |-  # why\n    z\n\nb: 1\n");
    assert_eq!(set("a: |-\n  x\nb: 1\n", "/a", "z\n\n w\n"), "a: |\n  z\n\n   w\nb: 1\n");
    assert_eq!(set("a: |\n  x\nb: 1\n", "/a", "z\n\n"), "a: |+\n  z\n\nb: 1\n");
    assert_eq!(set("a: >-\n  x\n  y\nb: 1\n", "/a", "one two\nthree"), "a: >-\n  one two\n\n  three\nb: 1\n");
    assert_eq!(set("a: >-\n  x\nb: 1\n", "/a", "one\n  two"), "a: |-\n  one\n    two\nb: 1\n");
    assert_eq!(set("a: |\r\n  x\r\nb: 1\r\n", "/a", "y\nz\n"), "a: |\r\n  y\r\n  z\r\nb: 1\r\n");
    assert_eq!(set("a: x\nb: 1\n", "/a", "y\nz\n"), "a: |\n  y\n  z\nb: 1\n");
    assert_eq!(set("a: |\n  x\nb: 1\n", "/a", 5), "a: 5\nb: 1\n");
    assert_eq!(set("a: |  # why\n  x\nb: 1\n", "/a", ""), "a: \"\"  # why\nb: 1\n");
    assert_eq!(set("a: |\n  x", "/a", "y"), "a: |\n  y");
}

#[test]
fn f38_strings_that_readers_take_for_something_else_are_quoted() {
    let doubtful = [
        "yes",
        "No",
        "y",
        "N",
        "on",
        "OFF",
        "true",
        "~",
        "null",
        "",
        "1",
        "-1",
        "0644",
        "0o17",
        "1_000",
        "012",
        "1:2",
        "1.5",
        ".5",
        "1e3",
        ".inf",
        ".NaN",
        "0x1F",
        "2020-01-01",
        "2020-01-01T00:00:00Z",
        "=",
        "<<",
        "- x",
        "# x",
        "a: b",
        "a #b",
        "@x",
        "*x",
        "&x",
        "!x",
        "%x",
        "`x",
        "a:",
        " a",
        "a ",
        "[x",
        "{x",
        "?",
        "-",
        "|",
        ">",
        "'x",
        "\"x",
    ];
    for text in doubtful {
        let result = set("a: x\nb: [x]\n", "/a", text);
        assert!(result.starts_with("a: \"") || result.starts_with("a: '"), "{result}");
        let result = set("a: x\nb: [x]\n", "/b/0", text);
        assert!(result.contains("b: [\"") || result.contains("b: ['"), "{result}");
        let result = edited("a: {x: 1}\nb:\n  x: 1\n", |wanted| {
            wanted["a"][text] = json!(2);
            wanted["b"][text] = json!(2);
        });
        assert!(result.lines().all(|line| !line.contains('2') || line.contains(['"', '\''])), "{result}");
    }
    for text in [
        "x",
        "a-b",
        "--flag=x",
        "a.b/c:8080",
        "100m",
        "1Gi",
        "v1",
        "1.2.3",
        "10.0.0.1",
        "10.0.0.0/8",
        "é",
        "a'b",
        "x=y",
        "nope",
        "1h30m",
        "/a b",
    ] {
        assert_eq!(set("a: x\n", "/a", text), format!("a: {text}\n"));
    }
}

#[test]
fn f38_a_plain_scalar_keeps_its_bytes_if_its_readers_meaning_is_wanted() {
    let text = "a: yes\nb: 0644\nc: 2020-01-01\n";
    let as_kustomize = |change: fn(&mut Value)| edited_as(Reader::Kustomize, text, change).text;
    assert_eq!(set(text, "/a", true), text);
    assert_eq!(as_kustomize(|wanted| wanted["a"] = json!("yes")), text);
    assert_eq!(as_kustomize(|wanted| wanted["a"] = json!(true)), "a: true\nb: 0644\nc: 2020-01-01\n");
    assert_eq!(set(text, "/a", "yes"), "a: \"yes\"\nb: 0644\nc: 2020-01-01\n");
    assert_eq!(set(text, "/b", 420), text);
    assert_eq!(as_kustomize(|wanted| wanted["c"] = json!("2020-01-01")), "a: yes\nb: 0644\nc: \"2020-01-01\"\n");
}

#[test]
fn f30_keys_are_added_behind_the_last_one_and_removed_with_their_lines() {
    assert_eq!(edited("a:\n  b: 1\n\n# c\nd: 1\n", |w| w["a"]["c"] = json!("x")), "a:\n  b: 1\n  c: x\n\n# c\nd: 1\n");
    assert_eq!(
        edited("a:\n  b: 1", |w| w["a"]["c"] = json!({"d": [1, {"e": 2, "f": []}]})),
        "a:\n  b: 1\n  c:\n    d:\n    - 1\n    - e: 2\n      f: []"
    );
    assert_eq!(
        edited("a:\n  - b: 1\n    c: 2\n", |w| w["a"][0]["d"] = json!([1])),
        "a:\n  - b: 1\n    c: 2\n    d:\n      - 1\n"
    );
    assert_eq!(
        edited("a:\n  b: 1\n  c: 2\nd: 1\n", |w| drop(w["a"].as_object_mut().unwrap().remove("c"))),
        "a:\n  b: 1\nd: 1\n"
    );
    assert_eq!(edited("a: 1\nb: 2", |w| drop(w.as_object_mut().unwrap().remove("b"))), "a: 1");
    assert_eq!(edited("a: 1\nb: 2\nc: 3", |w| *w = json!({"a": 1, "d": 4})), "a: 1\nd: 4");
    assert_eq!(edited("a:\n  b: 1\nc: 1\n", |w| w["a"] = json!({})), "a: {}\nc: 1\n");
    assert_eq!(edited("a: {}\nc: 1\n", |w| w["a"]["b"] = json!(1)), "a:\n  b: 1\nc: 1\n");
    assert_eq!(edited("a: {b: 1, c: 2}\n", |w| w["a"] = json!({"c": 3, "d": 4})), "a: {c: 3, d: 4}\n");
    assert_eq!(edited("a: {\"b\": 1}\n", |w| w["a"]["d"] = json!("x")), "a: {\"b\": 1, \"d\": \"x\"}\n");
    assert_eq!(
        edited("a:\n- b: 1\n  c: 2\n", |w| drop(w["a"][0].as_object_mut().unwrap().remove("b"))),
        "a:\n- c: 2\n"
    );
    assert_eq!(edited("a: |\n  x", |w| w["b"] = json!(1)), "b: 1\na: |\n  x");
    assert_eq!(edited("a: 1\r\n", |w| w["b"] = json!({"c": 1})), "a: 1\r\nb:\r\n  c: 1\r\n");
}

#[test]
fn f30_values_of_another_kind_replace_the_old_ones_and_keep_the_lines_comment() {
    assert_eq!(set("a: 1 # why\nb: 2\n", "/a", json!({"c": 1})), "a: # why\n  c: 1\nb: 2\n");
    assert_eq!(set("a: # why\n  c: 1 # x\n  # y\nb: 2\n", "/a", 1), "a: 1 # why\nb: 2\n");
    assert_eq!(set("a:\n  c: 1\nb: 2\n", "/a", json!([1])), "a:\n- 1\nb: 2\n");
    assert_eq!(set("a:\n- x\n- y\n", "/a/0", json!({"c": 1, "d": 2})), "a:\n- c: 1\n  d: 2\n- y\n");
    assert_eq!(set("a:\n- c: 1\n  d: 2\n- y\n", "/a/0", "x"), "a:\n- x\n- y\n");
    assert_eq!(set("a: [1, 2]\n", "/a/0", json!({"c": [1]})), "a: [{c: [1]}, 2]\n");
    assert_eq!(set("a:\n", "/a", json!({"b": 1})), "a:\n  b: 1\n");
}

#[test]
fn f40_comments_above_on_the_line_and_inside_go_with_a_removed_key() {
    let text = "a: 1\n\n# stays\n\n# goes\n# too\nb: 2 # on the line\n# c's own\nc: 3\n";
    assert_eq!(edited(text, |w| drop(w.as_object_mut().unwrap().remove("b"))), "a: 1\n\n# stays\n\n# c's own\nc: 3\n");
    let text = "a:\n  # inside\n  b: 1\n  # inside too\n\n  # set off\nc: 3\n";
    assert_eq!(edited(text, |w| drop(w.as_object_mut().unwrap().remove("a"))), "\n  # set off\nc: 3\n");
    let text = "s: |\n  # text\nb: 2\nc: 1\n";
    assert_eq!(edited(text, |w| drop(w.as_object_mut().unwrap().remove("b"))), "s: |\n  # text\nc: 1\n");
    let text = "l:\n- a: 1 # a\n  # b\n  b: 2\n";
    assert_eq!(edited(text, |w| drop(w["l"][0].as_object_mut().unwrap().remove("a"))), "l:\n-\n  # b\n  b: 2\n");
}

const CONTAINERS: &str = "c:\n# first\n- name: a\n  image: x # pinned\n  # inside a\n\n# set off\n\n# second\n- name: b\n  image: w\n- name: c\n  image: z\nd: 1\n";

#[test]
fn f41_items_are_matched_by_name_and_keep_their_comments() {
    let set_image = |w: &mut Value| w["c"] = json!([{"name": "b", "image": "w2"}, {"name": "c", "image": "z"}]);
    assert_eq!(
        edited(CONTAINERS, set_image),
        "c:\n\n# set off\n\n# second\n- name: b\n  image: w2\n- name: c\n  image: z\nd: 1\n"
    );
    let reorder = |w: &mut Value| {
        w["c"] = json!([{"name": "b", "image": "w"}, {"name": "c", "image": "z2"}, {"name": "a", "image": "x"}]);
    };
    assert_eq!(
        edited(CONTAINERS, reorder),
        "c:\n# second\n- name: b\n  image: w\n\n# set off\n\n- name: c\n  image: z2\n# first\n- name: a\n  image: x # pinned\n  # inside a\nd: 1\n"
    );
    let insert = |w: &mut Value| {
        let list = w["c"].as_array_mut().unwrap();
        list.insert(1, json!({"name": "new"}));
        list.insert(0, json!({"name": "zero"}));
    };
    let text = "c:\n# first\n- name: a\n- name: b\n";
    assert_eq!(edited(text, insert), "c:\n- name: zero\n# first\n- name: a\n- name: new\n- name: b\n");
}

#[test]
fn f41_items_without_a_name_are_matched_by_key_port_or_mount_path() {
    let ports = "p:\n- port: 80 # http\n- port: 53 # dns\n- port: 53\n  protocol: UDP # udp\n";
    let drop_first = |w: &mut Value| drop(w["p"].as_array_mut().unwrap().remove(0));
    assert_eq!(edited(ports, drop_first), "p:\n- port: 53 # dns\n- port: 53\n  protocol: UDP # udp\n");
    let mounts = "m:\n- name: v\n  mountPath: /a # a\n- name: v\n  mountPath: /b # b\n";
    let swap = |w: &mut Value| w["m"].as_array_mut().unwrap().swap(0, 1);
    assert_eq!(edited(mounts, swap), "m:\n- name: v\n  mountPath: /b # b\n- name: v\n  mountPath: /a # a\n");
    let keys = "t: [{key: a, v: 1}, {key: b, v: 2}]\n";
    assert_eq!(
        edited(keys, |w| w["t"] = json!([{"key": "b", "v": 3}, {"key": "a", "v": 1}])),
        "t: [{key: b, v: 3}, {key: a, v: 1}]\n"
    );
}

#[test]
fn f41_other_items_are_matched_by_index() {
    assert_eq!(set("a:\n- x # 1\n- w # 2\n", "/a/0", "z"), "a:\n- z # 1\n- w # 2\n");
    assert_eq!(edited("a:\n- x # 1\n- w # 2\n- z # 3\n", |w| w["a"] = json!(["x", "z"])), "a:\n- x # 1\n- z # 3\n");
    assert_eq!(edited("a:\n- x\n", |w| w["a"] = json!(["x", "z"])), "a:\n- x\n- z\n");
    assert_eq!(edited("a: [x, w]\n", |w| w["a"] = json!(["w"])), "a: [w]\n");
    assert_eq!(edited("a: [x, w]\n", |w| w["a"] = json!(["x", "w", "z"])), "a: [x, w, z]\n");
    assert_eq!(edited("a: [\n  x,\n  w\n]\n", |w| w["a"] = json!(["x", "w", "z"])), "a: [\n  x,\n  w,\n  z\n]\n");
    assert_eq!(edited("a:\n- x\nb: 1\n", |w| w["a"] = json!([])), "a: []\nb: 1\n");
}

#[test]
fn f42_a_substituted_scalar_is_refused_and_the_rest_is_edited() {
    let text = "image: repo:${TAG:-v1}\nreplicas: 1\nlist: [\"${A}\", b]\n";
    let edited = edited_as(Reader::Kubernetes, text, |w| {
        w["image"] = json!("repo:v2");
        w["replicas"] = json!(2);
        w["list"] = json!(["b"]);
    });
    assert_eq!(edited.text, "image: repo:${TAG:-v1}\nreplicas: 2\nlist: [\"${A}\", b]\n");
    let found: Vec<_> =
        edited.refused.iter().map(|refused| (refused.path.as_str(), refused.reason.category())).collect();
    assert_eq!(found, [("image", "substituted-value"), ("list", "substituted-value")]);
    assert_eq!(edited.value["image"], "repo:${TAG:-v1}");
    assert_eq!(set("a: $5 and ${}\n", "/a", "x"), "a: x\n", "no name, no substitution");
}

#[test]
fn f32_anchors_aliases_merge_keys_and_tags_refuse_only_edits_that_touch_them() {
    let text = "a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 1}\nf: !!str 5\ng: 1\nh:\n- &y k\n- l\n";
    assert_eq!(refused(text, |w| w["a"]["b"] = json!(2)), [("a".to_owned(), "shared-value")]);
    assert_eq!(refused(text, |w| w["c"]["b"] = json!(2)), [("c".to_owned(), "shared-value")]);
    assert_eq!(refused(text, |w| w["d"]["e"] = json!(2)), [("d".to_owned(), "shared-value")]);
    assert_eq!(refused(text, |w| w["f"] = json!("6")), [("f".to_owned(), "shared-value")]);
    assert_eq!(refused(text, |w| w["h"] = json!(["l"])), [("h".to_owned(), "shared-value")]);
    assert_eq!(set(text, "/g", 2), text.replace("g: 1", "g: 2"));
    assert_eq!(set(text, "/h/1", "m"), text.replace("- l", "- m"));
}

#[test]
fn f32_encrypted_documents_are_never_edited_only_removed_whole() {
    let text = "a: ENC[AES256_GCM,data:x]\nsops:\n  mac: ENC[y]\n  version: 3.9.0\n---\nb: 1\n";
    let file = parse(text.as_bytes()).unwrap();
    assert_eq!(edit(&file, 1, &json!({"a": 1}), Reader::Kubernetes).unwrap_err().reason, Reason::Encrypted);
    assert_eq!(remove_document(&file, 1).unwrap().unwrap(), "---\nb: 1\n");
}

#[test]
fn f32_a_layout_that_is_not_known_is_refused() {
    let layouts = ["? a\n: 1\n", "a: [b: 1]\n", "a: |\n  x\n     \nb: 1\n"];
    for text in layouts {
        let file = parse(text.as_bytes()).unwrap();
        let result = edit(&file, 1, &json!({"a": 7}), Reader::Kubernetes);
        assert!(
            result.as_ref().map_or(true, |edited| edited.text == text && !edited.refused.is_empty()),
            "{text}: {result:?}"
        );
    }
}

#[test]
fn f35_a_namespace_is_added_beside_the_name() {
    let text = "kind: A\nmetadata:\n  name: x # n\n  labels: {}\nspec: {}\n";
    let file = parse(text.as_bytes()).unwrap();
    let edited = set_namespace(&file, 1, "team-a", Reader::Kustomize).unwrap();
    assert_eq!(edited.text, "kind: A\nmetadata:\n  name: x # n\n  namespace: team-a\n  labels: {}\nspec: {}\n");
    let file = parse(edited.text.as_bytes()).unwrap();
    assert_eq!(set_namespace(&file, 1, "team-a", Reader::Kustomize).unwrap().changes, []);
    let file = parse(b"metadata: {name: x}\n").unwrap();
    assert_eq!(
        set_namespace(&file, 1, "1", Reader::Kustomize).unwrap().text,
        "metadata: {name: x, namespace: \"1\"}\n"
    );
}

#[test]
fn f34_exactly_the_document_is_removed() {
    let text = "\u{feff}# one\na: 1\n---\n# two\nb: 2\n---\nc: 3";
    let file = parse(text.as_bytes()).unwrap();
    assert_eq!(remove_document(&file, 1).unwrap().unwrap(), "\u{feff}---\n# two\nb: 2\n---\nc: 3");
    assert_eq!(remove_document(&file, 2).unwrap().unwrap(), "\u{feff}# one\na: 1\n---\nc: 3");
    assert_eq!(remove_document(&file, 3).unwrap().unwrap(), "\u{feff}# one\na: 1\n---\n# two\nb: 2\n");
    assert_eq!(remove_document(&file, 4).unwrap_err().reason, Reason::NoDocument(4));
    let file = parse(b"# head\n---\na: 1\n---\n# nothing\n").unwrap();
    assert_eq!(remove_document(&file, 1).unwrap(), None, "the last object takes the file along");
}
