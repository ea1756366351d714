//! The game of a program in two halves: assume-guarantee checking, with an assumption that is learnt [AG, §5].
//!
//! In each iteration the loop asks for a way to the target. Here that is `AGCheck`: an assumption is learnt about the part
//! until the rest is safe with it and the part keeps to it, or a play of the part is found with which the rest is
//! not safe. The whole program is run along such a play only.

mod ahead;
mod premises;
mod sides;
mod weakest;

use std::collections::BTreeMap;

use agon_games::abstracted::{Abstracted, Keeping, Value};
use agon_games::contract::{Assumption, Half, Halves, Interface, Letter, Pact, Said};
use agon_games::interval::Interval;
use agon_games::moves::{Label, Move, Player};
use agon_games::play::Play;
use agon_games::sites::{PartRef, SiteId, Sites};
use agon_lang::eval::Patience;
use agon_lang::split::Split;
use agon_learn::automaton::Automaton;
use agon_learn::table::Table;
use agon_learn::teacher::{Learner, Questions, Teacher};
use agon_learn::tree::Tree;
use agon_solve::Solver;
use agon_witness::assumption::{Claim, certify};
use agon_witness::replay::Refused;

use super::{Blame, Certify, Effort, Game, Selection, Setting, show, undecided_about};
use crate::budget::Limit;
use crate::concretise::{Concrete, Given, Pair, Skeleton, concretise};
use crate::retell::confirm;
use crate::search::{Observer, Progress};
use crate::verdict::{Reason, Verdict};
use crate::walk::{Fit, Step, Walk, fits};
use ahead::Words;
use premises::{Done, Event, Inclusion, Told, chain, includes, reaches};
use sides::{LetterId, Sides};

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
    /// The assumption by itself, if it is the weakest.
    pub pact: Option<Pact>,
    /// The tables from which assumptions were made, if they were made from tables, and small ones.
    pub tables: Vec<String>,
    /// The assumption that was tried last.
    pub last: Option<Assumption>,
}

/// Why learning stopped before an assumption was found.
#[derive(Debug)]
pub(super) enum Stop {
    /// The part plays something with which the rest is not safe.
    Found(Box<Path>),
    /// The part does more than was thought: what follows what has changed.
    Wider,
    /// The part is entered while it runs.
    Reenters,
    /// Something ran out.
    Limit(Limit),
    /// A mistake of ours.
    Wrong(String),
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Stop {
        Stop::Limit(limit)
    }
}

/// A way to the target: what the rest does, and what the part plays in between.
#[derive(Debug)]
pub(super) struct Path {
    done: Vec<Done>,
    part: Told,
}

/// One step of a way, in one of the halves.
struct Leg {
    half: Half,
    state: agon_games::machine::State,
    step: Step,
    certain: bool,
    /// What was said to the other half, if it was said to it.
    said: Option<Said>,
}

/// Either learner.
enum Learning {
    Table(Table<LetterId>),
    Tree(Tree<LetterId>),
}

impl Learning {
    fn learn(&mut self, teacher: &mut impl Teacher<Letter = LetterId, Stop = Stop>) -> Result<Guess, Stop> {
        match self {
            Learning::Table(table) => table.learn(teacher),
            Learning::Tree(tree) => tree.learn(teacher),
        }
    }

    fn revise(&mut self, letter: &mut dyn FnMut(&LetterId) -> LetterId) {
        match self {
            Learning::Table(table) => table.revise(letter),
            Learning::Tree(tree) => tree.revise(letter),
        }
    }

    fn questions(&self) -> Questions {
        match self {
            Learning::Table(table) => table.questions(),
            Learning::Tree(tree) => tree.questions(),
        }
    }
}

type Guess = Automaton<LetterId>;

