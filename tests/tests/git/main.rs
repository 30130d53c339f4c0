//! The side of Git of Live → Git: workers against real repositories behind smart HTTP and sshd.

mod authors;
mod budgets;
mod crashes;
mod credentials;
mod folders;
mod people;
mod sealed;
mod servers;
mod stage;
mod writing;
