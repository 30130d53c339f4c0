//! Classes on the real control plane, kept by the real controller: what is chosen, rendered, applied and reported.

mod admission;
mod alone;
mod budgets;
mod choosing;
mod configuration;
mod conflicts;
mod deletion;
#[path = "../answers/denier.rs"]
mod denier;
mod failing;
mod few_rights;
mod immutable;
mod kinds;
mod late_kind;
mod left_class;
mod ownership;
mod policy;
mod rendering;
mod rest;
mod stage;
mod status;
