//! The rules of Namespace Class, with no I/O: API types, templates, policy, inventory and plan.

mod excerpt;
pub mod finding;
pub mod guarded;
pub mod identity;
pub mod kinds;
pub mod marks;
pub mod names;
pub mod object_name;
pub mod path;
pub mod template;
pub mod validity;
pub mod variables;
