//! Live objects back to a folder in Git, with its comments; and a folder that cannot be explained.

mod repository;

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{Patch, PatchParams};
use nsclass_shared::api::{GitTarget, GitTargetStatus, get_condition};
use nsclass_tests::holds_for;
use nsclass_tests::install::{apply_yaml, ensure_namespace};
use serde_json::{Value, json};

use crate::demo::Demo;
use repository::Repository;

/// Long enough to see that nothing is written.
const A_WHILE: Duration = Duration::from_secs(3);
/// The namespace that the folder's kustomization assigns.
const TEAM: &str = "team-a";

pub async fn play(demo: &Demo<'_>) -> Result<()> {
    let repository = make(demo).await?;
    wire(demo, &repository).await?;
    change(demo, &repository).await?;
    break_and_mend(demo, &repository).await
}

/// A repository, and its objects live.
async fn make(demo: &Demo<'_>) -> Result<Repository> {
    demo.screen.step(
        "A folder in Git, and its objects in the cluster",
        "One of the example folders of manifests/tests: a kustomization with a namespace, and a ConfigMap with comments in every place. A \
         Git server of the demo's own serves it over TLS.",
    );
    let repository = Repository::start().await?;
    demo.screen.table(&["FILE OF apps/", ""], &repository.shown());
    demo.screen.command(&format!("kubectl create namespace {TEAM} && kubectl apply -k apps"));
    ensure_namespace(&demo.cluster.client(), TEAM).await?;
    let objects = repository.rendered()?;
    for object in &objects {
        apply_yaml(&demo.cluster.client(), &object.to_string()).await?;
    }
    let maps: Api<ConfigMap> = Api::namespaced(demo.cluster.client(), TEAM);
    demo.fact("its ConfigMap is live, in the namespace that the kustomization assigns", async || {
        ensure!(maps.get_opt("a").await?.is_some(), "there is none among {} objects", objects.len());
        Ok(())
    })
    .await?;
    Ok(repository)
}

/// Provider, target and rule.
async fn wire(demo: &Demo<'_>, repository: &Repository) -> Result<()> {
    demo.screen.step(
        "What is written, and where to",
        "A GitProvider is the repository, a GitTarget a folder of it, and a WatchRule says which objects go there. A rule reads what its \
         author may read, and names them.",
    );
    for object in objects(repository) {
        let spec = object["spec"].to_string();
        let (kind, name) =
            (object["kind"].as_str().unwrap_or_default(), object["metadata"]["name"].as_str().unwrap_or_default());
        let shown = if kind == "Secret" { "{ … }".to_owned() } else { spec };
        demo.screen.command(&format!("kubectl apply -f -   # {kind} {name}: {shown}"));
        apply_yaml(&demo.cluster.client(), &object.to_string()).await?;
    }
    demo.claim("the GitTarget is Ready: the folder is valid and says what is live", async || {
        is(demo, "Ready", "True").await
    })
    .await?;
    let commits = repository.commits()?;
    demo.fact("equal content makes no commit", async || {
        ensure!(commits == 1, "there are {commits}");
        Ok(())
    })
    .await?;
    show(demo).await
}

/// A live change becomes a commit.
async fn change(demo: &Demo<'_>, repository: &Repository) -> Result<()> {
    demo.screen.step("A live object is changed", "Nobody touches the repository.");
    let before = repository.commits()?;
    set(demo, "2").await?;
    let diff = demo
        .claim("the change is on the Git server, in one commit", async || {
            ensure!(repository.commits()? == before + 1, "there are {} commits", repository.commits()?);
            repository.last_diff()
        })
        .await?;
    demo.screen.command("git log -1 --format='%an: %s' -p");
    demo.screen.say(&repository.last_subject()?);
    let lines: Vec<Vec<String>> = diff.iter().map(|line| vec![line.clone()]).collect();
    demo.screen.table(&["DIFF"], &lines);
    demo.fact("one line differs; every comment and every other byte is as it was", async || {
        let changed: Vec<&String> = diff.iter().filter(|line| line.starts_with(['+', '-'])).collect();
        ensure!(changed.len() == 2 && changed.iter().all(|line| line.ends_with("# one")), "{changed:?}");
        Ok(())
    })
    .await
}

