//! Documents of a file with their byte spans, read strictly.
//!
//! [`parse`] turns the bytes of one file into a [`File`]: its [`Document`]s, numbered from 1 in file order (F06), each with its byte range
//! and a tree of [`Node`]s. Every node knows the bytes it was read from, so that an edit can be a list of byte ranges.
//!
//! - `parse(bytes) -> Result<File, Error>`: an [`Error`] names document, line, column and what is wrong. Size, depth, nodes and documents are
//!   bounded. Files that Go's readers and YAML 1.2 take apart differently (line separators of Unicode, text on a `---` line, …) are errors.
//! - `Document::{number, range, root, comments, layout}`, `Document::is_empty()` (empty, null or comments only: owns nothing),
//!   `Document::features()` (duplicate and non-string keys, anchors, aliases, merge keys, tags, directives, with their positions: what of
//!   it refuses depends on who asks).
//! - `Node::{get, at, as_str, as_mapping, as_sequence, span}` walk the tree; `File::slice`, `File::position` turn spans into text and lines.
//! - `Document::to_value(Reader) -> Result<serde_json::Value, ValueError>`: what [`Reader::Kubernetes`] or [`Reader::Kustomize`] reads (F38).
//!   Aliases are expanded within a budget. Numbers are as Go prints them to JSON: `1.0` is `1`.
//!
//! Trees borrow from the bytes. They are cheap to make again and, at some fifty bytes a node, dear to keep: keep the bytes.

mod block;
mod build;
mod characters;
mod error;
mod features;
pub(crate) mod lines;
mod locate;
mod node;
mod portable;
pub(crate) mod resolve;
mod tabs;
mod timestamp;
mod value;

pub use build::parse;
pub use error::{Error, ErrorKind};
pub use features::{Feature, FeatureKind};
pub use lines::Position;
pub use node::{Content, Document, Entry, File, Item, Mapping, Node, Properties, Scalar, Sequence, Span, Style};
pub use resolve::Reader;
pub use value::{ValueError, ValueErrorKind};

/// The largest file that is read: an object of the API server is at most 1.5 MiB, bundles of CRDs are a few MiB.
pub const MAX_BYTES: usize = 16 << 20;
/// The most documents in one file, empty ones included.
pub const MAX_DOCUMENTS: usize = 10_000;
/// The most nodes in one file: about what a file of [`MAX_BYTES`] of ordinary YAML holds.
pub const MAX_NODES: usize = 2_000_000;
/// The deepest nesting of mappings and sequences. The API server's own JSON decoding is bounded too; real objects stay below 60.
pub const MAX_DEPTH: usize = 128;
