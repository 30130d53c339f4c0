//! The rules of Namespace Class, with no I/O: API types, templates, policy, inventory and plan.

pub mod answer;
pub mod api;
pub mod identity;
pub mod names;
pub mod plan;
pub mod reason;
