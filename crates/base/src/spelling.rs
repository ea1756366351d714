//! Spelling: which name was probably meant.

/// The name most like the one that was not found, if any is like it.
pub fn closest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    names
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| {
            let shorter = candidate.chars().count().min(name.chars().count());
            *distance <= shorter.div_ceil(3).min(2) && shorter > 1
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// The number of letters to insert, delete or change.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_is_near() {
        let names = ["oflo", "uflo", "x", "buffer"];
        let like = |name: &str| closest(name, names.into_iter());
        assert_eq!(like("ofl"), Some("oflo"));
        assert_eq!(like("bufer"), Some("buffer"));
        assert_eq!(like("y"), None);
        assert_eq!(like("client"), None);
    }
}
