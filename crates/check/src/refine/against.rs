//! The game of a part by itself: whether it keeps to what was assumed about it.

use std::rc::Rc;

use agon_base::explore::{Exploration, Order};
use agon_games::abstracted::{Abstracted, Keeping, Value};
use agon_games::arena::{ComponentId, OWN};
use agon_games::contract::{Half, Letter, Said, Specification};
use agon_games::interval::Interval;
use agon_games::machine::{CallMemo, Machine, State};
use agon_games::moves::{Label, Move, Player};
use agon_games::play::Play;
use agon_games::sites::{PartRef, Sites};
use agon_games::values::Exact;
use agon_witness::verify::Evidence;
use rustc_hash::FxHashMap;

use super::assume::glued;
use super::{Blame, Game, RefinementOptions, Selection, Setting, Written, undecided_about};
use crate::cegar::Found;
use crate::concretise::{Concrete, Given};
use crate::reconstruct::{confirm, reconstruct};
use crate::search::{Observer, Progress};
use crate::verdict::{Reason, Verdict};
use crate::walk::{Fit, StepRef, Walk, fits, next_key};

pub(super) struct Against<'a> {
    setting: Setting<'a>,
    walk: Walk,
    specification: &'a Specification,
    /// For each component the place of the specification that it is.
    places: Vec<ComponentId>,
    /// Where letters are, among those of the specification.
    letters: FxHashMap<Letter, u32>,
    /// The target, if it is a move of this program.
    target: Option<Move>,
    /// How often the part was run before the last run of the last candidate.
    runs_before: usize,
}

/// The questions that wait.
type Open = Rc<[ComponentId]>;

/// A path to something that is not allowed.
pub(super) struct Path {
    steps: Vec<Taken>,
}

/// A step of the program, and what that says to the specification.
type Taken = (StepRef, Option<Said>);

/// What a step of the program is to the specification.
enum Doing {
    /// It is not allowed.
    Wrong,
    /// It goes on.
    Goes(State, u32, Open),
}

impl<'a> Against<'a> {
    pub(super) fn new(
        setting: Setting<'a>,
        domain: Abstracted,
        specification: &'a Specification,
        places: Vec<ComponentId>,
    ) -> Against<'a> {
        let memo = CallMemo { forget: true, ..CallMemo::default() };
        let machine = Machine::new(setting.code.clone(), setting.arena.clone(), domain).with_call_memo(memo);
        let letters = specification.letters.iter().cloned().zip(0..).collect();
        let target = specification.target(&places);
        let walk = Walk::new(machine);
        Against { setting, walk, specification, places, letters, target, runs_before: 0 }
    }

    /// The position after a move of O's, if it is one that the specification knows.
    fn heard(&self, open: &Open, m: &Move<Value>) -> (Option<Said>, Open) {
        let said = self.specification.heard(m, &self.places);
        let mut now: Vec<ComponentId> = open.to_vec();
        match m.label.is_question() {
            true if m.component == OWN => now = vec![OWN],
            true => now.push(m.component),
            false => {
                now.pop();
            }
        }
        (said, now.into())
    }

    /// What is to be known of a play that is not allowed, beside its moves.
    pub(super) fn note(&self, play: &Play) -> Option<String> {
        let arena = &self.setting.arena;
        let mut open: Vec<ComponentId> = Vec::new();
        for m in &play.moves {
            match m.label.is_question() {
                true => open.push(m.component),
                false => {
                    open.pop();
                }
            }
        }
        let calls = open.iter().filter(|id| is_call(arena, **id)).count();
        let depth = self.specification.depth;
        if calls > depth {
            let times = |n: usize| if n == 1 { "once".into() } else { format!("{n} times") };
            return Some(format!(
                "calls are nested {}, and the assumption is about parts that nest them {} at most",
                times(calls),
                times(depth)
            ));
        }
        match self.runs_before {
            0 => None,
            1 => Some("this is the second time that it is run; once, it may do so".into()),
            n => Some(format!("it was run {n} times before, and is not to do this again")),
        }
    }

    /// Whether the program may bring the target about: the rest never gets to where this would do harm.
    fn may_hit(&self, q: u32, heard: &Said) -> bool {
        let letter = Letter { o: heard.clone(), p: agon_games::contract::hit() };
        self.letters.get(&letter).is_some_and(|letter| self.specification.automaton.step(q, letter).is_some())
    }

    /// What a move of the program's comes to.
    fn says(
        &self,
        open: &Open,
        (o, p): (&Said, &Said),
        m: &Move<Value>,
        q: u32,
        next: Option<State>,
    ) -> Doing {
        let letter = Letter { o: o.clone(), p: p.clone() };
        let to = self.letters.get(&letter).and_then(|letter| self.specification.automaton.step(q, letter));
        let arena = &self.setting.arena;
        let mut now: Vec<ComponentId> = open.to_vec();
        if m.label.is_question() {
            let calls = now.iter().filter(|id| is_call(arena, **id)).count();
            if is_call(arena, m.component) && calls >= self.specification.depth {
                return Doing::Wrong;
            }
            now.push(m.component);
        } else {
            if now.last() != Some(&m.component) && !self.specification.may_leave {
                return Doing::Wrong;
            }
            while now.pop().is_some_and(|top| top != m.component) {}
        }
        match to {
            None => Doing::Wrong,
            Some(to) => Doing::Goes(next.unwrap_or(self.walk.machine.start()), to, now.into()),
        }
    }

    /// Whether moves, of one run after the other, are not allowed.
    fn is_wrong_over_numbers(&self, moves: &[Move]) -> bool {
        let Some(mut q) = self.specification.automaton.start() else { return true };
        let value = |m: &Move| m.map(|n| Value::new(Interval::point(n.clone())));
        let mut open: Open = Rc::new([]);
        for pair in moves.chunks(2) {
            let (Some(heard), after) = self.heard(&open, &value(&pair[0])) else { return false };
            if pair.iter().any(|m| Some(m) == self.target.as_ref()) {
                return !self.may_hit(q, &heard);
            }
            let [_, p] = pair else { return false };
            // It ends everything, and that was not the question.
            if p.label == Label::Abort {
                return false;
            }
            let [said] = &self.specification.said(&value(p), &self.places)[..] else { return false };
            match self.says(&after, (&heard, said), &value(p), q, None) {
                Doing::Wrong => return true,
                Doing::Goes(_, to, now) => {
                    q = to;
                    open = now;
                }
            }
        }
        false
    }
}

