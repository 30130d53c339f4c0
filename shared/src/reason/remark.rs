//! Reasons of all conditions of classes and bindings but a binding's `Ready`.

use super::vocabulary;

vocabulary! {
    /// Reason of a condition of a class, or of another condition of a binding than `Ready`: the set is closed.
    Remark {
        /// The class can be applied.
        Valid,
        /// The class has faults, and nothing of it is applied anywhere.
        Invalid,
        /// Nothing of the class is applied, because it is not accepted.
        NotAccepted,
        /// The objects are on their way to some namespaces; nothing failed so far.
        Applying,
        /// Every namespace with this class is ready.
        NamespacesReady,
        /// Some namespaces with this class are not ready.
        NamespacesFailing,
        /// The class carries the annotation nsclass.io/suspend, so that nothing is written in its namespaces.
        Suspended,
        /// The mass-delete guard stopped what an edit of the class would delete.
        ClassEdited,
        /// The mass-delete guard stopped what the deletion of the class would delete.
        ClassDeleted,
        /// The mass-delete guard stopped what namespaces would lose whose label went.
        LabelsLost,
        /// The mass-delete guard stopped several changes, each of which takes a confirmation of its own.
        SeveralChanges,
        /// The mass-delete guard holds nothing any more.
        NothingHeld,
        /// Another instance keeps namespaces of this instance's scope.
        KeptByAnother,
        /// No other instance keeps a namespace of this instance's scope any more.
        NoOverlap,
        /// Namespaces with this class wait for a licence.
        LicenceRequired,
        /// No namespace waits for a licence any more.
        NothingWaits,
        /// The scope picks the namespace.
        InScope,
        /// The scope does not pick the namespace: what is there stays, and is neither repaired nor deleted.
        OutOfScope,
        /// Others changed or deleted objects, and the class says drift: Report.
        ChangedByOthers,
        /// Somebody changes an object again and again; it is set back with growing pauses.
        FoughtFor,
        /// Every object is as it was applied.
        AsApplied,
    }
}

impl Remark {
    /// Conditions that have this reason, with the kind whose condition it is; `INSTANCE` stands for the name of one.
    pub fn conditions(self) -> &'static str {
        match self {
            Self::Valid | Self::Invalid => "class: Accepted",
            Self::NotAccepted | Self::Applying | Self::NamespacesReady | Self::NamespacesFailing | Self::Suspended => {
                "class: Ready"
            }
            Self::ClassEdited | Self::ClassDeleted | Self::LabelsLost | Self::SeveralChanges | Self::NothingHeld => {
                "class: GuardEngaged"
            }
            Self::KeptByAnother | Self::NoOverlap => "class: OtherInstance.INSTANCE",
            Self::LicenceRequired | Self::NothingWaits => "class: LicenceHolds.INSTANCE",
            Self::InScope | Self::OutOfScope => "binding: InScope",
            Self::ChangedByOthers | Self::FoughtFor | Self::AsApplied => "binding: Drifted",
        }
    }

    /// One sentence that says what to do, in the form of [`super::Reason::remedy`].
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Valid
            | Self::Applying
            | Self::NamespacesReady
            | Self::NothingHeld
            | Self::NoOverlap
            | Self::NothingWaits
            | Self::InScope
            | Self::AsApplied => "nothing to do",
            Self::Invalid => "correct what the message names in the class's spec",
            Self::NotAccepted => "see the condition Accepted",
            Self::NamespacesFailing => "see the bindings of the namespaces named, and the reason there",
            Self::Suspended => "remove the annotation nsclass.io/suspend",
            Self::ClassEdited => {
                "confirm with the annotation that the message names if the edit is meant, or undo the edit"
            }
            Self::ClassDeleted => {
                "confirm with the annotation that the message names if the deletion is meant, or set onDelete: Orphan to leave the objects"
            }
            Self::LabelsLost => {
                "confirm with the annotation that the message names if that is meant, or set the label nsclass.io/name again"
            }
            Self::SeveralChanges => "confirm or undo each as the message says",
            Self::KeptByAnother => "let the scope of one of the two instances exclude the namespaces named",
            Self::LicenceRequired => super::Reason::LicenceRequired.remedy(),
            Self::OutOfScope => {
                "label the namespace into the scope, or let the scope of another instance pick it, if it is to be managed"
            }
            Self::ChangedByOthers => "undo that, or set drift: Repair on the class",
            Self::FoughtFor => "stop whom the message names, or set drift: Ignore on the class",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_remark_is_one_word_that_says_what_it_means_and_what_to_do() {
        for remark in Remark::ALL {
            assert!(remark.as_str().chars().all(char::is_alphanumeric), "{remark}");
            assert!(remark.meaning().ends_with('.') && !remark.meaning().starts_with(' '), "{remark}");
            assert!(remark.remedy().len() > 10 && !remark.remedy().ends_with('.'), "{remark}");
        }
    }
}
