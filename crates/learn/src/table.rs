//! L* with an observation table, for strategies [AG, §4, Fig. 2].

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;

use agon_base::id::number;

use crate::asking::{Asking, extended, joined};
use crate::automaton::{Automaton, State};
use crate::teacher::{Learner, Letter, Questions, Teacher};

/// Tables with more entries than this are not kept to be looked at.
const SHOWN: usize = 1_000;

/// An observation table (S, E, T).
#[derive(Clone, Debug)]
pub struct Table<L> {
    /// S: words, with all beginnings of each.
    prefixes: Vec<Vec<L>>,
    /// E: words, with all ends of each.
    suffixes: Vec<Vec<L>>,
    /// T: for each word of S and S·OP whether it is in the language with each word of E behind it.
    rows: HashMap<Vec<L>, Vec<bool>>,
    /// How many letters these words have.
    letters: usize,
    asking: Asking<L>,
    /// The tables that were closed and consistent, as they were shown to the teacher; no more than can be looked at.
    history: Vec<Shown<L>>,
    /// The largest table that was used.
    largest: usize,
}

/// A table as it was when a guess was made from it.
#[derive(Clone, Debug)]
pub struct Shown<L> {
    /// E.
    pub suffixes: Vec<Vec<L>>,
    /// S, and what T says of each.
    pub upper: Vec<(Vec<L>, Vec<bool>)>,
    /// The valid words of S·OP, and what T says of each.
    pub lower: Vec<(Vec<L>, Vec<bool>)>,
}

impl<L> Default for Table<L> {
    fn default() -> Table<L> {
        Table {
            prefixes: vec![Vec::new()],
            suffixes: vec![Vec::new()],
            rows: HashMap::new(),
            letters: 0,
            asking: Asking::default(),
            history: Vec::new(),
            largest: 0,
        }
    }
}

impl<L: Letter> Table<L> {
    /// The tables from which guesses were made so far, as long as they were small.
    pub fn history(&self) -> &[Shown<L>] {
        &self.history
    }

    /// How many entries the largest table had.
    pub fn largest(&self) -> usize {
        self.largest
    }

    /// What T says of a word, which is in S or S·OP.
    fn row(&self, word: &[L]) -> &[bool] {
        &self.rows[word]
    }

    /// Asks until T says something of a word for all of E.
    fn fill<T: Teacher<Letter = L>>(&mut self, teacher: &mut T, word: &[L]) -> Result<(), T::Stop> {
        let mut row = self.rows.remove(word).unwrap_or_else(|| {
            self.letters += word.len();
            Vec::new()
        });
        for suffix in &self.suffixes[row.len()..] {
            row.push(self.asking.is_member(teacher, &joined(word, suffix))?);
        }
        self.rows.insert(word.to_vec(), row);
        Ok(())
    }

    /// The memory that the table takes, in bytes.
    fn memory(&self) -> usize {
        let row = size_of::<(Vec<L>, Vec<bool>)>() + self.suffixes.len();
        self.asking.memory() + self.rows.len() * row + self.letters * size_of::<L>()
    }

    /// Whether a word is in the language: E begins with the empty word.
    fn accepted(&self, word: &[L]) -> bool {
        self.row(word)[0]
    }

    /// Whether what follows a word is looked at: nothing follows what is not in a prefix-closed language.
    fn goes_on<T: Teacher<Letter = L>>(&self, teacher: &T, word: &[L]) -> bool {
        !teacher.is_prefix_closed() || self.accepted(word)
    }

    /// Updates T using queries, for the words of S from one on.
    fn update<T: Teacher<Letter = L>>(&mut self, teacher: &mut T, from: usize) -> Result<(), T::Stop> {
        for n in from..self.prefixes.len() {
            teacher.go_on(self.memory())?;
            let word = self.prefixes[n].clone();
            self.fill(teacher, &word)?;
            if !self.goes_on(teacher, &word) {
                continue;
            }
            for letter in self.asking.letters(teacher, &word).iter() {
                self.fill(teacher, &extended(&word, letter))?;
            }
        }
        self.largest = self.largest.max(self.rows.len() * self.suffixes.len());
        Ok(())
    }

    /// Two words of S that look alike but do not go on alike: what distinguishes them.
    fn inconsistent<T: Teacher<Letter = L>>(&mut self, teacher: &mut T) -> Option<Vec<L>> {
        let mut alike: HashMap<Vec<bool>, Vec<Vec<L>>> = HashMap::new();
        for s in self.prefixes.clone() {
            if !self.goes_on(teacher, &s) {
                continue;
            }
            let like = alike.entry(self.row(&s).to_vec()).or_default();
            // Those that are consistent with the first are so with each other.
            if let Some(t) = like.first() {
                let mut letters = self.asking.letters(teacher, &s).to_vec();
                letters.extend(self.asking.letters(teacher, t).iter().cloned());
                for letter in letters {
                    // What may not follow is not in the language.
                    let none = vec![false; self.suffixes.len()];
                    let row = |word: &[L]| self.rows.get(&extended(word, &letter)).unwrap_or(&none);
                    let (a, b) = (row(&s), row(t));
                    if let Some(n) = (0..none.len()).find(|n| a[*n] != b[*n]) {
                        return Some(joined(std::slice::from_ref(&letter), &self.suffixes[n]));
                    }
                }
            }
            like.push(s);
        }
        None
    }

