//! The scope on the real control plane: who is managed, live, by one controller or two.

mod away;
mod burst;
mod first_list;
mod instances;
mod moving;
mod reload;
mod stage;