/// Whether two moves differ in their numbers at most.
fn is_like(abstracted: &Move<Value>, exact: &Move) -> bool {
    abstracted.component == exact.component && abstracted.label.says_what(&exact.label)
}

fn is_call(arena: &agon_games::arena::Arena, id: ComponentId) -> bool {
    let component = arena.component(id);
    component.asker == Player::P && !component.arguments.is_empty()
}

impl Game for Against<'_> {
    type Path = Path;
    type Play = Play;
    type Evidence = Evidence;

    fn sites(&self) -> &Sites {
        &self.walk.machine.domain().sites
    }

    fn candidate(&mut self, progress: &mut Progress, _: &mut Observer<'_>) -> Found<Path> {
        let Setting { budget, selection, .. } = self.setting;
        let selection = if selection == Selection::Coarsest { selection } else { Selection::Precise };
        let opening = self.walk.machine.start();
        let Some(first) = self.specification.automaton.start() else {
            return Ok(Some(Path { steps: Vec::new() }));
        };
        let mut exploration: Exploration<(State, u32, Open), Taken> =
            Exploration::new((opening, first, Rc::new([])), Order::Queue);
        let path = exploration.run(|exploration, (state, q, open)| {
            let (node, cost) = (exploration.node(), exploration.cost());
            budget.check_with(self.walk.memory())?;
            let mut from = vec![(state, self.walk.machine.offers(state), open.clone())];
            let left = open
                .last()
                .is_some_and(|top| self.specification.places[self.places[top.index()].index()].between);
            if self.specification.may_be_left && left && state != opening {
                from.push((opening, self.walk.machine.offers(opening), Rc::new([])));
            }
            for (state, offers, open) in from {
                for (n, offer) in offers.iter().enumerate() {
                    for code in 0..=offer.last.unwrap_or(0) {
                        progress.transitions += 1;
                        let asked = offer.at(self.walk.machine.domain(), self.walk.machine.arena(), code);
                        let (Some(heard), after) = self.heard(&open, &asked) else { continue };
                        if self.target.as_ref().is_some_and(|target| fits(&asked, target) != Fit::Not) {
                            if self.may_hit(q, &heard) {
                                continue;
                            }
                            let step = Walk::last_step(state, n, code, true);
                            exploration.add(node, cost, (step, None), None);
                            continue;
                        }
                        let steps = self.walk.steps(state, (n, offer, code), budget)?;
                        let steps: Vec<_> = steps.map(|(step, reaction)| (step, reaction.clone())).collect();
                        for (step, reaction) in steps {
                            let answer = &reaction.label;
                            let fit = self.target.as_ref().map_or(Fit::Not, |target| fits(answer, target));
                            let mut found: Vec<(Doing, bool, Option<Said>)> = Vec::new();
                            if fit != Fit::Not {
                                if !self.may_hit(q, &heard) {
                                    found.push((
                                        Doing::Wrong,
                                        reaction.how.certain && fit == Fit::Certain,
                                        None,
                                    ));
                                }
                            } else if answer.label != Label::Abort {
                                let said = self.specification.said(answer, &self.places);
                                let certain = reaction.how.certain && said.len() == 1;
                                for said in said {
                                    let doing = self.says(&after, (&heard, &said), answer, q, reaction.next);
                                    found.push((doing, certain, Some(said)));
                                }
                            }
                            for (doing, certain, said) in found {
                                let next = match doing {
                                    Doing::Wrong => None,
                                    Doing::Goes(next, q, open) => Some((next, q, open)),
                                };
                                let cost = next_key(selection, cost, certain, reaction.how.marker.as_ref());
                                let step = step.certain_if(certain);
                                exploration.add(node, cost, (step, said), next);
                            }
                        }
                    }
                }
            }
            Ok::<(), Reason>(())
        })?;
        progress.states = exploration.visited();
        let runs = path.iter().flatten().filter(|(step, _)| step.from == opening).count();
        self.runs_before = runs.saturating_sub(1);
        Ok(path.map(|steps| Path { steps }))
    }

    fn played(&self) -> u64 {
        self.walk.played
    }

    fn is_certain(&self, path: &Path) -> bool {
        path.steps.iter().all(|(step, _)| step.certain)
    }

    fn moves(&self, path: &Path, written: &mut Written) -> Vec<u32> {
        let mut play = Vec::new();
        for (step, _) in &path.steps {
            written.pair((Half::Part, &self.walk), step, step.certain, |_| true, &mut play);
        }
        play
    }

    fn undecided(&self, path: &Path) -> String {
        let first = path.steps.iter().find(|(step, _)| !step.certain);
        match first.and_then(|(step, _)| self.walk.reaction(step)).and_then(|r| r.how.marker.as_ref()) {
            Some(about) => undecided_about(self.sites(), about.blame),
            None => "undecided for a move's value".into(),
        }
    }

    /// Tells the play with the numbers nearest to 0, and looks whether it is not allowed then either.
    fn concretise(&self, path: &Path, _: &RefinementOptions) -> Concrete {
        let Setting { code, arena, budget, .. } = &self.setting;
        let mut machine = Machine::new(code.clone(), arena.clone(), Exact::default());
        let mut play = Play::default();
        let mut state = machine.start();
        // A part that is started over remembers nothing: the last run is what is shown, but all of them count.
        let start = self.walk.machine.start();
        let mut all: Vec<Move> = Vec::new();
        for (step, _) in &path.steps {
            if step.from == start {
                all.append(&mut std::mem::take(&mut play).moves);
                state = machine.start();
            }
            let offers = machine.offers(state);
            let (_, data) = self.walk.asked(step);
            let Some(offer) = offers.get(usize::from(step.offer)) else { return Concrete::Unclear };
            let given = Given::from(data);
            let is_target = self.walk.reaction(step).is_none();
            let wanted = self.target.as_ref().filter(|_| is_target);
            let data = given.exact(offer.element.as_ref(), wanted);
            if is_target {
                play.push(offer.with(data), machine.argument_span(state, offer));
                break;
            }
            match reconstruct(&mut machine, &mut play, state, offer, data, budget) {
                Ok(Some(reaction)) => {
                    // With these numbers the program may take another path.
                    let told = self.walk.reaction(step).map(|told| &told.label);
                    if !told.is_some_and(|told| is_like(told, &reaction.label)) {
                        return Concrete::Unclear;
                    }
                    state = reaction.next.unwrap_or(machine.start());
                }
                Ok(None) => return Concrete::Unclear,
                Err(why) => return Concrete::Stopped(why),
            }
        }
        all.extend(play.moves.iter().cloned());
        if self.is_wrong_over_numbers(&all) { Concrete::Found(play) } else { Concrete::Unclear }
    }

    fn slice(&self, path: &Path, blame: &mut Blame<'_>) -> Result<(), Reason> {
        let Setting { budget, arithmetic, .. } = self.setting;
        let domain = Abstracted::new(self.sites().clone(), Keeping::Causes, arithmetic);
        let mut machine = Machine::new(self.setting.code.clone(), self.setting.arena.clone(), domain);
        let start = self.walk.machine.start();
        let mut state = machine.start();
        for (step, said) in &path.steps {
            if step.from == start {
                state = machine.start();
            }
            let Some((reaction, doubts)) = self.walk.again(&mut machine, state, step, budget)? else { break };
            let mut enough = !reaction.how.certain && blame.step(&doubts);
            let before = blame.parts.len();
            match said {
                Some(said) => glued(blame, &reaction.label, said),
                None => blame.last(&reaction.label),
            }
            enough |= !blame.all && blame.parts.len() > before;
            match reaction.next {
                _ if enough => break,
                Some(next) => state = next,
                None => {}
            }
        }
        Ok(())
    }

    fn refine(&mut self, parts: &[PartRef], refine: &dyn Fn(&mut Abstracted)) {
        self.walk.refine(parts, refine);
    }

    fn confirm(&self, _: &Self::Path, play: Play) -> Verdict {
        if play.moves.is_empty() {
            return Verdict::Unsafe(play, Evidence::default());
        }
        confirm(self.setting.subject, play, self.setting.budget)
    }
}
