use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// The namespace `blue` with the label `team: ops`, the annotation `size: 3` and nothing else.
fn facts(variable: &Variable) -> Option<&'static str> {
    match variable {
        Variable::NamespaceName => Some("blue"),
        Variable::NamespaceUid => Some("u-1"),
        Variable::ClassName => Some("standard"),
        Variable::NamespaceLabel(key) => (key == "var.nsclass.io/team").then_some("ops"),
        Variable::NamespaceAnnotation(key) => (key == "size").then_some("3"),
    }
}

fn evaluated(source: &str) -> Value {
    Template::parse(source).unwrap().evaluate(1000, facts).unwrap()
}

/// The errors of a text, one sentence a line.
fn mistakes(source: &str) -> String {
    let errors = Template::parse(source).unwrap_err();
    errors.iter().map(|error| format!("{error}; {}", error.kind.remedy())).collect::<Vec<_>>().join("\n")
}

#[test]
fn c10_variables_are_written_with_raw_keys_and_free_blanks() {
    assert_eq!(evaluated("{{.Namespace.Name}}-{{ .Class.Name }}"), "blue-standard");
    assert_eq!(evaluated("{{\n\t.Namespace.Labels.var.nsclass.io/team  }}"), "ops");
    assert_eq!(evaluated("uid={{ .Namespace.UID }}"), "uid=u-1");
    assert_eq!(evaluated("{{ .Namespace.Annotations.size }}x"), "3x");
}

#[test]
fn c10_text_without_braces_is_left_alone() {
    for text in ["", "}}", "{ {", "a } b { c", "${x}", "{%x%}", "---\nkind: Secret\n", "$(NAME)"] {
        assert_eq!(evaluated(text), text);
        assert_eq!(Template::parse(text).unwrap().constant().as_deref(), Some(text));
    }
}

