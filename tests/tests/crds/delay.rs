//! `optOutDelay`: the server and our own parser must agree, or the controller meets a class that it cannot read.

use anyhow::{Result, ensure};
use nsclass_shared::api::OptOutDelay;
use serde_json::json;

use super::{class, client, config_map, create_class, ensure_refused};

#[tokio::test]
async fn a_delay_that_cannot_be_meant_is_refused_with_how_to_write_one() -> Result<()> {
    let client = client().await?;
    for text in [
        "",
        "5",
        "s",
        "60",
        "1s1m",
        "-5s",
        "1.5h",
        "5 s",
        "1d",
        "721h",
        "720h1s",
        "99999h",
        "99999999s",
        "9999999999999999",
    ] {
        let mut object = class("bad-delay", &[config_map("a")]);
        object["spec"]["optOutDelay"] = json!(text);
        let answer = create_class(&client, &object).await;
        ensure_refused(
            answer,
            &["spec.optOutDelay", "whole hours, minutes and seconds in that order, such as 90s or 1h30m, up to 720h"],
        )?;
        ensure!(text.parse::<OptOutDelay>().is_err(), "our parser takes {text:?}, the server does not");
    }
    Ok(())
}

#[tokio::test]
async fn a_delay_that_the_server_takes_is_one_that_we_can_read() -> Result<()> {
    let client = client().await?;
    for (index, (text, seconds)) in [
        ("0s", 0),
        ("60s", 60),
        ("5m", 300),
        ("1h30m", 5400),
        ("090s", 90),
        ("720h", 2_592_000),
        ("2592000s", 2_592_000),
    ]
    .into_iter()
    .enumerate()
    {
        let mut object = class(&format!("good-delay-{index}"), &[config_map("a")]);
        object["spec"]["optOutDelay"] = json!(text);
        let stored = create_class(&client, &object).await?;
        ensure!(stored["spec"]["optOutDelay"] == text, "{text:?} is stored as {}", stored["spec"]["optOutDelay"]);
        let read: OptOutDelay = text.parse()?;
        ensure!(read.0.as_secs() == seconds, "{text:?} is read as {read}");
    }
    Ok(())
}
