//! The policies of `deploy/policies` on a real API server: who may put which class on a namespace, touch guarded keys, bindings and marks,
//! through every way of writing them; and that nothing which must go on is ever in their way.

mod ask;
mod authors;
mod bindings;
mod class_label;
mod controller;
mod copies;
mod guarded_keys;
mod kept;
mod label_values;
mod lock;
mod marks;
mod require_class;
mod rule_authors;
mod somebody;
mod stage;
mod types;
mod ways;
mod webhook;
