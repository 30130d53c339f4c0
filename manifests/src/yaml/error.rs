//! Why a file could not be read.

use super::{MAX_BYTES, MAX_DEPTH, MAX_DOCUMENTS, MAX_NODES, Position};

/// A file that cannot be read, and where. Line and column count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("document {document}, line {}, column {}: {kind}", position.line, position.column)]
pub struct Error {
    /// The document in which it was found, from 1.
    pub document: usize,
    /// Where in the file.
    pub position: Position,
    /// What is wrong.
    pub kind: ErrorKind,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ErrorKind {
    /// Some bytes are no UTF-8.
    #[error("the file is not UTF-8; save it as UTF-8")]
    NotUtf8,
    /// More than [`MAX_BYTES`].
    #[error("the file has {0} bytes, more than the {MAX_BYTES} that are read; split it")]
    TooLarge(usize),
    /// More than [`MAX_DOCUMENTS`].
    #[error("the file has more than {MAX_DOCUMENTS} documents; split it")]
    TooManyDocuments,
    /// More than [`MAX_NODES`].
    #[error("the file has more than {MAX_NODES} values; split it")]
    TooManyNodes,
    /// Nested deeper than [`MAX_DEPTH`].
    #[error("values are nested more than {MAX_DEPTH} levels deep; no Kubernetes object is")]
    TooDeep,
    /// A character that readers of YAML 1.1 refuse, or take for a line break.
    #[error("the character U+{:04X} is not allowed here; write it as an escape in double quotes", u32::from(*.0))]
    Character(char),
    /// An escape in double quotes that YAML 1.1 does not know.
    #[error("the escape `{0}` is not known to the readers of Kubernetes and kustomize; write the character itself")]
    Escape(String),
    /// Something other than `---` after `...`: kustomize drops it silently.
    #[error("content follows `...` without a `---`; kustomize would drop it: add `---` before it")]
    ContentAfterEnd,
    /// Text on the line of a `---`, or a line of text that begins with `---`.
    #[error("text follows `---` on its line, where tools that split files at `---` lose it; move it to the next line")]
    SeparatorContent,
    /// What YAML 1.2 alone can read.
    #[error(
        "`{0}` can be read by YAML 1.2 only, not by the readers of Kubernetes and kustomize; write it in quotes, or plainer"
    )]
    Unportable(String),
    /// A tab where indentation is expected.
    #[error("a tab stands where only spaces may; replace it with spaces")]
    Tab,
    /// It is no YAML.
    #[error("{0}")]
    Syntax(String),
}
