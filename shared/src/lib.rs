//! The rules of Namespace Class, with no I/O: API types, templates, policy, inventory and plan.

pub mod finding;
pub mod identity;
pub mod kinds;
pub mod names;
pub mod path;
pub mod validity;
