//! Decisions drawn from bytes: what shrinks the bytes simplifies the decisions.

pub struct Dice<'b> {
    bytes: std::slice::Iter<'b, u8>,
}

impl<'b> Dice<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes: bytes.iter() }
    }

    /// Below `sides`; 0 when the bytes are used up.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.bytes.next().map_or(0, |byte| *byte as usize % sides.max(1))
    }

    /// True once in `sides` rolls; never when the bytes are used up.
    pub fn rarely(&mut self, sides: usize) -> bool {
        self.roll(sides) == sides - 1
    }

    pub fn pick<'c, T>(&mut self, choices: &'c [T]) -> &'c T {
        &choices[self.roll(choices.len())]
    }

    pub fn is_used_up(&self) -> bool {
        self.bytes.len() == 0
    }
}
