//! Why a binding is not Ready: the vocabulary of class.md C37, each word with what to do about it.

/// Reason of a binding's `Ready` condition, and label of the failure metrics: the set is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
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

impl Reason {
    /// Every reason, in the order of the specification.
    pub const ALL: [Self; 26] = [
        Self::BindingRecorded,
        Self::Applying,
        Self::ClassNotFound,
        Self::ClassInvalid,
        Self::OptingOut,
        Self::RenderFailed,
        Self::DuplicateResource,
        Self::GVKDenied,
        Self::KindNotFound,
        Self::NotOwned,
        Self::ApplyConflict,
        Self::InvalidManifest,
        Self::ImmutableField,
        Self::Forbidden,
        Self::QuotaExceeded,
        Self::AdmissionDenied,
        Self::ApplyFailed,
        Self::DeleteFailed,
        Self::DeleteBlocked,
        Self::GuardEngaged,
        Self::InventoryCorrupted,
        Self::InventoryTooLarge,
        Self::NamespaceTerminating,
        Self::OtherInstance,
        Self::Suspended,
        Self::LicenceRequired,
    ];

    /// The word in the condition.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BindingRecorded => "BindingRecorded",
            Self::Applying => "Applying",
            Self::ClassNotFound => "ClassNotFound",
            Self::ClassInvalid => "ClassInvalid",
            Self::OptingOut => "OptingOut",
            Self::RenderFailed => "RenderFailed",
            Self::DuplicateResource => "DuplicateResource",
            Self::GVKDenied => "GVKDenied",
            Self::KindNotFound => "KindNotFound",
            Self::NotOwned => "NotOwned",
            Self::ApplyConflict => "ApplyConflict",
            Self::InvalidManifest => "InvalidManifest",
            Self::ImmutableField => "ImmutableField",
            Self::Forbidden => "Forbidden",
            Self::QuotaExceeded => "QuotaExceeded",
            Self::AdmissionDenied => "AdmissionDenied",
            Self::ApplyFailed => "ApplyFailed",
            Self::DeleteFailed => "DeleteFailed",
            Self::DeleteBlocked => "DeleteBlocked",
            Self::GuardEngaged => "GuardEngaged",
            Self::InventoryCorrupted => "InventoryCorrupted",
            Self::InventoryTooLarge => "InventoryTooLarge",
            Self::NamespaceTerminating => "NamespaceTerminating",
            Self::OtherInstance => "OtherInstance",
            Self::Suspended => "Suspended",
            Self::LicenceRequired => "LicenceRequired",
        }
    }

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

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
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
            assert!(reason.remedy().len() > 10 && !reason.remedy().ends_with('.'), "{reason}");
        }
    }
}
