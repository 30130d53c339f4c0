//! Drift on the real control plane: what others do to our objects is undone in seconds, said, or left, as the class wants it.

#[path = "../classes/stage.rs"]
#[expect(dead_code, reason = "shared with another suite, which uses all of it")]
mod stage;

mod damped;
mod events;
mod exact;
mod failing;
mod healing;
mod kinds;
mod reported;
mod restart;
