//! The git program, and what is asked of it.
//!
//! The program and not libgit2: a transfer that hangs can be killed with everything it started; a push names the tip it replaces, so
//! that the server compares and nobody's commit is stepped over; and what users reach their servers with (OpenSSH, its ciphers, smart
//! HTTP, authorities) is what they know from their desks. libgit2 would bring OpenSSL and libssh2, a second TLS provider, and has
//! neither of the first two. The price is a process per step, which is small beside the network.
//!
//! The program runs without its users' and the system's configuration, without hooks, prompts, or any protocol but the provider's
//! ([`environment`]). Nothing secret is on a command line: [`keys`] writes it into files that only we can read, for as long as the
//! call takes. There is no checkout: [`source`] reads a commit's tree out of the object store, and [`commit`] writes commits into it.

pub mod call;
pub mod commit;
pub mod environment;
pub mod error;
pub mod keys;
pub mod listing;
pub mod repository;
pub mod source;
pub mod transfer;

pub use commit::NewCommit;
pub use error::GitError;
pub use listing::{Listing, Node};
pub use repository::{Budget, Repository};
pub use source::GitSource;
pub use transfer::{Pushed, Tips};
