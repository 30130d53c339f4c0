//! Files taken apart into documents, and what is refused on the way.

// Helpers of tests count as tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use nsclass_manifests::yaml::{
    Content, ErrorKind, FeatureKind, File, MAX_DEPTH, MAX_DOCUMENTS, Node, Reader, ValueErrorKind, parse,
};
use serde_json::json;

fn read(text: &str) -> File<'_> {
    parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn refused(text: impl AsRef<[u8]>) -> ErrorKind {
    let bytes = text.as_ref();
    parse(bytes).map(|_| String::from_utf8_lossy(bytes)).expect_err("should be refused").kind
}

#[test]
fn f06_documents_are_numbered_in_file_order_and_empty_ones_count() {
    let file = read("# head\n---\na: 1\n---\n---\n# only a comment\n---\n~\n---\nb: 2\n");
    let found: Vec<_> = file
        .documents
        .iter()
        .map(|document| (document.number, document.is_empty(), file.slice(document.range)))
        .collect();
    assert_eq!(
        found,
        [
            (1, false, "# head\n---\na: 1\n"),
            (2, true, "---\n"),
            (3, true, "---\n# only a comment\n"),
            (4, true, "---\n~\n"),
            (5, false, "---\nb: 2\n"),
        ]
    );
}

#[test]
fn f06_a_comment_before_the_first_separator_belongs_to_document_one() {
    let file = read("# modeline\n\n---\n# inner\na: 1\n---\nb: 1 # right\n# last\n");
    let comments: Vec<Vec<_>> =
        file.documents.iter().map(|d| d.comments.iter().map(|c| file.slice(*c)).collect()).collect();
    assert_eq!(comments, [vec!["# modeline", "# inner"], vec!["# right", "# last"]]);
}

#[test]
fn f06_content_after_the_end_marker_is_refused() {
    assert_eq!(refused("a: 1\n...\nb: 2\n"), ErrorKind::ContentAfterEnd);
    assert_eq!(read("a: 1\n...\n---\nb: 2\n").documents.len(), 2);
    assert_eq!(read("a: 1\n...\n# the end\n").documents.len(), 1);
}

#[test]
fn f06_text_where_splitting_tools_lose_it_is_refused() {
    for text in [
        "--- {a: 1}\n",
        "a: 1\n--- b\n",
        "a: 1\n--- |\n  x\n",
        "a: b\n---c\n",
        "a: \"x\n---y\"\n",
        "---\n--- !t\na: 1\n",
    ] {
        assert!(matches!(refused(text), ErrorKind::SeparatorContent | ErrorKind::Syntax(_)), "{text}");
    }
    assert_eq!(read("--- # x\na: 1\n---\t# y\nb: 1\n").documents.len(), 2);
}

#[test]
fn f06_an_empty_file_has_no_documents() {
    assert_eq!(read("").documents.len(), 0);
    assert_eq!(read("# nothing\n\n").documents.len(), 0);
    assert_eq!(read("\u{feff}").documents.len(), 0);
}

#[test]
fn a_byte_order_mark_is_kept_outside_the_first_document() {
    let file = read("\u{feff}a: 1\r\n---\r\nb: 2\r\n");
    assert!(file.bom);
    assert_eq!(file.slice(file.documents[0].range), "a: 1\r\n");
    assert_eq!(file.slice(file.documents[1].range), "---\r\nb: 2\r\n");
    assert_eq!(file.position(file.documents[0].range.start).column, 1);
}

#[test]
fn errors_name_document_line_and_column() {
    let error = parse(b"a: 1\n---\nb: [1\nc: 2\n").unwrap_err();
    assert_eq!(error.document, 2);
    assert!((3..=5).contains(&error.position.line), "{error}");
    let error = parse(b"a: 1\n---\nb: \xff\n").unwrap_err();
    assert_eq!(error.to_string(), "document 2, line 3, column 4: the file is not UTF-8; save it as UTF-8");
    let error = parse("a: 1\nb: x\u{2028}y\n".as_bytes()).unwrap_err();
    assert!(
        error.to_string().starts_with("document 1, line 2, column 5: the character U+2028 is not allowed here"),
        "{error}"
    );
}

