//! Certificates: what a pair must be before it is served, how one is issued, and how an authority is replaced without a failed
//! handshake. Values in, values out: no file, no clock, no Kubernetes types.

pub mod authority;
pub mod bundle;
pub mod certificate;
pub mod fingerprint;
pub mod pair;
pub mod rotation;
pub mod verify;
