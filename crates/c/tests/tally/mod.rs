//! What became of random programs.

use std::fmt;
use std::ops::Add;

/// How many programs did what.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tally {
    /// All of them.
    pub programs: usize,
    /// They ended well, in one way.
    pub clean: usize,
    /// They failed, or may end in several ways.
    pub special: usize,
    /// They have more objects or runs than are looked at, or are refused.
    pub left: usize,
}

impl Tally {
    /// Whether there are enough programs of each kind, so that the comparison means something.
    pub fn is_typical(&self) -> bool {
        4 * self.clean >= self.programs
            && 25 * self.special >= self.programs
            && 10 * self.left <= self.programs
    }
}

impl Add for Tally {
    type Output = Tally;

    fn add(self, other: Tally) -> Tally {
        Tally {
            programs: self.programs + other.programs,
            clean: self.clean + other.clean,
            special: self.special + other.special,
            left: self.left + other.left,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { programs, clean, special, left } = self;
        write!(
            f,
            "{programs} programs, {clean} clean, {special} fail or end in several ways, {left} left out"
        )
    }
}