pub(super) struct Assuming<'a> {
    setting: Setting<'a>,
    /// The data of the whole program and of what the halves say to each other.
    domain: Abstracted,
    sides: Sides<'a>,
    words: Words,
    learning: Learning,
    /// The assumption that was tried last.
    last: Option<Guess>,
    iteration: usize,
    /// What was learnt in the end.
    learnt: Option<Assumption>,
    /// The same by itself, if it is the weakest.
    pact: Option<Pact>,
    component: &'a Component,
}

impl<'a> Assuming<'a> {
    pub(super) fn new(
        setting: Setting<'a>,
        component: &'a Component,
        halves: Halves,
        domain: Abstracted,
        method: Method,
    ) -> Assuming<'a> {
        let walk = |half| Walk::new(halves.machine(half, &domain.sites, Keeping::Parts, setting.arithmetic));
        let (rest, part) = (walk(Half::Rest), walk(Half::Part));
        let target = |half| halves.in_half(half, &setting.question.target, &setting.arena);
        let targets = (target(Half::Rest), target(Half::Part));
        let sides = Sides::new(halves, rest, part, targets, setting.budget);
        let learning = match method {
            Method::Table => Learning::Table(Table::default()),
            Method::Tree => Learning::Tree(Tree::default()),
        };
        Assuming {
            setting,
            domain,
            sides,
            words: Words::default(),
            learning,
            last: None,
            iteration: 0,
            learnt: None,
            pact: None,
            component,
        }
    }

    /// What was assumed, and how it was found.
    pub(super) fn assumed(&self) -> Assumed {
        let interface = self.sides.halves.interface.clone();
        let tables = match &self.learning {
            Learning::Table(table) => table.history(),
            Learning::Tree(_) => &[],
        };
        let show = |letter: &LetterId| interface.show(self.sides.letters.get(*letter));
        let tables = tables.iter().map(|shown| shown.show(&show)).collect();
        let last = self.last.as_ref().map(|guess| self.assumption(guess));
        let Component { name, why, .. } = self.component;
        Assumed {
            component: name.clone(),
            why: why.clone(),
            assumption: self.learnt.clone(),
            pact: self.pact.clone(),
            interface,
            questions: self.learning.questions(),
            tables,
            last,
        }
    }

    fn assumption(&self, guess: &Guess) -> Assumption {
        let letter = |id: LetterId| self.sides.letters.get(id).clone();
        Assumption::new(&self.component.name, guess, letter, self.sites(), self.sides.depth)
    }

    /// Learns the weakest assumption with which the rest is safe, over the data as it is approximated now.
    pub(super) fn weakest(&mut self) -> Result<(), Reason> {
        match self.ag_check(Until::Weakest) {
            Ok(guess) => {
                let assumption = self.assumption(&guess);
                let target = self.setting.arena.show(&self.setting.question.target);
                self.pact = Some(Pact::new(&assumption, target, self.sides.rules()));
                self.learnt = Some(assumption);
                Ok(())
            }
            Err(stop) => Err(reason(stop)),
        }
    }

    /// Has an assumption confirmed without any engine.
    fn certified(&self, assumption: &Assumption) -> Result<(), Reason> {
        let Setting { subject, question, budget, .. } = self.setting;
        let split = &self.component.split;
        let claim =
            Claim { judgement: subject.judgement, arena: subject.arena, split, target: &question.target };
        let patience = Patience { steps: u64::MAX, over: &|| budget.exceeded(0).is_some() };
        match certify(claim, assumption, patience) {
            Ok(_) => Ok(()),
            Err(Refused::Wrong(why)) => Err(Reason::Unverified(why)),
            Err(Refused::OutOfPatience) => Err(Reason::Limit(budget.exceeded(0).unwrap_or(Limit::Cancelled))),
        }
    }

    /// The legs of a way, in their order.
    fn legs(&self, path: &Path) -> Vec<Leg> {
        let mut letters = 0;
        let mut legs = Vec::new();
        for Done { event, certain } in &path.done {
            legs.push(match event {
                Event::Rest(state, step) => {
                    let said = None;
                    Leg { half: Half::Rest, state: *state, step: *step, certain: *certain, said }
                }
                Event::Letter(_) => {
                    let (state, step, certain) = path.part.steps[letters];
                    let said = Some(self.sides.letters.get(path.part.word[letters]).p.clone());
                    letters += 1;
                    Leg { half: Half::Part, state, step, certain, said }
                }
            });
        }
        // What the rest said to the part is what the part heard.
        for n in 0..legs.len() {
            if legs[n].half == Half::Rest && legs.get(n + 1).is_some_and(|next| next.half == Half::Part) {
                let heard = legs[..=n].iter().filter(|leg| leg.half == Half::Part).count();
                legs[n].said = Some(self.sides.letters.get(path.part.word[heard]).o.clone());
            }
        }
        legs
    }

    fn walk(&self, half: Half) -> &Walk {
        match half {
            Half::Rest => &self.sides.rest,
            Half::Part => &self.sides.part,
        }
    }

    /// Whether a component of a half is between the halves.
    fn is_between(&self, half: Half, m: &Move<Value>) -> bool {
        let interface = &self.sides.halves.interface;
        m.label != Label::Abort
            && match half {
                Half::Rest => interface.inside(m.component).is_some(),
                Half::Part => interface.outside(m.component).is_some(),
            }
    }

    /// The moves of a way that the environment sees, as the whole program makes them.
    fn skeleton(&self, path: &Path) -> Skeleton {
        let mut pairs: Vec<Pair> = Vec::new();
        for Leg { half, state, step, .. } in self.legs(path) {
            let walk = self.walk(half);
            let (offer, data) = walk.asked(state, &step);
            if !self.is_between(half, &offer.with(data.clone())) {
                let given = Given {
                    value: data.value.map(|value| value.interval),
                    index: data.index.map(|index| index.interval),
                };
                pairs.push(Pair { offer: usize::from(step.offer), given, answer: None });
            }
            let Some(reaction) = walk.reaction(&step) else { continue };
            let answer = &reaction.answer;
            if !self.is_between(half, answer)
                && let Some(pair) = pairs.last_mut()
            {
                let component = match answer.label {
                    Label::Abort => Some(agon_games::arena::OWN),
                    _ => self.sides.halves.in_whole(half, answer.component, &self.setting.arena),
                };
                pair.answer = component.map(|component| (component, answer.label.clone()));
            }
        }
        Skeleton { pairs, target: self.setting.question.target.clone() }
    }

    /// What is to blame in a half, as parts of the whole program's data.
    fn translate(
        &self,
        half: Half,
        sites: &Sites,
        local: BTreeMap<PartRef, Vec<agon_lang::int::Int>>,
        blame: &mut Blame<'_>,
    ) {
        for (part, cuts) in local {
            let interval = sites.part(part);
            let of_whole = self.domain.sites.iter().map(|(id, _)| id);
            for id in of_whole.filter(|id| self.sides.halves.linked(*id).contains(&(half, part.site))) {
                let site = self.domain.sites.site(id);
                let place = site.nth(site.meets(interval).0 as u64);
                blame.parts.entry(PartRef { site: id, part: place }).or_default().extend(cuts.clone());
            }
        }
    }

    /// A letter with the parts of now: where one was split, the new one nearest to 0.
    fn revised(&mut self, letter: LetterId) -> LetterId {
        let Letter { o, p } = self.sides.letters.get(letter).clone();
        let rest = &self.sides.rest.machine.domain().sites;
        let part = &self.sides.part.machine.domain().sites;
        let interface = &self.sides.halves.interface;
        let renewed = |said: Said, to_rest: bool| {
            let (sites, id) = match to_rest {
                true => (rest, interface.outside(said.component)),
                false => (part, Some(said.component)),
            };
            let now = |site: Option<SiteId>, interval: &Interval| match site {
                None => interval.clone(),
                Some(site) => {
                    let site = sites.site(site);
                    let point = Interval::point(interval.nearest_to_zero());
                    site.part(site.nth(site.meets(&point).0 as u64)).clone()
                }
            };
            let value = id.and_then(|id| sites.of_component(id));
            let index = id.and_then(|id| sites.of_component_index(id));
            Move {
                component: said.component,
                element: said.element.as_ref().map(|interval| now(index, interval)),
                label: said.label.map(|interval| now(value, interval)),
            }
        };
        let letter = Letter { o: renewed(o, false), p: renewed(p, true) };
        self.sides.letters.intern(letter)
    }

    /// Learns an assumption, or finds a way to the target [AG, §5.2: AGCheck].
    fn ag_check(&mut self, until: Until) -> Result<Guess, Stop> {
        loop {
            let Assuming { sides, words, learning, last, .. } = self;
            match learning.learn(&mut Checking { until, sides, words, last }) {
                Err(Stop::Wider) => {
                    self.sides.forget();
                    self.words.forget();
                    self.learning.revise(&mut |letter| *letter);
                }
                other => return other,
            }
        }
    }
}

