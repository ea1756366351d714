//! Random numbers that follow from a seed.

/// A source of random numbers: SplitMix64, small and good enough to choose constructs by.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers that follow from a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below another.
    pub fn below(&mut self, n: usize) -> usize {
        let drawn = self.draw() % n.max(1) as u64;
        usize::try_from(drawn).expect("it is below a number of the machine's size")
    }

    /// True one time in this many.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}
