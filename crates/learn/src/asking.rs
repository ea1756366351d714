//! Asking: no question twice, and none whose answer is known.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::teacher::{Letter, Questions, Teacher};

/// What was asked and answered: the words as a tree of their beginnings.
#[derive(Clone, Debug)]
pub(crate) struct Asking<L> {
    /// Of each beginning what was answered; the empty word comes first.
    answers: Vec<Option<bool>>,
    longer: FxHashMap<(u32, L), u32>,
    letters: FxHashMap<Vec<L>, Rc<[L]>>,
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
    /// Whether a word is in the language. Extensions of words that are not in a prefix-closed one are not asked for, nor
    /// are words that are none [AG, §4].
    pub(crate) fn is_member<T: Teacher<Letter = L>>(
        &mut self,
        teacher: &mut T,
        word: &[L],
    ) -> Result<bool, T::Stop> {
        let mut node = 0u32;
        let mut rejected = false;
        for letter in word {
            rejected |= self.answers[node as usize] == Some(false);
            let next = self.answers.len() as u32;
            node = *self.longer.entry((node, letter.clone())).or_insert(next);
            if node == next {
                self.answers.push(None);
            }
        }
        if let Some(answer) = self.answers[node as usize] {
            return Ok(answer);
        }
        let free = (teacher.is_prefix_closed() && rejected) || !teacher.is_valid(word);
        let answer = if free {
            self.questions.free += 1;
            false
        } else {
            self.questions.membership += 1;
            teacher.is_member(word)?
        };
        self.answers[node as usize] = Some(answer);
        Ok(answer)
    }

    /// The letters that may follow a word.
    pub(crate) fn letters<T: Teacher<Letter = L>>(&mut self, teacher: &mut T, word: &[L]) -> Rc<[L]> {
        if let Some(letters) = self.letters.get(word) {
            return letters.clone();
        }
        let letters: Rc<[L]> = teacher.letters(word).into();
        self.letters.insert(word.to_vec(), letters.clone());
        letters
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
