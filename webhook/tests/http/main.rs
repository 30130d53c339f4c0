//! The admission port over real sockets, with validators made for the test behind the real gate.

mod bad_input;
mod client;
mod client_certificates;
mod deadlines;
mod gate;
mod port;
mod reviews;
mod stopping;
