//! A small kustomize: the supported subset, rendered as kustomize 5.8.2 renders it (folders.md F16-F19).

pub(crate) mod accumulate;
pub(crate) mod annotations;
mod field_path;
pub(crate) mod field_specs;
pub(crate) mod references;
mod rendered;
pub(crate) mod scope;

pub use field_path::{FieldPath, Step};
pub use rendered::{Rendered, RenderedDocument, Supplied, render};
