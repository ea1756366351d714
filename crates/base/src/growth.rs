//! Growth: tables announce the memory that they are about to take, and say when they are full.
//!
//! A table that doubles holds its old and its new entries at the same time. A budget that only counts what is allocated
//! would notice too late. So a table that is nearly full announces what it will take, and a budget counts that as taken.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::budget::Stop;

/// What all tables of the process have announced, in bytes.
static ANNOUNCED: AtomicUsize = AtomicUsize::new(0);

/// The bytes that tables of this process are about to take.
pub fn announced() -> usize {
    ANNOUNCED.load(Ordering::Relaxed)
}

/// What the process may have allocated, and what says how much it has.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// The most bytes.
    pub limit: usize,
    /// Says how many bytes are allocated.
    pub allocated: fn() -> usize,
}

impl Memory {
    /// By how many bytes the process has more than it may, with what tables have announced; 0 if it has not.
    pub fn excess(self) -> usize {
        (self.allocated)().saturating_add(announced()).saturating_sub(self.limit)
    }
}

/// Ends the run whose table has no number left for another entry. It is no bug: the caller of the run catches
/// [`Stop::Table`] and says that the answer is unknown.
#[cold]
pub fn full() -> ! {
    std::panic::resume_unwind(Box::new(Stop::Table))
}

/// What a run gives, unless one of its tables is full. Other panics go on.
pub fn unless_full<T>(run: impl FnOnce() -> T) -> Result<T, Stop> {
    std::panic::catch_unwind(AssertUnwindSafe(run)).map_err(|payload| match payload.downcast::<Stop>() {
        Ok(stop) => *stop,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

/// Growth that takes fewer bytes than this is not announced.
const SMALL: usize = 1 << 16;

/// Watches one hash table.
#[derive(Default, Debug)]
pub struct Growth {
    /// The table is looked at again when it has this many entries.
    next_look: usize,
    announced: usize,
}

impl Growth {
    /// Looks at a table before an entry is added: it has `len` entries, room for `capacity`, and takes `bytes`.
    #[inline]
    pub fn watch(&mut self, len: usize, capacity: usize, bytes: usize) {
        if len >= self.next_look {
            self.look(len, capacity, bytes);
        }
    }

    #[cold]
    fn look(&mut self, len: usize, capacity: usize, bytes: usize) {
        // A budget is asked more often than an eighth of a large table is filled.
        let nearly_full = capacity - capacity / 8;
        // A full table grows with the next entry, and then the allocator counts what it takes.
        let soon = if (nearly_full..capacity).contains(&len) { bytes.saturating_mul(2) } else { 0 };
        self.announce(if soon < SMALL { 0 } else { soon });
        self.next_look = if len < nearly_full { nearly_full } else { capacity.max(len + 1) };
    }

    pub(crate) fn announce(&mut self, bytes: usize) {
        ANNOUNCED.fetch_add(bytes, Ordering::Relaxed);
        ANNOUNCED.fetch_sub(std::mem::replace(&mut self.announced, bytes), Ordering::Relaxed);
    }
}

impl Clone for Growth {
    /// The clone of a table is looked at when it next grows.
    fn clone(&self) -> Growth {
        Growth::default()
    }
}

impl Drop for Growth {
    fn drop(&mut self) {
        self.announce(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_announces_its_doubling_when_it_is_nearly_full_and_only_until_then() {
        let bytes_each = 1 << 10;
        let mut growth = Growth::default();
        let mut announced_at = Vec::new();
        let mut capacity = 800;
        for len in 0..1_000 {
            growth.watch(len, capacity, capacity * bytes_each);
            if growth.announced > 0 {
                assert_eq!(growth.announced, 2 * capacity * bytes_each);
                announced_at.push(len);
            }
            if len == capacity {
                capacity *= 2;
            }
        }
        assert_eq!(announced_at, (700..800).collect::<Vec<_>>());
        growth.watch(1_500, capacity, capacity * bytes_each);
        assert!(growth.announced > 0 && announced() >= growth.announced);
        // A copy announces nothing by itself.
        assert_eq!(growth.clone().announced, 0);
    }
}
