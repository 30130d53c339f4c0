//! Why a condition is as it is: the vocabulary of class.md C37, each word with what it means and what to do about it. Those of a binding's
//! `Ready` are [`Reason`]s; those of all other conditions of classes and bindings are [`Remark`]s. The Git kinds have [`GitRemark`]s, the
//! faults of their specifications ([`crate::livegit::fault::Reason`]), the failures of git ([`crate::livegit::failure::Failure`]), and what
//! refuses a folder, which the folder engine knows.

mod git;
mod remark;
mod vocabulary;

pub use git::GitRemark;
pub use remark::Remark;
pub(crate) use vocabulary::vocabulary;

vocabulary! {
    /// Reason of a binding's `Ready` condition, and label of the failure metrics: the set is closed.
    Reason {
        /// Everything is there and recorded (Ready=True).
        BindingRecorded,
        /// The inventory is written and the objects are on their way (Ready=Unknown).
        Applying,
        /// The class does not exist, or is being deleted.
        ClassNotFound,
        /// The class exists, but is not accepted.
        ClassInvalid,
        /// The label went; the objects go when the delay is over.
        OptingOut,
        /// A variable is missing, or a rendered value cannot be used.
        RenderFailed,
        /// Two items are one object.
        DuplicateResource,
        /// The policy denies a kind.
        GVKDenied,
        /// The API server does not serve a kind.
        KindNotFound,
        /// An object of that name belongs to somebody else.
        NotOwned,
        /// Another field manager holds a field, and the class does not force it.
        ApplyConflict,
        /// The API server cannot read the manifest.
        InvalidManifest,
        /// A field that cannot change would have to.
        ImmutableField,
        /// The controller lacks a right.
        Forbidden,
        /// A quota is exhausted.
        QuotaExceeded,
        /// Another admission webhook or policy said no.
        AdmissionDenied,
        /// An apply failed for another reason, usually a passing one.
        ApplyFailed,
        /// A delete failed.
        DeleteFailed,
        /// A finalizer holds an object that is being deleted.
        DeleteBlocked,
        /// The mass-delete guard stopped deletion.
        GuardEngaged,
        /// The inventory cannot be read.
        InventoryCorrupted,
        /// Old and new objects together are more than an inventory holds.
        InventoryTooLarge,
        /// The namespace is being deleted.
        NamespaceTerminating,
        /// Another operator instance keeps this namespace.
        OtherInstance,
        /// Writes are suspended by annotation.
        Suspended,
        /// The licence gate has the namespace wait.
        LicenceRequired,
    }
}

impl Reason {
    /// One sentence that says what to do.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::BindingRecorded | Self::Applying => "nothing to do",
            Self::ClassNotFound => "create the class, or correct the namespace's label nsclass.io/name",
            Self::ClassInvalid => "see the class's condition Accepted and correct its spec",
            Self::OptingOut => "set the label nsclass.io/name again before the time named, or let the objects go",
            Self::RenderFailed => {
                "set the labels or annotations named, give the variable a default, or correct the item"
            }
            Self::DuplicateResource => "remove or rename one of the two items",
            Self::GVKDenied => "remove the item, or let policy.permit in the operator's configuration lift that rule",
            Self::KindNotFound => {
                "install the CRD of that kind, or remove the item; it is applied as soon as the kind is served"
            }
            Self::NotOwned => "rename the item, delete the object named, or set adoption: Adopt on the class",
            Self::ApplyConflict => "let the manager named give up the field, or set drift: Repair on the class",
            Self::InvalidManifest => "correct the item in the class; it is not tried again before the class changes",
            Self::ImmutableField => {
                "delete the object named yourself, or set immutable: Recreate on the class to have it deleted and made again"
            }
            Self::Forbidden => "grant the controller's ServiceAccount the right named",
            Self::QuotaExceeded => "raise the quota named, or free some of it",
            Self::AdmissionDenied => "satisfy the webhook or policy named, or exempt the namespace from it",
            Self::ApplyFailed | Self::DeleteFailed => {
                "nothing to do if it passes; it is tried again with growing pauses"
            }
            Self::DeleteBlocked => "let the controllers behind the finalizers named finish, or remove the finalizers",
            Self::GuardEngaged => {
                "confirm the change with the annotation that the class's condition GuardEngaged names, or undo it"
            }
            Self::InventoryCorrupted => "nothing is deleted; see the operator's log for what cannot be read",
            Self::InventoryTooLarge => "make the class smaller, or change it in two steps",
            Self::NamespaceTerminating => "nothing to do; the binding goes with the namespace",
            Self::OtherInstance => "let the other instance's scope exclude this namespace",
            Self::Suspended => "remove the annotation nsclass.io/suspend",
            Self::LicenceRequired => {
                "put a valid licence into a Secret with the label nsclass.io/licence in the operator's namespace; nsclass licence show explains"
            }
        }
    }

    /// Whether trying again helps although nothing that we watch has changed.
    pub fn is_retried(self) -> bool {
        matches!(
            self,
            Self::KindNotFound
                | Self::NotOwned
                | Self::ApplyConflict
                | Self::ImmutableField
                | Self::Forbidden
                | Self::QuotaExceeded
                | Self::AdmissionDenied
                | Self::ApplyFailed
                | Self::DeleteFailed
                | Self::DeleteBlocked
                | Self::InventoryCorrupted
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c37_every_reason_is_one_word_and_says_what_to_do() {
        let words: std::collections::BTreeSet<_> = Reason::ALL.iter().map(|r| r.as_str()).collect();
        assert_eq!(words.len(), Reason::ALL.len());
        for reason in Reason::ALL {
            assert!(reason.as_str().chars().all(char::is_alphanumeric), "{reason}");
            assert!(reason.meaning().ends_with('.') && !reason.meaning().starts_with(' '), "{reason}");
            assert!(reason.remedy().len() > 10 && !reason.remedy().ends_with('.'), "{reason}");
        }
    }
    /// Rust files under a directory of the workspace.
    fn sources(dir: &std::path::Path, into: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, into);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                into.push(path);
            }
        }
    }

    /// A condition's reason is a string where it is written; here is seen to it that nobody makes one up there.
    #[test]
    fn c37_no_condition_has_a_reason_that_is_in_no_vocabulary() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let (mut files, mut seen) = (Vec::new(), 0);
        for part in ["shared", "controller", "webhook"] {
            sources(&std::path::Path::new(root).join(part).join("src"), &mut files);
        }
        let mut of_git = 0;
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            // What the workers of the Git kinds say are States, which become Assessments.
            for written in code.split("Assessment {").skip(1).chain(code.split(" State {").skip(1)) {
                // Up to the message, which is behind it.
                let Some((_, reason)) = written.split_once("reason:") else { continue };
                let reason = reason.split("message").next().unwrap_or_default();
                assert!(!reason.contains('"'), "{}: reason:{reason}is no word of a vocabulary", file.display());
                seen += usize::from(reason.contains("Remark::") || reason.contains("Reason::"));
            }
            // Where their conditions are put together, nothing but a word of the vocabulary compiles.
            for written in code.split("Word::new(").skip(1) {
                let reason = written.split(',').next().unwrap_or_default();
                assert!(!reason.contains('"'), "{}: {reason} is no word of a vocabulary", file.display());
                of_git += usize::from(reason.contains("GitRemark::"));
            }
        }
        assert!(seen > 10, "only {seen} reasons were found: this looks for them in the wrong way");
        assert!(of_git > 10, "only {of_git} reasons of the Git kinds were found: this looks for them in the wrong way");
    }
}
