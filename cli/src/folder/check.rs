use std::process::ExitCode;

use anyhow::Result;
use nsclass_manifests::folder::Folder;
use nsclass_manifests::verdict::{Finding, Severity, Validity};
use serde_json::{Value, json};

use super::{exit, load, supply};
use crate::args::{Format, Target};
use crate::output::{Output, Style};

/// The verdict, every finding, and who supplies which namespace.
pub(super) fn run(target: &Target, out: &mut Output) -> Result<ExitCode> {
    let folder = load::load(target)?.folder;
    if target.output == Format::Json {
        out.line(serde_json::to_string_pretty(&as_json(&folder))?)?;
    } else {
        text(&folder, out)?;
    }
    Ok(exit(folder.verdict().is_valid()))
}

/// The findings, one a line, and the verdict below them, where a terminal leaves the eye.
fn text(folder: &Folder, out: &mut Output) -> Result<()> {
    supply::print(folder, out)?;
    findings(folder.verdict().findings(), out)?;
    let (refusals, all) = (folder.verdict().refusals().len(), folder.verdict().findings().len());
    let documents = count(folder.documents().len(), "document");
    out.line(if folder.verdict().is_valid() {
        format!("{}: {documents}, {}", out.paint(Style::Good, "valid"), count(all, "remark"))
    } else {
        let refusals = format!("{refusals} of {} must be changed", count(all, "finding"));
        format!("{}: {documents}, {refusals}", out.paint(Style::Bad, "not valid"))
    })
}

/// Prints findings, refusals first.
pub(super) fn findings(findings: &[Finding], out: &mut Output) -> Result<()> {
    for finding in findings {
        let label = match finding.reason.severity() {
            Severity::Refusal => out.paint(Style::Bad, "error"),
            Severity::Warning => out.paint(Style::Warning, "warning"),
            Severity::Note => out.paint(Style::Quiet, "note"),
        };
        let reason = out.paint(Style::Quiet, &format!("({})", finding.reason));
        out.line(format!("{label}: {finding} {reason}"))?;
    }
    Ok(())
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

fn as_json(folder: &Folder) -> Value {
    let (valid, reason) = match folder.verdict().validity() {
        Validity::True => ("True", None),
        Validity::False(reason) => ("False", Some(reason.as_str())),
        Validity::Unknown => ("Unknown", None),
    };
    let findings = folder.verdict().findings().iter().map(|finding| {
        json!({
            "severity": format!("{:?}", finding.reason.severity()),
            "reason": finding.reason.as_str(),
            "path": finding.path.as_str(),
            "document": finding.document,
            "what": finding.what,
            "remedy": finding.remedy,
        })
    });
    json!({
        "repositoryValid": valid,
        "reason": reason,
        "message": folder.verdict().message(),
        "documents": folder.documents().len(),
        "findings": findings.collect::<Vec<_>>(),
    })
}
