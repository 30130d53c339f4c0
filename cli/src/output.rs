use std::io::{self, BufWriter, IsTerminal, Write};

use anyhow::Result;

use crate::args::Color;

/// How a piece of text looks on a terminal.
#[derive(Clone, Copy)]
pub(crate) enum Style {
    Good,
    Bad,
    Warning,
    Quiet,
    Strong,
}

/// What goes to standard output, coloured where a person looks at it.
pub(crate) struct Output {
    out: BufWriter<io::Stdout>,
    is_colored: bool,
    is_error_colored: bool,
}

impl Output {
    pub(crate) fn stdout(color: Color) -> Self {
        let is_colored = |is_terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            // https://no-color.org
            Color::Auto => is_terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        };
        Self {
            out: BufWriter::new(io::stdout()),
            is_colored: is_colored(io::stdout().is_terminal()),
            is_error_colored: is_colored(io::stderr().is_terminal()),
        }
    }

    pub(crate) fn paint(&self, style: Style, text: &str) -> String {
        Self::painted(self.is_colored, style, text)
    }

    /// For standard error.
    pub(crate) fn paint_error(&self, style: Style, text: &str) -> String {
        Self::painted(self.is_error_colored, style, text)
    }

    fn painted(is_colored: bool, style: Style, text: &str) -> String {
        if !is_colored || text.is_empty() {
            return text.to_owned();
        }
        let code = match style {
            Style::Good => "32",
            Style::Bad => "31",
            Style::Warning => "33",
            Style::Quiet => "2",
            Style::Strong => "1",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> Result<()> {
        Ok(writeln!(self.out, "{}", text.as_ref())?)
    }

    /// Shows what was said so far.
    pub(crate) fn flush_now(&mut self) -> Result<()> {
        Ok(self.out.flush()?)
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        match self.out.flush() {
            // The reader has seen enough (`nsclass … | head`).
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => Ok(other?),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// One line on standard error.
pub(crate) fn complain(error: &anyhow::Error) {
    // Nothing is left to be done where even standard error is gone.
    let _ = writeln!(io::stderr(), "error: {error:#}");
}
