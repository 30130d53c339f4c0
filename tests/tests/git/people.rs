//! People and other writers push to the same branch.

use std::time::Duration;

use anyhow::{Result, ensure};
use nsclass_tests::eventually;
use nsclass_tests::git_server::{Https, Origin};

use crate::stage::{FILES, Live, SETTINGS, Stage, Wanted, https, local};

/// The workers of these tests look at the branch only when they write.
fn never_polls() -> Wanted {
    Wanted { poll: Duration::from_secs(3600), ..Wanted::default() }
}

#[tokio::test]
async fn f57_a_persons_commit_is_taken_up_at_once_before_a_write_and_stays() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let server = Https::start(&origin).await?;
    let live = Live::with(&[("one", "info"), ("two", "info")]);
    let stage = Stage::start(https(&server)?, &live, never_polls()).await?;
    stage.report("pushed", |report| report.synced.reason.as_str() == "Pushed").await?;
    let ann = origin.person("ann")?;
    ann.write("apps/settings.yaml", &SETTINGS.replace("# Owned by team A.", "# Owned by teams A and B."))?;
    ann.write("docs/new.md", "hello\n")?;
    ann.push("Explain")?;
    stage.set("one", "debug").await?;
    stage.arrived(&origin).await?;
    let (files, log) = (origin.files()?, origin.log()?);
    ensure!(files["apps/settings.yaml"].starts_with("# Owned by teams A and B.\n"), "{}", files["apps/settings.yaml"]);
    ensure!(files.contains_key("docs/new.md") && log.len() == 3 && log[1].subject == "Explain", "{log:?}");
    ensure!(log[0].body.is_empty(), "a comment is no edit that is lost: {log:?}");
    stage.stop().await
}

#[tokio::test]
async fn f57_a_persons_commit_is_seen_by_itself() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let live = Live::with(&[("one", "info"), ("two", "info")]);
    let stage = Stage::start(local(&origin)?, &live, Wanted::default()).await?;
    stage.report("pushed", |report| report.synced.reason.as_str() == "Pushed").await?;
    let ann = origin.person("ann")?;
    ann.write("docs/new.md", "hello\n")?;
    ann.push("Explain")?;
    let tip = origin.tip()?;
    stage.report("the new tip is known", |report| report.revision.as_deref() == Some(&*tip)).await?;
    ensure!(origin.log()?.len() == 2, "nothing was written");
    stage.stop().await
}

#[tokio::test]
async fn f57_an_edit_that_the_live_object_replaces_is_named_in_the_commit_and_told() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let live = Live::with(&[("one", "info"), ("two", "info")]);
    let stage = Stage::start(local(&origin)?, &live, never_polls()).await?;
    stage.report("pushed", |report| report.synced.reason.as_str() == "Pushed").await?;
    let ann = origin.person("ann")?;
    ann.write("apps/settings.yaml", &SETTINGS.replace("level: info #", "level: trace #").replace("'info'", "'fatal'"))?;
    ann.push("Edit both")?;
    stage.set("one", "debug").await?;
    eventually("the live object decides", async || {
        let text = origin.files()?["apps/settings.yaml"].clone();
        ensure!(text.contains("level: debug # or debug"), "{text}");
        ensure!(text.contains("'fatal'"), "the other document is nobody's conflict: {text}");
        Ok(())
    })
    .await?;
    let log = origin.log()?;
    ensure!(
        log[0].body.contains("replaces") && log[0].body.contains("settings.yaml#1 v1/configmaps team-a/one"),
        "{log:?}"
    );
    ensure!(!log[0].body.contains("two"), "{log:?}");
    eventually("it is told", async || {
        let notices = stage.heard.notices();
        ensure!(notices.iter().any(|notice| notice.reason == "EditReplaced" && notice.warns), "{notices:?}");
        Ok(())
    })
    .await?;
    stage.stop().await
}

