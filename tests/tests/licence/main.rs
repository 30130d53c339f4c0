//! The licence gate and the usage report (scope.md S60–S62, S70) on the real control plane, by a clock that the tests hold.

mod documents;
mod freezing;
mod limit;
mod outliving;
mod running;
mod stage;
mod strict;
mod usage;
