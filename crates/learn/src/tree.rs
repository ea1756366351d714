//! Learning with a discrimination tree [Kearns and Vazirani], which splits a state where a counterexample first goes
//! wrong [Rivest and Schapire]: fewer questions than with a table.

use std::collections::{BTreeMap, HashSet};

use agon_base::id::number;

use crate::asking::{Asking, extended, joined};
use crate::automaton::{Automaton, State};
use crate::teacher::{Learner, Letter, Questions, Teacher};

/// A discrimination tree and the states at its leaves.
#[derive(Clone, Debug)]
pub struct Tree<L> {
    nodes: Vec<Node<L>>,
    states: Vec<Access<L>>,
    /// Words that led to states when another language was learnt.
    before: Vec<Vec<L>>,
    asking: Asking<L>,
}

/// A state: how it is come to, and where it leads to.
#[derive(Clone, Debug)]
struct Access<L> {
    /// A word that leads to it.
    word: Vec<L>,
    /// Its leaf.
    leaf: usize,
    /// For each letter that may follow, once that was asked for, a node under which the longer word is. It was a leaf
    /// when somebody last looked.
    ways: Option<Vec<(L, usize)>>,
}

impl<L> Access<L> {
    fn new(word: Vec<L>, leaf: usize) -> Access<L> {
        Access { word, leaf, ways: None }
    }
}

#[derive(Clone, Debug)]
enum Node<L> {
    /// Words that go to the one or the other node, as they are not in the language with this one behind them, or are.
    Inner { suffix: Vec<L>, nodes: [usize; 2] },
    /// Words that all lead to one state, if there is one yet.
    Leaf(Option<u32>),
}

/// All words.
const ROOT: usize = 0;
/// The words whose extensions are not in the language.
const REJECTED: usize = 1;

impl<L> Default for Tree<L> {
    fn default() -> Tree<L> {
        Tree {
            nodes: vec![
                Node::Inner { suffix: Vec::new(), nodes: [REJECTED, 2] },
                Node::Leaf(None),
                Node::Leaf(None),
            ],
            states: Vec::new(),
            before: Vec::new(),
            asking: Asking::default(),
        }
    }
}

impl<L: Letter> Tree<L> {
    /// The leaf of a word that is under a node.
    fn sift<T: Teacher<Letter = L>>(
        &mut self,
        teacher: &mut T,
        word: &[L],
        mut at: usize,
    ) -> Result<usize, T::Stop> {
        while let Node::Inner { suffix, nodes } = &self.nodes[at] {
            let answer = self.asking.is_member(teacher, &joined(word, suffix))?;
            at = nodes[usize::from(answer)];
        }
        Ok(at)
    }

    /// The state of a leaf that a word was found to be at, which may be a new one; none, if nothing follows the word.
    fn at<T: Teacher<Letter = L>>(&mut self, teacher: &T, leaf: usize, word: &[L]) -> Option<u32> {
        if leaf == REJECTED && teacher.is_prefix_closed() {
            return None;
        }
        if let Node::Leaf(Some(state)) = &self.nodes[leaf] {
            return Some(*state);
        }
        let state = number(self.states.len());
        self.states.push(Access::new(word.to_vec(), leaf));
        self.nodes[leaf] = Node::Leaf(Some(state));
        Some(state)
    }

    /// The state that a word leads to, which may be a new one; none, if nothing follows the word.
    fn state<T: Teacher<Letter = L>>(&mut self, teacher: &mut T, word: &[L]) -> Result<Option<u32>, T::Stop> {
        let leaf = self.sift(teacher, word, ROOT)?;
        Ok(self.at(teacher, leaf, word))
    }

    /// Splits a state: with a word behind it, what leads to it is in the language and this word is not, or the other way
    /// round.
    fn split(&mut self, state: u32, word: Vec<L>, suffix: Vec<L>, word_is_member: bool) {
        let leaf = self.states[state as usize].leaf;
        let first = self.nodes.len();
        let new = number(self.states.len());
        let mut leaves = [state, new];
        if !word_is_member {
            leaves.swap(0, 1);
        }
        self.nodes.extend(leaves.map(|state| Node::Leaf(Some(state))));
        self.nodes[leaf] = Node::Inner { suffix, nodes: [first, first + 1] };
        let place = |state: u32| first + usize::from(leaves[1] == state);
        self.states[state as usize].leaf = place(state);
        self.states.push(Access::new(word, place(new)));
    }

    fn guess<T: Teacher<Letter = L>>(&mut self, teacher: &mut T) -> Result<Automaton<L>, T::Stop> {
        let mut guess = Automaton::default();
        self.state(teacher, &[])?;
        let mut n = 0;
        // New states may be found on the way.
        while n < self.states.len() {
            teacher.go_on(self.asking.memory())?;
            let word = self.states[n].word.clone();
            let mut ways = match self.states[n].ways.take() {
                Some(ways) => ways,
                None => {
                    self.asking.letters(teacher, &word).iter().map(|letter| (letter.clone(), ROOT)).collect()
                }
            };
            let mut edges = BTreeMap::new();
            for (letter, node) in &mut ways {
                // Only where something was split since is anything asked.
                let longer = extended(&word, letter);
                *node = self.sift(teacher, &longer, *node)?;
                if let Some(to) = self.at(teacher, *node, &longer) {
                    edges.insert(letter.clone(), to);
                }
            }
            self.states[n].ways = Some(ways);
            guess.states.push(State { accepting: self.asking.is_member(teacher, &word)?, edges });
            n += 1;
        }
        Ok(guess)
    }

