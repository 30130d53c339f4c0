//! The kinds of writing live objects back to Git: what the server stores, what it refuses by itself, and what it shows.

use anyhow::{Result, ensure};
use kube::api::{Patch, PatchParams, PostParams, Request};
use kube::{Api, Client, Resource};
use nsclass_shared::api::{ClusterWatchRule, GitProvider, GitTarget, WatchRule};
use serde_json::{Value, json};

use super::columns::table_in;
use super::{client, create, ensure_refused};

fn object(kind: &str, name: &str, spec: &Value) -> Value {
    json!({ "apiVersion": "nsclass.io/v1alpha1", "kind": kind, "metadata": { "name": name }, "spec": spec })
}

async fn create_in<K: Resource<DynamicType = ()>>(client: &Client, object: &Value) -> kube::Result<Value> {
    let url = K::url_path(&(), Some("default"));
    let request = Request::new(url).create(&PostParams::default(), object.to_string().into_bytes());
    client.request(request.map_err(kube::Error::BuildRequest)?).await
}

fn target(path: &str) -> Value {
    json!({ "providerRef": { "name": "origin" }, "branch": "main", "path": path })
}

#[tokio::test]
async fn a_provider_and_a_target_get_their_defaults() -> Result<()> {
    let client = client().await?;
    let url = json!({ "url": "https://git.example.com/team/apps.git" });
    let provider = create_in::<GitProvider>(&client, &object("GitProvider", "defaults", &url)).await?;
    ensure!(provider["spec"]["branches"] == json!(["main"]), "{provider:#}");
    ensure!(provider["spec"]["commit"]["window"] == "5s", "{provider:#}");
    let target = create_in::<GitTarget>(&client, &object("GitTarget", "defaults", &target("apps"))).await?;
    ensure!(target["spec"]["prune"] == "OnEvent" && target["spec"]["newFiles"] == "Explicit", "{target:#}");
    Ok(())
}

#[tokio::test]
async fn bad20_an_address_with_credentials_or_without_a_form_is_refused_by_the_server_itself() -> Result<()> {
    let client = client().await?;
    for (url, words) in [
        ("https://me:hunter2@example.com/a", "spec.secretRef"),
        ("https://token@example.com/a", "spec.secretRef"),
        ("ssh://git:hunter2@example.com/a", "spec.secretRef"),
        ("http://example.com/a", "is no repository's address"),
        ("/srv/git", "is no repository's address"),
        ("ext::sh -c x", "is no repository's address"),
        ("-oProxyCommand=x", "is no repository's address"),
    ] {
        let answer = create_in::<GitProvider>(&client, &object("GitProvider", "bad-url", &json!({ "url": url }))).await;
        ensure_refused(answer, &["spec.url", words])?;
    }
    for (index, url) in ["ssh://git@example.com:22/a", "git@example.com:a/b.git", "file:///srv/git"].iter().enumerate()
    {
        let good = object("GitProvider", &format!("good-url-{index}"), &json!({ "url": url }));
        create_in::<GitProvider>(&client, &good).await?;
    }
    Ok(())
}

#[tokio::test]
async fn bad20_a_path_that_leaves_the_repository_and_a_branch_that_is_none_are_refused() -> Result<()> {
    let client = client().await?;
    for path in ["", "/a", "a/", "a//b", "..", "../a", "a/../b", "./a", ".git", "a/.git/b", "a\\b", "a\u{1}b"] {
        let answer = create_in::<GitTarget>(&client, &object("GitTarget", "bad-path", &target(path))).await;
        ensure_refused(answer, &["spec.path"])?;
        ensure!(nsclass_shared::livegit::path::check(path).is_some(), "ours takes {path:?}, the server does not");
    }
    for (index, path) in [".", "a", "clusters/prod", ".github/x", "a..b"].iter().enumerate() {
        create_in::<GitTarget>(&client, &object("GitTarget", &format!("good-path-{index}"), &target(path))).await?;
        ensure!(nsclass_shared::livegit::path::check(path).is_none(), "the server takes {path:?}, ours does not");
    }
    for branch in ["-x", "a..b", "a/", "a.lock", "a b", "HEAD", "a:b", ".a", "a/.b", "a."] {
        let mut spec = target("a");
        spec["branch"] = json!(branch);
        let answer = create_in::<GitTarget>(&client, &object("GitTarget", "bad-branch", &spec)).await;
        ensure_refused(answer, &["spec.branch"])?;
        ensure!(!nsclass_shared::livegit::branch::is_branch(branch), "ours takes {branch:?}, the server does not");
    }
    Ok(())
}

