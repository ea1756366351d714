//! Refinement of data: check the coarsest data, and split only what a counterexample blames [OTF, §4; GC, §3].

mod against;
pub mod assume;
mod concurrent;
pub mod modules;
mod sequential;
pub mod threads;

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_base::intern::Interner;
use agon_core::term::Mode;
use agon_core::types::Data;
use agon_games::abstracted::{Abstracted, Causes, IntervalArithmetic, Keeping, Source, Value};
use agon_games::arena::Arena;
use agon_games::contract::{Decomposition, Half, Specification};
use agon_games::interval::Interval;
use agon_games::machine::{Code, Offer};
use agon_games::moves::{Move, Player};
use agon_games::play::Play;
use agon_games::sites::{PartRef, Site, SiteId, Sites};
use agon_witness::verify::Subject;
use rustc_hash::FxHashMap;

use crate::cegar::{self, Found, Refinable};
use crate::concretise::Concrete;
use crate::question::Question;
use crate::search::{Observer, Progress};
use crate::solvers::Solvers;
use crate::task::Task;
use crate::verdict::{Account, Iteration, Reason, Report, Split, Verdict};
pub use crate::walk::Selection;
use crate::walk::{EdgePlace, StepRef, Walk};
use against::Against;
use assume::{Assuming, Lesson};
use concurrent::Concurrent;
use sequential::Sequential;

/// How data is approximated by partitions, and how these are refined.
pub trait Abstraction {
    /// What it is called.
    fn name(&self) -> &'static str;
    /// The parts that a site starts with.
    fn begins(&self, site: &Site) -> Vec<Interval>;
    /// Which counterexample is looked at.
    fn selection(&self) -> Selection;
    /// Whether all that was undecided in it is refined, or only what came first.
    fn refines_all(&self) -> bool;
    /// The parts that a part becomes; it would help to cut it before these numbers.
    fn split(&self, part: &Interval, cuts: &[Int]) -> Vec<Interval>;
    /// The arithmetic of intervals. Tests give a wrong one, to see that it is noticed.
    fn arithmetic(&self) -> IntervalArithmetic {
        Interval::binary
    }
    /// A site's partition as it is written.
    fn show(&self, site: &Site) -> String;
}

/// How real counterexamples are distinguished from spurious ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Certify {
    /// By the papers' test alone: nothing on the way was undecided.
    Forced,
    /// If that fails, by looking for numbers with which it can be played.
    Values,
    /// If that fails too, by asking a solver.
    Solver,
}

/// How far refinement goes, and with whose help.
#[derive(Clone, Debug)]
pub struct RefinementOptions {
    /// How counterexamples are certified.
    pub certify: Certify,
    /// Refinement ends after this many iterations.
    pub iterations: usize,
    /// The solvers that are asked, where any are.
    pub solvers: Solvers,
    /// Of a module with at least this many states, no more is split than excludes a counterexample.
    pub spare_from: usize,
    /// Whether what no check of a module depends on is left out.
    pub slicing: bool,
}

/// From this many states of a module on, refinement is sparing, if nothing else is said.
pub const SPARE_FROM: usize = 1 << 9;

/// As many iterations as this, if nothing else is said.
pub const ITERATIONS: usize = 2_000;

impl Default for RefinementOptions {
    fn default() -> RefinementOptions {
        RefinementOptions {
            certify: Certify::Values,
            iterations: ITERATIONS,
            solvers: Solvers::default(),
            spare_from: SPARE_FROM,
            slicing: true,
        }
    }
}

/// A game over approximated data, as the loop sees it.
trait Game {
    /// A path to the target.
    type Path;
    /// A play as the verdict has it, and what confirms it.
    type Play;
    type Evidence;

