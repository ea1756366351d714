//! Addresses: numbers that stand for objects of a language with pointers, and their names.

/// The addresses of the parts of an object that have one path, in the order of their indices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Addresses {
    /// The first of them.
    pub first: u64,
    /// How many parts lie in a row.
    pub inner: u64,
    /// How many rows there are.
    pub rows: u64,
    /// Whether the end of a row has an address, too.
    pub ends: bool,
    /// The path: words, each with how many parts follow it, if an index does.
    pub path: Vec<(String, Option<u64>)>,
    /// Whether the first index counts objects that are alike.
    pub pool: bool,
}

impl Addresses {
    /// The first number behind them.
    pub fn end(&self) -> u64 {
        self.first.saturating_add((self.inner + u64::from(self.ends)).saturating_mul(self.rows))
    }

    /// The name of an address; nothing if it is none of these.
    pub fn name(&self, n: u64) -> Option<String> {
        let at = n.checked_sub(self.first).filter(|_| n < self.end())?;
        let width = self.inner + u64::from(self.ends);
        let (row, within) = (at / width, at % width);
        let mut rest = row.saturating_mul(self.inner).saturating_add(within);
        let mut indices = Vec::new();
        let ends = within == self.inner;
        if ends {
            rest -= 1;
        }
        for length in self.path.iter().rev().filter_map(|(_, length)| *length) {
            indices.push(rest % length.max(1));
            rest /= length.max(1);
        }
        let mut name = String::from("&");
        let mut first = self.pool;
        for (word, length) in &self.path {
            name += word;
            if length.is_some() {
                let index = indices.pop().unwrap_or(0);
                let index = if ends && indices.is_empty() { index + 1 } else { index };
                name += &if first { format!("#{}", index + 1) } else { format!("[{index}]") };
                first = false;
            }
        }
        Some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_its_indices() {
        let path = vec![("grid".into(), Some(2)), (".cells".into(), Some(3))];
        let addresses = Addresses { first: 5, inner: 3, rows: 2, ends: true, path, pool: false };
        let names: Vec<_> = (4..14).map(|n| addresses.name(n)).collect();
        assert_eq!(names[0], None);
        assert_eq!(names[1].as_deref(), Some("&grid[0].cells[0]"));
        assert_eq!(names[4].as_deref(), Some("&grid[0].cells[3]"));
        assert_eq!(names[8].as_deref(), Some("&grid[1].cells[3]"));
        assert_eq!(names[9], None);
        let path = vec![("node".into(), Some(3)), (".next".into(), None)];
        let addresses = Addresses { first: 1, inner: 1, rows: 3, ends: false, path, pool: true };
        assert_eq!(addresses.name(2).as_deref(), Some("&node#2.next"));
    }
}
