mod check;
mod delete;
mod identify;
mod load;
mod put;
mod render;
mod supply;
mod write;

use std::process::ExitCode;

use anyhow::Result;

use crate::args::FolderCommand;
use crate::output::Output;

/// Runs one of the folder commands.
pub(crate) fn run(command: FolderCommand, out: &mut Output) -> Result<ExitCode> {
    match command {
        FolderCommand::Check(target) => check::run(&target, out),
        FolderCommand::Identify(target) => identify::run(&target, out),
        FolderCommand::Render(target) => render::run(&target, out),
        FolderCommand::Put { target, file, write, new_files, existing } => {
            put::run(&target, &file, &write, new_files, existing, out)
        }
        FolderCommand::Delete { target, object, namespace, write } => {
            delete::run(&target, &object, namespace.as_deref(), &write, out)
        }
    }
}

/// 0 where everything is fine, else 1.
fn exit(is_fine: bool) -> ExitCode {
    if is_fine { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
