//! The rules of Namespace Class, with no I/O: API types, templates, policy, inventory and plan.

pub mod api;
pub mod class_status;
pub mod config;
pub mod identity;
pub mod names;
pub mod plan;
pub mod reason;
#[cfg(feature = "runtime")]
pub mod runtime;