#[test]
fn characters_that_readers_take_differently_are_refused() {
    for character in
        ['\u{0}', '\u{1}', '\u{7f}', '\u{85}', '\u{90}', '\u{2028}', '\u{2029}', '\u{feff}', '\u{fffe}', '\r']
    {
        assert_eq!(refused(format!("a: x{character}y\n")), ErrorKind::Character(character));
    }
    assert_eq!(refused("a: \"b\\/c\"\n"), ErrorKind::Escape("\\/".to_owned()));
    assert_eq!(refused("a: \"\\ud83d\\ude00\"\n"), ErrorKind::Escape("\\ud83d".to_owned()));
    assert_eq!(
        read("a: \"\\\\/ \\u00e9\"\n").documents[0].to_value(Reader::Kubernetes).unwrap(),
        json!({"a": "\\/ é"})
    );
}

#[test]
fn deep_nesting_is_refused_without_overflowing() {
    let flow = format!("a: {}{}\n", "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(refused(flow), ErrorKind::TooDeep);
    let block = |levels: usize| (0..levels).fold(String::new(), |text, level| text + &" ".repeat(level) + "a:\n");
    assert!(matches!(refused(block(10_000)), ErrorKind::TooLarge(_)));
    assert_eq!(refused(block(5_000)), ErrorKind::TooDeep);
    assert_eq!(read(&block(MAX_DEPTH)).documents.len(), 1);
    // Only as many levels are open at once as either limit alone allows.
    let mixed = format!("{}{}{}", "- ".repeat(MAX_DEPTH - 1), "[".repeat(MAX_DEPTH - 1), "]".repeat(MAX_DEPTH - 1));
    assert_eq!(refused(mixed), ErrorKind::TooDeep);
}

#[test]
fn too_many_documents_are_refused() {
    assert_eq!(refused("---\n".repeat(100_000)), ErrorKind::TooManyDocuments);
    assert_eq!(read(&"---\n".repeat(MAX_DOCUMENTS)).documents.len(), MAX_DOCUMENTS);
}

#[test]
fn a_file_that_is_too_large_is_refused_before_it_is_parsed() {
    assert_eq!(refused(vec![b'#'; 100 << 20]), ErrorKind::TooLarge(100 << 20));
}

#[test]
fn alias_bombs_are_refused() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let name = format!("*a{}", level - 1);
        bomb = format!("{bomb}a{level}: &a{level} [{}]\n", [name.as_str(); 10].join(", "));
    }
    let file = read(&bomb);
    assert_eq!(file.documents[0].to_value(Reader::Kubernetes).unwrap_err().kind, ValueErrorKind::AliasBudget);
    let file = read("a: &a\n  b: *a\n");
    assert_eq!(file.documents[0].to_value(Reader::Kubernetes).unwrap_err().kind, ValueErrorKind::AliasDepth);
}

#[test]
fn aliases_and_merge_keys_are_read_as_each_reader_does() {
    let text = "b: &b {x: 1, z: 2}\nafter: {x: 3, <<: *b}\nbefore: {<<: *b, x: 3}\nlist: {<<: [{x: 1}, {x: 2, w: 3}]}\nalias: *b\n";
    let file = read(text);
    let kubernetes = file.documents[0].to_value(Reader::Kubernetes).unwrap();
    let kustomize = file.documents[0].to_value(Reader::Kustomize).unwrap();
    assert_eq!(kubernetes["after"], json!({"x": 1, "z": 2}));
    assert_eq!(kustomize["after"], json!({"x": 3, "z": 2}));
    for value in [kubernetes, kustomize] {
        assert_eq!(value["before"], json!({"x": 3, "z": 2}));
        assert_eq!(value["list"], json!({"x": 1, "w": 3}));
        assert_eq!(value["alias"], json!({"x": 1, "z": 2}));
    }
}

#[test]
fn f38_keys_mean_what_each_reader_reads() {
    let file = read("spec: {y: 1, 1: 2, \"on\": 3}\n");
    assert_eq!(file.documents[0].to_value(Reader::Kubernetes).unwrap(), json!({"spec": {"true": 1, "1": 2, "on": 3}}));
    let error = file.documents[0].to_value(Reader::Kustomize).unwrap_err();
    assert_eq!(error.kind, ValueErrorKind::Key("1".to_owned()));
    let file = read("spec: {y: 1, a: , b}\n");
    assert_eq!(
        file.documents[0].to_value(Reader::Kubernetes).unwrap(),
        json!({"spec": {"true": 1, "a": null, "b": null}})
    );
    assert_eq!(file.documents[0].to_value(Reader::Kustomize).unwrap(), json!({"spec": {"y": 1, "a": "", "b": ""}}));
}