#[tokio::test]
async fn f51_ten_commits_of_a_person_while_a_thousand_objects_change_lose_nothing_on_either_side() -> Result<()> {
    let names: Vec<String> = (0..1_000).map(|number| format!("c{number}")).collect();
    let documents: Vec<String> = names
        .iter()
        .map(|name| format!("# About {name}.\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  level: info # {name}\n"))
        .collect();
    let files: Vec<(String, String)> = documents
        .chunks(20)
        .enumerate()
        .map(|(number, documents)| (format!("apps/f{number}.yaml"), documents.join("---\n")))
        .collect();
    let resources: Vec<String> = (0..files.len()).map(|number| format!("- f{number}.yaml\n")).collect();
    let kustomization = format!("namespace: team-a\nresources:\n{}", resources.concat());
    let all = files.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    let origin = Origin::with(&all.chain([("apps/kustomization.yaml", &*kustomization)]).collect::<Vec<_>>())?;
    let server = Https::start(&origin).await?;
    let objects: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "info")).collect();
    let live = Live::with(&objects);
    let stage =
        Stage::start(https(&server)?, &live, Wanted { window: Duration::from_millis(20), ..Wanted::default() }).await?;
    stage.report("pushed", |report| report.synced.reason.as_str() == "Pushed").await?;

    let ann = origin.person("ann")?;
    let pushes = tokio::task::spawn_blocking(move || {
        for number in 0..10 {
            ann.pull()?;
            let text = ann.read("apps/f0.yaml")?;
            let marked = text.replace(&format!("# About c{number}.\n"), &format!("# About c{number}, says Ann.\n"));
            ann.write("apps/f0.yaml", &marked)?;
            ann.write(&format!("docs/{number}.md"), "x\n")?;
            ann.push(&format!("Ann {number}"))?;
        }
        anyhow::Ok(())
    });
    for round in 0..3 {
        for name in &names {
            stage.set(name, &format!("r{round}")).await?;
        }
        tokio::task::yield_now().await;
    }
    pushes.await??;
    stage.arrived(&origin).await?;
    let (written, log) = (origin.files()?, origin.log()?);
    for number in 0..10 {
        let text = &written["apps/f0.yaml"];
        ensure!(text.contains(&format!("# About c{number}, says Ann.\n")), "{text}");
        ensure!(text.contains(&format!("level: r2 # c{number}\n")), "{text}");
        let times = log.iter().filter(|commit| commit.subject == format!("Ann {number}")).count();
        ensure!(times == 1, "commit {number} is there {times} times");
    }
    ensure!(written.len() == files.len() + 11, "{:?}", written.keys());
    ensure!(written["apps/kustomization.yaml"] == kustomization, "the kustomization has changed");
    let empty = origin.git(["log", "--format=%H %T", "main"])?;
    let trees: Vec<&str> = empty.lines().filter_map(|line| Some(line.split_once(' ')?.1)).collect();
    ensure!(trees.windows(2).all(|pair| pair[0] != pair[1]), "no commit is empty");
    stage.stop().await
}

#[tokio::test]
async fn f51_two_writers_of_one_branch_step_over_nobody() -> Result<()> {
    let other = [("b/kustomization.yaml", FILES[0].1), ("b/settings.yaml", SETTINGS)];
    let origin = Origin::with(&[FILES, &other].concat())?;
    let server = Https::start(&origin).await?;
    let objects = [("one", "info"), ("two", "info")];
    let (one, two) = (Live::with(&objects), Live::with(&objects));
    let quick = |path| Wanted { window: Duration::ZERO, path, ..Wanted::default() };
    let first = Stage::start(https(&server)?, &one, quick("apps")).await?;
    let second = Stage::start(https(&server)?, &two, quick("b")).await?;
    for round in 0..10 {
        first.set("one", &format!("a{round}")).await?;
        second.set("one", &format!("b{round}")).await?;
        second.set("two", &format!("b{round}")).await?;
    }
    eventually("both folders say what is live", async || {
        let files = origin.files()?;
        let (a, b) = (&files["apps/settings.yaml"], &files["b/settings.yaml"]);
        ensure!(a.contains("level: a9 # or debug") && a.contains("'info'"), "{a}");
        ensure!(b.contains("level: b9 # or debug") && b.contains("'b9'"), "{b}");
        Ok(())
    })
    .await?;
    let log = origin.log()?;
    ensure!(log.iter().all(|commit| commit.subject == "Begin" || commit.committer == "Namespace Class"), "{log:?}");
    first.stop().await?;
    second.stop().await
}

#[tokio::test]
async fn fault_a_rewritten_branch_is_compared_anew_and_what_was_taken_out_stays_out() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let server = Https::start(&origin).await?;
    let begin = origin.tip()?;
    let live = Live::with(&[("one", "info"), ("two", "info")]);
    let stage = Stage::start(https(&server)?, &live, never_polls()).await?;
    let ann = origin.person("ann")?;
    ann.write("docs/secret.md", "should never have been committed\n")?;
    ann.push("A mistake")?;
    stage.set("one", "debug").await?;
    stage.arrived(&origin).await?;
    // Both commits are taken out; only then does something else change.
    ann.rewrite(&begin)?;
    ensure!(origin.log()?.len() == 1);
    stage.set("two", "warn").await?;
    stage.arrived(&origin).await?;
    let log = origin.log()?;
    ensure!(!origin.files()?.contains_key("docs/secret.md"), "what was taken out came back");
    ensure!(log.iter().all(|commit| commit.subject != "A mistake"), "{log:?}");
    ensure!(
        stage.heard.notices().iter().any(|notice| notice.reason == "BranchRewritten"),
        "{:?}",
        stage.heard.notices()
    );
    stage.stop().await
}
