//! One look: what is there, what follows, and what is done about it.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use futures::{StreamExt, stream};
use jiff::Timestamp;
use kube::ResourceExt;
use nsclass_manifests::{
    folder::BoundRule,
    path::FolderPath,
    plan::{Existing, NewFiles, Policy},
};
use nsclass_shared::{
    api::{
        Assessment, ClusterWatchRule, ExistingFiles, FileStyle, GitProvider, GitTarget, Prune as PruneSpec, WatchRule,
    },
    livegit::{
        status::{self, Progress, TargetFacts},
        world::{Name, Outlook, RuleId, StreamId, World, outlook},
    },
    scope::Verdict,
};
use serde_json::{Value, json};

use super::{
    Office, desk,
    statuses::{Draft, Due},
};
use crate::livegit::{
    change::{ObjectKey, Prune, RepositoryKey, Target, TargetKey},
    report::State,
    streams,
};

/// How many statuses are written at the same time.
const AT_ONCE: usize = 8;

/// Everything of ours, of one moment.
struct Seen {
    providers: Vec<Arc<GitProvider>>,
    targets: Vec<Arc<GitTarget>>,
    rules: Vec<Arc<WatchRule>>,
    cluster_rules: Vec<Arc<ClusterWatchRule>>,
}

impl Office {
    /// Looks once.
    pub(super) async fn look(&mut self) {
        let objects = &self.parts.objects;
        let seen = Seen {
            providers: objects.providers.all(),
            targets: objects.targets.all(),
            rules: objects.rules.all(),
            cluster_rules: objects.cluster_rules.all(),
        };
        let scope = self.parts.context.scope.handle().load_full();
        let allow_local = self.parts.context.settings().config.git.allow_local;
        let in_scope =
            |provider: &&Arc<GitProvider>| scope.verdict(&provider.namespace().unwrap_or_default()) == Verdict::InScope;
        let used: Vec<_> = seen.providers.iter().filter(in_scope).cloned().collect();
        self.remotes.refresh(&self.parts.context.client, &used, allow_local).await;
        let answers = self.readers.answers();
        let outlook = outlook(&World {
            providers: &seen.providers,
            locked: &self.remotes.locked(),
            targets: &seen.targets,
            rules: &seen.rules,
            cluster_rules: &seen.cluster_rules,
            scope: &scope,
            allow_local,
            served: &self.parts.discovery,
            access: &answers,
        });
        let used = answers.used();
        let due = self.readers.due(used, tokio::time::Instant::now());
        self.ask(due);
        self.work(&seen, &outlook);
        self.tell(&seen, &outlook).await;
    }

    /// Has workers and streams for every target that is sound.
    fn work(&mut self, seen: &Seen, outlook: &Outlook) {
        let mut wanted = BTreeMap::new();
        for object in &seen.targets {
            let name = Name { namespace: object.namespace().unwrap_or_default(), name: object.name_any() };
            let Some(judged) = outlook.targets.get(&name).filter(|target| target.faults.is_empty()) else { continue };
            let provider = Name { namespace: name.namespace.clone(), name: object.spec.provider_ref.name.clone() };
            let Some(remote) = self.remotes.of(&provider) else { continue };
            let Some(target) = target(object, &judged.bound) else { continue };
            let repository = RepositoryKey { provider: key(&provider), branch: object.spec.branch.0.as_str().into() };
            wanted.insert(key(&name), desk::Wanted { repository, remote: remote.clone(), target });
        }
        for gone in self.desk.arrange(wanted, &mut self.tasks) {
            self.parts.board.forget_repository(&gone);
        }
        for target in self.parts.board.take_resyncs() {
            *self.rounds.entry(target).or_default() += 1;
        }
        let mut streams = BTreeMap::new();
        for (name, judged) in &outlook.targets {
            let target = key(name);
            let Some(worker) = self.desk.worker(&target) else { continue };
            for (id, selection) in &judged.streams {
                let Some(resource) = self.parts.discovery.resource(&id.kind) else { continue };
                let round = self.rounds.get(&target).copied().unwrap_or_default();
                let wanted = streams::Wanted { selection: selection.clone(), resource, worker: worker.clone(), round };
                streams.insert((target.clone(), id.clone()), wanted);
            }
        }
        self.streams.arrange(&streams);
        self.parts.streams.set(i64::try_from(self.streams.len()).unwrap_or(i64::MAX));
    }

    /// Writes statuses and events.
    async fn tell(&mut self, seen: &Seen, outlook: &Outlook) {
        let drafts = self.drafts(seen, outlook);
        let due = self.statuses.due(drafts, Timestamp::now());
        let client = &self.parts.context.client;
        let write = |due: Due| async move {
            let written = due.write(client).await;
            (due, written)
        };
        let written: Vec<_> = stream::iter(due).map(write).buffer_unordered(AT_ONCE).collect().await;
        let context = &self.parts.context;
        for (due, written) in written {
            match written {
                Ok(()) => {
                    self.statuses.written(&due);
                    if let Some((reason, warns, message)) = due.news {
                        context.events.tell_about(context, due.about, &reason, warns, message);
                    }
                }
                Err(error) => {
                    let (kind, name) = (due.about.kind.unwrap_or_default(), due.about.name.unwrap_or_default());
                    tracing::warn!(kind, name, %error, "a status is not written; it is tried again");
                }
            }
        }
        let targets: HashMap<TargetKey, &Arc<GitTarget>> =
            seen.targets.iter().map(|target| (key_of(target), target)).collect();
        for (key, notice) in self.parts.board.take_notices() {
            if let Some(target) = targets.get(&key) {
                let about = kube::Resource::object_ref(&***target, &());
                context.events.tell_about(context, about, notice.reason, notice.warns, notice.message);
            }
        }
    }

