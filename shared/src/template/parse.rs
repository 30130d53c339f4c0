//! From text to segments.

use crate::excerpt::excerpt;

use super::error::{TemplateError, TemplateErrorKind as Kind};
use super::{CLOSE, Cast, Expression, OPEN, Segment, Template, Variable};

/// Takes a whole string apart, and goes on behind a mistake to find the others. The time is linear in the text.
pub(super) fn template(source: &str) -> Result<Template, Vec<TemplateError>> {
    let mut segments = Vec::new();
    let mut mistakes = Vec::new();
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
                    casts.push((open, Kind::CastNotAlone(cast)));
                }
                segments.push(segment);
                scanner.at
            }
            Err(kind) => {
                mistakes.push((scanner.at, kind));
                scanner.rest().find(CLOSE).map_or(source.len(), |close| scanner.at + close + CLOSE.len())
            }
        };
    }
    if at < source.len() {
        segments.push(Segment::Text(source[at..].to_owned()));
    }
    // A mistake stands where a segment would have been.
    if segments.len() + mistakes.len() > 1 {
        mistakes.append(&mut casts);
    }
    if mistakes.is_empty() { Ok(Template { segments }) } else { Err(with_columns(source, mistakes)) }
}

/// Turns positions in bytes into columns, which are characters, in one walk over the text.
fn with_columns(source: &str, mut mistakes: Vec<(usize, Kind)>) -> Vec<TemplateError> {
    mistakes.sort_by_key(|(at, _)| *at);
    let (mut from, mut column) = (0, 1);
    let error = |(at, kind)| {
        column += source[from..at].chars().count();
        from = at;
        TemplateError { column, kind }
    };
    mistakes.into_iter().map(error).collect()
}

/// What stands between the braces, and the closing ones. On an error the scanner stands at the mistake.
fn segment(scanner: &mut Scanner<'_>) -> Result<Segment, Kind> {
    scanner.skip_blanks();
    if scanner.rest().starts_with(CLOSE) {
        return Err(Kind::Empty);
    }
    if !scanner.rest().starts_with('"') {
        return expression(scanner).map(Segment::Expression);
    }
    let text = scanner.literal()?;
    scanner.skip_blanks();
    match scanner.next_function()? {
        None => Ok(Segment::Quoted(text)),
        Some(function) => Err(Kind::Misplaced(excerpt(function))),
    }
}

/// A variable and its functions.
fn expression(scanner: &mut Scanner<'_>) -> Result<Expression, Kind> {
    let start = scanner.at;
    let word = scanner.word();
    if word.is_empty() {
        return Err(scanner.unexpected());
    }
    let variable = Variable::parse(word).map_err(|error| scanner.back_to(start, Kind::Variable(error)))?;
    let (mut default, mut cast) = (None, None);
    loop {
        scanner.skip_blanks();
        let bar = scanner.at;
        let Some(function) = scanner.next_function()? else { break };
        match function {
            "default" if default.is_none() && cast.is_none() => {
                scanner.skip_blanks();
                if !scanner.rest().starts_with('"') {
                    return Err(Kind::DefaultWithoutText);
                }
                default = Some(scanner.literal()?);
            }
            "int" if cast.is_none() => cast = Some(Cast::Int),
            "bool" if cast.is_none() => cast = Some(Cast::Bool),
            "default" | "int" | "bool" => return Err(scanner.back_to(bar, Kind::Misplaced(excerpt(function)))),
            _ => return Err(scanner.back_to(bar, Kind::Function(excerpt(function)))),
        }
    }
    if let (Some(default), Some(cast)) = (&default, cast) {
        cast.apply(default).map_err(|error| scanner.back_to(start, Kind::Default(error)))?;
    }
    Ok(Expression { variable, default, cast })
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
        let end = rest.find(CLOSE).unwrap_or(rest.len());
        let end = rest[..end].find(stop).unwrap_or(end);
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

    /// The mistake is not where reading it ended.
    fn back_to(&mut self, at: usize, kind: Kind) -> Kind {
        self.at = at;
        kind
    }

    fn unexpected(&self) -> Kind {
        match self.rest().split_whitespace().next() {
            Some(found) => Kind::Unexpected(excerpt(found)),
            None => Kind::Unclosed,
        }
    }
}
