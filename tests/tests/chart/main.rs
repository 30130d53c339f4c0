//! The chart: rendered by Helm, refused where its values contradict each other, and installed on a real API server.

mod installed;
mod instances;
mod metrics;
mod rbac_check;
mod refused;
mod rendered;
mod rights;
mod stage;
mod start;
mod values;
