//! The game of a sequential program over approximated data.

use agon_games::abstracted::{Abstracted, Keeping};
use agon_games::contract::Half;
use agon_games::machine::{CallMemo, Machine};
use agon_games::play::Play;
use agon_games::sites::{PartRef, Sites};
use agon_games::strategy::Step;
use agon_solve::Solver;

use super::{Blame, Certify, Game, RefinementOptions, Setting, Written, undecided_about};
use crate::cegar::Found;
use crate::concretise::{Concrete, Pair, Skeleton, concretise};
use crate::reconstruct::confirm;
use crate::search::{Observer, Progress};
use crate::verdict::{Reason, Verdict};
use crate::walk::{Fit, Path, Walk, fits};
use agon_witness::verify::Evidence;

pub(super) struct Sequential<'a> {
    setting: Setting<'a>,
    walk: Walk,
}

impl<'a> Sequential<'a> {
    pub(super) fn new(setting: Setting<'a>, domain: Abstracted) -> Sequential<'a> {
        let walk = Walk::new(machine(&setting, domain));
        Sequential { setting, walk }
    }

    fn skeleton(&self, path: &Path) -> Skeleton {
        let pairs = path.steps.iter().map(|step| {
            let (_, data) = self.walk.asked(step);
            let reaction = self.walk.reaction(step);
            Pair {
                thread: Box::default(),
                offer: Some(usize::from(step.offer)),
                given: data.into(),
                answer: reaction.map(|Step { label, .. }| (label.component, label.label.clone())),
            }
        });
        Skeleton { pairs: pairs.collect(), target: self.setting.question.target.clone() }
    }
}

fn machine(setting: &Setting<'_>, domain: Abstracted) -> Machine<Abstracted> {
    let memo = CallMemo { forget: true, ..CallMemo::default() };
    Machine::new(setting.code.clone(), setting.arena.clone(), domain).with_call_memo(memo)
}

impl Game for Sequential<'_> {
    type Path = Path;
    type Play = Play;
    type Evidence = Evidence;

    fn sites(&self) -> &Sites {
        &self.walk.machine.domain().sites
    }

    fn candidate(&mut self, progress: &mut Progress, observe: &mut Observer<'_>) -> Found<Path> {
        let Setting { question, budget, selection, .. } = self.setting;
        Ok(self.walk.candidate(&question.target, selection, budget, progress, observe)?)
    }

    fn played(&self) -> u64 {
        self.walk.played
    }

    fn is_certain(&self, path: &Path) -> bool {
        path.is_certain()
    }

    fn moves(&self, path: &Path, written: &mut Written) -> Vec<u32> {
        let mut play = Vec::new();
        for step in &path.steps {
            let certain = self.walk.reaction(step).is_none_or(|reaction| reaction.how.certain);
            written.step(Half::Rest, step, &mut play, |written, play| {
                written.pair((Half::Rest, &self.walk), step, certain, |_| true, play);
            });
        }
        play
    }

    fn undecided(&self, path: &Path) -> String {
        let first = path.steps.iter().find_map(|step| {
            self.walk
                .reaction(step)
                .filter(|reaction| !reaction.how.certain)
                .map(|reaction| &reaction.how.marker)
        });
        match first {
            Some(Some(about)) => undecided_about(self.sites(), about.blame),
            _ => "undecided for the last move's value".into(),
        }
    }

    fn concretise(&self, path: &Path, effort: &RefinementOptions) -> Concrete {
        let Setting { code, arena, budget, .. } = &self.setting;
        let mut solver = (effort.certify == Certify::Solver).then(|| effort.solvers.solver());
        let solver = solver.as_mut().map(|solver| solver as &mut dyn Solver);
        concretise(code, arena, self.sites(), &self.skeleton(path), solver, budget)
    }

    fn slice(&self, path: &Path, blame: &mut Blame<'_>) -> Result<(), Reason> {
        let Setting { budget, arithmetic, .. } = self.setting;
        let mut machine =
            machine(&self.setting, Abstracted::new(self.sites().clone(), Keeping::Causes, arithmetic));
        let mut state = machine.start();
        for step in &path.steps {
            let Some((reaction, doubts)) = self.walk.again(&mut machine, state, step, budget)? else {
                blame.asked(&machine.offers(state)[usize::from(step.offer)]);
                break;
            };
            let enough = !reaction.how.certain && blame.step(&doubts);
            if fits(&reaction.label, blame.target) == Fit::Perhaps {
                blame.last(&reaction.label);
            }
            match reaction.next {
                Some(next) if !enough => state = next,
                _ => break,
            }
        }
        Ok(())
    }

    fn refine(&mut self, parts: &[PartRef], refine: &dyn Fn(&mut Abstracted)) {
        self.walk.refine(parts, refine);
    }

    fn confirm(&self, _: &Self::Path, play: Play) -> Verdict {
        confirm(self.setting.subject, play, self.setting.budget)
    }
}
