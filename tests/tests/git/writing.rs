//! Changes become commits.

use std::time::Duration;

use anyhow::{Result, ensure};
use nsclass_controller::livegit::change::{Message, Prune, Remote};
use nsclass_shared::livegit::message::MessageTemplate;
use nsclass_tests::git_server::{Https, Origin};
use nsclass_tests::{eventually, holds_for};
use serde_json::json;

use crate::stage::{FILES, KUSTOMIZATION, Live, SETTINGS, Stage, Wanted, https, id, local};

#[tokio::test]
async fn f51_changes_within_a_window_are_one_commit_that_touches_nothing_else() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let server = Https::start(&origin).await?;
    let live = Live::with(&[("one", "info"), ("two", "info")]);
    let wanted = Wanted { window: Duration::from_secs(2), ..Wanted::default() };
    let stage = Stage::start(https(&server)?, &live, wanted).await?;
    stage
        .report("the folder is valid and says what is live", |report| report.synced.reason.as_str() == "Pushed")
        .await?;
    ensure!(origin.log()?.len() == 1, "what is equal makes no commit: {:?}", origin.log()?);

    stage.set("one", "debug").await?;
    stage.set("two", "warn").await?;
    stage.arrived(&origin).await?;
    let files = origin.files()?;
    let expected = SETTINGS.replace("level: info # or", "level: debug # or").replace("'info'", "'warn'");
    ensure!(files["apps/settings.yaml"] == expected, "{}", files["apps/settings.yaml"]);
    ensure!(files["apps/kustomization.yaml"] == KUSTOMIZATION && files.len() == 3, "{:?}", files.keys());
    let log = origin.log()?;
    ensure!(log.len() == 2 && log[0].subject == "2 changes to team-a/prod by the operator", "{log:?}");
    ensure!(log[0].author == "Namespace Class <nsclass@localhost>" && log[0].committer == "Namespace Class", "{log:?}");
    ensure!(origin.git(["fsck", "--strict"])?.is_empty(), "the objects are whole");

    let report = stage.report("the commit is reported", |report| report.last_push.is_some()).await?;
    ensure!(report.last_push.as_ref().map(|(id, _)| id) == Some(&log[0].id), "{report:?}");
    ensure!(report.revision == Some(log[0].id.clone()) && report.documents == 2 && report.pending == 0, "{report:?}");
    stage.stop().await
}

#[tokio::test]
async fn f30_what_was_written_already_makes_no_commit_and_nothing_is_fetched_twice() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let server = Https::start(&origin).await?;
    let live = Live::with(&[("one", "info"), ("two", "info")]);
    let directory = tempfile::tempdir()?;
    let wanted = || Wanted {
        directory: Some(directory.path().to_owned()),
        poll: Duration::from_secs(3600),
        ..Wanted::default()
    };
    let stage = Stage::start(https(&server)?, &live, wanted()).await?;
    stage.report("pushed", |report| report.synced.reason.as_str() == "Pushed").await?;
    stage.stop().await?;
    let (fetched, asked) = (server.fetches(), server.requests());

    // At rest, a restart: the copy is kept, so that one question is enough.
    let stage = Stage::start(https(&server)?, &live, wanted()).await?;
    stage.report("pushed", |report| report.synced.reason.as_str() == "Pushed").await?;
    stage.set("one", "info").await?;
    holds_for(Duration::from_secs(1), "nothing is written", async || {
        ensure!(origin.log()?.len() == 1, "{:?}", origin.log()?);
        Ok(())
    })
    .await?;
    ensure!(server.pushes() == 0 && stage.heard.reports() <= 3, "{} {}", server.pushes(), stage.heard.reports());
    // `git ls-remote` is a refused request, an advertisement, and with protocol 2 one listing, which counts as a fetch.
    ensure!(server.fetches() - fetched <= 1 && server.requests() - asked <= 3, "{}", server.requests() - asked);
    stage.stop().await
}

#[tokio::test]
async fn f35_new_objects_get_files_and_deleted_ones_lose_theirs_as_the_target_says() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let live = Live::with(&[("one", "info"), ("two", "info")]);
    let stage = Stage::start(local(&origin)?, &live, Wanted::default()).await?;
    stage.set("three", "new").await?;
    stage.arrived(&origin).await?;
    let path = "apps/team-a/core/configmaps/three.yaml";
    ensure!(origin.files()?.contains_key(path), "{:?}", origin.files()?.keys());
    ensure!(origin.log()?[0].subject == "[CREATE] v1/configmaps team-a/three", "{:?}", origin.log()?);

    stage.delete("two").await?;
    eventually("the second document is gone", async || {
        let text = origin.files()?["apps/settings.yaml"].clone();
        ensure!(!text.contains("two"), "{text}");
        Ok(())
    })
    .await?;
    ensure!(origin.log()?[0].subject == "[DELETE] v1/configmaps team-a/two", "{:?}", origin.log()?);
    stage.delete("three").await?;
    eventually("the file is gone", async || {
        ensure!(!origin.files()?.contains_key(path));
        Ok(())
    })
    .await?;
    stage.stop().await
}

#[tokio::test]
async fn f50_orphans_are_swept_by_a_complete_set_only_under_prune_always() -> Result<()> {
    for prune in [Prune::OnEvent, Prune::Always] {
        let origin = Origin::with(FILES)?;
        let live = Live::with(&[("one", "debug")]);
        let stage = Stage::start(local(&origin)?, &live, Wanted { prune, ..Wanted::default() }).await?;
        stage.arrived(&origin).await?;
        let text = origin.files()?["apps/settings.yaml"].clone();
        ensure!(text.contains("name: two") == (prune == Prune::OnEvent), "{prune:?}: {text}");
        stage.stop().await?;
    }
    let origin = Origin::with(FILES)?;
    let live = Live::with(&[("one", "info"), ("two", "info")]);
    let stage = Stage::start(local(&origin)?, &live, Wanted { prune: Prune::Never, ..Wanted::default() }).await?;
    stage.delete("two").await?;
    stage.set("one", "debug").await?;
    stage.arrived(&origin).await?;
    ensure!(origin.files()?["apps/settings.yaml"].contains("name: two"));
    stage.stop().await
}