    fn drafts(&self, seen: &Seen, outlook: &Outlook) -> Vec<Draft> {
        let mut drafts = Vec::new();
        for object in &seen.providers {
            let name = Name { namespace: object.namespace().unwrap_or_default(), name: object.name_any() };
            let Some(judged) = outlook.providers.get(&name) else { continue };
            let reachable = self.reachable(&key(&name));
            let is = status::provider(&judged.faults, judged.targets, reachable.as_ref());
            let before = json!(object.status);
            drafts.push(Draft::of(&**object, before, is, json!({ "targets": judged.targets })));
        }
        for object in &seen.targets {
            let name = Name { namespace: object.namespace().unwrap_or_default(), name: object.name_any() };
            let Some(judged) = outlook.targets.get(&name) else { continue };
            let target = key(&name);
            let report = self.parts.board.target(&target);
            let facts = report.as_ref().map(|report| TargetFacts {
                repository_valid: assessment(&report.repository_valid),
                synced: assessment(&report.synced),
            });
            let is = status::target(judged, |id| self.progress(&target, id), facts.as_ref());
            let before = json!(object.status);
            let fields = json!({
                "rules": judged.bound.len(),
                "commit": report.as_ref().and_then(|report| report.revision.clone()),
                "documents": report.as_ref().map_or(0, |report| report.documents),
                "refused": report.as_ref().map_or(0, |report| report.refused.count),
            });
            drafts.push(Draft::of(&**object, before, is, fields));
        }
        let rules = seen.rules.iter().map(|object| {
            let name = Name { namespace: object.namespace().unwrap_or_default(), name: object.name_any() };
            let before = json!(object.status);
            let (is, fields) = self.rule(outlook, &RuleId::Namespaced(name))?;
            Some(Draft::of(&**object, before, is, fields))
        });
        let cluster_rules = seen.cluster_rules.iter().map(|object| {
            let before = json!(object.status);
            let (is, fields) = self.rule(outlook, &RuleId::Cluster(object.name_any()))?;
            Some(Draft::of(&**object, before, is, fields))
        });
        drafts.extend(rules.chain(cluster_rules).flatten());
        drafts
    }

    fn rule(&self, outlook: &Outlook, id: &RuleId) -> Option<(status::Conditions, Value)> {
        let judged = outlook.rules.get(id)?;
        let target = key(&judged.target);
        let (counts, is) = status::rule(judged, |stream| self.progress(&target, stream));
        Some((is, json!({ "kinds": counts.kinds, "streaming": counts.streaming })))
    }

    fn progress(&self, target: &TargetKey, stream: &StreamId) -> Progress {
        self.parts.board.progress(target, stream)
    }

    /// The first branch that cannot be read speaks for the repository.
    fn reachable(&self, provider: &ObjectKey) -> Option<Assessment> {
        let reports = self.parts.board.repositories(provider);
        let worst = reports.iter().find(|(_, report)| report.reachable.status != Some(true)).or(reports.first());
        worst.map(|(_, report)| assessment(&report.reachable))
    }
}

fn assessment(state: &State) -> Assessment {
    Assessment { status: state.status, reason: state.reason.as_str().to_owned(), message: state.message.clone() }
}

fn key(name: &Name) -> ObjectKey {
    ObjectKey { namespace: name.namespace.as_str().into(), name: name.name.as_str().into() }
}

fn key_of(target: &GitTarget) -> TargetKey {
    key(&Name { namespace: target.namespace().unwrap_or_default(), name: target.name_any() })
}

/// A target as its worker takes it; none where its path is none, which its conditions say.
fn target(object: &GitTarget, bound: &[RuleId]) -> Option<Target> {
    let spec = &object.spec;
    let path = if spec.path == "." { FolderPath::root() } else { FolderPath::new(&spec.path).ok()? };
    let rule = |rule: &RuleId| BoundRule {
        name: rule.to_string(),
        namespaces: rule.namespace().map(|namespace| vec![namespace.into()]),
    };
    Some(Target {
        key: key_of(object),
        generation: object.metadata.generation.unwrap_or_default(),
        path,
        prune: match spec.prune {
            PruneSpec::Never => Prune::Never,
            PruneSpec::OnEvent => Prune::OnEvent,
            PruneSpec::Always => Prune::Always,
        },
        policy: Policy {
            new_files: match spec.new_files {
                FileStyle::Explicit => NewFiles::Explicit,
                FileStyle::Contextual => NewFiles::Contextual,
            },
            existing: match spec.existing {
                ExistingFiles::Preserve => Existing::Preserve,
                ExistingFiles::Explicit => Existing::Explicit,
            },
        },
        fixed: spec.namespace_context.as_ref().map(|context| context.namespace.as_str().into()),
        rules: bound.iter().map(rule).collect(),
    })
}
