//! The integer types of C under LP64, as far as random programs must know them.

use agon_base::int::Int;

/// An integer type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Type {
    /// As C writes it.
    pub name: &'static str,
    /// How wide it is; `_Bool` has 1.
    pub bits: u32,
    pub signed: bool,
}

const fn of(name: &'static str, bits: u32, signed: bool) -> Type {
    Type { name, bits, signed }
}

/// All of them.
pub const TYPES: [Type; 12] = [
    of("_Bool", 1, false),
    of("char", 8, true),
    of("signed char", 8, true),
    of("unsigned char", 8, false),
    of("short", 16, true),
    of("unsigned short", 16, false),
    of("int", 32, true),
    of("unsigned", 32, false),
    of("long", 64, true),
    of("unsigned long", 64, false),
    of("long long", 64, true),
    of("unsigned long long", 64, false),
];

impl Type {
    /// The least and the greatest value.
    pub fn range(self) -> (i128, i128) {
        match self.signed {
            true => (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1),
            false => (0, (1 << self.bits) - 1),
        }
    }

    /// What a conversion of 64 bits to this type gives.
    pub fn convert(self, raw: u64) -> i128 {
        match (self.bits, self.signed) {
            (1, _) => i128::from(raw != 0),
            (bits, true) => i128::from((raw << (64 - bits)) as i64 >> (64 - bits)),
            (bits, false) => i128::from(raw << (64 - bits) >> (64 - bits)),
        }
    }

    /// The values at the limits, and some that matter for shifts.
    pub fn limits(self) -> Vec<i128> {
        let (low, high) = self.range();
        let mut all = vec![low, low + 1, -1, 0, 1, 2, 7, 31, 32, 63, 64, high - 1, high];
        all.retain(|n| low <= *n && *n <= high);
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// A number as an expression of C that has the number as its value, whatever its type is.
pub fn literal(n: i128) -> String {
    match n {
        n if n == i128::from(i64::MIN) => "(-9223372036854775807LL - 1)".into(),
        n if n < 0 => format!("({n}LL)"),
        n if n > i128::from(i64::MAX) => format!("{n}ULL"),
        n => format!("{n}LL"),
    }
}

/// A number as 64 bits, as both sides print it.
pub fn raw(n: &Int) -> u64 {
    let size = Int::power_of_two(64);
    n.rem(&size).and_then(|n| n.to_u64()).expect("a remainder has 64 bits")
}

/// A number of ours.
pub fn int(n: i128) -> Int {
    Int::parse(&n.to_string()).expect("it is written in digits")
}
