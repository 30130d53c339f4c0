//! What the person at the terminal sees.
//!
//! A write that fails is ignored: a reader that has gone (`| head`) must not keep the demo from cleaning up.

mod claim;
mod layout;

use std::cell::Cell;
use std::env;
use std::future::Future;
use std::io::{self, IsTerminal, Write};
use std::pin::pin;
use std::time::{Duration, Instant};

use layout::{columns, wrap};

/// Waits shorter than this show nothing on a terminal.
const QUIET: Duration = Duration::from_secs(1);
/// Where lines cannot be drawn over, a long wait says so this often.
const SELDOM: Duration = Duration::from_secs(10);
/// In front of everything that belongs to a step.
const INDENT: &str = "   ";

/// Standard output, and how far the story is.
pub struct Screen {
    /// Whether lines may be drawn over.
    live: bool,
    colours: bool,
    steps: Cell<u32>,
    claims: Cell<u32>,
    began: Instant,
    step_began: Cell<Instant>,
}

/// How a piece of text stands out, where there are colours.
#[derive(Clone, Copy)]
enum Style {
    Bold = 1,
    Dim = 2,
    Green = 32,
    Cyan = 36,
}

impl Default for Screen {
    /// Standard output as it is.
    fn default() -> Self {
        let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        let live = io::stdout().is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb");
        let now = Instant::now();
        Self {
            live,
            colours: live && !is_set("NO_COLOR"),
            steps: Cell::new(0),
            claims: Cell::new(0),
            began: now,
            step_began: Cell::new(now),
        }
    }
}

impl Screen {
    /// What this is, before the first step.
    pub fn title(&self, title: &str) {
        for line in wrap(title, layout::WIDTH) {
            self.line(&self.painted(Style::Bold, &line));
        }
        self.line("");
    }

    /// Begins a step: its headline, and in a few words what it is about.
    pub fn step(&self, headline: &str, about: &str) {
        self.end_step();
        self.steps.set(self.steps.get() + 1);
        self.line(&self.painted(Style::Bold, &format!("{}  {headline}", self.steps.get())));
        self.say(about);
    }

    /// Ends the step, if there is one: how long it took.
    pub fn end_step(&self) {
        if self.steps.get() > 0 {
            let seconds = format!("{INDENT}({:.1} s)", self.step_began.get().elapsed().as_secs_f64());
            self.line(&self.painted(Style::Dim, &seconds));
            self.line("");
        }
        self.step_began.set(Instant::now());
    }

    /// Plain words.
    pub fn say(&self, text: &str) {
        for line in wrap(text, layout::WIDTH - INDENT.len()) {
            self.line(&format!("{INDENT}{line}"));
        }
    }

    /// What a person would type for what is done now.
    pub fn command(&self, command: &str) {
        self.line(&self.painted(Style::Cyan, &format!("{INDENT}$ {command}")));
    }

    /// Facts, in columns under `head`.
    pub fn table(&self, head: &[&str], rows: &[Vec<String>]) {
        let mut lines = columns(head, rows).into_iter();
        if let Some(head) = lines.next().filter(|head| !head.is_empty()) {
            self.line(&self.painted(Style::Dim, &format!("{INDENT}  {head}")));
        }
        lines.for_each(|row| self.line(&format!("{INDENT}  {row}")));
    }

    /// What was measured, in the form in which figures are collected: `figure NAME VALUE UNIT`, at the line's beginning.
    pub fn figure(&self, name: &str, value: f64, unit: &str) {
        self.line(&format!("figure {name} {value:.1} {unit}"));
    }

    /// A claim that was checked and holds.
    pub fn tick(&self, claim: &str) {
        self.claims.set(self.claims.get() + 1);
        let mut lines = wrap(claim, layout::WIDTH - INDENT.len() - 2).into_iter();
        self.line(&format!("{INDENT}{} {}", self.painted(Style::Green, "✓"), lines.next().unwrap_or_default()));
        lines.for_each(|line| self.line(&format!("{INDENT}  {line}")));
    }

    /// Does `work`, and shows that and how long it is going on when it takes its time.
    pub async fn while_waiting<F: Future>(&self, what: &str, seen: impl Fn() -> String, work: F) -> F::Output {
        let mut work = pin!(work);
        let begin = Instant::now();
        let pause = if self.live { QUIET / 4 } else { SELDOM };
        let mut drawn = false;
        loop {
            tokio::select! {
                biased;
                done = &mut work => {
                    if drawn && self.live {
                        self.write("\r\x1b[2K");
                    }
                    return done;
                }
                () = tokio::time::sleep(pause) => {}
            }
            if begin.elapsed() >= QUIET {
                drawn = true;
                self.draw_wait(what, &seen(), begin.elapsed());
            }
        }
    }

    /// How many steps and checked claims there were, and the seconds since the beginning.
    pub fn count(&self) -> (u32, u32, f64) {
        (self.steps.get(), self.claims.get(), self.began.elapsed().as_secs_f64())
    }

    fn draw_wait(&self, what: &str, seen: &str, elapsed: Duration) {
        let seen = if seen.is_empty() { String::new() } else { format!(" (now: {seen})") };
        let text = format!("… {} s: {what}{seen}", elapsed.as_secs());
        let shown: String = text.replace('\n', " ").chars().take(layout::WIDTH - INDENT.len()).collect();
        if self.live {
            self.write(&format!("\r\x1b[2K{}", self.painted(Style::Dim, &format!("{INDENT}{shown}"))));
        } else {
            self.line(&format!("{INDENT}{shown}"));
        }
    }

    fn painted(&self, style: Style, text: &str) -> String {
        if self.colours { format!("\x1b[{}m{text}\x1b[0m", style as u8) } else { text.to_owned() }
    }

    fn line(&self, line: &str) {
        self.write(&format!("{line}\n"));
    }

    #[expect(clippy::unused_self, reason = "whoever writes has a screen")]
    fn write(&self, text: &str) {
        let mut out = io::stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
}
