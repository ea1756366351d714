//! Teaching: the learner's questions, answered by playing [AG, §5.2].

use agon_base::budget::Stop;
use agon_learn::automaton::Automaton;
use agon_learn::table::{Shown, Table};
use agon_learn::teacher::{Learner, Questions, Teacher};
use agon_learn::tree::Tree;

use super::Method;
use super::composition::{Composition, LetterId};
use super::counterexample::Path;
use super::possible::Words;
use super::premises::{Inclusion, Mover, chain, includes, reaches};
use super::weakest;
use crate::verdict::Reason;

pub(super) type Guess = Automaton<LetterId>;

/// Either learner.
pub(super) enum Learning {
    Table(Table<LetterId>),
    Tree(Tree<LetterId>),
}

impl Learning {
    pub(super) fn new(method: Method) -> Learning {
        match method {
            Method::Table => Learning::Table(Table::default()),
            Method::Tree => Learning::Tree(Tree::default()),
        }
    }

    /// The tables that there were.
    pub(super) fn tables(&self) -> &[Shown<LetterId>] {
        match self {
            Learning::Table(table) => table.history(),
            Learning::Tree(_) => &[],
        }
    }

    pub(super) fn learn(
        &mut self,
        teacher: &mut impl Teacher<Letter = LetterId, Stop = Reason>,
    ) -> Result<Guess, Reason> {
        match self {
            Learning::Table(table) => table.learn(teacher),
            Learning::Tree(tree) => tree.learn(teacher),
        }
    }

    pub(super) fn revise(&mut self, letter: &mut dyn FnMut(&LetterId) -> LetterId) {
        match self {
            Learning::Table(table) => table.revise(letter),
            Learning::Tree(tree) => tree.revise(letter),
        }
    }

    pub(super) fn questions(&self) -> Questions {
        match self {
            Learning::Table(table) => table.questions(),
            Learning::Tree(tree) => tree.questions(),
        }
    }
}

/// When an assumption is good enough.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// The part keeps to it, and the rest is safe with it.
    Conclusive,
    /// It is the weakest with which the rest is safe, whatever the part is.
    Weakest,
}

/// Answers the learner's questions by playing.
pub(super) struct Checking<'s, 'a> {
    pub(super) until: Until,
    pub(super) composition: &'s mut Composition<'a>,
    pub(super) words: &'s mut Words,
    pub(super) last: &'s mut Option<Guess>,
    /// A way to the target, if the part was seen to play something with which the rest is not safe.
    pub(super) found: Option<Path>,
}

impl Teacher for Checking<'_, '_> {
    type Letter = LetterId;
    type Stop = Reason;

    fn letters(&mut self, word: &[LetterId]) -> Vec<LetterId> {
        match self.composition.along(word) {
            Some(at) => self.composition.following(at).letters.clone(),
            None => Vec::new(),
        }
    }

    fn is_valid(&mut self, word: &[LetterId]) -> bool {
        self.composition.along(word).is_some()
    }

    fn go_on(&mut self, memory: usize) -> Result<(), Reason> {
        self.composition.learning = memory + self.words.memory();
        self.composition.within_budget()
    }

    fn is_member(&mut self, word: &[LetterId]) -> Result<bool, Reason> {
        self.words.is_safe(self.composition, word)
    }

    /// Cancels learning where a way to the target was found, and where the part does more than was thought.
    fn differs(&mut self, guess: &Guess) -> Result<Option<Vec<LetterId>>, Reason> {
        *self.last = Some(guess.clone());
        if self.until == Until::Weakest {
            return weakest::differs(self.composition, self.words, guess);
        }
        if let Some(movers) = reaches(self.composition, guess, false)? {
            return Ok(Some(letters_of(&movers)));
        }
        let told = match includes(self.composition, guess)? {
            Inclusion::Holds => return Ok(None),
            Inclusion::Fails(told) => told,
            Inclusion::Deeper(depth) => {
                self.composition.depth = depth;
                return Err(Stop::Cancelled.into());
            }
            Inclusion::Hits => {
                self.composition.hits = true;
                return Err(Stop::Cancelled.into());
            }
        };
        if self.is_member(&told.word)? {
            return Ok(Some(told.word));
        }
        // The play may be long, and where it leads there is one way at least: so depth first.
        let Some(movers) = reaches(self.composition, &chain(&told.word), true)? else {
            return Err(Reason::Unverified("a play that is not safe is safe".into()));
        };
        self.found = Some(Path::new(movers, told, &self.composition.letters));
        Err(Stop::Cancelled.into())
    }
}

fn letters_of(movers: &[Mover]) -> Vec<LetterId> {
    let letter = |mover: &Mover| match mover {
        Mover::Part(letter) => Some(*letter),
        Mover::Rest(_) => None,
    };
    movers.iter().filter_map(letter).collect()
}
