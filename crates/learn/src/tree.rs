//! Learning with a discrimination tree [Kearns and Vazirani], which splits a state where a counterexample first goes
//! wrong [Rivest and Schapire]: fewer questions than with a table.

use std::collections::{BTreeMap, HashSet};

use crate::asking::{Asking, extended, joined};
use crate::automaton::{Automaton, State};
use crate::teacher::{Learner, Letter, Questions, Teacher};

/// A discrimination tree and the states at its leaves.
#[derive(Clone, Debug)]
pub struct Tree<L> {
    nodes: Vec<Node<L>>,
    /// For each state a word that leads to it, and its leaf.
    states: Vec<(Vec<L>, usize)>,
    /// Words that led to states, and words that told states apart, when another language was learnt.
    worth: (Vec<Vec<L>>, Vec<Vec<L>>),
    asking: Asking<L>,
}

#[derive(Clone, Debug)]
enum Node<L> {
    /// Words that go to the one or the other node, as they are not in the language with this one behind them, or are.
    Inner { suffix: Vec<L>, nodes: [usize; 2] },
    /// Words that all lead to one state, if there is one yet.
    Leaf(Option<u32>),
}

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
            worth: (Vec::new(), Vec::new()),
            asking: Asking::default(),
        }
    }
}

impl<L: Letter> Tree<L> {
    /// The leaf of a word.
    fn sift<T: Teacher<Letter = L>>(&mut self, teacher: &mut T, word: &[L]) -> Result<usize, T::Stop> {
        let mut at = 0;
        while let Node::Inner { suffix, nodes } = &self.nodes[at] {
            let answer = self.asking.is_member(teacher, &joined(word, suffix))?;
            at = nodes[usize::from(answer)];
        }
        Ok(at)
    }

    /// The state that a word leads to, which may be a new one; none, if nothing follows the word.
    fn state<T: Teacher<Letter = L>>(&mut self, teacher: &mut T, word: &[L]) -> Result<Option<u32>, T::Stop> {
        let leaf = self.sift(teacher, word)?;
        if leaf == REJECTED && teacher.is_prefix_closed() {
            return Ok(None);
        }
        if let Node::Leaf(Some(state)) = &self.nodes[leaf] {
            return Ok(Some(*state));
        }
        let state = self.states.len() as u32;
        self.states.push((word.to_vec(), leaf));
        self.nodes[leaf] = Node::Leaf(Some(state));
        Ok(Some(state))
    }

    /// Splits a state: with a word behind it, what leads to it is in the language and this word is not, or the other way
    /// round.
    fn split(&mut self, state: u32, word: Vec<L>, suffix: Vec<L>, word_is_member: bool) {
        let leaf = self.states[state as usize].1;
        let first = self.nodes.len();
        let new = self.states.len() as u32;
        let mut leaves = [state, new];
        if !word_is_member {
            leaves.swap(0, 1);
        }
        self.nodes.extend(leaves.map(|state| Node::Leaf(Some(state))));
        self.nodes[leaf] = Node::Inner { suffix, nodes: [first, first + 1] };
        let place = |state: u32| first + usize::from(leaves[1] == state);
        self.states[state as usize].1 = place(state);
        self.states.push((word, place(new)));
    }

    fn guess<T: Teacher<Letter = L>>(&mut self, teacher: &mut T) -> Result<Automaton<L>, T::Stop> {
        let mut guess = Automaton::default();
        self.state(teacher, &[])?;
        let mut n = 0;
        // New states may be found on the way.
        while n < self.states.len() {
            teacher.go_on()?;
            let word = self.states[n].0.clone();
            let mut edges = BTreeMap::new();
            for letter in self.asking.letters(teacher, &word).iter() {
                if let Some(to) = self.state(teacher, &extended(&word, letter))? {
                    edges.insert(letter.clone(), to);
                }
            }
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
                    let instead = joined(&tree.states[state as usize].0, &word[n..]);
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
        let new = extended(&self.states[before as usize].0, &word[yes]);
        self.split(state, new, word[no..].to_vec(), answer);
        Ok(true)
    }

    /// Finds the states again that were worth telling apart before.
    fn remember<T: Teacher<Letter = L>>(&mut self, teacher: &mut T) -> Result<(), T::Stop> {
        let (words, suffixes) = std::mem::take(&mut self.worth);
        self.state(teacher, &[])?;
        for word in words {
            let Some(state) = self.state(teacher, &word)? else { continue };
            let known = self.states[state as usize].0.clone();
            for suffix in &suffixes {
                let is_member = self.asking.is_member(teacher, &joined(&word, suffix))?;
                if is_member != self.asking.is_member(teacher, &joined(&known, suffix))? {
                    self.split(state, word, suffix.clone(), is_member);
                    break;
                }
            }
        }
        Ok(())
    }
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
        let mut questions = self.asking.questions;
        let old = std::mem::take(self);
        let mut words: Vec<Vec<L>> =
            old.states.into_iter().map(|(word, _)| word).chain(old.worth.0).collect();
        let suffixes = old.nodes.into_iter().filter_map(|node| match node {
            Node::Inner { suffix, .. } => Some(suffix),
            Node::Leaf(_) => None,
        });
        let mut suffixes: Vec<Vec<L>> = suffixes.chain(old.worth.1).collect();
        for words in [&mut words, &mut suffixes] {
            let mut seen = HashSet::new();
            words.iter_mut().for_each(|word| word.iter_mut().for_each(|l| *l = letter(l)));
            words.retain(|word| !word.is_empty() && seen.insert(word.clone()));
        }
        self.worth = (words, suffixes);
        std::mem::swap(&mut self.asking.questions, &mut questions);
    }

    fn questions(&self) -> Questions {
        self.asking.questions
    }
}
