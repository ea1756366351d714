//! Preorder: the nodes of a tree, each before those below it, without recursion.

/// The nodes of a tree from its root. `below` adds those below a node, the first of which comes next.
pub fn preorder<T: Copy>(root: T, mut below: impl FnMut(T, &mut Vec<T>)) -> impl Iterator<Item = T> {
    let mut waiting = vec![root];
    std::iter::from_fn(move || {
        let node = waiting.pop()?;
        let from = waiting.len();
        below(node, &mut waiting);
        waiting[from..].reverse();
        Some(node)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_node_comes_before_those_below_it_and_the_first_comes_first() {
        // n has 2n and 2n + 1 below it.
        let nodes =
            preorder(1u32, |n, below| below.extend([2 * n, 2 * n + 1].into_iter().filter(|n| *n < 8)));
        assert_eq!(nodes.collect::<Vec<_>>(), [1, 2, 4, 5, 3, 6, 7]);
    }
}
