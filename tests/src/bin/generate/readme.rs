//! Sections of `deploy/README.md` that are written elsewhere: what stands between their two marks. Everything else there is somebody's
//! own.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use nsclass_manifests::verdict::{self, Severity};
use nsclass_shared::livegit::{failure::Failure, fault};
use nsclass_shared::reason::{GitRemark, Reason, Remark};
use nsclass_tests::helm::chart_file;
use serde_json::Value;

use crate::tree::GeneratedFile;

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/README.md");
/// Longest line of a paragraph.
const WIDTH: usize = 140;

/// The file with its generated sections as they must be.
pub(crate) fn file() -> Result<GeneratedFile> {
    let text = fs::read_to_string(README).with_context(|| format!("{README} cannot be read"))?;
    let text = with_section(&text, "alerts", &alerts()?)?;
    let text = with_section(&text, "reasons", &reasons())?;
    let name = Path::new(README).file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(GeneratedFile { name, text })
}

/// Replaces what stands between the marks of a section.
fn with_section(text: &str, name: &str, section: &str) -> Result<String> {
    let (begin, end) = (format!("<!-- {name}: written by `cargo generate` -->\n"), format!("<!-- end of {name} -->"));
    let missing = || format!("{README} has no line {:?} with a line {end:?} behind it", begin.trim());
    let (before, rest) = text.split_once(&begin).with_context(missing)?;
    let (_, after) = rest.split_once(&end).with_context(missing)?;
    Ok(format!("{before}{begin}\n{section}\n{end}{after}"))
}

/// A section for each alert, so that each can be linked to.
fn alerts() -> Result<String> {
    let path = chart_file("files/alerts.yaml");
    let file = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let file: Value = serde_saphyr::from_str(&file).with_context(|| path.display().to_string())?;
    let mut sections = Vec::new();
    for rule in file["groups"].as_array().into_iter().flatten().filter_map(|group| group["rules"].as_array()).flatten()
    {
        let name = rule["alert"].as_str().context("a rule without a name")?;
        let text = |value: &Value, key: &str| {
            let text = value[key].as_str().map(str::to_owned);
            text.with_context(|| format!("{}: {name} has no {key}", path.display()))
        };
        let (severity, summary) = (text(&rule["labels"], "severity")?, text(&rule["annotations"], "summary")?);
        let after = rule["for"].as_str().map_or("at once".to_owned(), |time| format!("after {time}"));
        let runbook = wrapped(&text(&rule["annotations"], "runbook")?);
        sections.push(format!("### {name}\n\n{summary} *{severity}, {after}*\n\n{runbook}\n"));
    }
    Ok(sections.join("\n"))
}

/// Three tables: the reasons of a binding's `Ready`, those of all other conditions of classes and bindings, and those of the Git kinds.
fn reasons() -> String {
    let ready =
        Reason::ALL.map(|reason| format!("| {reason} | {} | {} |", reason.meaning(), sentence(reason.remedy())));
    let others = Remark::ALL.map(|remark| row(remark.conditions(), remark.as_str(), remark.meaning(), remark.remedy()));
    format!(
        "Why a namespace is not as its class wants it: the condition `Ready` of its binding (`kubectl get nscb`).\n\n\
         | reason | what it means | what to do |\n| --- | --- | --- |\n{}\n\n\
         All other conditions, of classes (`kubectl get nsc`) and bindings.\n\n\
         | condition | reason | what it means | what to do |\n| --- | --- | --- | --- |\n{}\n\n\
         Conditions of the Git kinds: `GitProvider` (provider), `GitTarget` (target), `WatchRule` and `ClusterWatchRule` (rule). The one of\n\
         `Reconciling` and `Stalled` that is True has the reason of `Ready`.\n\n\
         | condition | reason | what it means | what to do |\n| --- | --- | --- | --- |\n{}\n",
        ready.join("\n"),
        others.join("\n"),
        git_reasons().join("\n")
    )
}

/// How it goes, what is wrong with a specification, why git failed, what refuses a folder.
fn git_reasons() -> Vec<String> {
    let remarks = GitRemark::ALL.map(|word| row(word.conditions(), word.as_str(), word.meaning(), word.remedy()));
    let faults = fault::Reason::ALL.map(|word| row(word.conditions(), word.as_str(), word.meaning(), word.remedy()));
    let failures = Failure::ALL.map(|word| row(word.conditions(), word.as_str(), word.meaning(), word.remedy()));
    let refusals = verdict::Reason::ALL.iter().filter(|word| word.severity() == Severity::Refusal);
    let refusals =
        refusals.map(|word| row("target: RepositoryValid, Ready", word.as_str(), word.meaning(), word.remedy()));
    remarks.into_iter().chain(faults).chain(failures).chain(refusals).collect()
}

/// A row of a table.
fn row(conditions: &str, reason: &str, meaning: &str, remedy: &str) -> String {
    format!("| {conditions} | {reason} | {meaning} | {} |", sentence(remedy))
}

/// A phrase as a sentence.
fn sentence(phrase: &str) -> String {
    let mut letters = phrase.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// A paragraph in lines.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last().map_or(0, String::len);
        if line > 0 && line + 1 + word.len() > WIDTH {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_marks_is_replaced() {
        let text = "mine\n<!-- a: written by `cargo generate` -->\nold\n<!-- end of a -->\nmine too\n";
        let new = with_section(text, "a", "new").unwrap();
        assert_eq!(new, "mine\n<!-- a: written by `cargo generate` -->\n\nnew\n<!-- end of a -->\nmine too\n");
        assert_eq!(with_section(&new, "a", "new").unwrap(), new);
        assert!(with_section(text, "b", "new").is_err());
    }

    #[test]
    fn a_paragraph_is_broken_between_words() {
        let text = "word ".repeat(60);
        let lines = wrapped(&text);
        assert!(lines.lines().all(|line| line.len() <= WIDTH && !line.ends_with(' ')), "{lines}");
        assert_eq!(lines.split_whitespace().count(), 60);
    }
}
