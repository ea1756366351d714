//! The predicate engine: the store is known only by what predicates say of it [PRED, §4].
//!
//! Which predicates, and where, is refined by counterexamples that cannot be played: scopes are widened first; if the
//! program's own conditions are not enough, the solver is asked later, about several steps at once [PRED, §5]; then
//! numbers are kept as they are, and at last new predicates are found.

mod forget;
pub mod modules;
pub(crate) mod oracle;
mod path;
mod predicates;
mod report;
mod scopes;
mod space;
mod symbolic;
mod widen;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::explore::Exploration;
use agon_base::intern::Interner;
use agon_core::language::Language;
use agon_core::normal::normalize_annotated;
use agon_core::term::{Construct, Judgement, Mode, TermId};
use agon_games::machine::{CallMemo, Machine, Pausing, Strands, compile_any};
use agon_games::moves::Player;
use agon_games::play::Play;
use agon_games::sites::Sites;
use agon_games::values::{CellId, Exact};
use agon_witness::verify::{Evidence, Subject};
use rustc_hash::FxHashMap;

use crate::cegar::{self, Found, Refinable};
use crate::concretise::{Concrete, Given, concretise, tell};
use crate::concurrent;
use crate::question::Question;
use crate::reconstruct::confirm;
use crate::refine::RefinementOptions;
use crate::search::{Observer, Progress};
use crate::solvers::solving;
use crate::task::Task;
use crate::verdict::{Iteration, Reason, Report, Verdict};
use oracle::{Oracle, Symbolic};
use path::{Core, Feasible, Path};
use predicates::PredicateId;
use scopes::{Extent, Occurrence, annotations, conditions};
use space::{Branch, Position, Precision, Space};
use symbolic::{Runner, Sequential, SymbolicGame, Threads};

/// What the engine is called.
pub(crate) const NAME: &str = "predicate";

/// Which predicates there are to begin with, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scheme {
    /// None, and no others are looked for.
    None,
    /// Those of the program's `letp`, `newp` and `endp`, and no others.
    Annotated,
    /// All conditions, wherever their variables are alive.
    Maximal,
    /// All conditions, where they are needed.
    #[default]
    Minimal,
}

/// Normal forms of more terms than this are not looked at; the program itself is.
const LARGEST: usize = 50_000;
/// Of a cell that is kept as it is no more numbers than this are kept.
const MOST_NUMBERS: usize = 256;
/// The memory limit is checked once in this many positions.
const PATIENCE: usize = 16;

/// Answers a question about a program by predicate abstraction.
pub fn check(scheme: Scheme, task: Task<'_>, observe: &mut Observer<'_>) -> Report {
    let Task { subject, question, effort, budget } = task;
    let unfolded = normalize_annotated(subject.judgement, LARGEST);
    let judgement = unfolded.as_ref().unwrap_or(subject.judgement);
    // The unfolded program is another one.
    let code = match &unfolded {
        Some(unfolded) => compile_any(unfolded, subject.arena).map(Arc::new),
        None => subject.code(),
    };
    let code = match code {
        Ok(code) => code,
        Err(refusal) => return Report::new(Verdict::Unknown(refusal.into()), NAME),
    };
    let oracle = Oracle::new(effort.solvers.solver(), solving(budget));
    let arena = Arc::new(subject.arena.clone());
    let concurrent = judgement.mode == Mode::Concurrent;
    let pausing = if concurrent { Pausing::Loops } else { Pausing::Steps };
    let game = |domain: Symbolic| -> Box<dyn SymbolicGame> {
        if concurrent {
            let strands = Strands::over(code.clone(), arena.clone(), domain, question.reduce);
            let strands = if question.threads.is_empty() { strands.unnumbered() } else { strands };
            return Box::new(Threads::new(strands.with_pausing(pausing)));
        }
        let memo = CallMemo { remember_after: u64::MAX, forget: true };
        let machine = Machine::new(code.clone(), arena.clone(), domain);
        Box::new(Sequential(machine.with_call_memo(memo).with_pausing(pausing)))
    };
    let mut space = Space::new((code.clone(), arena.clone()), oracle, budget, game);
    let terms = space.game.domain_mut().terms();
    let language = (!defines(subject.judgement)).then_some(subject.language as &dyn Language);
    let mut annotated = Vec::new();
    let mut occurrences = Vec::new();
    if scheme != Scheme::None {
        // What the program says itself is known to every scheme.
        annotated = annotations(judgement, &code, language, terms, &mut space.predicates);
    }
    if matches!(scheme, Scheme::Maximal | Scheme::Minimal) {
        occurrences = conditions(judgement, &code, language, terms, &mut space.predicates);
    }
    if scheme == Scheme::Maximal {
        occurrences.iter_mut().for_each(|occurrence| occurrence.level = occurrence.extents.len());
    }
    let mut engine = Engine {
        scheme,
        effort,
        subject,
        question,
        budget,
        space,
        annotated,
        occurrences,
        precision: Precision::default(),
        pausing,
        inexact: BTreeSet::new(),
        cancelled: Progress::default(),
        branches: FxHashMap::default(),
        moves: Interner::default(),
    };
    let report = cegar::refine(&mut engine, effort.iterations, observe);
    engine.accounted(report)
}

