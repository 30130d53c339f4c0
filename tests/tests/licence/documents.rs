//! Documents that do not count: the gate stays shut, says why in words, and goes on.

use anyhow::{Context, Result, ensure};
use jiff::{SignedDuration, Timestamp};
use nsclass_shared::licence::{SigningKey, Terms, sign};
use nsclass_tests::eventually;

use crate::running::Running;
use crate::stage::Stage;

/// Waits until the licence is Absent for this reason, and as many documents of that category are counted.
async fn refused(operator: &Running, category: &str, words: &str) -> Result<()> {
    eventually(format!("it is refused as {category}"), async || {
        operator.ensure_running()?;
        let shown = operator.shown().await?;
        let message = shown["shown"]["message"].as_str().context("no message")?.to_owned();
        ensure!(shown["shown"]["state"] == "Absent" && message.contains(words), "{shown}");
        let now = operator.metric(&format!("nsclass_licence_documents_refused{{reason=\"{category}\"}}")).await?;
        let ever = operator.metric(&format!("nsclass_licence_refusals_total{{reason=\"{category}\"}}")).await?;
        ensure!(now > 0.5 && ever > 0.5, "{now} now, {ever} ever");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn s62_a_document_that_does_not_count_is_told_in_words_and_never_opens_the_gate() -> Result<()> {
    let stage = Stage::open("s62").await?;
    let operator = stage.run("Hybrid").await?;
    let first_start = stage.record().await?.first_start.context("no first start")?;
    stage.until_after(first_start).await?;
    stage.team("late").await?;
    stage.waits("late").await?;

    let (now, hour) = (Timestamp::now(), SignedDuration::from_hours(1));
    let terms = Terms { holder: "Stranger".into(), not_before: now - hour, expiry: now + hour, namespaces: None };
    let good = stage.good(None)?;
    stage.put("l", Some(&sign(&terms, &SigningKey::generate()?)?)).await?;
    refused(&operator, "wrong_key", "ask its issuer, or add the key").await?;
    let (head, signature) = good.rsplit_once('.').context("no signature")?;
    let turned: String = signature.chars().rev().collect();
    stage.put("l", Some(&format!("{head}.{turned}"))).await?;
    refused(&operator, "bad_signature", "it was changed since it was issued").await?;
    stage.put("l", Some(&"x".repeat(500_000))).await?;
    refused(&operator, "oversized", "500000 bytes are too many").await?;
    stage.put("l", Some("no licence")).await?;
    refused(&operator, "malformed", "paste the whole line").await?;
    stage.put("l", None).await?;
    refused(&operator, "empty", "nothing is in it").await?;
    let soon = stage.issue(now + hour, now + hour * 2, None)?;
    stage.put("l", Some(&soon)).await?;
    eventually("one that is not valid yet says from when on", async || {
        let shown = operator.shown().await?;
        let message = shown["shown"]["message"].as_str().context("no message")?.to_owned();
        ensure!(message.contains(&format!("is not valid before {}", now + hour)), "{message}");
        Ok(())
    })
    .await?;
    stage.has_nothing("late").await?;
    // It becomes valid at its moment.
    operator.clock.advance(SignedDuration::from_mins(61));
    operator.until_it_is("Valid").await?;
    stage.ready("late", "std").await?;

    // The same one twice counts once, and the second is told.
    stage.put("l", Some(&good)).await?;
    stage.put("m", Some(&good)).await?;
    eventually("the second of two is told", async || {
        let doubled = operator.metric("nsclass_licence_documents_refused{reason=\"doubled\"}").await?;
        ensure!((doubled - 1.0).abs() < 0.5, "{doubled}");
        Ok(())
    })
    .await?;
    operator.until_it_is("Valid").await?;
    // In another namespace it is nobody's.
    stage.withdraw("l").await?;
    stage.withdraw("m").await?;
    operator.until_it_is("Absent").await?;
    operator.stop().await
}
