//! The rights that the chart grants: enough, and none too many.

use anyhow::{Result, ensure};
use nsclass_tests::audit::grants::{Grant, granted, unused};
use serde_json::Value;

use crate::outside::TAG;
use crate::stage::Stage;
use crate::steps::install;

/// A right that this run does not use, and why it is granted all the same.
struct Exception {
    /// The last part of the account's name.
    account: &'static str,
    verb: &'static str,
    resource: &'static str,
    why: &'static str,
    /// A run may use it: it hangs on who is first.
    at_times: bool,
}

const fn but(account: &'static str, verb: &'static str, resource: &'static str, why: &'static str) -> Exception {
    Exception { account, verb, resource, why, at_times: false }
}

const fn at_times(account: &'static str, verb: &'static str, resource: &'static str, why: &'static str) -> Exception {
    Exception { account, verb, resource, why, at_times: true }
}

const BINDINGS: &str = "namespaceclassbindings.nsclass.io";
const EVENTS: &str = "events.events.k8s.io";
const LEASES: &str = "leases.coordination.k8s.io";
const NO_REQUEST: &str = "asked of the authorizer about another request, and no request itself";
const CONFLICT: &str = "after a write that met a newer one";
const LEASE_DELETED: &str = "the chart makes it; only after somebody has deleted it";

const EXCEPTIONS: [Exception; 14] = [
    but("controller", "manage", BINDINGS, NO_REQUEST),
    but("hooks", "manage", BINDINGS, NO_REQUEST),
    but("controller", "escalate", "roles.rbac.authorization.k8s.io", NO_REQUEST),
    but("controller", "escalate", "clusterroles.rbac.authorization.k8s.io", NO_REQUEST),
    but("controller", "bind", "roles.rbac.authorization.k8s.io", NO_REQUEST),
    but("controller", "bind", "clusterroles.rbac.authorization.k8s.io", NO_REQUEST),
    at_times("controller", "get", BINDINGS, "after a write whose answer was lost, or that met a newer one"),
    but("controller", "create", LEASES, LEASE_DELETED),
    but("hooks", "create", LEASES, LEASE_DELETED),
    but("controller", "create", EVENTS, "in its own namespace only where certificates go wrong"),
    but("controller", "patch", EVENTS, "in its own namespace only where certificates go wrong again"),
    at_times("hooks", "get", "namespaces", CONFLICT),
    at_times("hooks", "get", "namespaceclasses.nsclass.io", CONFLICT),
    at_times("webhook", "get", "namespaces", "for a rule in a namespace that was never seen"),
];

impl Exception {
    fn is_for(&self, grant: &Grant) -> bool {
        grant.user.ends_with(&format!("-{}", self.account))
            && grant.verb == self.verb
            && grant.resource == self.resource
    }
}

pub async fn play(stage: &Stage<'_>) -> Result<()> {
    stage.screen.step("Rights", "The API server's audit log of everything above, held against the chart's roles.");
    let rendered = stage.helm_template(&install::values(TAG)).await?;
    let documents: Vec<Value> = serde_saphyr::from_multiple(&rendered)?;
    let grants = granted(&documents)?;
    let mut users: Vec<&str> = grants.iter().map(|grant| &*grant.user).collect();
    users.dedup();
    let requests = stage.plane().audit().since(stage.before).await?.filter(|request| users.contains(&&*request.user));
    let claim = format!("none of {} requests of {} accounts lacked a right", requests.len(), users.len());
    let enough = async || {
        ensure!(!requests.is_empty(), "the log has no requests of ours");
        let forbidden = requests.forbidden();
        ensure!(forbidden.is_empty(), "\n{forbidden}");
        Ok(())
    };
    stage.screen.fact(claim, enough).await?;

    let idle = unused(&grants, &requests);
    let claim = format!("each of {} rights was used, but for {} with a reason", grants.len(), EXCEPTIONS.len());
    let none_too_many = async || {
        let is_excused = |grant: &Grant| EXCEPTIONS.iter().any(|exception| exception.is_for(grant));
        let lines: Vec<_> =
            idle.iter().filter(|grant| !is_excused(grant)).map(|grant| format!("\n    {grant}")).collect();
        ensure!(lines.is_empty(), "{} rights that nobody used:{}", lines.len(), lines.concat());
        Ok(())
    };
    stage.screen.fact(claim, none_too_many).await?;
    let still_one = async || {
        for exception in EXCEPTIONS.iter().filter(|exception| !exception.at_times) {
            let Exception { account, verb, resource, .. } = exception;
            let is_needed = idle.iter().any(|grant| exception.is_for(grant));
            ensure!(is_needed, "{account}: {verb} {resource} was used, or is not granted any more");
        }
        Ok(())
    };
    stage.screen.fact("each exception is still one", still_one).await?;
    let row = |it: &Exception| [it.account, it.verb, it.resource, it.why].map(str::to_owned).to_vec();
    let rows: Vec<_> = EXCEPTIONS.iter().map(row).collect();
    stage.screen.table(&["ACCOUNT", "VERB", "RESOURCE", "NOT USED HERE, BECAUSE"], &rows);
    Ok(())
}
