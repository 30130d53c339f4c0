//! Random files as people write them: comments in odd places, every style, every line end.

use super::dice::Dice;

const PLAIN: &[&str] = &[
    "x",
    "nginx:1.27",
    "yes",
    "0644",
    "1",
    "true",
    "null",
    "~",
    "2020-01-01",
    "1.5",
    "http://a/b?c#d",
    "--flag=x",
    "a b  c",
    "it's",
    "a\"b",
    "é",
    "100m",
    "$5",
    "a-b_c.d/e",
];
const QUOTED: &[&str] = &[
    "\"\"",
    "''",
    "\"x\"",
    "'it''s'",
    "\"a\\tb\\n\\u00e9\"",
    "'# no'",
    "\"a: b\"",
    "\"0644\"",
    "'yes'",
    "\"{{ x }}\"",
    "\"[\"",
];
const KEYS: &[&str] = &[
    "name",
    "image",
    "spec",
    "a.b/c",
    "\"quoted\"",
    "'single'",
    "data",
    "port",
    "key",
    "x",
    "labels",
    "z9",
    "key with space",
];
const COMMENTS: &[&str] = &["# c", "#", "#c", "# key: value", "# - item", "#\ttab", "# \u{e9} '\" {["];

pub struct Writer<'d, 'b> {
    dice: &'d mut Dice<'b>,
    text: String,
    /// Anchors that the document has so far.
    anchors: usize,
    /// Levels left before only scalars are written.
    depth: usize,
    substitutions: bool,
}

/// A file of one to three documents.
pub fn file(dice: &mut Dice<'_>) -> String {
    let mark = dice.rarely(12);
    let windows = dice.rarely(5);
    let cut = dice.rarely(6);
    let count = 1 + dice.roll(8) / 6;
    let mut text = String::new();
    for index in 0..count {
        if index > 0 || dice.rarely(4) {
            if dice.rarely(4) {
                text += "# before\n";
            }
            text += ["---\n", "--- # c\n", "---\n\n", "---\n# yaml-language-server: x\n"][dice.roll(4)];
        }
        let substitutions = dice.rarely(6);
        let mut writer = Writer { dice: &mut *dice, text, anchors: 0, depth: 4, substitutions };
        writer.mapping(0);
        text = writer.text;
        if dice.rarely(5) {
            text += ["\n", "# last\n", "\n\n# last\n\n", "...\n"][dice.roll(4)];
        }
    }
    if cut {
        text.truncate(text.trim_end_matches('\n').len());
    }
    if windows {
        text = text.replace('\n', "\r\n");
    }
    if mark { format!("\u{feff}{text}") } else { text }
}

impl Writer<'_, '_> {
    fn indent(&mut self, column: usize) {
        self.text.extend(std::iter::repeat_n(' ', column));
    }

    /// What may stand between two lines.
    fn between(&mut self, column: usize) {
        while self.dice.rarely(5) {
            match self.dice.roll(4) {
                0 => self.text.push('\n'),
                1 => self.text += "  \n",
                _ => {
                    let column = *self.dice.pick(&[column, column, column, column + 2, 0]);
                    self.indent(column);
                    let comment = *self.dice.pick(COMMENTS);
                    self.text += comment;
                    self.text.push('\n');
                }
            }
        }
    }

    fn line_end(&mut self) {
        if self.dice.rarely(6) {
            let comment = *self.dice.pick(COMMENTS);
            // A tab between a dash and a comment is refused.
            let after_dash = self.text.ends_with('-');
            self.text += [" ", "   ", "\t"][self.dice.roll(if after_dash { 2 } else { 3 })];
            self.text += comment;
        } else if self.dice.rarely(12) {
            self.text += "  ";
        }
        self.text.push('\n');
    }

    /// Entries at `column`, the first one's indentation already written.
    fn mapping(&mut self, column: usize) {
        let count = 1 + self.dice.roll(4);
        let mut keys: Vec<&str> = KEYS.to_vec();
        for index in 0..count {
            if index > 0 || column == 0 {
                if column > 0 || index > 0 {
                    self.between(column);
                }
                self.indent(column);
            }
            let key = keys.remove(self.dice.roll(keys.len()));
            self.text += key;
            self.text += if self.dice.rarely(12) { " :" } else { ":" };
            self.value(column, true);
        }
    }

    fn sequence(&mut self, column: usize) {
        let count = 1 + self.dice.roll(4);
        for index in 0..count {
            if index > 0 {
                self.between(column);
                self.indent(column);
            }
            self.text.push('-');
            self.value(column, false);
        }
    }

