//! Counterexamples through both halves: their moves, and what is to blame for spurious ones.

use std::collections::BTreeMap;

use agon_base::int::Int;
use agon_base::intern::Interner;
use agon_games::abstracted::{Keeping, Value};
use agon_games::arena::OWN;
use agon_games::contract::{Half, Letter, Said};
use agon_games::interval::Interval;
use agon_games::moves::{Label, Move};
use agon_games::sites::{PartRef, Sites};

use super::composition::LetterId;
use super::premises::{Mover, Told};
use super::{Assuming, Setting};
use crate::concretise::{Given, Pair, Skeleton};
use crate::refine::{Blame, Written, undecided_about};
use crate::verdict::Reason;
use crate::walk::{Fit, StepRef, Walk, fits};

/// A path to the target: each step with the half that makes it, and what it says to the other half, if it does.
#[derive(Debug)]
pub(in crate::refine) struct Path {
    steps: Vec<(Half, StepRef, Option<Said>)>,
}

impl Path {
    /// What the rest does with what the part plays in between.
    pub(super) fn new(movers: Vec<Mover>, part: Told, letters: &Interner<Letter, LetterId>) -> Path {
        let mut played = part.steps.into_iter().zip(part.word);
        let mut steps = Vec::new();
        for mover in movers {
            match mover {
                Mover::Rest(step) => steps.push((Half::Rest, step, None)),
                Mover::Part(_) => {
                    let Some((step, letter)) = played.next() else { break };
                    let letter = letters.get(letter);
                    // What the rest said to the part is what the part heard.
                    if let Some((Half::Rest, _, said)) = steps.last_mut() {
                        *said = Some(letter.o.clone());
                    }
                    steps.push((Half::Part, step, Some(letter.p.clone())));
                }
            }
        }
        Path { steps }
    }
}

impl Assuming<'_> {
    fn walk(&self, half: Half) -> &Walk {
        match half {
            Half::Rest => &self.composition.rest,
            Half::Part => &self.composition.part,
        }
    }

    /// Whether a component of a half is between the halves.
    fn is_between(&self, half: Half, m: &Move<Value>) -> bool {
        let interface = &self.composition.halves.interface;
        m.label != Label::Abort
            && match half {
                Half::Rest => interface.inside(m.component).is_some(),
                Half::Part => interface.outside(m.component).is_some(),
            }
    }

    /// The moves of a path that the environment sees, as the whole program makes them.
    pub(super) fn skeleton(&self, path: &Path) -> Skeleton {
        let mut pairs: Vec<Pair> = Vec::new();
        for (half, step, _) in &path.steps {
            let half = *half;
            let walk = self.walk(half);
            let (offer, data) = walk.asked(step);
            if !self.is_between(half, &offer.with(data.clone())) {
                let given = Given::from(data);
                let offer = Some(usize::from(step.offer));
                pairs.push(Pair { thread: Box::default(), offer, given, answer: None });
            }
            let Some(reaction) = walk.reaction(step) else { continue };
            let answer = &reaction.label;
            if !self.is_between(half, answer)
                && let Some(pair) = pairs.last_mut()
            {
                let component = match answer.label {
                    Label::Abort => Some(OWN),
                    _ => self.composition.halves.in_whole(half, answer.component, &self.setting.arena),
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
        local: BTreeMap<PartRef, Vec<Int>>,
        blame: &mut Blame<'_>,
    ) {
        for (part, cuts) in local {
            let interval = sites.part(part);
            let of_whole = self.domain.sites.iter().map(|(id, _)| id);
            for id in of_whole.filter(|id| self.composition.halves.linked(*id).contains(&(half, part.site))) {
                let site = self.domain.sites.site(id);
                let place = site.nth(site.meets(interval).0 as u64);
                blame.parts.entry(PartRef { site: id, part: place }).or_default().extend(cuts.clone());
            }
        }
    }

    /// Whether a path is certain.
    pub(super) fn certain(&self, path: &Path) -> bool {
        path.steps.iter().all(|(_, step, _)| step.certain)
    }

    /// The moves of a path, as they are shown.
    pub(super) fn shown(&self, path: &Path, written: &mut Written) -> Vec<u32> {
        let mut play = Vec::new();
        for (half, step, _) in &path.steps {
            let seen = |m: &Move<Value>| !self.is_between(*half, m);
            written.pair((*half, self.walk(*half)), step, step.certain, seen, &mut play);
        }
        play
    }

    /// What was undecided on a path.
    pub(super) fn doubt(&self, path: &Path) -> String {
        let first = path.steps.iter().find(|(_, step, _)| !step.certain);
        let reaction = first.and_then(|(half, step, _)| Some((*half, self.walk(*half).reaction(step)?)));
        match reaction {
            Some((half, reaction)) if !reaction.how.certain => {
                let about = reaction.how.marker.as_ref().and_then(|about| about.blame);
                undecided_about(&self.walk(half).machine.domain().sites, about)
            }
            _ => "undecided for a move's value".into(),
        }
    }

    /// Finds out what is to blame for a spurious path.
    pub(super) fn blamed(&self, path: &Path, blame: &mut Blame<'_>) -> Result<(), Reason> {
        let Setting { budget, arithmetic, .. } = self.setting;
        let halves = &self.composition.halves;
        let machine = |half| halves.machine(half, &self.domain.sites, Keeping::Causes, arithmetic);
        let mut machines = [machine(Half::Rest), machine(Half::Part)];
        let mut states = machines.each_ref().map(|machine| machine.start());
        for (half, step, said) in &path.steps {
            let half = *half;
            let n = usize::from(half == Half::Part);
            let machine = &mut machines[n];
            let target = match half {
                Half::Rest => self.composition.targets.0.as_ref(),
                Half::Part => self.composition.targets.1.as_ref(),
            };
            let no_target = Move { component: OWN, element: None, label: Label::Ok };
            let mut local =
                Blame { target: target.unwrap_or(&no_target), all: blame.all, parts: BTreeMap::new() };
            // A part that was done, or was left, starts over.
            if half == Half::Part && step.from == self.composition.part.machine.start() {
                states[n] = machine.start();
            }
            let mut enough = false;
            match self.walk(half).again(machine, states[n], step, budget)? {
                None => local.asked(&machine.offers(states[n])[usize::from(step.offer)]),
                Some((reaction, doubts)) => {
                    enough = !reaction.how.certain && local.step(&doubts);
                    let answer = &reaction.label;
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
}

/// Blames what a move came from whose numbers met several parts, of which this is one.
pub(in crate::refine) fn glued(blame: &mut Blame<'_>, answer: &Move<Value>, said: &Said) {
    let one = |blame: &mut Blame<'_>, value: &Value, met: &Interval| {
        if !value.interval.within(met) {
            let ends = [met.low().cloned(), met.high().map(|high| high.add(&Int::ONE))];
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
