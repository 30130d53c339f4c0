//! The folder engine: reads a hand-kept `GitOps` directory, finds each live object's document in it, and edits that document where it stands.
//!
//! Bytes in, verdicts and bytes out; no Kubernetes client, no Git.

pub mod changeset;
pub mod edit;
pub mod folder;
pub mod graph;
pub mod identity;
pub mod judge;
pub mod kinds;
pub mod kustomization;
pub mod limits;
pub mod live;
pub mod path;
pub mod plan;
pub mod record;
pub mod render;
pub mod scan;
pub mod source;
pub mod verdict;
pub mod yaml;

pub use judge::judge;
