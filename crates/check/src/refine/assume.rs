//! The game of a program in two halves: assume-guarantee checking, with an assumption that is learnt [AG, §5].
//!
//! In each iteration the loop asks for a path to the target. Here that is `AGCheck`: an assumption is learnt about the part
//! until the rest is safe with it and the part keeps to it, or a play of the part is found with which the rest is
//! not safe. The whole program is run along such a play only.

mod composition;
mod counterexample;
mod possible;
mod premises;
mod revising;
mod teaching;
mod weakest;

use agon_base::budget::Budget;
use agon_base::refused::Refused;
use agon_core::split::Split;
use agon_games::abstracted::{Abstracted, Keeping};
use agon_games::contract::{Assumption, Decomposition, Half, Interface, Specification};
use agon_games::play::Play;
use agon_games::sites::{PartRef, Sites};
use agon_learn::teacher::Questions;
use agon_solve::Solver;
use agon_witness::assumption::{Claim, certify, certify_rest};

use super::{Blame, Certify, Game, RefinementOptions, Setting, Written};
use crate::cegar::Found;
use crate::concretise::{Concrete, concretise, repeated};
use crate::reconstruct::confirm;
use crate::search::{Observer, Progress};
use crate::verdict::{Reason, Verdict};
use crate::walk::Walk;
use agon_witness::verify::Evidence;
use composition::{Composition, LetterId};
use counterexample::Path;
use possible::Words;
use teaching::{Checking, Guess, Learning, Until};

pub(super) use counterexample::glued;

/// What the engine is called.
pub const NAME: &str = "assume-guarantee";

/// How assumptions are learnt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// With an observation table, as the paper has it.
    Table,
    /// With a discrimination tree.
    Tree,
}

/// A part of a program that is checked on its own.
#[derive(Clone, Debug)]
pub struct Component {
    /// What it is called.
    pub name: String,
    /// The program in two.
    pub split: Split,
    /// Why this one, where nobody had said which.
    pub why: Option<String>,
}

/// What is to be learnt.
#[derive(Clone, Copy, Debug)]
pub struct Lesson<'a> {
    /// About which part.
    pub component: &'a Component,
    /// How.
    pub method: Method,
    /// Whether the assumption is to be the weakest, and not only one that is enough.
    pub weakest: bool,
}

/// What was assumed about a part, and how that was found.
#[derive(Clone, Debug)]
pub struct Assumed {
    /// The part.
    pub component: String,
    /// Why this one, where nobody had said which.
    pub why: Option<String>,
    /// What it keeps to, so that the rest is safe with it; none if the program is not known to be safe.
    pub assumption: Option<Assumption>,
    /// Where the part and the rest meet.
    pub interface: Interface,
    /// What was asked.
    pub questions: Questions,
    /// The assumption by itself.
    pub specification: Option<Specification>,
    /// The tables from which assumptions were made, if they were made from tables, and small ones.
    pub tables: Vec<String>,
    /// The assumption that was tried last.
    pub last: Option<Assumption>,
}

pub(super) struct Assuming<'a> {
    setting: Setting<'a>,
    /// The data of the whole program and of what the halves say to each other.
    domain: Abstracted,
    composition: Composition<'a>,
    words: Words,
    learning: Learning,
    /// The assumption that was tried last.
    last: Option<Guess>,
    iteration: usize,
    /// What was learnt in the end.
    learnt: Option<Assumption>,
    /// The same by itself.
    specification: Option<Specification>,
    component: &'a Component,
}

