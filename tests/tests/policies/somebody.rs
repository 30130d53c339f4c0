//! People with exactly the rights that a test gives them.

use anyhow::{Result, ensure};
use k8s_openapi::api::authorization::v1::{ResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec};
use kube::api::PostParams;
use kube::{Api, Client};
use nsclass_tests::{Identity, eventually};
use serde_json::{Value, json};

use crate::stage::Stage;

const RBAC: &str = "rbac.authorization.k8s.io";

/// One who may write every namespace, every binding and their subresources, and has the stock role `edit` everywhere, but none of the
/// operator's rights: more than a tenant has.
pub(crate) struct Somebody<'a> {
    stage: &'a Stage,
    pub(crate) user: String,
    pub(crate) client: Client,
}

impl Stage {
    pub(crate) async fn somebody(&self, short: &str) -> Result<Somebody<'_>> {
        let user = self.name(short);
        let mut config = self.cp.client_config(&Identity::user(user.clone(), &[]))?;
        // Refusals are what is looked at here.
        config.default_retry = false;
        let somebody = Somebody { stage: self, user, client: Client::try_from(config)? };
        let all = ["get", "create", "update", "patch", "delete", "deletecollection"];
        somebody.bind("edit").await?;
        somebody.may(&all, "", "namespaces", &[]).await?;
        somebody.may(&all, "", "namespaces/status", &[]).await?;
        somebody.may(&all, "", "namespaces/finalize", &[]).await?;
        somebody.may(&all, "", "services/status", &[]).await?;
        somebody.may(&all, "nsclass.io", "namespaceclassbindings", &[]).await?;
        somebody.until_allowed("create", "apps", "deployments", "").await?;
        Ok(somebody)
    }
}

impl Somebody<'_> {
    /// Grants verbs on a resource everywhere, on these names only if there are any; in force when it returns.
    pub(crate) async fn may(&self, verbs: &[&str], group: &str, resource: &str, names: &[&str]) -> Result<()> {
        let name = format!("{}-{}-{}", self.user, verbs[0], resource.replace('/', "-"));
        let role = json!({
            "apiVersion": format!("{RBAC}/v1"), "kind": "ClusterRole", "metadata": { "name": name },
            "rules": [{ "apiGroups": [group], "resources": [resource], "verbs": verbs, "resourceNames": names }],
        });
        self.stage.cp.apply_yaml(&role.to_string()).await?;
        self.bind(&name).await?;
        self.until_allowed(verbs[verbs.len() - 1], group, resource, names.first().unwrap_or(&"")).await
    }

    /// [`Somebody::may`] with the verb `use` on these classes of the world.
    pub(crate) async fn may_use(&self, shorts: &[&str]) -> Result<()> {
        let names: Vec<String> = shorts.iter().map(|short| self.stage.name(short)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.may(&["use"], "nsclass.io", "namespaceclasses", &names).await
    }

    /// [`Somebody::may`] with the verb `manage` on the bindings of these names; on all where there are none.
    pub(crate) async fn may_manage(&self, names: &[&str]) -> Result<()> {
        self.may(&["manage"], "nsclass.io", "namespaceclassbindings", names).await
    }

    async fn bind(&self, cluster_role: &str) -> Result<()> {
        let binding: Value = json!({
            "apiVersion": format!("{RBAC}/v1"), "kind": "ClusterRoleBinding",
            "metadata": { "name": format!("{}-{cluster_role}", self.user) },
            "roleRef": { "apiGroup": RBAC, "kind": "ClusterRole", "name": cluster_role },
            "subjects": [{ "apiGroup": RBAC, "kind": "User", "name": self.user }],
        });
        self.stage.cp.apply_yaml(&binding.to_string()).await.map(drop)
    }

    /// Waits until the authorizer says so: it reads roles from a cache of its own.
    async fn until_allowed(&self, verb: &str, group: &str, resource: &str, name: &str) -> Result<()> {
        let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
        let attributes = ResourceAttributes {
            verb: Some(verb.to_owned()),
            group: Some(group.to_owned()),
            resource: Some(resource.to_owned()),
            subresource: Some(subresource.to_owned()),
            name: Some(name.to_owned()),
            ..ResourceAttributes::default()
        };
        let spec = SubjectAccessReviewSpec {
            user: Some(self.user.clone()),
            groups: Some(vec!["system:authenticated".to_owned()]),
            resource_attributes: Some(attributes),
            ..SubjectAccessReviewSpec::default()
        };
        let review = SubjectAccessReview { spec, ..SubjectAccessReview::default() };
        let reviews: Api<SubjectAccessReview> = Api::all(self.stage.admin.clone());
        eventually(format!("{} may {verb} {resource}", self.user), async || {
            let status = reviews.create(&PostParams::default(), &review).await?.status.unwrap_or_default();
            ensure!(status.allowed, "{status:?}");
            Ok(())
        })
        .await
    }
}
