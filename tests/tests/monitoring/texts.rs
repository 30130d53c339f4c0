//! What an alert says, and that it leads somewhere.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result, ensure};
use nsclass_controller::certs::CertsError;
use nsclass_shared::reason::Reason;
use nsclass_webhook::failure::Failure;

use crate::rules::{alerts, name};

/// The anchors of the headings of a Markdown file, as GitHub and GitLab make them.
fn anchors(path: &str) -> Result<BTreeSet<String>> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let text = fs::read_to_string(format!("{root}/{path}")).with_context(|| path.to_owned())?;
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let text = heading.trim_start_matches('#').trim().to_lowercase();
        text.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c)).collect::<String>().replace(' ', "-")
    };
    Ok(headings.map(anchor).collect())
}

#[test]
fn every_alert_says_what_is_wrong_how_bad_it_is_and_what_to_do_and_its_section_is_there() -> Result<()> {
    let mut names = BTreeSet::new();
    for alert in alerts()? {
        let name = name(&alert);
        ensure!(names.insert(name.to_owned()), "{name} is there twice");
        let severity = alert["labels"]["severity"].as_str().unwrap_or_default();
        ensure!(["critical", "warning"].contains(&severity), "{name}: severity {severity:?}");
        let annotation = |key: &str| alert["annotations"][key].as_str().with_context(|| format!("{name}: no {key}"));
        for key in ["summary", "description", "runbook"] {
            ensure!(annotation(key)?.ends_with('.'), "{name}: {key} is no sentence");
        }
        let (path, anchor) =
            annotation("runbook_section")?.split_once('#').with_context(|| format!("{name}: no anchor"))?;
        ensure!(anchors(path)?.contains(anchor), "{name}: {path} has no section {anchor}");
        // Another alert that is named is there.
        let runbook = annotation("runbook")?;
        let others = runbook.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.starts_with("Nsclass"));
        for word in others {
            ensure!(alerts()?.iter().any(|alert| self::name(alert) == word), "{name} leads to {word}");
        }
    }
    Ok(())
}

/// The words of an alert's matcher for a label.
fn matched(alert: &str, label: &str) -> Result<BTreeSet<String>> {
    let all = alerts()?;
    let found = all.iter().find(|one| name(one) == alert).with_context(|| format!("no {alert}"))?;
    let expression = found["expr"].as_str().context("no expr")?;
    let words = expression.split_once(label).and_then(|(_, rest)| rest.split('"').nth(1));
    Ok(words.with_context(|| format!("{alert}: no matcher for {label}"))?.split('|').map(str::to_owned).collect())
}

#[test]
fn the_errors_that_raise_an_alert_are_those_that_are_our_own() -> Result<()> {
    let expected: BTreeSet<String> = Failure::OURS.map(str::to_owned).into();
    ensure!(matched("NsclassWebhookErrors", "category=~")? == expected, "they are {expected:?}");
    Ok(())
}

#[test]
fn the_reasons_that_raise_no_alert_are_reasons() -> Result<()> {
    for word in matched("NsclassNamespacesFailing", "reason!~")? {
        let is_one = Reason::ALL.iter().any(|reason| reason.as_str() == word);
        ensure!(is_one || word == "unknown", "{word} is no reason");
    }
    Ok(())
}

#[test]
fn the_runbook_of_certificates_has_every_category_of_failure() -> Result<()> {
    let all = alerts()?;
    let alert = all.iter().find(|one| name(one) == "NsclassCertificatesNotInOrder").context("no alert")?;
    let runbook = alert["annotations"]["runbook"].as_str().context("no runbook")?;
    for category in CertsError::CATEGORIES {
        ensure!(runbook.contains(&format!("{category}: ")), "{category} is not explained");
    }
    Ok(())
}
