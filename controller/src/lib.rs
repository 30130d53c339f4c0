//! The controller process: watches namespaces, classes and bindings, and gives every namespace what its class says.
//!
//! ```text
//! feeds ──keys──▶ queues ──▶ reconcile: observe → plan (pure, nsclass_shared::plan) → carry_out ──▶ API server
//!   └──▶ stores (namespaces, classes, bindings) ──▶ observe
//! ```
//! [`run`] wires the parts and reads as their list.

mod answers;
pub mod args;
pub mod bindings;
mod carry_out;
pub mod certs;
mod class_reconcile;
pub mod classes;
pub mod clock;
mod connect;
pub mod context;
mod definitions;
mod drift;
mod events;
mod feeds;
pub mod kinds;
pub mod leader;
pub mod licence;
pub mod livegit;
pub mod mass_delete;
pub mod memory;
pub mod metrics;
mod observe;
mod own_map;
pub mod queue;
mod ready;
mod reconcile;
mod recover;
mod reload;
mod requests;
mod rival;
pub mod run;
mod scope;
#[cfg(test)]
mod testing;
mod usage;
pub mod webhook_configuration;
mod worker;
