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

/// Why learning stopped before an assumption was found.
#[derive(Debug)]
pub(super) enum Cut {
    /// The part plays something with which the rest is not safe.
    Found(Box<Path>),
    /// The part does more than was thought: what follows what has changed.
    Wider,
    /// The part is entered while it runs.
    Reenters,
    /// Something ran out.
    Stop(Stop),
    /// A mistake of ours.
    Wrong(String),
}

impl Cut {
    /// Why there is no assumption.
    pub(super) fn reason(self) -> Reason {
        match self {
            Cut::Stop(stop) => Reason::Stop(stop),
            Cut::Reenters => Reason::Reenters,
            Cut::Wrong(why) => Reason::Unverified(why),
            Cut::Found(_) | Cut::Wider => unreachable!("learning goes on then"),
        }
    }
}

impl From<Stop> for Cut {
    fn from(stop: Stop) -> Cut {
        Cut::Stop(stop)
    }
}

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
        teacher: &mut impl Teacher<Letter = LetterId, Stop = Cut>,
    ) -> Result<Guess, Cut> {
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
}

impl Teacher for Checking<'_, '_> {
    type Letter = LetterId;
    type Stop = Cut;

    fn letters(&mut self, word: &[LetterId]) -> Vec<LetterId> {
        match self.composition.along(word) {
            Some(at) => self.composition.following(at).letters.clone(),
            None => Vec::new(),
        }
    }

    fn is_valid(&mut self, word: &[LetterId]) -> bool {
        self.composition.along(word).is_some()
    }

    fn go_on(&mut self, memory: usize) -> Result<(), Cut> {
        self.composition.learning = memory + self.words.memory();
        self.composition.within_budget()
    }

    fn is_member(&mut self, word: &[LetterId]) -> Result<bool, Cut> {
        self.words.is_safe(self.composition, word)
    }

    fn differs(&mut self, guess: &Guess) -> Result<Option<Vec<LetterId>>, Cut> {
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
                return Err(Cut::Wider);
            }
            Inclusion::Hits => {
                self.composition.hits = true;
                return Err(Cut::Wider);
            }
        };
        if self.is_member(&told.word)? {
            return Ok(Some(told.word));
        }
        // The play may be long, and where it leads there is one way at least: so depth first.
        match reaches(self.composition, &chain(&told.word), true)? {
            Some(movers) => Err(Cut::Found(Box::new(Path { movers, part: told }))),
            None => Err(Cut::Wrong("a play that is not safe is safe".into())),
        }
    }
}

fn letters_of(movers: &[Mover]) -> Vec<LetterId> {
    let letter = |mover: &Mover| match mover {
        Mover::Part(letter) => Some(*letter),
        Mover::Rest(_) => None,
    };
    movers.iter().filter_map(letter).collect()
}