/// A key that is not supported refuses the folder until a commit takes it out.
async fn break_and_mend(demo: &Demo<'_>, repository: &Repository) -> Result<()> {
    demo.screen.step(
        "Somebody puts a key into the kustomization that changes names",
        "A folder that cannot be explained is not written at all: nothing is guessed.",
    );
    demo.screen.command("echo 'namePrefix: x-' >> apps/kustomization.yaml && git commit -am 'Prefix' && git push");
    let sound = repository.append("namePrefix: x-\n")?;
    let status = demo
        .claim("the GitTarget says RepositoryValid=False", async || is(demo, "RepositoryValid", "False").await)
        .await?;
    show(demo).await?;
    let why = get_condition(&status.conditions, "RepositoryValid").context("no condition")?;
    demo.screen.say(&format!("{}: {}", why.reason, why.message));
    demo.fact("the message names the file and the key", async || {
        ensure!(why.message.contains("kustomization.yaml") && why.message.contains("namePrefix"), "{}", why.message);
        Ok(())
    })
    .await?;
    let commits = repository.commits()?;
    set(demo, "3").await?;
    demo.fact(format!("nothing is written meanwhile, for {} s", A_WHILE.as_secs()), async || {
        holds_for(A_WHILE, "no commit", async || {
            ensure!(repository.commits()? == commits, "there are {} commits", repository.commits()?);
            Ok(())
        })
        .await
    })
    .await?;
    demo.screen.command("git revert HEAD && git push");
    repository.restore(&sound)?;
    demo.claim("the folder is valid again, and has caught up", async || {
        is(demo, "Ready", "True").await?;
        let diff = repository.last_diff()?;
        ensure!(diff.iter().any(|line| line.starts_with('+') && line.contains("one: \"3\"")), "{diff:?}");
        Ok(())
    })
    .await?;
    show(demo).await
}

/// Everything that is applied, the Secret first.
fn objects(repository: &Repository) -> [Value; 4] {
    let meta = |name: &str| json!({ "name": name, "namespace": TEAM });
    let object = |kind: &str, name: &str, spec: Value| json!({ "apiVersion": "nsclass.io/v1alpha1", "kind": kind, "metadata": meta(name), "spec": spec });
    let author = json!({ "user": "test-admin", "groups": ["system:masters"] });
    let rules = json!([{ "apiGroups": [""], "resources": ["configmaps"] }]);
    [
        json!({ "apiVersion": "v1", "kind": "Secret", "metadata": meta("git"), "stringData": repository.secret() }),
        object(
            "GitProvider",
            "origin",
            json!({
                "url": repository.url(), "secretRef": { "name": "git" }, "commit": { "window": "1s" },
            }),
        ),
        object("GitTarget", "apps", json!({ "providerRef": { "name": "origin" }, "branch": "main", "path": "apps" })),
        object("WatchRule", "maps", json!({ "targetRef": { "name": "apps" }, "author": author, "rules": rules })),
    ]
}

/// Changes the live object.
async fn set(demo: &Demo<'_>, one: &str) -> Result<()> {
    demo.screen
        .command(&format!("kubectl -n {TEAM} patch configmap a --type merge -p '{{\"data\":{{\"one\":\"{one}\"}}}}'"));
    let maps: Api<ConfigMap> = Api::namespaced(demo.cluster.client(), TEAM);
    maps.patch("a", &PatchParams::default(), &Patch::Merge(json!({ "data": { "one": one } }))).await?;
    Ok(())
}

/// The target's status, if that condition is so.
async fn is(demo: &Demo<'_>, kind: &str, status: &str) -> Result<GitTargetStatus> {
    let said = target(demo).await?.status.context("it has no status yet")?;
    let condition = get_condition(&said.conditions, kind).with_context(|| format!("it has no condition {kind}"))?;
    ensure!(condition.status == status, "{kind}={} {}: {}", condition.status, condition.reason, condition.message);
    Ok(said)
}

/// `kubectl get gittargets`.
async fn show(demo: &Demo<'_>) -> Result<()> {
    let target = target(demo).await?;
    let conditions = target.status.map(|status| status.conditions).unwrap_or_default();
    let cell = |kind: &str, reason: bool| {
        let found = get_condition(&conditions, kind);
        found.map(|is| if reason { is.reason.clone() } else { is.status.clone() }).unwrap_or_default()
    };
    demo.screen.command(&format!("kubectl -n {TEAM} get gittargets"));
    let spec = &target.spec;
    let row = vec![
        "apps".to_owned(),
        spec.provider_ref.name.clone(),
        spec.branch.0.clone(),
        spec.path.clone(),
        cell("RepositoryValid", false),
        cell("Ready", false),
        cell("Ready", true),
    ];
    demo.screen.table(&["NAME", "PROVIDER", "BRANCH", "PATH", "VALID", "READY", "REASON"], &[row]);
    Ok(())
}

async fn target(demo: &Demo<'_>) -> Result<GitTarget> {
    let targets: Api<GitTarget> = Api::namespaced(demo.cluster.client(), TEAM);
    Ok(targets.get("apps").await?)
}
