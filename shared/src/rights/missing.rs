//! What is said of rights that somebody lacks.

use super::{Needed, Object, Verb};
use crate::finding::{Finding, ItemRef, Reason};
use crate::path::FieldPath;

/// A right that somebody lacks, and how RBAC spells its resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The right, and the items that take it.
    pub needed: Needed,
    /// Resource and group, such as `clusterroles.rbac.authorization.k8s.io`; `*.GROUP` where the kind is not served, so that nobody knows
    /// its resource.
    pub resource: String,
}

/// Every pair of item and right, for a denial: one finding for each item and object, all verbs in it (admission.md A05).
pub fn missing(user: &str, missing: &[Missing]) -> Vec<Finding> {
    let mut pairs: Vec<(&ItemRef, &Object, &str, Vec<Verb>)> = Vec::new();
    for Missing { needed, resource } in missing {
        let object = &needed.right.object;
        for item in &needed.items {
            match pairs.iter_mut().find(|(i, o, ..)| *i == item && *o == object) {
                Some((.., verbs)) => verbs.push(needed.right.verb),
                None => pairs.push((item, object, resource, vec![needed.right.verb])),
            }
        }
    }
    pairs.sort_by_key(|(item, object, ..)| (item.index, *object));
    pairs.into_iter().map(|(item, object, resource, verbs)| finding(user, item, object, resource, &verbs)).collect()
}

fn finding(user: &str, item: &ItemRef, object: &Object, resource: &str, verbs: &[Verb]) -> Finding {
    let verbs = verbs.iter().map(|verb| verb.as_str()).collect::<Vec<_>>().join(", ");
    let (message, remedy) = match object {
        Object::Everything => (
            format!("user {user:?} may not do everything, and the class takes too many rights to ask for each"),
            "change fewer kinds at a time".to_owned(),
        ),
        Object::Kind { name, .. } => {
            let (what, names) = match name {
                Some(name) => (format!("{resource}/{name}"), format!(", resourceNames {name}")),
                None => (resource.to_owned(), String::new()),
            };
            let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
            (
                format!(
                    "user {user:?} may not {verbs} {what} in all namespaces, and a class does only what its author may do"
                ),
                format!(
                    "have a cluster admin write the class, or grant it by a ClusterRole and a ClusterRoleBinding (apiGroups {group:?}, \
                     resources {plural}{names}, verbs {verbs})"
                ),
            )
        }
    };
    item.error(Reason::Forbidden, &FieldPath::default(), message, remedy)
}