    /// Adds words of S·OP that are like none of S to S, until the table is closed. Whether there were any.
    fn close<T: Teacher<Letter = L>>(&mut self, teacher: &mut T) -> Result<bool, T::Stop> {
        let mut known: HashSet<Vec<bool>> = self.prefixes.iter().map(|s| self.row(s).to_vec()).collect();
        let before = self.prefixes.len();
        let mut n = 0;
        while n < self.prefixes.len() {
            let s = self.prefixes[n].clone();
            n += 1;
            if !self.goes_on(teacher, &s) {
                continue;
            }
            for letter in self.asking.letters(teacher, &s).iter() {
                let word = extended(&s, letter);
                if known.insert(self.row(&word).to_vec()) {
                    self.prefixes.push(word);
                    self.update(teacher, self.prefixes.len() - 1)?;
                }
            }
        }
        Ok(self.prefixes.len() > before)
    }

    /// The automaton of a table that is closed and consistent.
    fn make_automaton<T: Teacher<Letter = L>>(&mut self, teacher: &mut T) -> Automaton<L> {
        let mut places: HashMap<Vec<bool>, u32> = HashMap::new();
        let mut words = Vec::new();
        for s in &self.prefixes {
            let row = self.row(s);
            if self.goes_on(teacher, s) && !places.contains_key(row) {
                places.insert(row.to_vec(), number(words.len()));
                words.push(s.clone());
            }
        }
        let states = words.iter().map(|s| {
            let mut edges = BTreeMap::new();
            for letter in self.asking.letters(teacher, s).iter() {
                let word = extended(s, letter);
                if let Some(to) = places.get(self.row(&word)) {
                    edges.insert(letter.clone(), *to);
                }
            }
            State { accepting: self.accepted(s), edges }
        });
        let states = states.collect();
        Automaton { states }
    }

    fn shown<T: Teacher<Letter = L>>(&mut self, teacher: &mut T) -> Shown<L> {
        let with_row = |word: &Vec<L>, table: &Table<L>| (word.clone(), table.row(word).to_vec());
        let mut lower = Vec::new();
        for s in self.prefixes.clone() {
            if self.goes_on(teacher, &s) {
                let letters = self.asking.letters(teacher, &s);
                lower.extend(letters.iter().map(|letter| with_row(&extended(&s, letter), self)));
            }
        }
        Shown {
            suffixes: self.suffixes.clone(),
            upper: self.prefixes.iter().map(|s| with_row(s, self)).collect(),
            lower,
        }
    }
}

impl<L: Letter> Learner<L> for Table<L> {
    fn learn<T: Teacher<Letter = L>>(&mut self, teacher: &mut T) -> Result<Automaton<L>, T::Stop> {
        loop {
            self.update(teacher, 0)?;
            loop {
                let inconsistent = self.inconsistent(teacher);
                if let Some(suffix) = &inconsistent {
                    self.suffixes.push(suffix.clone());
                    self.update(teacher, 0)?;
                }
                let unclosed = self.close(teacher)?;
                if inconsistent.is_none() && !unclosed {
                    break;
                }
            }
            let guess = self.make_automaton(teacher);
            if self.rows.len() * self.suffixes.len() <= SHOWN {
                let shown = self.shown(teacher);
                self.history.push(shown);
            }
            self.asking.questions.equivalence += 1;
            let Some(word) = teacher.differs(&guess)? else { return Ok(guess) };
            for n in 1..=word.len() {
                if !self.prefixes.iter().any(|s| *s == word[..n]) {
                    self.prefixes.push(word[..n].to_vec());
                }
            }
        }
    }

    fn revise(&mut self, letter: &mut dyn FnMut(&L) -> L) {
        self.asking.forget();
        self.rows.clear();
        self.letters = 0;
        for words in [&mut self.prefixes, &mut self.suffixes] {
            let mut seen = HashSet::new();
            words.iter_mut().for_each(|word| word.iter_mut().for_each(|l| *l = letter(l)));
            words.retain(|word| seen.insert(word.clone()));
        }
    }

    fn questions(&self) -> Questions {
        self.asking.questions
    }
}

impl<L: Letter> Shown<L> {
    /// The table as the paper's figures have it: S above, the valid words of S·OP below, E to the right [AG, Fig. 5].
    pub fn show(&self, letter: &dyn Fn(&L) -> String) -> String {
        let word = |word: &[L]| match word {
            [] => "ε".into(),
            _ => word.iter().map(letter).collect::<Vec<_>>().join(" · "),
        };
        let mut rows: Vec<Vec<String>> = vec![["".into(), "T".into()].into_iter().collect()];
        rows[0].extend(self.suffixes.iter().map(|suffix| word(suffix)));
        for (name, part) in [("S", &self.upper), ("S·OP", &self.lower)] {
            for (n, (prefix, said)) in part.iter().enumerate() {
                let mut row = vec![if n == 0 { name.into() } else { String::new() }, word(prefix)];
                row.extend(said.iter().map(|said| said.to_string()));
                rows.push(row);
            }
        }
        let columns = rows[0].len();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<_> = (0..columns).map(width).collect();
        let mut text = String::new();
        for row in &rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                let _ = write!(line, "{cell:width$}  ");
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }
}
