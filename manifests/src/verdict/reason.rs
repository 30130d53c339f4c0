/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The folder is not valid: nothing is written to it.
    Refusal,
    /// The folder is valid, but somebody should look.
    Warning,
    /// Worth saying; nothing need change.
    Note,
}

macro_rules! reasons {
    ($(#[doc = $meaning:literal] $name:ident $severity:ident $remedy:literal,)*) => {
        /// The kind of a finding, also the `reason` of the condition `RepositoryValid`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Reason {
            $(#[doc = $meaning] $name,)*
        }

        impl Reason {
            /// Every reason.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The reason as a word, for conditions, metrics and JSON.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }

            /// What it means, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning.trim(),)* }
            }

            /// What to change, in the imperative; that of a finding is more exact.
            pub fn remedy(self) -> &'static str {
                match self { $(Self::$name => $remedy,)* }
            }

            /// How much it weighs.
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }
        }
    };
}

reasons! {
    /// A file or directory cannot be read whole.
    Unreadable Refusal "make it readable, or leave it out by .sourceignore",
    /// A file, or the folder, is beyond a budget.
    TooLarge Refusal "make it smaller, narrow the path, or leave it out by .sourceignore",
    /// A symlink stands where a file is needed.
    Symlink Refusal "replace the link by the file itself",
    /// A file is no UTF-8.
    NotUtf8 Refusal "save the file as UTF-8",
    /// A file cannot be parsed strictly.
    MalformedYaml Refusal "correct the line named",
    /// A file holds both objects and other documents.
    MixedFile Refusal "move the documents that are no objects to a file of their own",
    /// A document is of a form that owns no single live object: a list, or one without a name.
    UnsupportedDocument Refusal "write each object as a document of its own, with apiVersion, kind and metadata.name",
    /// A kustomization file is not one that kustomize, or a strict reader, accepts.
    InvalidKustomization Refusal "correct the key named; kustomize build shows the same",
    /// A kustomization uses a key outside the supported subset.
    UnsupportedKustomization Refusal "take the key named out, or choose a path without that kustomization",
    /// An entry of `resources` or `bases` cannot be followed.
    InvalidEntry Refusal "correct the entry named, or vendor what it points to",
    /// Several namespaces reach one document.
    AmbiguousNamespace Refusal "keep one of the namespaces named",
    /// A kustomization overrides the namespace that a document states.
    ConflictingNamespace Refusal "state the same namespace in both, or in one of them only",
    /// No namespace reaches a namespaced document.
    NoNamespace Refusal "state metadata.namespace, or a namespace in the kustomization",
    /// Two documents are one live object.
    DuplicateIdentity Refusal "remove one of the two documents",
    /// One document is reached by two paths.
    ReachedTwice Refusal "give each kustomization a copy of its own",
    /// The render of a document would not be what the API takes, or cannot be told.
    UnsupportedRender Refusal "remove or correct the field named",
    /// A name or namespace holds a later substitution.
    Substituted Refusal "write the name out",
    /// Another controller changes what this folder says.
    ForeignContext Refusal "narrow the path, or set namespaceContext",
    /// The declared namespace context contradicts the folder or its rules.
    ContextConflict Refusal "correct namespaceContext, or what contradicts it",
    /// The folder names a kind that a ready look-up does not know (`unresolved-mapping`).
    UnresolvedMapping Warning "install the CRD of that kind, or correct apiVersion and kind",
    /// A cluster-scoped document states a namespace (`scope-mismatch`).
    ScopeMismatch Warning "remove metadata.namespace",
    /// A Flux or Argo object in the folder applies it.
    AppliedElsewhere Warning "narrow the path to what it does not change",
    /// An object here is not deployed by the kustomization beside it.
    NotDeployed Warning "name it in the kustomization if it is to be deployed",
    /// A field cannot be written because a later substitution would be lost (`substituted-value`).
    SubstitutedValue Note "nothing to do",
    /// Worth knowing.
    Note Note "nothing to do",
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
    fn f20_every_reason_says_what_it_means_and_what_to_do() {
        for reason in Reason::ALL {
            assert!(reason.meaning().ends_with('.') && !reason.meaning().starts_with(' '), "{reason}");
            assert!(reason.remedy().len() > 10 && !reason.remedy().ends_with('.'), "{reason}");
        }
    }
}