    /// Where data is kept and comes in, and how it is approximated.
    fn sites(&self) -> &Sites;
    /// A path to the target, if there is one. Records how far the search has come.
    fn candidate(&mut self, progress: &mut Progress, observe: &mut Observer<'_>) -> Found<Self::Path>;
    /// How many moves were played so far.
    fn played(&self) -> u64;
    /// Whether a path leads to the target however the undecided operations on it come out [OTF, Prop. 7].
    fn is_certain(&self, path: &Self::Path) -> bool;
    /// The moves of a path as they are written, with a marker where it became undecided [GC, §2].
    fn moves(&self, path: &Self::Path, written: &mut Written) -> Vec<u32>;
    /// What the first undecided step of a path was undecided about.
    fn undecided(&self, path: &Self::Path) -> String;
    /// Looks for numbers with which a path is feasible.
    fn concretise(&self, path: &Self::Path, effort: &RefinementOptions) -> Concrete;
    /// What is to blame for a spurious path: it is run again, and all causes are recorded [GC, §3 steps 4 and 5].
    fn slice(&self, path: &Self::Path, blame: &mut Blame<'_>) -> Result<(), Reason>;
    /// Makes parts finer.
    fn refine(&mut self, parts: &[PartRef], refine: &dyn Fn(&mut Abstracted));
    /// Has the play that a path is confirmed by an interpreter.
    fn confirm(&self, path: &Self::Path, play: Play) -> Verdict<Self::Play, Self::Evidence>;
}

/// What a game is made of.
struct Setting<'a> {
    subject: Subject<'a>,
    question: &'a Question,
    budget: &'a Budget,
    code: Arc<Code>,
    arena: Arc<Arena>,
    arithmetic: IntervalArithmetic,
    /// Which of several paths to the target is taken.
    selection: Selection,
}

impl<'a> Setting<'a> {
    fn new(task: Task<'a>, code: Arc<Code>, abstraction: &dyn Abstraction) -> Setting<'a> {
        let Task { subject, question, budget, .. } = task;
        let arena = Arc::new(subject.arena.clone());
        let (arithmetic, selection) = (abstraction.arithmetic(), abstraction.selection());
        Setting { subject, question, budget, code, arena, arithmetic, selection }
    }
}

/// Collects what is to blame.
struct Blame<'a> {
    target: &'a Move,
    /// Whether all that was undecided is to blame, or only what came first.
    all: bool,
    parts: BTreeMap<PartRef, Vec<Int>>,
}

impl Blame<'_> {
    fn causes(&mut self, causes: &Causes) {
        for cause in causes.iter() {
            if let Source::Part(part) = cause.source {
                self.parts.entry(part).or_default().extend(cause.cuts.iter().cloned());
            }
        }
    }

    /// A step was undecided, for these causes. Whether that is enough.
    fn step(&mut self, doubts: &[Causes]) -> bool {
        let enough = if self.all { doubts.len() } else { 1 };
        doubts.iter().take(enough).for_each(|causes| self.causes(causes));
        !self.all
    }

    /// A value or an element of a move was perhaps the target's.
    fn perhaps(&mut self, value: &Value, n: &Int) {
        self.causes(&value.causes.deciding(&[n.clone(), n.add(&Int::ONE)]));
    }

    /// O's own move was perhaps the target.
    fn asked(&mut self, offer: &Offer<Value>) {
        if let (Some(at), Some(n)) = (&offer.element, &self.target.element) {
            self.perhaps(at, &n.clone());
        }
    }

    /// A move was perhaps the target.
    fn last(&mut self, m: &Move<Value>) {
        if let Some(value) = m.label.value() {
            self.perhaps(value, self.target.label.value().unwrap_or(&Int::ZERO));
        }
        if let (Some(at), Some(n)) = (&m.element, &self.target.element) {
            self.perhaps(at, &n.clone());
        }
    }
}

/// The moves of all counterexamples. Each distinct move is written once and has a number.
#[derive(Default)]
struct Written {
    moves: Interner<(Player, String)>,
    /// The numbers of moves that were written before. The moves of each half of a program are apart.
    known: FxHashMap<(Half, Move<Interval>), u32>,
    /// The numbers of the moves of steps that were written before.
    steps: FxHashMap<(Half, EdgePlace), Box<[u32]>>,
}

