//! Live objects back to Git (folders.md F50 to F60): what can be known without asking anybody.
//!
//! Each file is one rule. Admission asks them of one object, the controller of all that there are together: both call the same functions
//! (admission.md A04).

pub mod access;
pub mod admit;
pub mod author;
pub mod backoff;
pub mod branch;
pub mod credentials;
pub mod failure;
pub mod fault;
pub mod fixed;
pub mod kinds;
pub mod message;
pub mod noise;
pub mod overlap;
pub mod path;
pub mod person;
pub mod provider;
pub mod redact;
pub mod served;
mod ssh_key;
pub mod status;
pub mod target;
#[cfg(test)]
mod testing;
pub mod url;
pub mod window;
pub mod world;
