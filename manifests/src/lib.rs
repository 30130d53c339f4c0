//! The folder engine: reads a hand-kept `GitOps` directory, finds each live object's document in it, and edits that document where it stands.
//!
//! Bytes in, verdicts and bytes out; no Kubernetes client, no Git.

pub mod edit;
pub mod yaml;