impl<'a> Assuming<'a> {
    pub(super) fn new(
        setting: Setting<'a>,
        component: &'a Component,
        halves: Decomposition,
        domain: Abstracted,
        method: Method,
    ) -> Assuming<'a> {
        let walk = |half| Walk::new(halves.machine(half, &domain.sites, Keeping::Parts, setting.arithmetic));
        let (rest, part) = (walk(Half::Rest), walk(Half::Part));
        let target = |half| halves.in_half(half, &setting.question.target, &setting.arena);
        let targets = (target(Half::Rest), target(Half::Part));
        let composition = Composition::new(halves, rest, part, targets, setting.selection, setting.budget);
        Assuming {
            setting,
            domain,
            composition,
            words: Words::default(),
            learning: Learning::new(method),
            last: None,
            iteration: 0,
            learnt: None,
            specification: None,
            component,
        }
    }

    /// What was assumed, and how it was found.
    pub(super) fn assumed(&self) -> Assumed {
        let interface = self.composition.halves.interface.clone();
        let show = |letter: &LetterId| interface.show(self.composition.letters.get(*letter));
        let tables = self.learning.tables().iter().map(|table| table.show(&show)).collect();
        let last = self.last.as_ref().map(|guess| self.assumption(guess));
        let Component { name, why, .. } = self.component;
        Assumed {
            component: name.clone(),
            why: why.clone(),
            assumption: self.learnt.clone(),
            specification: self.specification.clone(),
            interface,
            questions: self.learning.questions(),
            tables,
            last,
        }
    }

    fn assumption(&self, guess: &Guess) -> Assumption {
        let letter = |id: LetterId| self.composition.letters.get(id).clone();
        Assumption::new(&self.component.name, guess, letter, self.sites(), self.composition.depth)
    }

    /// Learns the weakest assumption with which the rest is safe, over the data as it is approximated now.
    pub(super) fn weakest(&mut self) -> Result<(), Reason> {
        self.tell_small_data_apart();
        // Another part may bring the target about by itself, where the rest never lets it.
        self.composition.hits = self.composition.targets.1.is_some();
        self.composition.forget();
        let Ok(guess) = self.ag_check(Until::Weakest)? else {
            unreachable!("the weakest assumption is learnt without the part");
        };
        let assumption = self.assumption(&guess);
        self.certified(|claim, budget| certify_rest(claim, &assumption, budget))?;
        self.keep(assumption);
        Ok(())
    }

    fn keep(&mut self, assumption: Assumption) {
        let target = self.setting.arena.show(&self.setting.question.target);
        let hit = self.composition.targets.1.as_ref();
        self.specification = Some(Specification::new(&assumption, (target, hit), self.composition.rules()));
        self.learnt = Some(assumption);
    }

    /// Has an assumption confirmed by a walk that does not know how it was learnt.
    fn certified<T>(
        &self,
        certify: impl FnOnce(Claim<'_>, &Budget) -> Result<T, Refused>,
    ) -> Result<(), Reason> {
        let Setting { subject, question, budget, .. } = self.setting;
        let claim = Claim { subject, split: &self.component.split, target: &question.target };
        certify(claim, budget)?;
        Ok(())
    }

    /// Learns an assumption, or else finds a path to the target [AG, §5.2: AGCheck].
    fn ag_check(&mut self, until: Until) -> Result<Result<Guess, Path>, Reason> {
        loop {
            let Assuming { composition, words, learning, last, .. } = self;
            let known = (composition.depth, composition.hits);
            let mut checking = Checking { until, composition, words, last, found: None };
            let learnt = learning.learn(&mut checking);
            if let Some(path) = checking.found {
                return Ok(Err(path));
            }
            // What follows what has changed where the part does more than was thought.
            if known == (composition.depth, composition.hits) {
                return learnt.map(Ok);
            }
            composition.forget();
            words.forget();
            learning.revise(&mut |letter| *letter);
        }
    }
}

impl Game for Assuming<'_> {
    type Path = Path;
    type Play = Play;
    type Evidence = Evidence;

    fn sites(&self) -> &Sites {
        &self.domain.sites
    }

    fn candidate(&mut self, progress: &mut Progress, _: &mut Observer<'_>) -> Found<Path> {
        self.iteration = progress.iteration;
        self.composition.progress = *progress;
        let found = self.ag_check(Until::Conclusive);
        *progress = self.composition.progress;
        match found? {
            Ok(guess) => {
                let assumption = self.assumption(&guess);
                self.certified(|claim, budget| certify(claim, &assumption, budget))?;
                self.keep(assumption);
                Ok(None)
            }
            Err(path) => Ok(Some(path)),
        }
    }

    fn played(&self) -> u64 {
        self.composition.rest.played + self.composition.part.played
    }

    fn is_certain(&self, path: &Path) -> bool {
        self.certain(path)
    }

    fn moves(&self, path: &Path, written: &mut Written) -> Vec<u32> {
        self.shown(path, written)
    }

    fn undecided(&self, path: &Path) -> String {
        self.doubt(path)
    }

    fn concretise(&self, path: &Path, effort: &RefinementOptions) -> Concrete {
        let Setting { code, arena, budget, .. } = &self.setting;
        let mut solver = (effort.certify == Certify::Solver).then(|| effort.solvers.solver());
        let solver = solver.as_mut().map(|solver| solver as &mut dyn Solver);
        let skeleton = self.skeleton(path);
        let concrete = concretise(code, arena, self.sites(), &skeleton, solver, budget);
        // Every refinement makes learning much more expensive. After the 2nd, 8th, 32nd, … repetition is tried first.
        let due = self.iteration.is_power_of_two() && self.iteration.trailing_zeros() % 2 == 1;
        if due && matches!(concrete, Concrete::Spurious { .. } | Concrete::Unclear) {
            return repeated(code, arena, &skeleton, budget).map_or(concrete, Concrete::Found);
        }
        concrete
    }

    fn slice(&self, path: &Path, blame: &mut Blame<'_>) -> Result<(), Reason> {
        self.blamed(path, blame)
    }

    fn refine(&mut self, parts: &[PartRef], refine: &dyn Fn(&mut Abstracted)) {
        self.split(parts, refine);
    }

    fn confirm(&self, _: &Self::Path, play: Play) -> Verdict {
        confirm(self.setting.subject, play, self.setting.budget)
    }
}
