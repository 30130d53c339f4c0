//! Several controllers of one instance, told apart by who they are to the API server.

use std::ops::Deref;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::coordination::v1::Lease;
use kube::Api;
use nsclass_shared::names::controller_lease;

use crate::audit::Requests;
use crate::{ControlPlane, Identity, OPERATOR_NAMESPACE, Operator, OperatorOptions, eventually};

/// Resource of leases in the audit log.
pub const LEASES: &str = "leases.coordination.k8s.io";
/// Resource of what a controller tells people.
pub const EVENTS: &str = "events.events.k8s.io";

/// One controller of several.
#[derive(Debug)]
pub struct Replica {
    user: String,
    operator: Operator,
}

impl Deref for Replica {
    type Target = Operator;

    fn deref(&self) -> &Operator {
        &self.operator
    }
}

impl Replica {
    /// Starts a controller as `user`, who may do everything; it is ready, as leader or as standby.
    ///
    /// # Errors
    /// As [`Operator::start`].
    pub async fn start(cp: &ControlPlane, user: &str, config: &str) -> Result<Self> {
        let identity = Some(Identity::user(user, &["system:masters"]));
        let options = OperatorOptions { config: config.to_owned(), identity, ..OperatorOptions::default() };
        Ok(Self { user: user.to_owned(), operator: Operator::start(cp, options).await? })
    }

    /// Two of them: the first leads and the second stands by.
    ///
    /// # Errors
    /// When it does not come so.
    pub async fn pair(cp: &ControlPlane, users: [&str; 2], config: &str) -> Result<(Self, Self)> {
        let [leader, standby] = users;
        let leader = Self::start(cp, leader, config).await?;
        leader.until_it_leads().await?;
        let standby = Self::start(cp, standby, config).await?;
        ensure!(leader.leads().await? && !standby.leads().await?, "the second leads");
        Ok((leader, standby))
    }

    /// Whether it says that it leads.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn leads(&self) -> Result<bool> {
        Ok(self.metric("nsclass_leader").await? > 0.0)
    }

    /// Waits until it leads.
    ///
    /// # Errors
    /// When it does not, with the end of its log.
    pub async fn until_it_leads(&self) -> Result<()> {
        self.program()
            .eventually(format!("{} leads", self.user), async || {
                ensure!(self.leads().await?, "{}", self.get("/readyz?verbose").await?.1);
                Ok(())
            })
            .await
    }

    /// What it wrote among `requests`, its lease aside.
    pub fn writes(&self, requests: &Requests) -> Requests {
        requests.by_user(&self.user).writes().filter(|request| request.resource != LEASES)
    }

    /// Waits until it has ended by itself as one that lost its lease, for a supervisor to start it again.
    ///
    /// # Errors
    /// When it goes on, or ends as if all were well.
    pub async fn until_it_gives_up(&self) -> Result<()> {
        let status = self.program().wait(crate::GENEROUS).await?;
        ensure!(!status.success(), "it ended with success");
        let log = self.log()?;
        ensure!(log.contains("leadership is lost"), "it ended for another reason:\n{log}");
        Ok(())
    }
}

/// The leases of operators.
pub fn leases(cp: &ControlPlane) -> Api<Lease> {
    Api::namespaced(cp.admin(), OPERATOR_NAMESPACE)
}

/// Waits until somebody holds the lease of the instance `default` who satisfies `wanted`; returns who.
///
/// # Errors
/// When nobody does.
pub async fn holder(cp: &ControlPlane, wanted: impl Fn(&str) -> bool) -> Result<String> {
    eventually("the lease has the holder wanted", async || {
        let lease = leases(cp).get(&controller_lease("default")).await?;
        let holder = lease.spec.and_then(|spec| spec.holder_identity).context("nobody holds it")?;
        ensure!(wanted(&holder), "{holder} holds it");
        Ok(holder)
    })
    .await
}