/// Whether a program names anything but its free identifiers and its cells.
fn defines(judgement: &Judgement) -> bool {
    let terms = &judgement.terms;
    (0..terms.len())
        .any(|n| matches!(terms.construct(TermId::new(n)), Construct::Let(..) | Construct::Lambda(..)))
}

struct Engine<'a> {
    scheme: Scheme,
    effort: &'a RefinementOptions,
    subject: Subject<'a>,
    question: &'a Question,
    budget: &'a Budget,
    space: Space<'a>,
    annotated: Vec<(PredicateId, Extent)>,
    occurrences: Vec<Occurrence>,
    precision: Precision,
    pausing: Pausing,
    /// Cells of which too many numbers would have to be kept.
    inexact: BTreeSet<CellId>,
    /// The largest search that was cancelled because of such a cell.
    cancelled: Progress,
    /// The branches at positions. They do not depend on what is kept.
    branches: FxHashMap<Position, Rc<[Branch]>>,
    /// The moves of all counterexamples, as they are written.
    moves: Interner<(Player, String)>,
}

impl Refinable for Engine<'_> {
    type Path = Path;
    type Play = Play;
    type Evidence = Evidence;
    type Cause = Core;

    fn name(&self) -> &'static str {
        NAME
    }

    fn known(&self) -> Vec<(String, String)> {
        self.kept()
    }

    /// Steps of the symbolic machine are no moves.
    fn played(&self) -> u64 {
        0
    }

    fn candidate(&mut self, progress: &mut Progress, observe: &mut Observer<'_>) -> Found<Path> {
        let path = loop {
            self.precision.scoped = self.scoped(&BTreeMap::new());
            match (self.search(progress, observe), self.overfull()) {
                (Ok(path), _) => break path,
                (Err(_), Some(cell)) => {
                    if progress.states > self.cancelled.states {
                        self.cancelled = *progress;
                    }
                    self.inexact.insert(cell);
                    self.precision.exact.remove(&cell);
                    self.space.forget();
                }
                (Err(stop), None) => return Err(stop.into()),
            }
        };
        self.solvers_work()?;
        Ok(path)
    }

    fn written(&mut self) -> &mut Interner<(Player, String)> {
        &mut self.moves
    }

    fn moves(&mut self, path: &Path) -> Vec<u32> {
        let mut play = Vec::new();
        for (_, (_, step)) in &path.steps {
            let asked = step.how.asked.as_ref().map(|asked| (Player::O, self.show(&asked.m)));
            let answer = step.label.as_ref().map(|answer| (Player::P, self.show(answer)));
            play.extend(asked.into_iter().chain(answer).map(|m| self.moves.intern(m)));
        }
        play
    }

    fn certify(&mut self, path: &Path, iteration: &mut Iteration) -> Result<Verdict, Core> {
        let feasible = match path.feasible(&mut self.space, &self.precision) {
            Feasible::Unknown => self.tried(path),
            known => known,
        };
        match feasible {
            Feasible::With(given) => Ok(self.confirm(path, &given)),
            Feasible::Play(play) => Ok(confirm(self.subject, play, self.budget)),
            Feasible::Unknown => {
                iteration.spurious = Some("the solver does not know whether it can be played".into());
                let why = self.space.oracle().failure.clone();
                Ok(Verdict::Unknown(match (self.budget.check(), why) {
                    (Err(stop), _) => Reason::Stop(stop),
                    (Ok(()), Some(reason)) => Reason::Solver(reason),
                    (Ok(()), None) => Reason::Predicates,
                }))
            }
            Feasible::Not(core) => {
                let spurious = "it cannot be played: no numbers satisfy what its steps need";
                iteration.spurious = Some(spurious.into());
                Err(core)
            }
        }
    }

    fn refine(&mut self, path: &Path, core: Core, iteration: &mut Iteration) -> Result<(), Reason> {
        let done = self.finer(path, &core);
        let enough = done.is_none();
        iteration.changes = done.unwrap_or_default();
        self.solvers_work()?;
        self.budget.check()?;
        if enough { Err(Reason::Predicates) } else { Ok(()) }
    }
}

