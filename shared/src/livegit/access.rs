//! Who may read what a rule reads (folders.md F58): its author, and nobody through us.

use std::collections::BTreeSet;

use k8s_openapi::api::authentication::v1::UserInfo;
use k8s_openapi::api::authorization::v1::{ResourceAttributes, SubjectAccessReviewSpec};

use super::fault::{Fault, Reason};
use super::kinds::GroupResource;
use crate::api::Author;

/// What reading takes: the API server gives a watch only with all of them.
pub const VERBS: [&str; 3] = ["get", "list", "watch"];

/// Whether somebody may read a kind in a namespace, or a cluster-scoped kind where there is none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// Who.
    pub author: Author,
    /// What.
    pub kind: GroupResource,
    /// Where.
    pub namespace: Option<String>,
}

impl Question {
    /// The review that asks for one verb.
    pub fn review(&self, verb: &str) -> SubjectAccessReviewSpec {
        let attributes = ResourceAttributes {
            group: Some(self.kind.group.clone()),
            version: Some("*".to_owned()),
            resource: Some(self.kind.resource.clone()),
            namespace: self.namespace.clone(),
            verb: Some(verb.to_owned()),
            ..ResourceAttributes::default()
        };
        SubjectAccessReviewSpec {
            user: Some(self.author.user.clone()),
            groups: Some(groups(&self.author).into_iter().collect()),
            resource_attributes: Some(attributes),
            ..SubjectAccessReviewSpec::default()
        }
    }

    /// What is said of verbs that the author lacks; nothing where there is none.
    pub fn missing(&self, verbs: &[&str]) -> Option<Fault> {
        if verbs.is_empty() {
            return None;
        }
        let place = self
            .namespace
            .as_ref()
            .map_or("in the cluster".to_owned(), |namespace| format!("in namespace {namespace}"));
        let verbs = verbs.join(", ");
        let GroupResource { group, resource } = &self.kind;
        Some(Fault::new(
            Reason::Forbidden,
            "spec.author",
            format!(
                "user {:?} may not {verbs} {} {place}, and a rule reads only what its author may",
                self.author.user, self.kind
            ),
            format!(
                "grant it to them (apiGroups {group:?}, resources {resource}, verbs {verbs}), name the group by which they have it, or \
                 leave the kind out"
            ),
        ))
    }
}

/// The groups that an author is asked about with: those that the rule names, and those that the API server gives everybody of their
/// kind.
fn groups(author: &Author) -> BTreeSet<String> {
    let mut groups: BTreeSet<String> = author.groups.iter().cloned().collect();
    if author.user != "system:anonymous" {
        groups.insert("system:authenticated".to_owned());
    }
    if let Some((namespace, _)) =
        author.user.strip_prefix("system:serviceaccount:").and_then(|rest| rest.split_once(':'))
    {
        groups.insert("system:serviceaccounts".to_owned());
        groups.insert(format!("system:serviceaccounts:{namespace}"));
    }
    groups
}

/// Whether the author that a rule names is who writes it, in groups that they are in. A policy in the API server holds the same where no
/// webhook is asked.
pub fn is_not(author: &Author, user: &UserInfo) -> Option<Fault> {
    let username = user.username.as_deref().unwrap_or_default();
    let their = user.groups.as_deref().unwrap_or_default();
    if author.user != username {
        return Some(Fault::new(
            Reason::Forbidden,
            "spec.author.user",
            format!("is {:?}, and user {username:?} writes the rule, which reads what its author may", author.user),
            format!("write {username:?}"),
        ));
    }
    let foreign = author.groups.iter().find(|group| !their.contains(group))?;
    Some(Fault::new(
        Reason::Forbidden,
        "spec.author.groups",
        format!("has {foreign:?} in it, and user {username:?} is not in that group"),
        "name only groups that you are in; kubectl auth whoami lists them",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn author(user: &str, groups: &[&str]) -> Author {
        Author { user: user.to_owned(), groups: groups.iter().map(|group| (*group).to_owned()).collect() }
    }

    fn user(name: &str, groups: &[&str]) -> UserInfo {
        UserInfo {
            username: Some(name.to_owned()),
            groups: Some(groups.iter().map(|group| (*group).to_owned()).collect()),
            ..UserInfo::default()
        }
    }

    #[test]
    fn f58_the_author_is_who_writes_the_rule() {
        assert_eq!(is_not(&author("jane", &["team"]), &user("jane", &["team", "system:authenticated"])), None);
        insta::assert_snapshot!(is_not(&author("root", &[]), &user("jane", &[])).unwrap(), @r#"spec.author.user: is "root", and user "jane" writes the rule, which reads what its author may; write "jane""#);
        insta::assert_snapshot!(is_not(&author("jane", &["system:masters"]), &user("jane", &["team"])).unwrap(), @r#"spec.author.groups: has "system:masters" in it, and user "jane" is not in that group; name only groups that you are in; kubectl auth whoami lists them"#);
    }

    #[test]
    fn f58_the_review_asks_for_the_author_in_that_namespace_and_names_every_verb_that_is_missing() {
        let kind = GroupResource { group: "apps".to_owned(), resource: "deployments".to_owned() };
        let question = Question {
            author: author("system:serviceaccount:ci:robot", &["x"]),
            kind,
            namespace: Some("pay".to_owned()),
        };
        let review = question.review("watch");
        assert_eq!(
            review.groups.unwrap(),
            ["system:authenticated", "system:serviceaccounts", "system:serviceaccounts:ci", "x"]
        );
        let attributes = review.resource_attributes.unwrap();
        assert_eq!((attributes.namespace.as_deref(), attributes.verb.as_deref()), (Some("pay"), Some("watch")));
        assert_eq!(question.missing(&[]), None);
        insta::assert_snapshot!(question.missing(&["get", "watch"]).unwrap(), @r#"spec.author: user "system:serviceaccount:ci:robot" may not get, watch deployments.apps in namespace pay, and a rule reads only what its author may; grant it to them (apiGroups "apps", resources deployments, verbs get, watch), name the group by which they have it, or leave the kind out"#);
    }

    #[test]
    fn f58_nobody_who_is_anonymous_is_taken_for_authenticated() {
        assert!(groups(&author("system:anonymous", &[])).is_empty());
    }
}
