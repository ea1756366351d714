//! The refinement loop: check the coarsest data, and refine only what a counterexample blames [OTF, §4; GC, §3].

use std::collections::BTreeMap;
use std::sync::Arc;

use agon_games::abstracted::{Abstracted, Arithmetic, Causes, Keeping, Source, Value};
use agon_games::arena::Arena;
use agon_games::intern::Interner;
use agon_games::interval::Interval;
use agon_games::machine::{Code, Machine, Thrift, compile};
use agon_games::moves::{Label, Player};
use agon_games::play::Play;
use agon_games::sites::{PartRef, Site, SiteId, Sites};
use agon_lang::eval::Patience;
use agon_lang::int::Int;
use agon_witness::replay::Refused;
use agon_witness::verify::{Subject, verify};

use crate::budget::{Budget, Limit};
use crate::concretise::{Concrete, Pair, Skeleton, concretise};
use crate::question::Question;
use crate::search::{Observer, Progress};
use crate::verdict::{Iteration, Reason, Refinement, Report, Split, Verdict};
pub use crate::walk::Selection;
use crate::walk::{Fit, Path, Walk, fits};

/// A way to approximate data by partitions, and to refine them.
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
    /// The arithmetic of intervals; another one than the right one is good for nothing but to see that it is noticed.
    fn arithmetic(&self) -> Arithmetic {
        Interval::binary
    }
    /// A site's partition as it is written.
    fn show(&self, site: &Site) -> String;
}

/// How counterexamples are told from spurious ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Certify {
    /// By the papers' test alone: nothing on the way was undecided.
    Forced,
    /// If that fails, by looking for numbers with which it can be played.
    Values,
}

/// How far refinement goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// How counterexamples are certified.
    pub certify: Certify,
    /// After so many iterations it ends.
    pub iterations: usize,
}

/// As many iterations as this, if nothing else is said.
pub const ITERATIONS: usize = 2_000;

impl Default for Effort {
    fn default() -> Effort {
        Effort { certify: Certify::Values, iterations: ITERATIONS }
    }
}

/// Answers a question about a program, by refining an abstraction until it is fine enough.
pub fn check(
    abstraction: &dyn Abstraction,
    effort: Effort,
    subject: Subject<'_>,
    question: &Question,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Report {
    let code = match compile(subject.judgement, subject.arena) {
        Ok(code) => Arc::new(code),
        Err(refusal) => {
            return Report::new(Verdict::Unknown(refusal.into()), abstraction.name());
        }
    };
    let arena = Arc::new(subject.arena.clone());
    let mut sites = Sites::new(&code, &arena);
    let all: Vec<_> = sites.iter().map(|(id, site)| (id, abstraction.begins(site))).collect();
    for (id, parts) in all {
        if parts.len() > 1 {
            sites.site_mut(id).split(&BTreeMap::from([(0, parts)]));
        }
    }
    let machine = Machine::new(
        code.clone(),
        arena.clone(),
        Abstracted::new(sites, Keeping::Parts, abstraction.arithmetic()),
    )
    .with_thrift(Thrift { forget: true, ..Thrift::default() });
    let mut refining = Refining {
        abstraction,
        effort,
        subject,
        question,
        budget,
        code,
        arena,
        walk: Walk::new(machine),
        history: Vec::new(),
        moves: Interner::default(),
        splits: BTreeMap::new(),
        largest: Progress::default(),
    };
    let verdict = refining.run(observe);
    let refinement = Refinement {
        abstraction: refining.abstraction_now(),
        kept_splitting: refining.kept_splitting(),
        moves: std::mem::take(&mut refining.moves).into_vec(),
        history: std::mem::take(&mut refining.history),
    };
    Report {
        iterations: refining.largest.iteration.max(1),
        states: refining.largest.states,
        transitions: refining.largest.transitions,
        refinement: Some(refinement),
        ..Report::new(verdict, abstraction.name())
    }
}

struct Refining<'a> {
    abstraction: &'a dyn Abstraction,
    effort: Effort,
    subject: Subject<'a>,
    question: &'a Question,
    budget: &'a Budget,
    code: Arc<Code>,
    arena: Arc<Arena>,
    walk: Walk,
    history: Vec<Iteration>,
    moves: Interner<(Player, String)>,
    /// How often each site was split.
    splits: BTreeMap<String, usize>,
    largest: Progress,
}

