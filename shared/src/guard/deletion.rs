//! The question that admission asks when somebody deletes a class (admission.md A02).

use super::{digest_of_deletion, is_confirmed, limit};
use crate::api::OnDelete;
use crate::names::CONFIRM_ANNOTATION;

/// What admission knows of a class that is about to be deleted.
#[derive(Clone, Copy, Debug)]
pub struct ClassInUse<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its UID.
    pub uid: &'a str,
    /// How many namespaces have it (`status.namespaces.bound`, at most seconds old).
    pub bound: usize,
    /// What becomes of the objects.
    pub on_delete: OnDelete,
    /// Its annotation `nsclass.io/confirm-delete`.
    pub confirmed: Option<&'a str>,
}

/// Why the class may not be deleted now, with how to go on; none where it may. The digest is the one that the controller asks for
/// too, so that one confirmation serves both.
pub fn deletion_refusal(class: &ClassInUse<'_>) -> Option<String> {
    let digest = digest_of_deletion(class.uid);
    let limit = limit(class.bound);
    if class.on_delete == OnDelete::Orphan || class.bound <= limit || is_confirmed(class.confirmed, &digest) {
        return None;
    }
    let (name, bound) = (class.name, class.bound);
    Some(format!(
        "NamespaceClass {name} is in use: deleting it would delete its objects in {bound} namespaces, and without a confirmation at \
         most {limit} may lose them; if that is meant, run kubectl annotate --overwrite namespaceclass {name} \
         {CONFIRM_ANNOTATION}={digest} and delete it again, or set onDelete: Orphan to leave the objects"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c47_a_class_in_use_by_more_than_the_limit_is_deleted_only_with_a_confirmation() {
        let class = ClassInUse { name: "std", uid: "u", bound: 4, on_delete: OnDelete::Delete, confirmed: None };
        insta::assert_snapshot!(deletion_refusal(&class).unwrap(), @"NamespaceClass std is in use: deleting it would delete its objects in 4 namespaces, and without a confirmation at most 3 may lose them; if that is meant, run kubectl annotate --overwrite namespaceclass std nsclass.io/confirm-delete=cefb669a92f40d27 and delete it again, or set onDelete: Orphan to leave the objects");
        assert_eq!(deletion_refusal(&ClassInUse { bound: 3, ..class }), None);
        assert_eq!(deletion_refusal(&ClassInUse { on_delete: OnDelete::Orphan, ..class }), None);
        let digest = digest_of_deletion("u");
        assert_eq!(deletion_refusal(&ClassInUse { confirmed: Some(&digest), ..class }), None);
        assert!(deletion_refusal(&ClassInUse { uid: "made again", confirmed: Some(&digest), ..class }).is_some());
    }
}
