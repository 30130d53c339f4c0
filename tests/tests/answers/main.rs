//! The table behind `nsclass_shared::answer` (class.md C37), against the real server: each recorded answer is provoked again, and
//! must mean what the recorded one means. `RECORD_ANSWERS=1 cargo test -p nsclass-tests --test answers` writes the files anew.

mod absence;
mod admission;
mod denier;
mod forbidden;
mod immutable;
mod invalid;
mod ownership;
mod recorded;
#[path = "../../../shared/tests/answers/row.rs"]
mod row;
mod server;
