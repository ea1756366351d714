//! Asking: no question twice, and none whose answer is known.

use std::rc::Rc;

use agon_base::id::number;
use rustc_hash::FxHashMap;

use crate::teacher::{Letter, Questions, Teacher};

/// What was asked and answered: the words as a tree of their beginnings.
#[derive(Clone, Debug)]
pub(crate) struct Asking<L> {
    /// Of each beginning what was answered; the empty word comes first.
    answers: Vec<Option<bool>>,
    longer: FxHashMap<(u32, L), u32>,
    /// For beginnings the letters that may follow.
    letters: FxHashMap<u32, Rc<[L]>>,
    pub(crate) questions: Questions,
}

impl<L> Default for Asking<L> {
    fn default() -> Asking<L> {
        Asking {
            answers: vec![None],
            longer: FxHashMap::default(),
            letters: FxHashMap::default(),
            questions: Questions::default(),
        }
    }
}

impl<L: Letter> Asking<L> {
    /// The place of a word; none, if nothing is in the language that begins like it.
    fn place(&mut self, word: &[L], prefix_closed: bool) -> Option<u32> {
        let mut node = 0u32;
        for letter in word {
            if prefix_closed && self.answers[node as usize] == Some(false) {
                return None;
            }
            let next = number(self.answers.len());
            node = *self.longer.entry((node, letter.clone())).or_insert(next);
            if node == next {
                self.answers.push(None);
            }
        }
        Some(node)
    }

    /// Whether a word is in the language. Extensions of words that are not in a prefix-closed one are not asked for, nor
    /// are words that are none [AG, §4].
    pub(crate) fn is_member<T: Teacher<Letter = L>>(
        &mut self,
        teacher: &mut T,
        word: &[L],
    ) -> Result<bool, T::Stop> {
        let Some(node) = self.place(word, teacher.is_prefix_closed()) else {
            self.questions.free += 1;
            return Ok(false);
        };
        if let Some(answer) = self.answers[node as usize] {
            return Ok(answer);
        }
        let answer = if teacher.is_valid(word) {
            self.questions.membership += 1;
            teacher.is_member(word)?
        } else {
            self.questions.free += 1;
            false
        };
        self.answers[node as usize] = Some(answer);
        Ok(answer)
    }

    /// The letters that may follow a word that may be in the language.
    pub(crate) fn letters<T: Teacher<Letter = L>>(&mut self, teacher: &mut T, word: &[L]) -> Rc<[L]> {
        let Some(node) = self.place(word, teacher.is_prefix_closed()) else { return Rc::default() };
        let letters = self.letters.entry(node).or_insert_with(|| teacher.letters(word).into());
        letters.clone()
    }

    /// The memory that the answers take, in bytes.
    pub(crate) fn memory(&self) -> usize {
        let edge = size_of::<((u32, L), u32)>() + 1;
        self.answers.capacity() + self.longer.capacity() * edge
    }

    /// The language has changed.
    pub(crate) fn forget(&mut self) {
        self.answers = vec![None];
        self.longer.clear();
        self.letters.clear();
    }
}

/// A word and what follows it.
pub(crate) fn joined<L: Letter>(word: &[L], rest: &[L]) -> Vec<L> {
    [word, rest].concat()
}

/// A word and a letter.
pub(crate) fn extended<L: Letter>(word: &[L], letter: &L) -> Vec<L> {
    joined(word, std::slice::from_ref(letter))
}
