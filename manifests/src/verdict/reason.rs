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
    ($($(#[$doc:meta])* $name:ident $severity:ident,)*) => {
        /// The kind of a finding, also the `reason` of the condition `RepositoryValid`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Reason {
            $($(#[$doc])* $name,)*
        }

        impl Reason {
            /// Every reason.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The reason as a word, for conditions, metrics and JSON.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
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
    Unreadable Refusal,
    /// A file, or the folder, is beyond a budget.
    TooLarge Refusal,
    /// A symlink stands where a file is needed.
    Symlink Refusal,
    /// A file is no UTF-8.
    NotUtf8 Refusal,
    /// A file cannot be parsed strictly.
    MalformedYaml Refusal,
    /// A file holds both objects and other documents.
    MixedFile Refusal,
    /// A document is of a form that owns no single live object: a list, or one without a name.
    UnsupportedDocument Refusal,
    /// A kustomization file is not one that kustomize, or a strict reader, accepts.
    InvalidKustomization Refusal,
    /// A kustomization uses a key outside the supported subset.
    UnsupportedKustomization Refusal,
    /// An entry of `resources` or `bases` cannot be followed.
    InvalidEntry Refusal,
    /// Several namespaces reach one document.
    AmbiguousNamespace Refusal,
    /// A kustomization overrides the namespace that a document states.
    ConflictingNamespace Refusal,
    /// No namespace reaches a namespaced document.
    NoNamespace Refusal,
    /// Two documents are one live object.
    DuplicateIdentity Refusal,
    /// One document is reached by two paths.
    ReachedTwice Refusal,
    /// The render of a document would not be what the API takes, or cannot be told.
    UnsupportedRender Refusal,
    /// A name or namespace holds a later substitution.
    Substituted Refusal,
    /// Another controller changes what this folder says.
    ForeignContext Refusal,
    /// The declared namespace context contradicts the folder or its rules.
    ContextConflict Refusal,
    /// The folder names a kind that a ready look-up does not know (`unresolved-mapping`).
    UnresolvedMapping Warning,
    /// A cluster-scoped document states a namespace (`scope-mismatch`).
    ScopeMismatch Warning,
    /// A Flux or Argo object in the folder applies it.
    AppliedElsewhere Warning,
    /// An object here is not deployed by the kustomization beside it.
    NotDeployed Warning,
    /// A field cannot be written because a later substitution would be lost (`substituted-value`).
    SubstitutedValue Note,
    /// Worth knowing.
    Note Note,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
