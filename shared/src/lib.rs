//! The rules of Namespace Class, with no I/O: API types, templates, policy, inventory and plan.

pub mod answer;
pub mod api;
pub mod budget;
pub mod class;
pub mod class_status;
pub mod config;
mod duplicates;
mod excerpt;
pub mod fields;
pub mod finding;
pub mod guard;
pub mod guarded;
mod hex;
pub mod identity;
pub mod json;
pub mod kinds;
pub mod lease;
pub mod licence;
pub mod livegit;
pub mod manifest;
pub mod marks;
pub mod names;
pub mod object_name;
pub mod path;
mod placement;
pub mod plan;
pub mod policy;
pub mod reason;
pub mod render;
pub mod rights;
#[cfg(feature = "runtime")]
pub mod runtime;
pub mod scope;
mod shared_name;
pub mod template;
#[cfg(test)]
mod testing;
mod text;
mod trust;
pub mod usage;
pub mod validate;
pub mod validity;
pub mod variables;