#[tokio::test]
async fn f39_a_secret_is_never_written_and_is_counted_and_the_rest_goes_on() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let live = Live::with(&[("one", "info")]);
    let stage = Stage::start(local(&origin)?, &live, Wanted::default()).await?;
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "pass", "namespace": "team-a" },
        "data": { "password": "c2VzYW1lLW9wZW4=" },
    });
    let scratch = Live::with(&[]);
    stage.worker.send(Message::Change(scratch.put(id("secrets", "pass"), secret))).await?;
    stage.set("one", "debug").await?;
    stage.arrived(&origin).await?;
    let report = stage.report("the Secret is counted", |report| report.refused.secrets == 1).await?;
    ensure!(report.refused.count == 1 && report.refused.first[0].object == "secrets team-a/pass", "{report:?}");
    ensure!(report.synced.reason.as_str() == "ObjectsRefused", "{report:?}");
    ensure!(report.synced.message.starts_with("1 object is not written. secrets team-a/pass: "), "{report:?}");
    ensure!(!format!("{:?}{}", origin.files()?, stage.heard.everything()).contains("c2VzYW1l"));
    stage.stop().await
}

#[tokio::test]
async fn f59_a_template_of_the_provider_makes_the_messages() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let template = MessageTemplate::parse("live({target}): {operation} {object} by {author}");
    let template = template.map_err(|fault| anyhow::anyhow!("{fault}"))?;
    let remote = Remote { message: Some(template), ..local(&origin)? };
    let live = Live::with(&[("one", "info"), ("two", "info")]);
    let stage = Stage::start(remote, &live, Wanted::default()).await?;
    stage.set("one", "debug").await?;
    stage.arrived(&origin).await?;
    let subject = &origin.log()?[0].subject;
    ensure!(subject == "live(team-a/prod): UPDATE v1/configmaps team-a/one by the operator", "{subject}");
    stage.stop().await
}

#[tokio::test]
async fn f51_what_waits_at_shutdown_is_pushed_before_the_end() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let live = Live::with(&[("one", "info"), ("two", "info")]);
    let wanted = Wanted { window: Duration::from_secs(600), ..Wanted::default() };
    let stage = Stage::start(local(&origin)?, &live, wanted).await?;
    stage.report("pushed", |report| report.synced.reason.as_str() == "Pushed").await?;
    stage.set("one", "debug").await?;
    // Taken: a target that is told again is answered after what came before it.
    eventually("the queue is empty", async || {
        ensure!(stage.worker.is_idle(), "messages wait");
        Ok(())
    })
    .await?;
    ensure!(origin.log()?.len() == 1, "the window is open");
    stage.stop().await?;
    ensure!(origin.log()?.len() == 2 && origin.files()?["apps/settings.yaml"].contains("level: debug"));
    Ok(())
}

#[tokio::test]
async fn f51_more_than_is_kept_is_written_from_a_complete_set() -> Result<()> {
    let broken = SETTINGS.replace("data:\n  level", "data: [\n  level");
    let files = [FILES[0], ("apps/settings.yaml", &*broken)];
    let origin = Origin::with(&files)?;
    let live = Live::with(&[("one", "info")]);
    let wanted = Wanted { pending_bytes: 10_000, ..Wanted::default() };
    let stage = Stage::start(local(&origin)?, &live, wanted).await?;
    stage.report("the folder is not valid", |report| report.repository_valid.status == Some(false)).await?;
    for number in 0..100 {
        stage.set(&format!("n{number}"), "some").await?;
    }
    let ann = origin.person("ann")?;
    ann.write("apps/settings.yaml", SETTINGS)?;
    ann.push("Mend it")?;
    stage.arrived(&origin).await?;
    ensure!(stage.heard.resyncs().contains(&"more was changed than could be kept"), "{:?}", stage.heard.resyncs());
    stage
        .report("everything is there", |report| report.synced.reason.as_str() == "Pushed" && report.documents == 102)
        .await?;
    stage.stop().await
}

#[tokio::test]
async fn f51_more_than_is_kept_while_the_server_refuses_is_written_when_it_takes_it_again() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let server = Https::start(&origin).await?;
    let live = Live::with(&[("one", "info"), ("two", "info")]);
    let wanted = Wanted { pending_bytes: 10_000, poll: Duration::from_secs(3600), ..Wanted::default() };
    let stage = Stage::start(https(&server)?, &live, wanted).await?;
    stage.report("pushed", |report| report.synced.reason.as_str() == "Pushed").await?;
    origin.refuse_pushes(Some("only on weekdays"))?;
    stage.set("one", "debug").await?;
    stage.report("it is told", |report| report.synced.reason.as_str() == "PushRefused").await?;
    for number in 0..100 {
        stage.set(&format!("n{number}"), "some").await?;
    }
    eventually("a complete set is asked for", async || {
        ensure!(stage.heard.resyncs().contains(&"more was changed than could be kept"), "{:?}", stage.heard.last());
        Ok(())
    })
    .await?;
    origin.refuse_pushes(None)?;
    stage.arrived(&origin).await?;
    stage
        .report("everything is there", |report| report.synced.reason.as_str() == "Pushed" && report.documents == 102)
        .await?;
    stage.stop().await
}