impl Written {
    /// The number of a move in the arena of a half.
    fn number(&mut self, half: Half, arena: &Arena, m: &Move<Value>) -> u32 {
        match self.known.entry((half, m.map(|value| value.interval.clone()))) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(free) => {
                let (_, m) = free.key();
                let text = arena.show_with(m, |data: Option<&Data>, value| match (data, value.as_point()) {
                    (Some(data), Some(n)) => data.show(n),
                    _ => value.to_string(),
                });
                let number = self.moves.intern((arena.player(m), text));
                *free.insert(number)
            }
        }
    }

    /// Adds the moves of a step to a play.
    fn step(
        &mut self,
        half: Half,
        step: &StepRef,
        play: &mut Vec<u32>,
        write: impl FnOnce(&mut Written, &mut Vec<u32>),
    ) {
        let place = step.place().map(|place| (half, place));
        match place.and_then(|place| self.steps.get(&place)) {
            Some(known) => play.extend_from_slice(known),
            None => {
                let before = play.len();
                write(self, play);
                self.steps.extend(place.map(|place| (place, play[before..].into())));
            }
        }
    }

    /// Adds the moves of a step in the game of a half that are seen to a play. Before P's move there is a marker of what was
    /// undecided, unless it was certain.
    fn pair(
        &mut self,
        (half, walk): (Half, &Walk),
        step: &StepRef,
        certain: bool,
        seen: impl Fn(&Move<Value>) -> bool,
        play: &mut Vec<u32>,
    ) {
        let arena = walk.machine.arena();
        let (offer, data) = walk.asked(step);
        let asked = Some(offer.with(data)).filter(&seen);
        play.extend(asked.map(|asked| self.number(half, arena, &asked)));
        self.answer((half, walk), step, certain, seen, play);
    }

    /// Adds what P does in a step, if it is seen.
    fn answer(
        &mut self,
        (half, walk): (Half, &Walk),
        step: &StepRef,
        certain: bool,
        seen: impl Fn(&Move<Value>) -> bool,
        play: &mut Vec<u32>,
    ) {
        let arena = walk.machine.arena();
        let Some(reaction) = walk.reaction(step) else { return };
        if let (false, Some(about)) = (certain, &reaction.how.marker) {
            play.push(self.moves.intern((Player::P, format!("nd.{}", about.interval))));
        }
        if seen(&reaction.label) {
            play.push(self.number(half, arena, &reaction.label));
        }
    }
}

/// What a step was undecided about.
fn undecided_about(sites: &Sites, about: Option<PartRef>) -> String {
    match about {
        Some(part) => format!("undecided for `{}` = {}", sites.site(part.site).name, sites.part(part)),
        None => "undecided".into(),
    }
}

/// Answers a question about a program, by refining an abstraction until it is fine enough.
pub fn check(abstraction: &dyn Abstraction, task: Task<'_>, observe: &mut Observer<'_>) -> Report {
    let Task { subject, question, effort, .. } = task;
    let code = match subject.code() {
        Ok(code) => code,
        Err(refusal) => {
            return Report::new(Verdict::Unknown(refusal.into()), abstraction.name());
        }
    };
    let domain = begun(abstraction, Sites::new(&code, subject.arena));
    let setting = Setting::new(task, code, abstraction);
    match subject.judgement.mode {
        Mode::Sequential => {
            refine(abstraction, effort, &mut Sequential::new(setting, domain), &question.target, observe)
        }
        Mode::Concurrent => {
            refine(abstraction, effort, &mut Concurrent::new(setting, domain), &question.target, observe)
        }
    }
}

/// The data of a program before anything was refined.
fn begun(abstraction: &dyn Abstraction, mut sites: Sites) -> Abstracted {
    let all: Vec<_> = sites.iter().map(|(id, site)| (id, abstraction.begins(site))).collect();
    for (id, parts) in all {
        if parts.len() > 1 {
            sites.site_mut(id).split(&BTreeMap::from([(0, parts)]));
        }
    }
    Abstracted::new(sites, Keeping::Parts, abstraction.arithmetic())
}

