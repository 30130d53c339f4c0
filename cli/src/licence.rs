//! `nsclass licence`: everything about licences but what the operator does with them. Making and checking them takes no cluster, so that
//! anybody who runs the operator for others can be the issuer.

mod cluster;
mod issue;
mod keygen;
mod show;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args as ClapArgs, Subcommand};
use nsclass_shared::config::Config;
use nsclass_shared::licence::PublicKey;

use crate::input::text;
use crate::output::Output;
use issue::Issue;
use keygen::Keygen;
use show::Show;
use verify::Verify;

#[derive(Debug, Subcommand)]
pub(crate) enum LicenceCommand {
    /// Make a pair of keys: the private one into a file, the public one to standard output
    Keygen(Keygen),
    /// Issue a licence
    Issue(Issue),
    /// Say what a licence says, or what an operator does with those of its cluster, what would change, and when
    Show(Show),
    /// Say whether licences are valid
    Verify(Verify),
}

/// Which public keys licences may be signed with.
#[derive(Debug, ClapArgs)]
pub(crate) struct Keys {
    /// A public key, as `nsclass licence keygen` prints it; may be given several times
    #[arg(long, value_name = "KEY")]
    public_key: Vec<PublicKey>,
    /// The operator's configuration, for its gate.publicKeys
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Keys {
    /// All of them; none where none is given.
    fn all(&self) -> Result<Vec<PublicKey>> {
        let mut keys = self.public_key.clone();
        if let Some(path) = &self.config {
            let settings = Config::parse(&text(path)?).and_then(Config::settings);
            keys.extend(settings.with_context(|| path.display().to_string())?.public_keys);
        }
        Ok(keys)
    }

    /// All of them, and at least one.
    fn some(&self) -> Result<Vec<PublicKey>> {
        let keys = self.all()?;
        if keys.is_empty() {
            bail!(
                "no public key is given, so nothing can be verified; pass --public-key, or --config with gate.publicKeys"
            );
        }
        Ok(keys)
    }
}

pub(crate) fn run(command: &LicenceCommand, out: &mut Output) -> Result<ExitCode> {
    match command {
        LicenceCommand::Keygen(command) => keygen::run(command, out),
        LicenceCommand::Issue(command) => issue::run(command, out),
        LicenceCommand::Show(command) => show::run(command, out),
        LicenceCommand::Verify(command) => verify::run(command, out),
    }
}
