//! `nsclass smoke`: what it says of an installation that is whole, and of what can be wrong with one; and that it leaves nothing.

mod interrupted;
mod missing;
mod narrow;
mod stage;
mod whole;