impl Engine<'_> {
    /// Refuses to go on when the solvers have failed too often, or contradict each other.
    fn solvers_work(&self) -> Result<(), Reason> {
        self.effort.solvers.given_up().map_or(Ok(()), |reason| Err(Reason::Solver(reason)))
    }

    /// The predicates in their scopes, if some conditions had these levels instead of their own.
    fn scoped(&self, levels: &BTreeMap<usize, usize>) -> Vec<(PredicateId, Extent)> {
        let mut scoped = self.annotated.clone();
        for (n, occurrence) in self.occurrences.iter().enumerate() {
            let level = levels.get(&n).copied().unwrap_or(occurrence.level);
            scoped.extend(occurrence.extent(level).map(|extent| (occurrence.predicate, extent)));
        }
        scoped
    }

    /// A cell that would have to keep too many numbers, if there is one.
    fn overfull(&self) -> Option<CellId> {
        let mut kept = self.space.kept.iter();
        kept.find(|(_, numbers)| numbers.len() > MOST_NUMBERS).map(|(cell, _)| *cell)
    }

    /// Looks for a path to the target, shortest first. It is cancelled where a cell is overfull.
    fn search(&mut self, progress: &mut Progress, observe: &mut Observer<'_>) -> Result<Option<Path>, Stop> {
        self.space.alive = 0;
        let start = self.space.start();
        let mut transitions = 0;
        let mut exploration: Exploration<Position, (Position, u32)> = Exploration::breadth_first(start);
        let path = exploration.run(|exploration, position| {
            let node = exploration.node();
            self.budget.check()?;
            if node.index().is_multiple_of(PATIENCE) {
                let memory = self.space.game.memory() + self.branches.len() * 512;
                *progress = Progress { states: exploration.visited(), transitions, memory, ..*progress };
                observe((*progress).into());
                progress.check(self.budget)?;
            }
            let branches = match self.branches.get(&position) {
                Some(known) => known.clone(),
                None => {
                    let branches: Rc<[Branch]> = self.space.branches(position, self.question)?.into();
                    self.branches.insert(position, branches.clone());
                    branches
                }
            };
            for (branch, m) in branches.iter().zip(0..) {
                transitions += 1;
                if branch.1.is_complete() {
                    exploration.reach((position, m));
                    return Ok(());
                }
                for next in self.space.after(position.psi, branch, &self.precision).0.iter().copied() {
                    exploration.add(node, 0, (position, m), Some(next));
                }
            }
            if self.overfull().is_some() { Err(Stop::Cancelled) } else { Ok(()) }
        })?;
        *progress = Progress { states: exploration.visited(), transitions, ..*progress };
        let Some(path) = path else {
            // What took too long may have been left out.
            self.budget.check()?;
            return Ok(None);
        };
        let taken = |(position, m): (Position, u32)| (position, self.branches[&position][m as usize].clone());
        Ok(Some(Path { steps: path.into_iter().map(taken).collect() }))
    }

    /// Looks for numbers with which a path is feasible, without the solver: by intervals.
    fn tried(&mut self, path: &Path) -> Feasible {
        if self.subject.judgement.mode == Mode::Concurrent {
            return Feasible::Unknown;
        }
        let Ok(code) = self.subject.code() else { return Feasible::Unknown };
        let arena = self.space.arena.clone();
        let skeleton = path.skeleton(&arena, &self.question.target);
        let sites = Sites::new(&code, &arena);
        match concretise(&code, &arena, &sites, &skeleton, None, self.budget) {
            Concrete::Found(play) => Feasible::Play(play),
            Concrete::Spurious { .. } => Feasible::Not(path.whole()),
            _ => Feasible::Unknown,
        }
    }

    /// The play with numbers, told by exact values and confirmed by the interpreter.
    fn confirm(&mut self, path: &Path, given: &[Given]) -> Verdict {
        // The path was found in the unfolded program, so it is run again there: threads of the
        // program as it is written have other places to wait at. The play is then confirmed with that one.
        let (code, arena) = (self.space.code.clone(), self.space.arena.clone());
        let play = match self.space.game.runner() {
            Runner::Strands(strands) => {
                let mut exact = Strands::new(code, arena, self.question.reduce);
                path.told(strands, &mut exact, &self.question.target, given, self.budget)
            }
            Runner::Sequential | Runner::Module(_) => {
                let mut exact = Machine::new(code, arena, Exact::default());
                let skeleton = path.skeleton(&self.space.arena, &self.question.target);
                tell(&mut exact, &self.question.target, skeleton.pairs.iter().zip(given), self.budget)
            }
        };
        match (play, self.budget.check()) {
            (Some(play), _) if self.subject.judgement.mode == Mode::Concurrent => {
                concurrent::confirm(self.subject, play, self.budget)
            }
            (Some(play), _) => confirm(self.subject, play, self.budget),
            (None, Err(stop)) => Verdict::Unknown(Reason::Stop(stop)),
            // Which element an open question is about is forgotten.
            (None, Ok(())) if self.question.target.element.is_some() => Verdict::Unknown(Reason::Predicates),
            (None, Ok(())) => Verdict::Unknown(Reason::Unverified(
                "with the numbers that the solver gave the program does something else".into(),
            )),
        }
    }

    /// Keeps more of the store, so that a path is excluded. What was done, in words; nothing if nothing helps.
    fn finer(&mut self, path: &Path, core: &Core) -> Option<Vec<String>> {
        if matches!(self.scheme, Scheme::None | Scheme::Annotated) {
            return None;
        }
        if let Some(done) = self.widen(path, core) {
            return Some(done);
        }
        if self.pausing == Pausing::Steps {
            self.pausing = Pausing::Loops;
            self.space.game.set_pausing(Pausing::Loops);
            self.branches.clear();
            return Some(vec!["from here on the solver is asked about whole runs of P's".into()]);
        }
        let mut done = Vec::new();
        for cell in path.numbers(&mut self.space, core, &self.precision) {
            if !self.inexact.contains(&cell) && self.precision.exact.insert(cell) {
                done.push(format!("the numbers in `{}` are kept", self.name(cell)));
            }
        }
        if !done.is_empty() {
            self.space.forget();
            return Some(done);
        }
        for (state, id) in path.discovered(&mut self.space, core, &self.precision) {
            let control = self.space.game.control(state);
            let here = self.precision.at.entry(control).or_default();
            if !here.contains(&id) && !self.precision.everywhere.contains(&id) {
                here.push(id);
                done.push(format!("new predicate `{}`", self.space.predicates.get(id).shown));
            }
        }
        done.dedup();
        if done.is_empty() {
            // What is known in some places was not enough: it is known everywhere.
            for ids in std::mem::take(&mut self.precision.at).into_values() {
                for id in ids {
                    let named = self.space.predicates.is_of_cells(self.space.game.domain_mut().terms(), id);
                    if named && !self.precision.everywhere.contains(&id) {
                        self.precision.everywhere.push(id);
                        done.push(format!("predicate `{}` everywhere", self.space.predicates.get(id).shown));
                    }
                }
            }
        }
        (!done.is_empty()).then_some(done)
    }

    fn name(&self, cell: CellId) -> &str {
        &self.space.code.cells()[cell.index()].name
    }
}
