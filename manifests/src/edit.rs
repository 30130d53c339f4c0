//! The in-place editor of one document or one file.
//!
//! - [`edit`]`(file, number, wanted, reader) -> Result<Edited, Refused>` makes the document say `wanted`, a whole object as the reader
//!   would read it. The result is a list of [`Change`]s: byte ranges and their replacements; every other byte stays (F30). What cannot be
//!   changed in place is refused field by field (`Edited::refused`: a substituted value, an anchor, …) and keeps its bytes; the rest is
//!   edited. A caller that accepts no partial write looks there. `Edited::value` is what the document then says.
//! - [`remove_document`]`(file, number) -> Result<Option<String>, Refused>`: the file without exactly that document; none: the file goes.
//! - [`set_namespace`]`(file, number, namespace, reader)`: adds or sets `metadata.namespace`.
//! - [`new_file`]`(value) -> String`: a new document for a new file.
//! - [`add_resource`], [`remove_resource`]`(file, entry) -> Result<String, Refused>`: the one-line edit of a kustomization's `resources`.
//!
//! Every result is parsed strictly and compared with what was wanted before anybody sees it (F32). A document whose layout the span finder
//! does not know, or that is encrypted, is refused whole.

mod ambiguous;
mod block_text;
mod change;
mod document;
mod emit;
mod extent;
mod flow;
mod hanging;
mod mapping;
mod matching;
mod path;
mod quote;
mod refused;
mod replace;
mod resources;
mod scalar;
mod sequence;
mod verify;
mod walk;

pub use change::Change;
pub use document::{Edited, edit, new_file, remove_document, set_namespace};
pub use refused::{Reason, Refused};
pub use resources::{add_resource, remove_resource};