/// Answers a question about a sequential program in two halves: one is checked with what is assumed of the other, and the
/// other against that [AG, §5.1: CompVer]. If the weakest assumption is wanted, it is learnt then, over the data as it is
/// approximated in the end.
pub fn check_component(
    abstraction: &dyn Abstraction,
    task: Task<'_>,
    Lesson { component, method, weakest }: Lesson<'_>,
    observe: &mut Observer<'_>,
) -> Report {
    let Task { subject, question, effort, .. } = task;
    let compiled = subject.sequential_code().and_then(|code| {
        let halves = Decomposition::new(&code, subject.arena, &component.split, &component.name)?;
        Ok((code, halves))
    });
    let (code, halves) = match compiled {
        Ok(compiled) => compiled,
        Err(refusal) => return Report::new(Verdict::Unknown(refusal.into()), assume::NAME),
    };
    let domain = begun(abstraction, halves.sites().clone());
    let setting = Setting::new(task, code, abstraction);
    let mut game = Assuming::new(setting, component, halves, domain, method);
    let mut report = refine(abstraction, effort, &mut game, &question.target, observe);
    if weakest
        && !matches!(report.verdict, Verdict::Unknown(_))
        && let Err(reason) = game.weakest()
    {
        report.verdict = Verdict::Unknown(reason);
    }
    let account = match report.account {
        Account::Approximated(refinement) => Account::Assumed(refinement, Box::new(game.assumed())),
        other => other,
    };
    Report { engine: assume::NAME, account, ..report }
}

/// Whether a program, which is a part of another, keeps to what was assumed about it: a play that it should not play, if
/// not. Or why the program is no such part.
pub fn check_against(
    abstraction: &dyn Abstraction,
    task: Task<'_>,
    specification: &Specification,
    observe: &mut Observer<'_>,
) -> Result<Report, String> {
    let Task { subject, question, effort, .. } = task;
    if subject.judgement.mode == Mode::Concurrent {
        return Err("assumptions are about sequential programs".into());
    }
    let places = specification.fits(subject.arena)?;
    let code = match subject.code() {
        Ok(code) => code,
        Err(refusal) => return Ok(Report::new(Verdict::Unknown(refusal.into()), assume::NAME)),
    };
    let sites = specification.on(Sites::new(&code, subject.arena), subject.arena, &places);
    let domain = Abstracted::new(sites, Keeping::Parts, abstraction.arithmetic());
    let setting = Setting::new(task, code, abstraction);
    let mut game = Against::new(setting, domain, specification, places);
    let report = refine(abstraction, effort, &mut game, &question.target, observe);
    let because = match &report.verdict {
        Verdict::Unsafe(play, _) => game.note(play),
        _ => None,
    };
    Ok(Report { engine: assume::NAME, because, ..report })
}

fn refine<G: Game>(
    abstraction: &dyn Abstraction,
    effort: &RefinementOptions,
    game: &mut G,
    target: &Move,
    observe: &mut Observer<'_>,
) -> Report<G::Play, G::Evidence> {
    let mut refining = Refining { abstraction, effort, target, game, written: Written::default() };
    cegar::refine(&mut refining, effort.iterations, observe)
}

/// A game whose data is approximated by partitions.
struct Refining<'a, G> {
    abstraction: &'a dyn Abstraction,
    effort: &'a RefinementOptions,
    target: &'a Move,
    game: &'a mut G,
    written: Written,
}

