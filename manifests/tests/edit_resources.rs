//! The one-line edit of a kustomization's `resources`, and new files.

// Helpers of tests count as tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use nsclass_manifests::edit::{Reason, add_resource, new_file, remove_resource};
use nsclass_manifests::yaml::{Reader, parse};
use serde_json::json;

fn add(text: &str, entry: &str) -> Result<String, Reason> {
    add_resource(&parse(text.as_bytes()).unwrap(), entry).map_err(|refused| refused.reason)
}

fn remove(text: &str, entry: &str) -> Result<String, Reason> {
    remove_resource(&parse(text.as_bytes()).unwrap(), entry).map_err(|refused| refused.reason)
}

#[test]
fn f35_an_entry_is_added_behind_the_last_live_item_in_its_style() {
    let text = "resources:\n  - a.yaml # first\n  #- off.yaml\n  -   \"b.yaml\"\n  # - c.yaml\n\nnamespace: x\n";
    let wanted = "resources:\n  - a.yaml # first\n  #- off.yaml\n  -   \"b.yaml\"\n  -   \"d.yaml\"\n  # - c.yaml\n\nnamespace: x\n";
    assert_eq!(add(text, "d.yaml").unwrap(), wanted);
    assert_eq!(add("resources: [a.yaml]\n", "b.yaml").unwrap(), "resources: [a.yaml, b.yaml]\n");
    assert_eq!(add("resources:\r\n- a.yaml", "b.yaml").unwrap(), "resources:\r\n- a.yaml\r\n- b.yaml");
    assert_eq!(add("resources:\n- a.yaml # last", "yes").unwrap(), "resources:\n- a.yaml # last\n- \"yes\"");
}

#[test]
fn f34_an_entrys_line_is_removed_and_nothing_else() {
    let text = "resources:\n# about a\n- a.yaml\n- b.yaml # b\n#- c.yaml\n- d.yaml\n";
    assert_eq!(remove(text, "a.yaml").unwrap(), "resources:\n- b.yaml # b\n#- c.yaml\n- d.yaml\n");
    assert_eq!(remove(text, "b.yaml").unwrap(), "resources:\n# about a\n- a.yaml\n#- c.yaml\n- d.yaml\n");
    assert_eq!(remove("resources: [a, b, c]\n", "b").unwrap(), "resources: [a, c]\n");
    assert_eq!(remove("resources: [a, b, c]\n", "c").unwrap(), "resources: [a, b]\n");
    assert_eq!(remove("resources:\n- a\n- b", "b").unwrap(), "resources:\n- a");
    assert_eq!(remove("resources:\n- a\nnamespace: x\n", "a").unwrap(), "resources: []\nnamespace: x\n");
    assert_eq!(add("resources: []\nnamespace: x\n", "a").unwrap(), "resources:\n- a\nnamespace: x\n");
}

#[test]
fn f34_without_a_list_or_with_an_entry_in_doubt_the_edit_is_refused() {
    assert_eq!(add("namespace: x\n", "a"), Err(Reason::NoResources));
    assert_eq!(add("resources:\n", "a"), Err(Reason::NoResources));
    assert_eq!(add("resources: &x [a]\n", "b"), Err(Reason::NoResources));
    assert_eq!(add("resources: [a]\n", "a"), Err(Reason::EntryExists("a".to_owned())));
    assert_eq!(remove("resources: [a, b]\n", "c"), Err(Reason::EntryCount("c".to_owned(), 0)));
    assert_eq!(remove("resources: [a, a]\n", "a"), Err(Reason::EntryCount("a".to_owned(), 2)));
}

#[test]
fn f35_a_new_file_reads_as_the_object_it_was_made_of() {
    let object = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "x", "namespace": "team", "labels": {"y": "yes", "on": "1"}, "annotations": {}},
        "data": {"script": "#!/bin/sh\n  echo\n", "keep": "a\n\n", "date": "2020-01-01", "octal": "0644", "tab": "a\tb\n", "<<": "x", "blank": "a\n \n"},
        "list": [[1, [2]], [], {"a": {"b": [{"c": "d\ne"}]}}, "x\ny\n", null, 1.5, true],
    });
    let text = new_file(&object);
    assert!(text.starts_with("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  namespace: team\n"), "{text}");
    assert!(text.contains("script: |\n    #!/bin/sh\n      echo\n"), "{text}");
    let file = parse(text.as_bytes()).unwrap();
    assert_eq!(file.documents[0].to_value(Reader::Kubernetes).unwrap(), object, "{text}");
}
