//! The webhook configuration: the leader makes it of a template, and keeps it so (admission.md A14–A16, A24).
//!
//! [`Template`] and [`Reach`] decide what it must be; [`Keeper`] looks and writes. It is written whole, by replacement: what others add
//! to it goes, and what they take away comes back.

mod keeper;
mod reach;
mod template;

pub use keeper::{Keeper, Live, Wrote};
pub use reach::{Following, Reach};
pub use template::{Filling, Template, TemplateError, Trust};