/// When an assumption is good enough.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// The part keeps to it, and the rest is safe with it.
    Conclusive,
    /// It is the weakest with which the rest is safe, whatever the part is.
    Weakest,
}

/// Answers the learner's questions by playing.
struct Checking<'s, 'a> {
    until: Until,
    sides: &'s mut Sides<'a>,
    words: &'s mut Words,
    last: &'s mut Option<Guess>,
}

impl Teacher for Checking<'_, '_> {
    type Letter = LetterId;
    type Stop = Stop;

    fn letters(&mut self, word: &[LetterId]) -> Vec<LetterId> {
        match self.sides.along(word) {
            Some(at) => self.sides.following(at).letters.clone(),
            None => Vec::new(),
        }
    }

    fn is_valid(&mut self, word: &[LetterId]) -> bool {
        self.sides.along(word).is_some()
    }

    fn go_on(&mut self, memory: usize) -> Result<(), Stop> {
        self.sides.learning = memory + self.words.memory();
        self.sides.within_budget()
    }

    fn is_member(&mut self, word: &[LetterId]) -> Result<bool, Stop> {
        self.words.is_safe(self.sides, word)
    }

    fn differs(&mut self, guess: &Guess) -> Result<Option<Vec<LetterId>>, Stop> {
        *self.last = Some(guess.clone());
        if self.until == Until::Weakest {
            return weakest::differs(self.sides, self.words, guess);
        }
        if let Some(done) = reaches(self.sides, guess, false)? {
            return Ok(Some(letters_of(&done)));
        }
        let told = match includes(self.sides, guess)? {
            Inclusion::Holds => return Ok(None),
            Inclusion::Fails(told) => told,
            Inclusion::Deeper(depth) => {
                self.sides.depth = depth;
                return Err(Stop::Wider);
            }
            Inclusion::Hits => {
                self.sides.hits = true;
                return Err(Stop::Wider);
            }
        };
        if self.is_member(&told.word)? {
            return Ok(Some(told.word));
        }
        // The play may be long, and where it leads there is one way at least: so depth first.
        match reaches(self.sides, &chain(&told.word), true)? {
            Some(done) => Err(Stop::Found(Box::new(Path { done, part: told }))),
            None => Err(Stop::Wrong("a play that is not safe is safe".into())),
        }
    }
}