#[test]
fn f19_what_a_graph_refuses_is_found_with_its_place() {
    let text = "%YAML 1.1\n---\na: &x 1\nb: *x\na: 2\n1: !!str 3\n<<: {c: 4}\n";
    let file = read(text);
    let found: Vec<_> = file.documents[0]
        .features()
        .into_iter()
        .map(|feature| (file.position(feature.offset).line, feature.kind))
        .collect();
    assert_eq!(
        found,
        [
            (1, FeatureKind::Directive),
            (3, FeatureKind::Anchor("x".to_owned())),
            (4, FeatureKind::Alias),
            (5, FeatureKind::DuplicateKey("a".to_owned())),
            (6, FeatureKind::NonStringKey("1".to_owned())),
            (6, FeatureKind::Tag("tag:yaml.org,2002:str".to_owned())),
            (7, FeatureKind::MergeKey),
        ]
    );
}

/// Each node's text, depth first.
fn texts<'a>(file: &File<'a>, node: &Node<'a>, into: &mut Vec<&'a str>) {
    into.push(file.slice(node.span));
    match &node.content {
        Content::Mapping(mapping) => mapping.entries.iter().for_each(|entry| {
            texts(file, &entry.key, into);
            texts(file, &entry.value, into);
        }),
        Content::Sequence(sequence) => sequence.items.iter().for_each(|item| texts(file, &item.node, into)),
        Content::Scalar(_) | Content::Alias(_) => {}
    }
}

#[test]
fn spans_cover_headers_empty_values_and_flow_entries() {
    let text = "a: |  # c\n  text\n  more  \n\nb: >-\n  folded\n\n\nc:\nd: &x \"\"\ne:\n- 1\n-\n- - x\n- |+\n  keep\n\n# tail\nf: { a: , b, \"q\":1 } # x\n? g\n: h\n";
    let file = read(text);
    assert_eq!(file.documents[0].unknown_layout, None);
    let mut found = Vec::new();
    texts(&file, &file.documents[0].root, &mut found);
    assert_eq!(
        found[1..],
        [
            "a",
            "|  # c\n  text\n  more  ",
            "b",
            ">-\n  folded",
            "c",
            "",
            "d",
            "\"\"",
            "e",
            "- 1\n-\n- - x\n- |+\n  keep\n",
            "1",
            "",
            "- x",
            "x",
            "|+\n  keep\n",
            "f",
            "{ a: , b, \"q\":1 }",
            "a",
            "",
            "b",
            "",
            "\"q\"",
            "1",
            "g",
            "h"
        ]
    );
    let dashes: Vec<_> =
        file.documents[0].root.get("e").unwrap().as_sequence().unwrap().items.iter().map(|item| item.dash).collect();
    assert!(dashes.iter().all(|dash| &text[*dash as usize..=*dash as usize] == "-"));
}

#[test]
fn what_yaml_1_2_alone_can_read_is_refused() {
    for text in [
        "a: [b?]\n",
        "a: [:b]\n",
        "a: {b\n  c: d}\n",
        "a: {\"b\n  c\": d}\n",
        "a: {b\n  : c}\n",
        "a: [b:, c]\n",
        "a: &b? c\n",
    ] {
        assert!(matches!(refused(text), ErrorKind::Unportable(_)), "{text}");
    }
    for text in ["-\t1\n", "a:\n- -\tb\n", "a: 1\n\t# c\n", "a: |\n  \tb\n", "a: 1\n\t\nb: 2\n"] {
        assert!(matches!(refused(text), ErrorKind::Tab | ErrorKind::Syntax(_)), "{text}");
    }
    let tabs = "a:\t1\t# c\nb: |\n  x\n  \ty\nc: [\n  \td]\ne: \"f\n\tg\"\n";
    assert_eq!(
        read(tabs).documents[0].to_value(Reader::Kubernetes).unwrap(),
        json!({"a": 1, "b": "x\n\ty\n", "c": ["d"], "e": "f g"})
    );
}

#[test]
fn f38_blocks_that_kustomize_changes_when_it_writes_them_are_refused_inside_a_graph() {
    for text in ["a: >\n  b\n\n    c\n", "a: >+\n  b\n\n\nc: 1\n", "a: |+\n  b\n\n\n# c\nd: 1\n"] {
        let file = read(text);
        assert_eq!(
            file.documents[0].to_value(Reader::Kustomize).unwrap_err().kind,
            ValueErrorKind::Rewritten,
            "{text}"
        );
        assert!(file.documents[0].to_value(Reader::Kubernetes).is_ok(), "{text}");
    }
    let file = read("a: |+\n  b\n   c\n\n\nd: >-\n  e\n  f\n\n  g\n");
    assert_eq!(file.documents[0].to_value(Reader::Kustomize).unwrap(), json!({"a": "b\n c\n\n\n", "d": "e f\ng"}));
}
