//! Certificates and the webhook configuration on the real control plane, kept by the real controller (admission.md A14–A25).

mod authority;
mod configuration;
mod replica;
mod rights;
mod rotation;
mod stage;
