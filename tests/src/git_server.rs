//! Real Git on the other side: bare repositories ([`Origin`]) behind smart HTTP over TLS ([`Https`]) and behind a real sshd
//! ([`Ssh`]), both on loopback, and people who push to them ([`Person`]).

mod cgi;
mod https;
mod origin;
mod person;
mod rights;
mod sshd;

pub use https::{Fault, Https};
pub use origin::{Logged, Origin};
pub use person::Person;
pub use rights::Right;
pub use sshd::Ssh;

/// A file of two objects, written as people write: comments, a flow map, quotes.
pub const SETTINGS: &str = "\
# Owned by team A.
apiVersion: v1
kind: ConfigMap
metadata:
  name: one
data:
  level: info # or debug
---
apiVersion: v1
kind: ConfigMap
metadata: {name: two}
data: {level: 'info'} # as it stands
";