impl Refining<'_> {
    fn run(&mut self, observe: &mut Observer<'_>) -> Verdict {
        let selection = self.abstraction.selection();
        loop {
            let played = self.walk.played;
            let (path, progress) =
                match self.walk.candidate(&self.question.target, selection, self.budget, observe) {
                    Ok(found) => found,
                    Err(limit) => {
                        self.largest.iteration = self.history.len() + 1;
                        self.history.push(Iteration {
                            abstraction: self.abstraction_now(),
                            play: Vec::new(),
                            spurious: Some("it was not finished".into()),
                            splits: Vec::new(),
                            states: 0,
                            played: self.walk.played - played,
                        });
                        return Verdict::Unknown(Reason::Limit(limit));
                    }
                };
            self.record(progress);
            observe(progress);
            let mut iteration = Iteration {
                abstraction: self.abstraction_now(),
                play: Vec::new(),
                spurious: None,
                splits: Vec::new(),
                states: progress.states,
                played: self.walk.played - played,
            };
            let Some(path) = path else {
                self.history.push(iteration);
                return Verdict::Safe;
            };
            iteration.play = self.show(&path);
            if let Some(verdict) = self.certify(&path, &mut iteration) {
                self.history.push(iteration);
                return verdict;
            }
            if self.history.len() + 1 >= self.effort.iterations {
                self.history.push(iteration);
                return Verdict::Unknown(Reason::Iterations(self.history.len()));
            }
            let splits = self.slice(&path);
            iteration.splits = match splits {
                Ok(splits) => self.refine(splits),
                Err(verdict) => return verdict,
            };
            let stuck = iteration.splits.is_empty();
            self.history.push(iteration);
            if stuck {
                return Verdict::Unknown(Reason::Unverified("nothing is left to refine".into()));
            }
        }
    }

    fn record(&mut self, progress: Progress) {
        self.largest.iteration = progress.iteration;
        if progress.states >= self.largest.states {
            self.largest.states = progress.states;
            self.largest.transitions = progress.transitions;
        }
    }

    fn abstraction_now(&self) -> Vec<(String, String)> {
        let sites = &self.walk.machine.domain().sites;
        sites.iter().map(|(_, site)| (site.name.clone(), self.abstraction.show(site))).collect()
    }

    /// The variable that was split most, and how often.
    fn kept_splitting(&self) -> Option<(String, usize)> {
        self.splits.iter().max_by_key(|(_, times)| **times).map(|(name, times)| (name.clone(), *times))
    }

    /// Whether a way to the target can really be gone: the verdict if it can.
    fn certify(&self, path: &Path, iteration: &mut Iteration) -> Option<Verdict> {
        if !path.certain && self.effort.certify == Certify::Forced {
            iteration.spurious = Some(self.undecided(path));
            return None;
        }
        let sites = &self.walk.machine.domain().sites;
        let skeleton = self.skeleton(path);
        match concretise(&self.code, &self.arena, sites, &skeleton, self.budget) {
            Concrete::Found(play) => Some(self.confirm(play)),
            _ if self.budget.exceeded(0).is_some() => {
                let limit = self.budget.exceeded(0).unwrap_or(Limit::Time);
                Some(Verdict::Unknown(Reason::Limit(limit)))
            }
            _ if path.certain => Some(Verdict::Unknown(Reason::TooLargeToReplay)),
            Concrete::Spurious { pair, instead } => {
                let before = match 2 * pair + 1 {
                    1 => "1 move".into(),
                    n => format!("{n} moves"),
                };
                let show = |m| self.arena.show_with(m, |_, value: &Value| value.interval.to_string());
                let does = match &instead {
                    Some(m) => format!("the program plays `{}` instead", show(m)),
                    None => "the program makes no further move".into(),
                };
                iteration.spurious = Some(format!("{}; after {before} {does}", self.undecided(path)));
                None
            }
            Concrete::Unclear => {
                iteration.spurious = Some(format!(
                    "{}; no numbers were found with which it can be played",
                    self.undecided(path)
                ));
                None
            }
        }
    }

    fn confirm(&self, play: Play) -> Verdict {
        let patience = Patience { steps: u64::MAX, over: &|| self.budget.exceeded(0).is_some() };
        match verify(self.subject, &play.moves, patience) {
            Ok(closed) => Verdict::Unsafe(play, Some(closed)),
            Err(Refused::Wrong(why)) => Verdict::Unknown(Reason::Unverified(why)),
            Err(Refused::OutOfPatience) => Verdict::Unknown(Reason::Unconfirmed(play)),
        }
    }

    /// What the first undecided step was undecided about.
    fn undecided(&self, path: &Path) -> String {
        let sites = &self.walk.machine.domain().sites;
        let first = path.steps.iter().find_map(|(_, step)| {
            self.walk.reaction(step).filter(|reaction| !reaction.certain).map(|reaction| &reaction.marker)
        });
        match first {
            Some(Some(about)) => match about.blame {
                Some(part) => {
                    format!("undecided for `{}` = {}", sites.site(part.site).name, sites.part(part))
                }
                None => "undecided".into(),
            },
            _ => "undecided for the last move's value".into(),
        }
    }

    fn skeleton(&self, path: &Path) -> Skeleton {
        let pairs = path.steps.iter().map(|(state, step)| {
            let (_, data) = self.walk.asked(*state, step);
            let answer = self
                .walk
                .reaction(step)
                .map(|reaction| (reaction.answer.component, std::mem::discriminant(&reaction.answer.label)));
            Pair {
                offer: usize::from(step.offer),
                value: data.value.map(|value| value.interval),
                index: data.index.map(|index| index.interval),
                answer,
            }
        });
        Skeleton { pairs: pairs.collect(), target: self.question.target.clone() }
    }

    /// The counterexample as it is written, with a marker where it became undecided [GC, §2].
    fn show(&mut self, path: &Path) -> Vec<u32> {
        let show =
            |data: Option<&agon_lang::types::Data>, value: &Value| match (data, value.interval.as_point()) {
                (Some(data), Some(n)) => data.show(n),
                _ => value.interval.to_string(),
            };
        let mut play = Vec::new();
        for (state, step) in &path.steps {
            let (offer, data) = self.walk.asked(*state, step);
            let asked = self.arena.show_with(&offer.with(data), show);
            play.push(self.moves.intern((Player::O, asked)));
            let Some(reaction) = self.walk.reaction(step) else { continue };
            if let (false, Some(about)) = (reaction.certain, &reaction.marker) {
                play.push(self.moves.intern((Player::P, format!("nd.{}", about.interval))));
            }
            play.push(self.moves.intern((Player::P, self.arena.show_with(&reaction.answer, show))));
        }
        play
    }

    /// The parts to blame for a counterexample, with where to cut them: it is played again, fully revealed
    /// [GC, §3 steps 4 and 5].
    fn slice(&self, path: &Path) -> Result<BTreeMap<PartRef, Vec<Int>>, Verdict> {
        let sites = self.walk.machine.domain().sites.clone();
        let domain = Abstracted::new(sites, Keeping::Causes, self.abstraction.arithmetic());
        let thrift = Thrift { forget: true, ..Thrift::default() };
        let mut machine = Machine::new(self.code.clone(), self.arena.clone(), domain).with_thrift(thrift);
        let mut blamed: BTreeMap<PartRef, Vec<Int>> = BTreeMap::new();
        let mut blame = |causes: &Causes| {
            for cause in causes.iter() {
                if let Source::Part(part) = cause.source {
                    blamed.entry(part).or_default().extend(cause.cuts.iter().cloned());
                }
            }
        };
        let mut state = machine.start();
        for (_, step) in &path.steps {
            let offer = machine.offers(state)[usize::from(step.offer)].clone();
            let Some(told) = self.walk.reaction(step) else {
                if let (Some(at), Some(n)) = (&offer.element, &self.question.target.element) {
                    blame(&at.causes.deciding(&[n.clone(), n.add(&Int::ONE)]));
                }
                break;
            };
            let data = offer.parts(machine.domain(), machine.arena(), step.code);
            let mut reactions = Vec::new();
            let interrupted = &mut || self.budget.exceeded(0).is_some();
            if machine
                .play_with(state, &offer, data, Some(&told.choices), &mut reactions, interrupted)
                .is_err()
            {
                let limit = self.budget.exceeded(0).unwrap_or(Limit::Store);
                return Err(Verdict::Unknown(Reason::Limit(limit)));
            }
            let Some(reaction) = reactions.pop() else {
                return Err(Verdict::Unknown(Reason::Unverified("a play cannot be told again".into())));
            };
            let doubts = machine.domain_mut().take_doubts();
            let perhaps = fits(&reaction.answer, &self.question.target) == Fit::Perhaps;
            if !told.certain {
                match self.abstraction.refines_all() {
                    true => doubts.iter().for_each(&mut blame),
                    false => doubts.iter().take(1).for_each(&mut blame),
                }
            }
            if perhaps && let Label::Value(value) | Label::Write(value) = &reaction.answer.label {
                let n = match &self.question.target.label {
                    Label::Value(n) | Label::Write(n) => n.clone(),
                    _ => Int::ZERO,
                };
                blame(&value.causes.deciding(&[n.clone(), n.add(&Int::ONE)]));
            }
            if perhaps && let (Some(at), Some(n)) = (&reaction.answer.element, &self.question.target.element)
            {
                blame(&at.causes.deciding(&[n.clone(), n.add(&Int::ONE)]));
            }
            if !told.certain && !self.abstraction.refines_all() {
                break;
            }
            match reaction.next {
                Some(next) => state = next,
                None => break,
            }
        }
        Ok(blamed)
    }

    /// Splits what is to blame [GC, §3 step 6].
    fn refine(&mut self, blamed: BTreeMap<PartRef, Vec<Int>>) -> Vec<Split> {
        let mut splits = Vec::new();
        let mut parts = Vec::new();
        let mut done: BTreeMap<SiteId, BTreeMap<u32, Vec<Interval>>> = BTreeMap::new();
        for (part, mut cuts) in blamed {
            let sites = &self.walk.machine.domain().sites;
            let numbers = sites.part(part).clone();
            if numbers.as_point().is_some() {
                continue;
            }
            cuts.sort_unstable();
            cuts.dedup();
            let into = self.abstraction.split(&numbers, &cuts);
            let name = sites.site(part.site).name.clone();
            *self.splits.entry(name.clone()).or_default() += 1;
            splits.push(Split {
                variable: name,
                part: numbers.to_string(),
                into: into.iter().map(Interval::to_string).collect(),
            });
            parts.push(part);
            done.entry(part.site).or_default().insert(part.part, into);
        }
        self.walk.refine(&parts, |domain| {
            for (site, splits) in &done {
                domain.sites.site_mut(*site).split(splits);
            }
        });
        splits
    }
}
