use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args as ClapArgs;
use jiff::Timestamp;
use nsclass_shared::licence::{Found, Paper, PublicKey, State, found, state};

use super::Keys;
use crate::input::text;
use crate::output::{Output, Style};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  nsclass licence verify -f licence.txt --public-key \"$(cat issuer.pub)\"
  kubectl get secret nsclass-licence -n nsclass-system -o jsonpath='{.data.licence}' | base64 -d |
    nsclass licence verify -f - --config nsclass.yaml

Exit code 0: all of them are valid now; 1: one is not, and why; 2: it could not be read.")]
pub(crate) struct Verify {
    /// Files with one licence on each line; - for standard input
    #[arg(short = 'f', long = "filename", value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    keys: Keys,
}

pub(super) fn run(command: &Verify, out: &mut Output) -> Result<ExitCode> {
    let found = read(&command.files, &command.keys.some()?)?;
    let mut is_valid = found.unread.is_none() && !found.licences.is_empty();
    for (place, licence) in &found.licences {
        let alone = Found { licences: vec![(place.clone(), licence.clone())], ..Found::default() };
        let state = state(&alone, Timestamp::now()).state;
        let (style, text) = match &state {
            State::Absent(why) => (Style::Bad, why.clone()),
            other => (if other.is_valid() { Style::Good } else { Style::Bad }, format!("{place}: {}", other.phrase())),
        };
        is_valid &= state.is_valid();
        out.line(out.paint(style, &text))?;
    }
    for refused in &found.refused {
        is_valid = false;
        out.line(format!("{}: {}", refused.place, out.paint(Style::Bad, &refused.why.to_string())))?;
    }
    Ok(if is_valid { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Every line of every file that is not empty is a document.
pub(super) fn read(files: &[PathBuf], keys: &[PublicKey]) -> Result<Found> {
    let mut papers = Vec::new();
    for file in files {
        let text = text(file)?;
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let place = |index: usize| match lines.len() {
            0 | 1 => file.display().to_string(),
            _ => format!("{}, licence {}", file.display(), index + 1),
        };
        if lines.is_empty() {
            papers.push(Paper { place: place(0), bytes: None });
        }
        let of_lines = lines.iter().enumerate();
        papers
            .extend(of_lines.map(|(index, line)| Paper { place: place(index), bytes: Some(line.as_bytes().to_vec()) }));
    }
    Ok(found(papers, keys))
}
