//! What an expression of Prometheus asks for: the names of its metrics and of their labels. It reads names and brackets, no grammar: whether an
//! expression is one at all, Prometheus says.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};

/// Words of the language that are followed by a list of labels.
const BEFORE_LABELS: [&str; 6] = ["by", "without", "on", "ignoring", "group_left", "group_right"];
/// Words that stand between operands.
const OPERATORS: [&str; 6] = ["and", "or", "unless", "bool", "offset", "atan2"];

/// Metrics, each with the labels that are asked of it, in the order of the expression.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Expression {
    selectors: Vec<(String, BTreeSet<String>)>,
}

impl Expression {
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut expression = Self::default();
        let tokens = tokens(text)?;
        let mut rest = &tokens[..];
        while let [token, after @ ..] = rest {
            rest = after;
            let Token::Name(name) = token else { continue };
            if BEFORE_LABELS.contains(&name.as_str()) {
                if let Some(Token::Mark('(')) = rest.first() {
                    rest = &rest[1 + end(rest, '(', ')').with_context(|| text.to_owned())?..];
                }
            } else if OPERATORS.contains(&name.as_str()) || is_called(rest) {
                // Not what is asked for.
            } else if let Some(Token::Mark('{')) = rest.first() {
                let length = end(rest, '{', '}').with_context(|| text.to_owned())?;
                let labels = rest[..length].iter().filter_map(|token| match token {
                    Token::Name(label) => Some(label.clone()),
                    Token::Mark(_) => None,
                });
                expression.selectors.push((name.clone(), labels.collect()));
                rest = &rest[length + 1..];
            } else {
                expression.selectors.push((name.clone(), BTreeSet::new()));
            }
        }
        Ok(expression)
    }

    /// The names of the metrics, each once.
    pub(crate) fn metrics(&self) -> BTreeSet<&str> {
        self.selectors.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Metrics with the labels that are asked of each.
    pub(crate) fn selectors(&self) -> &[(String, BTreeSet<String>)] {
        &self.selectors
    }
}

/// Whether what stands before `rest` is a function or an aggregation, whose labels may stand before what it sums up.
fn is_called(rest: &[Token]) -> bool {
    match rest.first() {
        Some(Token::Mark('(')) => true,
        Some(Token::Name(word)) => ["by", "without"].contains(&word.as_str()),
        _ => false,
    }
}

enum Token {
    Name(String),
    Mark(char),
}

/// Names and brackets; strings, numbers, durations and signs between them are left out.
fn tokens(text: &str) -> Result<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
        let length = match first {
            '"' | '\'' => 2 + string(&rest[1..], first).with_context(|| format!("a string without end in {text}"))?,
            // A number or a duration, such as 0.99, 1e3 or 15m.
            '0'..='9' => rest.find(|c: char| !(is_part(c) || c == '.')).unwrap_or(rest.len()),
            'a'..='z' | 'A'..='Z' | '_' | ':' => {
                let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
                tokens.push(Token::Name(rest[..length].to_owned()));
                length
            }
            '(' | ')' | '{' | '}' => {
                tokens.push(Token::Mark(first));
                1
            }
            '$' => bail!("{text}: a variable of a dashboard that nobody has filled in"),
            other => other.len_utf8(),
        };
        rest = &rest[length..];
    }
    Ok(tokens)
}

/// Bytes of a string up to its closing quote.
fn string(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let closes = c == quote && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        closes.then_some(at)
    })
}

/// Where the bracket closes that `tokens` begins with.
fn end(tokens: &[Token], open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    tokens.iter().position(|token| {
        match token {
            Token::Mark(mark) if *mark == open => depth += 1,
            Token::Mark(mark) if *mark == close => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })
}

#[test]
fn names_of_metrics_and_labels_are_told_from_everything_else() -> Result<()> {
    let text = "histogram_quantile(0.99, sum by (le, job) (rate(a_bucket{job=\"x\",why!~\"b{\\\"|c\"}[15m])))\n\
                or max without (pod) (b) - time() < 1e3 and on (namespace) c{} == bool 1 unless absent(d:e offset 5m)";
    let expression = Expression::parse(text)?;
    let names: Vec<&str> = expression.selectors().iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a_bucket", "b", "c", "d:e"]);
    assert_eq!(expression.selectors()[0].1.iter().map(String::as_str).collect::<Vec<_>>(), ["job", "why"]);
    assert!(Expression::parse("a{b=\"c").is_err() && Expression::parse("a{$x}").is_err());
    Ok(())
}