    /// What stands behind a colon or a dash at `column`, its line end included.
    fn value(&mut self, column: usize, behind_colon: bool) {
        if self.depth == 0 {
            return self.scalar(column);
        }
        self.depth -= 1;
        match self.dice.roll(9) {
            0 => {
                let step = *self.dice.pick(&[2, 2, 2, 4, 1]);
                if behind_colon {
                    self.anchor();
                    self.line_end();
                    self.between(column + step);
                    self.indent(column + step);
                    self.mapping(column + step);
                } else {
                    let blanks = *self.dice.pick(&[1, 1, 1, 3]);
                    self.indent(blanks);
                    self.mapping(column + 1 + blanks);
                }
            }
            1 => {
                if behind_colon {
                    let step = *self.dice.pick(&[0, 0, 2]);
                    self.line_end();
                    self.between(column + step);
                    self.indent(column + step);
                    self.sequence(column + step);
                } else {
                    self.text.push(' ');
                    self.sequence(column + 2);
                }
            }
            2 => {
                self.text.push(' ');
                self.flow(column, 2);
                self.line_end();
            }
            3 => self.block_scalar(column),
            _ => self.scalar(column),
        }
        self.depth += 1;
    }

    fn anchor(&mut self) {
        if self.dice.rarely(14) {
            self.anchors += 1;
            let anchor = format!(" &a{}", self.anchors);
            self.text += anchor.as_str();
        }
    }

    fn scalar(&mut self, column: usize) {
        match self.dice.roll(14) {
            0 => {}
            1 if self.anchors > 0 && self.dice.rarely(2) => {
                let alias = format!(" *a{}", self.anchors);
                self.text += alias.as_str();
            }
            2 => {
                self.anchor();
                self.text += " x";
            }
            3 => {
                self.text += " one\n";
                self.indent(column + 2);
                self.text += "two three";
            }
            4 => {
                self.text += " \"one\n\n";
                self.indent(column + 2);
                self.text += "two\\\n";
                self.indent(column + 1);
                self.text += " three\"";
            }
            5 if self.substitutions => self.text += " ${NAME}",
            6 => self.text += [" {}", " []", " { }", " !!str 5"][self.dice.roll(4)],
            7 | 8 => {
                self.text.push(' ');
                let scalar = *self.dice.pick(QUOTED);
                self.text += scalar;
            }
            _ => {
                self.text += [" ", " ", "   "][self.dice.roll(3)];
                let scalar = *self.dice.pick(PLAIN);
                self.text += scalar;
            }
        }
        self.line_end();
    }

    fn block_scalar(&mut self, column: usize) {
        let header = *self.dice.pick(&[" |", " |-", " |+", " >", " >-", " >+", " |2", " | # c"]);
        self.text += header;
        self.text.push('\n');
        let step = if header == " |2" { 2 } else { *self.dice.pick(&[2, 2, 4, 1]) };
        for index in 0..=self.dice.roll(4) {
            match self.dice.roll(6) {
                4 if index > 0 => self.text.push('\n'),
                5 if index > 0 => {
                    self.indent(column + step);
                    self.text += "  more\n";
                }
                roll => {
                    self.indent(column + step);
                    self.text += ["text", "# not a comment", "key: value", "- ${x", "trailing  "][roll.min(4)];
                    self.text.push('\n');
                }
            }
        }
    }

    fn flow(&mut self, column: usize, depth: usize) {
        let multi = self.dice.rarely(4);
        let mapping = self.dice.rarely(2);
        self.text.push(if mapping { '{' } else { '[' });
        let count = self.dice.roll(4);
        let mut keys: Vec<&str> = KEYS.to_vec();
        for index in 0..count {
            if index > 0 {
                self.text.push(',');
            }
            if multi {
                self.text.push('\n');
                self.indent(column + 2);
            } else if index > 0 || self.dice.rarely(3) {
                self.text.push(' ');
            }
            if mapping {
                let key = keys.remove(self.dice.roll(keys.len()));
                self.text += key;
                self.text += ": ";
            }
            if depth > 0 && self.dice.rarely(5) {
                self.flow(column + 2, depth - 1);
            } else {
                let scalar = *self.dice.pick(&["x", "1", "yes", "\"q\"", "'s'", "a b", "0644", "a-b"]);
                self.text += scalar;
            }
        }
        if count > 0 && self.dice.rarely(6) {
            self.text.push(',');
        }
        if multi {
            if self.dice.rarely(6) {
                self.text += " # in flow";
            }
            self.text.push('\n');
            self.indent(column + 1);
        }
        self.text.push(if mapping { '}' } else { ']' });
    }
}
