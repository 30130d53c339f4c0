//! The controller process.
