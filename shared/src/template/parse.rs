//! From text to segments.

use crate::excerpt::excerpt;

use super::error::{TemplateError, TemplateErrorKind as Kind};
use super::{CLOSE, Cast, Expression, OPEN, Segment, Template, Variable};

/// Takes a whole string apart, and goes on behind a mistake to find the others.
pub(super) fn template(source: &str) -> Result<Template, Vec<TemplateError>> {
    let mut segments = Vec::new();
    let mut errors = Vec::new();
    let mut casts = Vec::new();
    let mut at = 0;
    while let Some(offset) = source[at..].find(OPEN) {
        let open = at + offset;
        if open > at {
            segments.push(Segment::Text(source[at..open].to_owned()));
        }
        let mut scanner = Scanner { source, at: open + OPEN.len() };
        at = match segment(&mut scanner) {
            Ok(segment) => {
                if let Segment::Expression(Expression { cast: Some(cast), .. }) = segment {
                    casts.push((open, cast));
                }
                segments.push(segment);
                scanner.at
            }
            Err(kind) => {
                errors.push(error(source, scanner.at, kind));
                scanner.rest().find(CLOSE).map_or(source.len(), |close| scanner.at + close + CLOSE.len())
            }
        };
    }
    if at < source.len() {
        segments.push(Segment::Text(source[at..].to_owned()));
    }
    // Behind a mistake the segments are incomplete, so only their number of at least two can be told.
    if segments.len() + errors.len() > 1 {
        errors.extend(casts.into_iter().map(|(open, cast)| error(source, open, Kind::CastNotAlone(cast))));
    }
    errors.sort_by_key(|error| error.column);
    if errors.is_empty() { Ok(Template { segments }) } else { Err(errors) }
}

fn error(source: &str, at: usize, kind: Kind) -> TemplateError {
    TemplateError { column: source[..at].chars().count() + 1, kind }
}

/// What stands between the braces, and the closing ones. On an error the scanner stands at the mistake.
fn segment(scanner: &mut Scanner<'_>) -> Result<Segment, Kind> {
    scanner.skip_blanks();
    let start = scanner.at;
    if scanner.rest().starts_with(CLOSE) {
        return Err(Kind::Empty);
    }
    if scanner.rest().starts_with('"') {
        let text = scanner.literal()?;
        scanner.skip_blanks();
        return match scanner.next_function()? {
            None => Ok(Segment::Quoted(text)),
            Some(function) => Err(Kind::Misplaced(excerpt(function))),
        };
    }
    let word = scanner.word();
    if word.is_empty() {
        return Err(scanner.unexpected());
    }
    let variable = Variable::parse(word).map_err(|error| {
        scanner.at = start;
        Kind::Variable(error)
    })?;
    let (mut default, mut cast) = (None, None);
    loop {
        scanner.skip_blanks();
        let at = scanner.at;
        let Some(function) = scanner.next_function()? else { break };
        let misplaced = match function {
            "default" => default.is_some() || cast.is_some(),
            "int" | "bool" => cast.is_some(),
            _ => {
                scanner.at = at;
                return Err(Kind::Function(excerpt(function)));
            }
        };
        if misplaced {
            scanner.at = at;
            return Err(Kind::Misplaced(excerpt(function)));
        }
        match function {
            "int" => cast = Some(Cast::Int),
            "bool" => cast = Some(Cast::Bool),
            _ => {
                scanner.skip_blanks();
                if !scanner.rest().starts_with('"') {
                    return Err(Kind::DefaultWithoutText);
                }
                default = Some(scanner.literal()?);
            }
        }
    }
    if let (Some(default), Some(cast)) = (&default, cast)
        && let Err(error) = cast.apply(default)
    {
        scanner.at = start;
        return Err(Kind::Default(error));
    }
    Ok(Segment::Expression(Expression { variable, default, cast }))
}

/// A place in the text, always between characters.
struct Scanner<'s> {
    source: &'s str,
    at: usize,
}

impl<'s> Scanner<'s> {
    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at = self.source.len() - self.rest().trim_start().len();
    }

    /// Everything up to a blank, a bar, a quote or the closing braces.
    fn word(&mut self) -> &'s str {
        let rest = self.rest();
        let stop = |c: char| c.is_whitespace() || c == '|' || c == '"';
        let end = rest.find(stop).unwrap_or(rest.len());
        let end = rest[..end].find(CLOSE).unwrap_or(end);
        self.at += end;
        &rest[..end]
    }

    /// The function behind the next bar; nothing at the closing braces, which are taken.
    fn next_function(&mut self) -> Result<Option<&'s str>, Kind> {
        if self.rest().starts_with(CLOSE) {
            self.at += CLOSE.len();
            return Ok(None);
        }
        if !self.rest().starts_with('|') {
            return Err(self.unexpected());
        }
        self.at += 1;
        self.skip_blanks();
        Ok(Some(self.word()))
    }

    /// A string in double quotes, with the escapes of JSON.
    fn literal(&mut self) -> Result<String, Kind> {
        let rest = self.rest();
        let mut escaped = false;
        let end = rest.bytes().enumerate().skip(1).find_map(|(index, byte)| {
            let closes = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            closes.then_some(index + 1)
        });
        let end = end.ok_or(Kind::Literal)?;
        let text = serde_json::from_str(&rest[..end]).map_err(|_| Kind::Literal)?;
        self.at += end;
        Ok(text)
    }

    fn unexpected(&self) -> Kind {
        match self.rest().split_whitespace().next() {
            Some(found) => Kind::Unexpected(excerpt(found)),
            None => Kind::Unclosed,
        }
    }
}
