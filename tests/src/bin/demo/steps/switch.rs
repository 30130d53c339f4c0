//! A namespace gets another class.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};

use crate::contents::{Contents, short_uid, value};
use crate::demo::Demo;

pub async fn play(demo: &Demo<'_>) -> Result<()> {
    let namespace = demo.name("payments");
    demo.screen.step(
        "A class is switched",
        &format!("{namespace} goes from baseline to sandbox. The two share some objects by kind and name."),
    );
    let before = demo.contents("payments", "baseline").await?;
    let storage = "/spec/hard/requests.storage";
    demo.fact("before: ResourceQuota compute limits requests.storage, which sandbox does not mention", async || {
        value(&before, "ResourceQuota compute", storage).map(drop)
    })
    .await?;
    demo.label("payments", Some("sandbox")).await?;
    let after = demo.filled("payments", "sandbox").await?;
    show_both(demo, &before, &after);

    let (shared, stale): (Vec<_>, Vec<_>) = before.iter().partition(|(title, _)| after.contains_key(*title));
    demo.fact(format!("{} shared objects keep their UID: they were never away", shared.len()), async || {
        ensure!(shared.len() == 3, "{} objects are shared", shared.len());
        for (title, found) in &shared {
            ensure!(after[*title].entry.uid == found.entry.uid, "{title} was made anew");
        }
        Ok(())
    })
    .await?;
    demo.fact("fields of a shared object that only the old class set are gone: requests.storage", async || {
        let quota = value(&after, "ResourceQuota compute", "/spec/hard")?;
        ensure!(quota.get("requests.storage").is_none() && quota["pods"] == "20", "{quota}");
        Ok(())
    })
    .await?;
    let stale: Vec<_> = stale.into_iter().map(|(_, found)| found.entry.clone()).collect();
    demo.all_gone(
        &format!("{} stale objects are gone, the grant of rights to the team among them", stale.len()),
        &stale,
    )
    .await
}

fn show_both(demo: &Demo<'_>, before: &Contents, after: &Contents) {
    let titles: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let uid = |contents: &Contents, title: &String| contents.get(title).map(|found| short_uid(&found.entry.uid));
    let row = |title: &String| {
        let (old, new) = (uid(before, title), uid(after, title));
        let what = match (&old, &new) {
            (Some(old), Some(new)) if old == new => "kept",
            (Some(_), Some(_)) => "made anew",
            (Some(_), None) => "gone",
            _ => "new",
        };
        let dash = |uid: Option<String>| uid.unwrap_or_else(|| "-".to_owned());
        vec![title.clone(), dash(old), dash(new), what.to_owned()]
    };
    demo.screen.table(&["OBJECT", "UID BEFORE", "UID AFTER", ""], &titles.into_iter().map(row).collect::<Vec<_>>());
}