/// Why there is no assumption.
fn reason(stop: Stop) -> Reason {
    match stop {
        Stop::Limit(limit) => Reason::Limit(limit),
        Stop::Reenters => Reason::Reenters,
        Stop::Wrong(why) => Reason::Unverified(why),
        Stop::Found(_) | Stop::Wider => unreachable!("learning goes on then"),
    }
}

fn letters_of(done: &[Done]) -> Vec<LetterId> {
    let letter = |done: &Done| match done.event {
        Event::Letter(letter) => Some(letter),
        Event::Rest(..) => None,
    };
    done.iter().filter_map(letter).collect()
}

impl Game for Assuming<'_> {
    type Path = Path;

    fn sites(&self) -> &Sites {
        &self.domain.sites
    }

    fn candidate(
        &mut self,
        selection: Selection,
        observe: &mut Observer<'_>,
    ) -> Result<(Option<Path>, Progress), Reason> {
        self.iteration += 1;
        self.sides.progress = Progress { iteration: self.iteration, ..Progress::default() };
        self.sides.selection = selection;
        let found = self.ag_check(Until::Conclusive);
        let progress = self.sides.progress;
        observe(progress.into());
        match found {
            Ok(guess) => {
                let assumption = self.assumption(&guess);
                self.certified(&assumption)?;
                self.learnt = Some(assumption);
                Ok((None, progress))
            }
            Err(Stop::Found(path)) => Ok((Some(*path), progress)),
            Err(stop) => Err(reason(stop)),
        }
    }

    fn played(&self) -> u64 {
        self.sides.rest.played + self.sides.part.played
    }

    fn is_certain(&self, path: &Path) -> bool {
        self.legs(path).iter().all(|leg| leg.certain)
    }

    fn moves(&self, path: &Path) -> Vec<(Player, String)> {
        let mut play = Vec::new();
        for Leg { half, state, step, certain, .. } in self.legs(path) {
            let walk = self.walk(half);
            let arena = walk.machine.arena();
            let (offer, data) = walk.asked(state, &step);
            let asked = offer.with(data);
            if !self.is_between(half, &asked) {
                play.push((Player::O, show(arena, &asked)));
            }
            let Some(reaction) = walk.reaction(&step) else { continue };
            if let (false, Some(about)) = (certain, &reaction.marker) {
                play.push((Player::P, format!("nd.{}", about.interval)));
            }
            if !self.is_between(half, &reaction.answer) {
                play.push((Player::P, show(arena, &reaction.answer)));
            }
        }
        play
    }

    fn undecided(&self, path: &Path) -> String {
        let legs = self.legs(path);
        let first = legs.iter().find(|leg| !leg.certain);
        let reaction = first.and_then(|leg| Some((leg.half, self.walk(leg.half).reaction(&leg.step)?)));
        match reaction {
            Some((half, reaction)) if !reaction.certain => {
                let about = reaction.marker.as_ref().and_then(|about| about.blame);
                undecided_about(&self.walk(half).machine.domain().sites, about)
            }
            _ => "undecided for a move's value".into(),
        }
    }

    fn concretise(&self, path: &Path, effort: &Effort) -> Concrete {
        let Setting { code, arena, budget, .. } = &self.setting;
        let mut solver = (effort.certify == Certify::Solver).then(|| effort.solvers.solver());
        let solver = solver.as_mut().map(|solver| solver as &mut dyn Solver);
        concretise(code, arena, self.sites(), &self.skeleton(path), solver, budget)
    }

    fn slice(&self, path: &Path, blame: &mut Blame<'_>) -> Result<(), Reason> {
        let Setting { budget, arithmetic, .. } = self.setting;
        let halves = &self.sides.halves;
        let machine = |half| halves.machine(half, &self.domain.sites, Keeping::Causes, arithmetic);
        let mut machines = [machine(Half::Rest), machine(Half::Part)];
        let mut states = machines.each_ref().map(|machine| machine.start());
        for Leg { half, state, step, said, .. } in self.legs(path) {
            let n = usize::from(half == Half::Part);
            let machine = &mut machines[n];
            let target = match half {
                Half::Rest => self.sides.targets.0.as_ref(),
                Half::Part => self.sides.targets.1.as_ref(),
            };
            let no_target = Move { component: agon_games::arena::OWN, element: None, label: Label::Ok };
            let mut local =
                Blame { target: target.unwrap_or(&no_target), all: blame.all, parts: BTreeMap::new() };
            // A part that was done, or was left, starts over.
            if half == Half::Part && state == self.sides.part.machine.start() {
                states[n] = machine.start();
            }
            let offer = machine.offers(states[n])[usize::from(step.offer)].clone();
            let mut enough = false;
            match self.walk(half).reaction(&step) {
                None => {
                    if let (Some(at), Some(n)) = (&offer.element, &local.target.element) {
                        local.perhaps(at, &n.clone());
                    }
                }
                Some(told) => {
                    let data = offer.parts(machine.domain(), machine.arena(), step.code);
                    let mut reactions = Vec::new();
                    let interrupted = &mut || budget.exceeded(0).is_some();
                    machine
                        .play_with(states[n], &offer, data, Some(&told.choices), &mut reactions, interrupted)
                        .map_err(|_| Reason::Limit(budget.exceeded(0).unwrap_or(Limit::Store)))?;
                    let Some(reaction) = reactions.pop() else {
                        return Err(Reason::Unverified("a play cannot be told again".into()));
                    };
                    let doubts = machine.domain_mut().take_doubts();
                    enough = !told.certain && local.step(&doubts);
                    let answer = &reaction.answer;
                    if target.is_some_and(|target| fits(answer, target) == Fit::Perhaps) {
                        local.last(answer);
                    } else if let Some(said) = said.as_ref().filter(|_| self.is_between(half, answer)) {
                        let before = local.parts.len();
                        glued(&mut local, answer, said);
                        enough |= !blame.all && local.parts.len() > before;
                    }
                    if let Some(next) = reaction.next {
                        states[n] = next;
                    }
                }
            }
            self.translate(half, &machines[n].domain().sites, local.parts, blame);
            if enough {
                break;
            }
        }
        Ok(())
    }

    fn refine(&mut self, parts: &[PartRef], refine: &dyn Fn(&mut Abstracted)) {
        refine(&mut self.domain);
        let mut splits: BTreeMap<SiteId, BTreeMap<u32, Vec<Interval>>> = BTreeMap::new();
        for part in parts {
            let site = self.domain.sites.site(part.site);
            let (first, last) = site.meets(site.part(part.part));
            let into = (first..=last).map(|n| site.part(site.nth(n as u64)).clone()).collect();
            splits.entry(part.site).or_default().insert(part.part, into);
        }
        for (id, splits) in &splits {
            for (half, own) in self.sides.halves.linked(*id).to_vec() {
                let walk = match half {
                    Half::Rest => &mut self.sides.rest,
                    Half::Part => &mut self.sides.part,
                };
                let parts: Vec<_> = splits.keys().map(|part| PartRef { site: own, part: *part }).collect();
                walk.refine(&parts, |domain| domain.sites.site_mut(own).split(splits));
            }
        }
        self.sides.forget();
        self.words.forget();
        let mut learning = std::mem::replace(&mut self.learning, Learning::Tree(Tree::default()));
        learning.revise(&mut |letter| self.revised(*letter));
        self.learning = learning;
    }

    fn confirm(&self, play: Play) -> Verdict {
        confirm(self.setting.subject, play, self.setting.budget)
    }
}

/// Blames what a move came from whose numbers met several parts, of which this is one.
pub(super) fn glued(blame: &mut Blame<'_>, answer: &Move<Value>, said: &Said) {
    let one = |blame: &mut Blame<'_>, value: &Value, met: &Interval| {
        if !value.interval.within(met) {
            let ends = [met.low().cloned(), met.high().map(|high| high.add(&agon_lang::int::Int::ONE))];
            blame.causes(&value.causes.deciding(&ends.into_iter().flatten().collect::<Vec<_>>()));
        }
    };
    if let (Label::Value(value), Label::Value(met)) | (Label::Write(value), Label::Write(met)) =
        (&answer.label, &said.label)
    {
        one(blame, value, met);
    }
    if let (Some(value), Some(met)) = (&answer.element, &said.element) {
        one(blame, value, met);
    }
}
