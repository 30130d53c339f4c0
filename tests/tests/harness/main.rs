//! The harness itself, on the real control plane: what every other test relies on.

mod assets;
mod audit;
mod clients;
mod control_plane;
mod install;
mod outliving;
mod program;
mod ps;
mod world;
