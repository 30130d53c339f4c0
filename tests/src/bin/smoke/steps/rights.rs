//! The rights that the chart grants: enough, and none too many.

use anyhow::{Result, ensure};
use nsclass_tests::audit::grants::{Grant, granted, unused};
use serde_json::Value;

use crate::outside::TAG;
use crate::stage::Stage;
use crate::steps::install;

/// Rights that this run does not use, and why they are granted all the same: verb, resource, reason.
const EXCEPTIONS: [(&str, &str, &str); 1] =
    [("manage", "namespaceclassbindings.nsclass.io", "asked about by the admission policies, which is no request")];

pub async fn play(stage: &Stage<'_>) -> Result<()> {
    stage.screen.step("Rights", "The API server's audit log of everything above, held against the chart's roles.");
    let rendered = stage.helm_template(&install::values(TAG)).await?;
    let documents: Vec<Value> = serde_saphyr::from_multiple(&rendered)?;
    let grants = granted(&documents)?;
    let mut users: Vec<&str> = grants.iter().map(|grant| &*grant.user).collect();
    users.dedup();
    let requests = stage.plane().audit().since(stage.before).await?.filter(|request| users.contains(&&*request.user));
    stage
        .screen
        .fact(
            format!("none of {} requests of {} accounts was denied for want of a right", requests.len(), users.len()),
            async || {
                ensure!(!requests.is_empty(), "the log has no requests of ours");
                let forbidden = requests.forbidden();
                ensure!(forbidden.is_empty(), "\n{forbidden}");
                Ok(())
            },
        )
        .await?;
    let is_excused = |grant: &&Grant| {
        EXCEPTIONS.iter().any(|(verb, resource, _)| grant.verb == *verb && grant.resource == *resource)
    };
    stage
        .screen
        .fact(
            format!("each of {} rights was used, but for {} with a reason", grants.len(), EXCEPTIONS.len()),
            async || {
                let idle: Vec<_> = unused(&grants, &requests).into_iter().filter(|grant| !is_excused(grant)).collect();
                let lines = idle.iter().map(|grant| format!("\n    {grant}")).collect::<String>();
                ensure!(idle.is_empty(), "{} rights that nobody used:{lines}", idle.len());
                Ok(())
            },
        )
        .await?;
    stage
        .screen
        .fact("each exception is still one", async || {
            let idle = unused(&grants, &requests);
            for (verb, resource, _) in EXCEPTIONS {
                let is_needed = idle.iter().any(|grant| grant.verb == verb && grant.resource == resource);
                ensure!(is_needed, "{verb} {resource} was used, or is not granted any more");
            }
            Ok(())
        })
        .await?;
    let rows: Vec<_> = EXCEPTIONS
        .iter()
        .map(|(verb, resource, why)| [verb, resource, why].map(|it| (*it).to_owned()).to_vec())
        .collect();
    stage.screen.table(&["VERB", "RESOURCE", "NOT USED HERE, BECAUSE"], &rows);
    Ok(())
}