#[tokio::test]
async fn what_says_where_pending_changes_belong_does_not_change() -> Result<()> {
    let client = client().await?;
    let url = json!({ "url": "https://git.example.com/team/apps.git" });
    create_in::<GitProvider>(&client, &object("GitProvider", "fixed", &url)).await?;
    create_in::<GitTarget>(&client, &object("GitTarget", "fixed", &target("apps"))).await?;
    let providers: Api<GitProvider> = Api::namespaced(client.clone(), "default");
    let targets: Api<GitTarget> = Api::namespaced(client.clone(), "default");
    let merge = |spec: Value| Patch::Merge(json!({ "spec": spec }));
    let params = PatchParams::default();
    let other = merge(json!({ "url": "https://git.example.com/team/other.git" }));
    ensure_refused(providers.patch("fixed", &params, &other).await, &["spec.url", "make another GitProvider"])?;
    for (field, spec) in [
        ("spec.path", json!({ "path": "other" })),
        ("spec.branch", json!({ "branch": "next" })),
        ("spec.providerRef", json!({ "providerRef": { "name": "other" } })),
    ] {
        ensure_refused(targets.patch("fixed", &params, &merge(spec)).await, &[field, "make another GitTarget"])?;
    }
    targets.patch("fixed", &params, &merge(json!({ "prune": "Always" }))).await?;
    Ok(())
}

#[tokio::test]
async fn a_rule_needs_an_author_and_a_cluster_rule_the_namespace_of_its_target() -> Result<()> {
    let client = client().await?;
    let rules = json!([{ "apiGroups": [""], "resources": ["configmaps"] }]);
    let without = json!({ "targetRef": { "name": "prod" }, "rules": rules });
    ensure_refused(create_in::<WatchRule>(&client, &object("WatchRule", "none", &without)).await, &["spec.author"])?;
    let spec = json!({ "targetRef": { "name": "prod" }, "author": { "user": "jane" }, "rules": rules });
    create_in::<WatchRule>(&client, &object("WatchRule", "good", &spec)).await?;
    let answer = create::<ClusterWatchRule>(&client, &object("ClusterWatchRule", "none", &spec)).await;
    ensure_refused(answer, &["spec.targetRef", "in no namespace"])?;
    Ok(())
}

#[tokio::test]
async fn f20_a_target_shows_whether_its_folder_is_valid_and_why_it_is_not_ready() -> Result<()> {
    let client = client().await?;
    create_in::<GitTarget>(&client, &object("GitTarget", "columns", &target("apps"))).await?;
    let targets: Api<GitTarget> = Api::namespaced(client.clone(), "default");
    let condition = |kind: &str, status: &str, reason: &str| json!({ "type": kind, "status": status, "reason": reason, "message": "", "lastTransitionTime": "2026-11-29T12:00:00Z" });
    let conditions =
        json!([condition("RepositoryValid", "False", "UnsupportedKey"), condition("Ready", "False", "UnsupportedKey")]);
    let status = Patch::Merge(json!({ "status": { "commit": "abc", "conditions": conditions } }));
    targets.patch_status("columns", &PatchParams::default(), &status).await?;
    let (names, cells) = table_in::<GitTarget>(&client, Some("default"), "columns").await?;
    ensure!(names == ["Name", "Provider", "Branch", "Path", "Valid", "Ready", "Reason", "Commit", "Age"], "{names:?}");
    ensure!(
        cells[1..7]
            == [json!("origin"), json!("main"), json!("apps"), json!("False"), json!("False"), json!("UnsupportedKey")],
        "{cells:?}"
    );
    Ok(())
}
