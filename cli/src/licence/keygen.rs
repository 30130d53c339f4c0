use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args as ClapArgs;
use nsclass_shared::licence::SigningKey;

use crate::output::Output;

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  nsclass licence keygen --key issuer.pem
  nsclass licence keygen --key issuer.pem > issuer.pub

The private key is a PKCS#8 file in PEM, which only you may read; whoever has it can issue licences. The public key goes into
gate.publicKeys of the operator's configuration. A file that is there already is not overwritten: its licences would be void.")]
pub(crate) struct Keygen {
    /// Where to write the private key
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
}

pub(super) fn run(command: &Keygen, out: &mut Output) -> Result<ExitCode> {
    let key = SigningKey::generate()?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let place = || command.key.display().to_string();
    let mut file = options.open(&command.key).with_context(place)?;
    file.write_all(key.to_pem().as_bytes()).with_context(place)?;
    out.line(key.public().to_string())?;
    Ok(ExitCode::SUCCESS)
}
