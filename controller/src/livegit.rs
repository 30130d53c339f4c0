//! Live objects back to Git (folders.md F50 to F60).
//!
//! ```text
//! feeds ─▶ objects ┐
//! discovery ───────┤
//! scope ───────────┼─▶ office: world ─▶ outlook (pure, nsclass_shared::livegit::world) ─▶ statuses, events
//! readers ─────────┘        │ targets                  │ streams
//!                           ▼                          ▼
//!                        Workers ◀──────Message──── watches
//!     one for each (provider, branch): join the author ▶ window ▶ plan with the folder engine ▶ commit ▶ push ──Reports──▶ board ─▶ office
//! API server's audit webhook ──▶ audit ──▶ claims ──▲
//! ```
//! [`change`] and [`report`] are the edges between the two sides: what a worker is given and what it tells. [`git`] is the program behind
//! it.

pub mod audit;
mod batch;
mod board;
pub mod change;
mod discovery;
mod feed;
mod flips;
pub mod git;
mod held;
mod listing;
pub mod metrics;
mod objects;
mod office;
mod parts;
mod prepare;
mod readers;
pub mod report;
mod run;
pub mod seal;
mod setup;
mod stream;
mod streams;
mod trial;
mod verdict;
mod words;
mod worker;
pub mod workers;
mod written;

pub use parts::LiveGit;
pub use run::start;
