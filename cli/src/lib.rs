//! The command-line tool. What judges folders and classes speaks to no API server: kinds come from a snapshot, from CRDs in the
//! folder, from a file, or from `kubectl`.

mod args;
mod cluster;
mod folder;
mod input;
mod licence;
mod output;
mod pages;
mod rbac_check;
mod release;
mod render;
mod smoke;
mod usage;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use args::{Args, Command};

/// Runs the tool under the name that the user called it by. Exit code 0: fine; 1: the folder or class is not valid, or a
/// change is refused; 2: the command itself could not be carried out.
pub fn run(name: &'static str) -> ExitCode {
    let matches = Args::command().name(name).bin_name(name).get_matches();
    let args = match Args::from_arg_matches(&matches) {
        Ok(args) => args,
        Err(error) => error.exit(),
    };
    let mut out = output::Output::stdout(args.color);
    let result = match args.command {
        Command::Folder { command } => folder::run(command, &mut out),
        Command::Render(command) => render::run(&command, &mut out),
        Command::RbacCheck(command) => rbac_check::run(&command, &mut out),
        Command::Release(command) => release::run(&command, &mut out),
        Command::Smoke(command) => smoke::run(&command, &mut out),
        Command::Licence { command } => licence::run(&command, &mut out),
        Command::Usage(command) => usage::run(&command, &mut out),
        Command::Completions { shell } => {
            let program = name.replace(' ', "-");
            clap_complete::generate(shell, &mut Args::command(), program, &mut out);
            Ok(ExitCode::SUCCESS)
        }
    };
    result.and_then(|code| out.finish().map(|()| code)).unwrap_or_else(|error| {
        output::complain(&error);
        ExitCode::from(2)
    })
}
