//! Teachers and learners: who knows a language, and who finds it out.

use std::hash::Hash;

use crate::automaton::Automaton;

/// What a word is made of.
pub trait Letter: Clone + Ord + Hash {}

impl<L: Clone + Ord + Hash> Letter for L {}

/// Knows a regular language, and answers two kinds of questions about it [AG, §4].
pub trait Teacher {
    /// What its words are made of.
    type Letter: Letter;
    /// Why it may stop before the language is known.
    type Stop;

    /// The letters that may follow a word. Words that cannot be made of such letters are not in the language, and nobody
    /// asks for them.
    fn letters(&mut self, word: &[Self::Letter]) -> Vec<Self::Letter>;

    /// Whether a word is made of letters that may follow each other.
    fn is_valid(&mut self, word: &[Self::Letter]) -> bool {
        (0..word.len()).all(|n| self.letters(&word[..n]).contains(&word[n]))
    }

    /// Whether a word is in the language.
    fn is_member(&mut self, word: &[Self::Letter]) -> Result<bool, Self::Stop>;

    /// A word that is in the language or in the guess, but not in both; none if the guess is right.
    fn differs(&mut self, guess: &Automaton<Self::Letter>) -> Result<Option<Vec<Self::Letter>>, Self::Stop>;

    /// Asked now and then: whether to go on, though the learner takes this many bytes.
    fn go_on(&mut self, _memory: usize) -> Result<(), Self::Stop> {
        Ok(())
    }

    /// Whether the beginnings of all words of the language are in it too.
    fn is_prefix_closed(&self) -> bool {
        true
    }
}

/// Finds out a language.
pub trait Learner<L: Letter> {
    /// Learns the language of a teacher. What was learnt before, of another language perhaps, is where it starts.
    fn learn<T: Teacher<Letter = L>>(&mut self, teacher: &mut T) -> Result<Automaton<L>, T::Stop>;

    /// The language has changed, and letters may have: what was answered is forgotten, but not what was worth asking.
    fn revise(&mut self, letter: &mut dyn FnMut(&L) -> L);

    /// What was asked so far.
    fn questions(&self) -> Questions;
}

/// How many questions were asked, and how many answers were found without.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Questions {
    /// Whether a word is in the language.
    pub membership: u64,
    /// The same, answered without asking: a beginning of the word is not in it, or the word is none.
    pub free: u64,
    /// Whether a guess is right.
    pub equivalence: u64,
}
