//! Words with their meaning, written once.

/// An enum of words whose documentation is also what people read of them: a word without one does not compile. The words are listed in
/// their order, so that none is forgotten.
macro_rules! vocabulary {
    ($(#[$about:meta])* $name:ident { $( $(#[doc = $meaning:literal])+ $word:ident, )+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $( $(#[doc = $meaning])+ $word, )+ }

        impl $name {
            /// Every word, in the order of the specification.
            pub const ALL: [Self; [$(stringify!($word)),+].len()] = [$(Self::$word),+];

            /// The word in the condition.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$word => stringify!($word),)+ }
            }

            /// What it means, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$word => concat!($($meaning),+).trim(),)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

pub(crate) use vocabulary;