impl<G: Game> Refinable for Refining<'_, G> {
    type Path = G::Path;
    type Play = G::Play;
    type Evidence = G::Evidence;
    /// What is to blame is found by running the path again.
    type Cause = ();

    fn name(&self) -> &'static str {
        self.abstraction.name()
    }

    fn known(&self) -> Vec<(String, String)> {
        let sites = self.game.sites();
        sites.iter().map(|(_, site)| (site.name.clone(), self.abstraction.show(site))).collect()
    }

    fn played(&self) -> u64 {
        self.game.played()
    }

    fn candidate(&mut self, progress: &mut Progress, observe: &mut Observer<'_>) -> Found<G::Path> {
        self.game.candidate(progress, observe)
    }

    fn written(&mut self) -> &mut Interner<(Player, String)> {
        &mut self.written.moves
    }

    fn moves(&mut self, path: &G::Path) -> Vec<u32> {
        self.game.moves(path, &mut self.written)
    }

    fn certify(
        &mut self,
        path: &G::Path,
        iteration: &mut Iteration,
    ) -> Result<Verdict<G::Play, G::Evidence>, ()> {
        self.certified(path, iteration).ok_or(())
    }

    fn refine(&mut self, path: &G::Path, (): (), iteration: &mut Iteration) -> Result<(), Reason> {
        let all = self.abstraction.refines_all();
        let mut blame = Blame { target: self.target, all, parts: BTreeMap::new() };
        self.game.slice(path, &mut blame)?;
        iteration.splits = self.split(blame.parts);
        match iteration.splits.is_empty() {
            true => Err(Reason::Unverified("nothing is left to refine".into())),
            false => Ok(()),
        }
    }
}

impl<G: Game> Refining<'_, G> {
    /// Whether a path to the target is feasible: the verdict if it is.
    fn certified(&self, path: &G::Path, iteration: &mut Iteration) -> Option<Verdict<G::Play, G::Evidence>> {
        let certain = self.game.is_certain(path);
        if !certain && self.effort.certify == Certify::Forced {
            iteration.spurious = Some(self.game.undecided(path));
            return None;
        }
        let concrete = self.game.concretise(path, self.effort);
        // Without the solver the loop may never end, and the user who named one must be told.
        if !matches!(concrete, Concrete::Found(_))
            && let Some(reason) = self.effort.solvers.given_up()
            && (self.effort.certify == Certify::Solver || matches!(reason, agon_solve::Reason::Difference(_)))
        {
            return Some(Verdict::Unknown(Reason::Solver(reason)));
        }
        match concrete {
            Concrete::Found(play) => Some(self.game.confirm(path, play)),
            Concrete::Stopped(limit) => Some(Verdict::Unknown(Reason::Stop(limit))),
            _ if certain => Some(Verdict::Unknown(Reason::TooLargeToReplay)),
            Concrete::Spurious { after, instead } => {
                let before = if after == 1 { "1 move".into() } else { format!("{after} moves") };
                let does = match &instead {
                    Some(m) => format!("the program plays `{m}` instead"),
                    None => "the program makes no further move".into(),
                };
                let undecided = self.game.undecided(path);
                iteration.spurious = Some(format!("{undecided}; after {before} {does}"));
                None
            }
            Concrete::Infeasible => {
                let undecided = self.game.undecided(path);
                iteration.spurious = Some(format!("{undecided}; no numbers fit all that it needs"));
                None
            }
            Concrete::Unclear => {
                iteration.spurious = Some(format!(
                    "{}; no numbers were found with which it can be played",
                    self.game.undecided(path)
                ));
                None
            }
        }
    }

    /// Splits what is to blame [GC, §3 step 6].
    fn split(&mut self, blamed: BTreeMap<PartRef, Vec<Int>>) -> Vec<Split> {
        let mut splits = Vec::new();
        let mut parts = Vec::new();
        let mut done: BTreeMap<SiteId, BTreeMap<u32, Vec<Interval>>> = BTreeMap::new();
        for (part, mut cuts) in blamed {
            let sites = self.game.sites();
            let numbers = sites.part(part).clone();
            if numbers.as_point().is_some() {
                continue;
            }
            cuts.sort_unstable();
            cuts.dedup();
            let into = self.abstraction.split(&numbers, &cuts);
            let name = sites.site(part.site).name.clone();
            splits.push(Split {
                variable: name,
                part: numbers.to_string(),
                into: into.iter().map(Interval::to_string).collect(),
            });
            parts.push(part);
            done.entry(part.site).or_default().insert(part.part, into);
        }
        self.game.refine(&parts, &|domain| {
            for (site, splits) in &done {
                domain.sites.site_mut(*site).split(splits);
            }
        });
        splits
    }
}
