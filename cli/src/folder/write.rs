use std::process::ExitCode;

use anyhow::Result;
use nsclass_manifests::changeset;
use nsclass_manifests::plan::{Change, FileChange, Plan, Policy, Refusal, plan};
use similar::TextDiff;

use super::load::Loaded;
use super::{check, exit};
use crate::args::{Target, Write};
use crate::output::{Output, Style};

/// Plans the changes, shows them, and writes them unless this is a dry run. One refusal keeps everything from being
/// written: on a command line half of a change is a surprise.
pub(super) fn run(
    target: &Target,
    loaded: &Loaded,
    policy: Policy,
    changes: &[Change],
    write: &Write,
    out: &mut Output,
) -> Result<ExitCode> {
    if !loaded.folder.verdict().is_valid() {
        check::findings(loaded.folder.verdict().refusals(), out)?;
    }
    let plan = match plan(&loaded.folder, &loaded.kinds, &loaded.options, policy, changes) {
        Ok(plan) => plan,
        Err(refusal) => return refused(&[refusal], out),
    };
    if !plan.refused.is_empty() {
        let refusals: Vec<Refusal> = plan.refused.into_iter().map(|(_, refusal)| refusal).collect();
        return refused(&refusals, out);
    }
    for (_, kept) in &plan.kept {
        out.line(format!("{}: {kept}", out.paint(Style::Warning, "kept")))?;
    }
    check::findings(&plan.notes, out)?;
    if plan.is_empty() {
        out.line("nothing to write: the folder says what is live")?;
        return Ok(exit(true));
    }
    if write.dry_run {
        diff(&plan, out)?;
    } else {
        changeset::write(&target.directory, &plan)?;
        out.line(plan.to_string().trim_end())?;
    }
    Ok(exit(true))
}

fn refused(refusals: &[Refusal], out: &mut Output) -> Result<ExitCode> {
    for refusal in refusals {
        let category = out.paint(Style::Quiet, &format!("({})", refusal.category()));
        out.line(format!("{}: {refusal} {category}", out.paint(Style::Bad, "refused")))?;
    }
    Ok(exit(false))
}

/// The changes as `diff -u` shows them, so that `patch` and `git apply` take them.
fn diff(plan: &Plan, out: &mut Output) -> Result<()> {
    for (path, FileChange { before, after }) in &plan.files {
        let text = |bytes: &Option<std::sync::Arc<[u8]>>| {
            bytes.as_deref().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        };
        let name = |prefix: &str, text: &Option<String>| match text {
            Some(_) => format!("{prefix}/{path}"),
            None => "/dev/null".to_owned(),
        };
        let (before, after) = (text(before), text(after));
        let (old, new) = (name("a", &before), name("b", &after));
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        let lines =
            TextDiff::from_lines(&before, &after).unified_diff().context_radius(3).header(&old, &new).to_string();
        for line in lines.lines() {
            let painted = match line.as_bytes().first() {
                Some(b'+') => out.paint(Style::Good, line),
                Some(b'-') => out.paint(Style::Bad, line),
                Some(b'@') => out.paint(Style::Quiet, line),
                _ => line.to_owned(),
            };
            out.line(painted)?;
        }
    }
    Ok(())
}