    /// Makes a guess finer by a word that it is wrong about; whether it was wrong about it.
    fn correct<T: Teacher<Letter = L>>(
        &mut self,
        teacher: &mut T,
        guess: &Automaton<L>,
        word: &[L],
    ) -> Result<bool, T::Stop> {
        let answer = self.asking.is_member(teacher, word)?;
        if guess.accepts(word) == answer {
            return Ok(false);
        }
        // With its beginning replaced by the word that leads to the same state of the guess, is it still like that?
        let mut alike = |tree: &mut Tree<L>, n: usize| -> Result<bool, T::Stop> {
            let said = match guess.run(&word[..n]) {
                Some(state) => {
                    let instead = joined(&tree.states[state as usize].word, &word[n..]);
                    tree.asking.is_member(teacher, &instead)?
                }
                None => false,
            };
            Ok(said == answer)
        };
        // At the start it is, since the first state is that of the empty word; at the end it is not.
        let (mut yes, mut no) = (0, word.len());
        while no - yes > 1 {
            let middle = yes.midpoint(no);
            if alike(self, middle)? { yes = middle } else { no = middle }
        }
        let (Some(before), Some(state)) = (guess.run(&word[..yes]), guess.run(&word[..no])) else {
            unreachable!("what is rejected is rejected with anything behind it");
        };
        let new = extended(&self.states[before as usize].word, &word[yes]);
        self.split(state, new, word[no..].to_vec(), answer);
        Ok(true)
    }

    /// Finds the states again that were distinguished before, by what distinguished them.
    fn remember<T: Teacher<Letter = L>>(&mut self, teacher: &mut T) -> Result<(), T::Stop> {
        let words = std::mem::take(&mut self.before);
        if words.is_empty() {
            return Ok(());
        }
        self.state(teacher, &[])?;
        for word in words {
            self.state(teacher, &word)?;
        }
        self.prune();
        Ok(())
    }

    /// Leaves out what distinguishes no states any more.
    fn prune(&mut self) {
        // Nodes come before those under them.
        let mut used = vec![false; self.nodes.len()];
        for (n, node) in self.nodes.iter().enumerate().rev() {
            used[n] = match node {
                Node::Inner { nodes, .. } => nodes.iter().any(|below| used[*below]),
                Node::Leaf(state) => state.is_some(),
            };
        }
        let mut old = std::mem::take(&mut self.nodes);
        // The nodes that are kept, each at its new place.
        let mut kept = vec![ROOT];
        while let Some(place) = kept.get(self.nodes.len()) {
            let node = match std::mem::replace(&mut old[*place], Node::Leaf(None)) {
                Node::Inner { suffix, nodes } => {
                    let first = kept.len();
                    kept.extend(nodes.map(|below| first_that_tells(&old, &used, below)));
                    Node::Inner { suffix, nodes: [first, first + 1] }
                }
                Node::Leaf(None) => Node::Leaf(None),
                Node::Leaf(Some(state)) => {
                    self.states[state as usize].leaf = self.nodes.len();
                    Node::Leaf(Some(state))
                }
            };
            self.nodes.push(node);
        }
    }
}

/// The first node from one on that distinguishes states, or is a leaf.
fn first_that_tells<L>(nodes: &[Node<L>], used: &[bool], mut at: usize) -> usize {
    while let Node::Inner { nodes: [a, b], .. } = &nodes[at]
        && !(used[*a] && used[*b])
    {
        at = if used[*a] { *a } else { *b };
    }
    at
}

impl<L: Letter> Learner<L> for Tree<L> {
    fn learn<T: Teacher<Letter = L>>(&mut self, teacher: &mut T) -> Result<Automaton<L>, T::Stop> {
        self.remember(teacher)?;
        let mut guess = self.guess(teacher)?;
        loop {
            self.asking.questions.equivalence += 1;
            let Some(word) = teacher.differs(&guess)? else { return Ok(guess) };
            while self.correct(teacher, &guess, &word)? {
                guess = self.guess(teacher)?;
            }
        }
    }

    fn revise(&mut self, letter: &mut dyn FnMut(&L) -> L) {
        let mut renewed = |word: Vec<L>| word.iter().map(&mut *letter).collect::<Vec<L>>();
        let states = std::mem::take(&mut self.states).into_iter().map(|state| state.word);
        let words = states.chain(std::mem::take(&mut self.before));
        let mut seen = HashSet::new();
        self.before = words.map(&mut renewed).filter(|word| seen.insert(word.clone())).collect();
        for node in &mut self.nodes {
            match node {
                Node::Inner { suffix, .. } => *suffix = renewed(std::mem::take(suffix)),
                Node::Leaf(state) => *state = None,
            }
        }
        self.asking.forget();
    }

    fn questions(&self) -> Questions {
        self.asking.questions
    }
}
