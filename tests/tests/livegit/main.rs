//! Live objects back to Git, the whole way: the real API server on one side, a real Git server behind TLS on the other, and the operator
//! as a process between them.

mod admission;
mod faults;
mod folder;
mod readers;
mod rights;
mod scope;
mod stage;
