//! Comparing a live answer with the recorded one, or recording it.

use std::{collections::BTreeSet, fs};

use anyhow::{Context, Result, bail, ensure};
use kube::core::Status;

use crate::row::{Row, RowAsked};

/// Every case that a test here provokes; a file without one, unless synthetic, is a leftover.
const PROVOKED: &[&str] = &[
    "aggregated-api-away",
    "bad-label",
    "bad-name",
    "bad-quantity",
    "bad-token",
    "bind-missing-namesake",
    "bind-missing-role",
    "bind-not-held",
    "body-in-another-namespace",
    "body-names-another",
    "body-of-another-kind",
    "body-too-large",
    "cluster-ip-taken",
    "conflict-in-list",
    "conflict-one-field",
    "conflict-other-uid",
    "conflict-two-managers",
    "create-exists",
    "create-exists-conflict",
    "create-exists-forced",
    "create-unknown-group",
    "custom-missing-required",
    "custom-out-of-range",
    "custom-rule",
    "custom-unknown-field",
    "custom-wrong-type",
    "delete-in-missing-namespace",
    "delete-kind-removed",
    "delete-missing",
    "delete-other-uid",
    "duplicate-key",
    "grant-not-held",
    "immutable-and-invalid",
    "immutable-claim-class",
    "immutable-claim-size",
    "immutable-cluster-ip",
    "immutable-config-map",
    "immutable-custom",
    "immutable-job-template",
    "immutable-pod",
    "immutable-role-ref",
    "immutable-secret-type",
    "immutable-selector",
    "immutable-stateful-set",
    "kind-removed",
    "kind-terminating",
    "limit-range",
    "may-not-apply",
    "may-not-apply-cluster-scoped",
    "may-not-delete",
    "may-not-read",
    "may-patch-not-create",
    "missing-required",
    "missing-service-account",
    "mutating-policy",
    "namespace-missing",
    "namespace-missing-namesake",
    "namespace-terminating",
    "no-such-verb",
    "pod-security",
    "policy-forbidden",
    "policy-invalid",
    "policy-requestentitytoolarge",
    "policy-without-parameters",
    "quota-exceeded",
    "quota-needs-limits",
    "read-in-missing-namespace",
    "read-missing",
    "read-missing-cluster-scoped",
    "read-missing-custom",
    "record-absent",
    "record-exists",
    "record-other-uid",
    "record-stale",
    "several-schema-errors",
    "too-long",
    "unknown-field",
    "unknown-group",
    "unknown-kind-of-core",
    "unknown-version",
    "update-absent",
    "update-other-uid",
    "update-other-uid-custom",
    "update-other-uid-immutable",
    "webhook-conflict",
    "webhook-message",
    "webhook-mutating",
    "webhook-not-found",
    "webhook-silent",
    "webhook-unavailable",
    "webhook-unreachable",
    "wrong-type",
];

/// The answer to `asked` must mean what the recorded one does.
pub(crate) fn check(case: &str, asked: RowAsked, status: &Status) -> Result<()> {
    ensure!(PROVOKED.contains(&case), "{case:?} is not in the list of cases");
    let live = Row { synthetic: None, asked, status: stable(status)? };
    if std::env::var_os("RECORD_ANSWERS").is_some() {
        fs::write(Row::path(case), serde_json::to_string_pretty(&live)? + "\n")?;
        return Ok(());
    }
    let recorded = Row::read(case)?;
    ensure!(recorded.asked == live.asked, "{case} asks for something else than the recorded case: {:?}", live.asked);
    let (was, is) = (recorded.answer(), live.answer());
    if was != is {
        bail!(
            "{case} means something else now\n  recorded: {was:?}\n  live:     {is:?}\n  its status: {}",
            serde_json::to_string_pretty(&live.status)?
        );
    }
    Ok(())
}

/// The status without what differs from run to run: UIDs, times, and the order of what the server keeps in maps.
fn stable(status: &Status) -> Result<Status> {
    let text = serde_json::to_string(status)?;
    let text = masked(&text, "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh", "00000000-0000-0000-0000-000000000000");
    let text = masked(&text, "dddd-dd-ddTdd:dd:ddZ", "2026-01-01T00:00:00Z");
    let mut status: Status = serde_json::from_str(&text).context("the masks put something in that is no JSON")?;
    if let Some(details) = &mut status.details {
        details.causes.sort_by(|a, b| (&a.field, &a.message).cmp(&(&b.field, &b.message)));
    }
    if let Some((head, errors)) = status.message.split_once("errors:\n") {
        let mut errors: Vec<&str> = errors.lines().collect();
        errors.sort_unstable();
        status.message = format!("{head}errors:\n{}", errors.join("\n"));
    }
    Ok(status)
}

/// Replaces each stretch of `text` that has the shape: `h` is a hexadecimal digit, `d` a decimal one, the rest itself.
fn masked(text: &str, shape: &str, with: &str) -> String {
    let fits = |rest: &str| {
        let mut found = rest.chars();
        shape.chars().all(|wanted| {
            found.next().is_some_and(|c| match wanted {
                'h' => c.is_ascii_hexdigit(),
                'd' => c.is_ascii_digit(),
                _ => c == wanted,
            })
        })
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if fits(rest) {
            out.push_str(with);
            rest = &rest[shape.len()..];
        } else {
            out.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    out
}

#[test]
fn c37_every_recorded_answer_is_provoked_by_a_test() -> Result<()> {
    let mut files = BTreeSet::new();
    for case in Row::cases()? {
        if Row::read(&case)?.synthetic.is_none() {
            files.insert(case);
        }
    }
    let provoked: BTreeSet<String> = PROVOKED.iter().map(|case| (*case).to_owned()).collect();
    ensure!(files == provoked, "files without a test or tests without a file: {:?}", &files ^ &provoked);
    Ok(())
}