#[test]
fn c12_a_missing_variable_takes_its_default_and_an_empty_one_does_not() {
    assert_eq!(evaluated(r#"{{ .Namespace.Labels.none | default "n/a" }}"#), "n/a");
    let empty = |variable: &Variable| variable.key().map(|_| "");
    let template = Template::parse(r#"{{ .Namespace.Labels.team | default "n/a" }}"#).unwrap();
    assert_eq!(template.evaluate(1000, empty), Ok(json!("")));
}

#[test]
fn c12_every_missing_variable_is_listed_once() {
    let template =
        Template::parse("{{ .Namespace.Labels.a }}{{ .Namespace.Labels.b }}{{ .Namespace.Labels.a }}").unwrap();
    assert_eq!(
        template.evaluate(1000, facts).unwrap_err(),
        [
            EvaluateError::Missing(Variable::NamespaceLabel("a".to_owned())),
            EvaluateError::Missing(Variable::NamespaceLabel("b".to_owned())),
        ]
    );
}

#[test]
fn c12_quoted_text_writes_literal_braces() {
    assert_eq!(evaluated(r#"{{ "{{" }} .Values.x }}"#), "{{ .Values.x }}");
    assert_eq!(evaluated(r#"{{"}} \" \\ \n A 😀"}}"#), "}} \" \\ \n A 😀");
    assert_eq!(evaluated(r#"{{ .Namespace.Labels.none | default "}} | \"{{" }}"#), "}} | \"{{");
}

#[test]
fn c13_a_value_that_is_one_expression_becomes_the_type_it_asks_for() {
    assert_eq!(evaluated("{{ .Namespace.Annotations.size | int }}"), 3);
    assert_eq!(evaluated(r#"{{ .Namespace.Labels.none | default "-12" | int }}"#), -12);
    assert_eq!(evaluated(r#"{{ .Namespace.Labels.none | default "true" | bool }}"#), true);
    assert_eq!(evaluated("{{ .Namespace.Annotations.size }}"), "3");
}

#[test]
fn c13_text_that_is_no_number_or_truth_value_is_refused() {
    for text in ["", " 1", "1.0", "1e3", "0644", "+1", "-0", "0x10", "9223372036854775808", "one"] {
        assert_eq!(Cast::Int.apply(text), Err(EvaluateError::NotInt(format!("{text:?}"))));
    }
    for text in ["", "True", "yes", "1", "on"] {
        assert_eq!(Cast::Bool.apply(text), Err(EvaluateError::NotBool(format!("{text:?}"))));
    }
    assert_eq!(Cast::Int.apply("9223372036854775807"), Ok(json!(i64::MAX)));
}

#[test]
fn c13_a_type_needs_the_value_to_itself() {
    insta::assert_snapshot!(mistakes("{{ .Class.Name | int }} "), @"| int needs the whole value to itself (at character 1); leave the type out, or make the value exactly one expression");
    insta::assert_snapshot!(mistakes(r#"{{ .Class.Name | default "x" | bool }}"#), @r#"the default does not fit: "x" is neither true nor false (at character 4); change the default, or leave the type out"#);
}

#[test]
fn c12_mistakes_say_where_they_are_and_what_was_meant() {
    insta::assert_snapshot!(mistakes("team: {{ .Namespace.Label.team }}"), @r#"".Namespace.Label.team" is no variable (at character 10); write .Namespace.Labels.team"#);
    insta::assert_snapshot!(mistakes("${{ secrets.TOKEN }}"), @r#""secrets.TOKEN" is no variable (at character 5); the variables are .Namespace.Name, .Namespace.UID, .Namespace.Labels.<key>, .Namespace.Annotations.<key> and .Class.Name; for literal braces write {{ "{{" }}, or annotate the item with nsclass.io/template: "false""#);
    insta::assert_snapshot!(mistakes("{{ .Namespace.Labels.a/b/c }}"), @r#""a/b/c" in ".Namespace.Labels.a/b/c" cannot be the key of a label or annotation (at character 4); write the key as it stands in the namespace's metadata: prefix/name or name"#);
    insta::assert_snapshot!(mistakes("ü {{ .Class.Name"), @r#"{{ is not closed (at character 17); close the expression with }}, or write {{ "{{" }} for two literal braces"#);
    insta::assert_snapshot!(mistakes("{{ }}"), @r#"the braces are empty (at character 4); close the expression with }}, or write {{ "{{" }} for two literal braces"#);
    insta::assert_snapshot!(mistakes("{{ .Class.Name | upper }}"), @r#""upper" is no function (at character 16); the functions are default "text", int and bool"#);
    insta::assert_snapshot!(mistakes("{{ .Class.Name | default none }}"), @r#"default needs a string in double quotes (at character 26); write | default "text""#);
    insta::assert_snapshot!(mistakes(r#"{{ .Class.Name | default "a\q" }}"#), @r#"the string literal is not closed, or holds a wrong escape (at character 26); close it with a double quote and escape as in JSON: \" \\ \n \u0041"#);
    insta::assert_snapshot!(mistakes(r#"{{ .Class.Name | default "a }}"#), @r#"the string literal is not closed, or holds a wrong escape (at character 26); close it with a double quote and escape as in JSON: \" \\ \n \u0041"#);
    insta::assert_snapshot!(mistakes(r#"{{ .Class.Name | int | default "1" }}"#), @r#""default" cannot stand here (at character 22); write {{ .Variable | default "text" | int }}, where default and int or bool may be left out"#);
    insta::assert_snapshot!(mistakes(r#"{{ "{{" | int }}"#), @r#""int" cannot stand here (at character 14); write {{ .Variable | default "text" | int }}, where default and int or bool may be left out"#);
    insta::assert_snapshot!(mistakes("{{ .Class.Name .Namespace.Name }}"), @r#"expected | or }}, found ".Namespace.Name" (at character 16); write {{ .Variable | default "text" | int }}, where default and int or bool may be left out"#);
    insta::assert_snapshot!(mistakes("{{ | int }}"), @r#"expected | or }}, found "|" (at character 4); write {{ .Variable | default "text" | int }}, where default and int or bool may be left out"#);
    insta::assert_snapshot!(mistakes("{{- .Class.Name -}}"), @r#""-" is no variable (at character 3); the variables are .Namespace.Name, .Namespace.UID, .Namespace.Labels.<key>, .Namespace.Annotations.<key> and .Class.Name; for literal braces write {{ "{{" }}, or annotate the item with nsclass.io/template: "false""#);
}

#[test]
fn c12_all_mistakes_of_a_text_are_found() {
    let errors = Template::parse("{{ .A }} {{ .Class.Name | int }} {{ .Class.Name | b }} {{").unwrap_err();
    assert_eq!(errors.iter().map(|error| error.column).collect::<Vec<_>>(), [4, 10, 49, 58]);
}

#[test]
fn c18_a_text_over_the_limit_is_refused_before_it_is_built() {
    let template = Template::parse("{{ .Namespace.Name }}{{ .Namespace.Name }}").unwrap();
    assert_eq!(template.evaluate(8, facts), Ok(json!("blueblue")));
    assert_eq!(template.evaluate(7, facts), Err(vec![EvaluateError::TooLong { limit: 7 }]));
}

fn variable() -> impl Strategy<Value = Variable> {
    let key = "([a-z]{1,3}(\\.[a-z]{1,3})?/)?[A-Za-z]([-A-Za-z0-9_.]{0,5}[A-Za-z0-9])?";
    prop_oneof![
        Just(Variable::NamespaceName),
        Just(Variable::NamespaceUid),
        Just(Variable::ClassName),
        key.prop_map(Variable::NamespaceLabel),
        key.prop_map(Variable::NamespaceAnnotation),
    ]
}

/// A template as parsing makes them: text holds no `{{`, and does not end in `{` before braces.
fn template() -> impl Strategy<Value = Template> {
    let expression = (variable(), proptest::option::of(any::<String>()))
        .prop_map(|(variable, default)| Segment::Expression(Expression { variable, default, cast: None }));
    let braces = prop_oneof![any::<String>().prop_map(Segment::Quoted), expression];
    let text = "[^{]{0,8}";
    (proptest::collection::vec((text, braces), 0..4), text).prop_map(|(pairs, last)| {
        let text = |text: String| (!text.is_empty()).then_some(Segment::Text(text));
        let mut segments: Vec<Segment> =
            pairs.into_iter().flat_map(|(before, braces)| [text(before), Some(braces)]).flatten().collect();
        segments.extend(text(last));
        Template { segments }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn c10_a_template_written_down_is_read_as_the_same(template in template()) {
        prop_assert_eq!(Template::parse(&template.to_string()), Ok(template));
    }

    #[test]
    fn c10_no_text_makes_the_parser_panic_and_what_it_takes_it_writes_alike(source in "[{}|\". a-z\\\\]{0,30}|(\\{\\{|\\}\\}|\"|\\.Class\\.Name|ü| ){0,8}") {
        if let Ok(template) = Template::parse(&source) {
            prop_assert_eq!(Template::parse(&template.to_string()), Ok(template));
        }
    }

    #[test]
    fn c10_text_without_opening_braces_is_its_own_result(text in any::<String>()) {
        prop_assume!(!text.contains(OPEN));
        prop_assert_eq!(evaluated_with(&text, &BTreeMap::new()), Value::String(text));
    }

    #[test]
    fn c11_a_value_comes_out_as_it_is_and_is_never_read_again(
        value in prop_oneof![any::<String>(), "[{}\"\n$:-]{0,12}", Just("{{ .Namespace.Name }}".to_owned())],
        before in "[^{]{0,5}",
        after in "[^{]{0,5}",
    ) {
        let values = BTreeMap::from([("k".to_owned(), value.clone())]);
        let source = format!("{before}{{{{ .Namespace.Labels.k }}}}{after}");
        prop_assert_eq!(evaluated_with(&source, &values), Value::String(format!("{before}{value}{after}")));
    }
}

fn evaluated_with(source: &str, labels: &BTreeMap<String, String>) -> Value {
    let lookup = |variable: &Variable| variable.key().and_then(|key| labels.get(key)).map(String::as_str);
    Template::parse(source).unwrap().evaluate(100_000, lookup).unwrap()
}
