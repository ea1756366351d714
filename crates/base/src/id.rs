//! Typed ids: numbers that say what they count.

use crate::growth::full;

/// Declares newtypes over `u32` that number things of one kind.
#[macro_export]
macro_rules! id {
    ($($(#[$attribute:meta])* $visible:vis $name:ident;)*) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
        $visible struct $name(pub u32);

        impl $name {
            /// The greatest id.
            $visible const MAX: $name = $name(u32::MAX);

            /// The id of what stands at a place in a list of such things.
            #[inline]
            $visible fn new(index: usize) -> $name {
                $name($crate::id::number(index))
            }

            /// The place in a list of such things.
            #[inline]
            $visible fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<u32> for $name {
            #[inline]
            fn from(number: u32) -> $name {
                $name(number)
            }
        }

        impl From<$name> for u32 {
            #[inline]
            fn from(id: $name) -> u32 {
                id.0
            }
        }
    )*};
}

/// A count as a number of 32 bits. One that does not fit ends the run, like a table that is [full].
#[inline]
pub fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or_else(|_| full())
}

/// A count as a number of 16 bits. One that does not fit ends the run, like a table that is [full].
#[inline]
pub fn small(count: usize) -> u16 {
    u16::try_from(count).unwrap_or_else(|_| full())
}

/// A number of 64 bits as a size in memory. One that does not fit ends the run, like a table that is [full].
#[inline]
pub fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or_else(|_| full())
}

/// Two numbers as one.
#[inline]
pub fn pair(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// The two numbers that [`pair`] made one.
#[inline]
pub fn halves(pair: u64) -> (u32, u32) {
    let half = |half: u64| u32::try_from(half).expect("a half has 32 bits");
    (half(pair >> 32), half(pair & u64::from(u32::MAX)))
}

id! {
    /// A component of an arena: a place where moves are made.
    pub ComponentId;
}

#[cfg(test)]
mod tests {
    use crate::budget::Stop;
    use crate::growth::unless_full;

    use super::*;

    #[test]
    fn a_place_that_has_no_number_ends_the_run() {
        assert_eq!(ComponentId::new(7).index(), 7);
        assert_eq!(unless_full(|| ComponentId::new(1 << 32)), Err(Stop::Table));
    }

    #[test]
    fn a_pair_keeps_both_numbers() {
        for (high, low) in [(0, 0), (0, u32::MAX), (u32::MAX, 0), (3, 7)] {
            assert_eq!(halves(pair(high, low)), (high, low));
        }
    }
}
