//! The game of a concurrent program over approximated data: what happens, strand by strand, in one order.

use agon_base::budget::{Budget, Stop};
use agon_games::abstracted::{Abstracted, Keeping, Value};
use agon_games::contract::Half;
use agon_games::machine::explore::{Event, Figures, Here, Place, Visitor, Walk, explore};
use agon_games::machine::{How, StrandId, Strands};
use agon_games::moves::{Move, ThreadMove};
use agon_games::play::Play;
use agon_games::sites::{PartRef, Sites};
use agon_games::strategy::{Order, Step, Strategy, Turn};

use super::{Blame, Game, RefinementOptions, Setting, Written, undecided_about};
use crate::cegar::Found;
use crate::concretise::{Concrete, Concretising, Given, Pair, Skeleton};
use crate::concurrent::{confirm, watched};
use crate::search::{Observer, Progress};
use crate::verdict::{Reason, Verdict};
use crate::walk::{Fit, Selection, fits};
use agon_witness::verify::Evidence;

pub(super) struct Concurrent<'a> {
    setting: Setting<'a>,
    strands: Strands<Abstracted>,
    played: u64,
}

/// A step on the way to the target: its move, if it is seen, the strand that makes it, and how.
type Act = Step<Option<Move<Value>>, (), (StrandId, How)>;

/// Which offer O takes in a step, if O makes it, and which of its moves.
fn played(act: &Act) -> Option<(usize, u64)> {
    act.how.1.played.map(|(offer, code)| (offer as usize, code))
}

impl<'a> Concurrent<'a> {
    pub(super) fn new(setting: Setting<'a>, domain: Abstracted) -> Concurrent<'a> {
        let strands = strands(&setting, domain);
        Concurrent { setting, strands, played: 0 }
    }

    fn over(&self, keeping: Keeping) -> Strands<Abstracted> {
        let domain = Abstracted::new(self.sites().clone(), keeping, self.setting.arithmetic);
        strands(&self.setting, domain)
    }
}

/// A machine in which the threads have numbers only if the target has.
fn strands(setting: &Setting<'_>, domain: Abstracted) -> Strands<Abstracted> {
    let Setting { question, code, arena, .. } = setting;
    let strands = Strands::over(code.clone(), arena.clone(), domain, question.reduce);
    if question.threads.is_empty() { strands.unnumbered() } else { strands }
}

impl Game for Concurrent<'_> {
    type Path = Vec<Act>;
    type Play = Play;
    type Evidence = Evidence;

    fn sites(&self) -> &Sites {
        &self.strands.domain().sites
    }

    fn candidate(&mut self, progress: &mut Progress, observe: &mut Observer<'_>) -> Found<Vec<Act>> {
        let order = match self.setting.selection {
            Selection::Shuffled(seed) => Order::Random(seed),
            _ => Order::Shortest,
        };
        let Setting { question, budget, .. } = self.setting;
        let watch = watched(budget, observe, progress.iteration);
        let last_place = budget.entries.map_or(Place::MAX, Place);
        let walk = Walk { order, threads: budget.threads, last_place, budget, watch: &watch };
        let looking = || Looking { target: &question.target, threads: &question.threads, fit: Vec::new() };
        let walked = explore(&mut self.strands, walk, looking);
        let Figures { positions, transitions, memory } = walked.figures;
        self.played += transitions;
        *progress = Progress { states: positions, transitions, memory, ..*progress };
        let Some((place, last)) = walked.found? else { return Ok(None) };
        let mut events = walked.space.events_to(&mut self.strands, place)?;
        events.push(last);
        let acts = events.iter().map(|event| Step {
            label: event.label.map(|letter| self.strands.letter(letter).m.clone()),
            next: event.next,
            origin: event.origin,
            how: (event.how.strand, self.strands.how(event).clone()),
        });
        Ok(Some(acts.collect()))
    }

    fn played(&self) -> u64 {
        self.played
    }

    fn is_certain(&self, path: &Vec<Act>) -> bool {
        let last = path.last().and_then(|act| act.label.as_ref());
        path.iter().all(|act| act.how.1.certain)
            && last.is_some_and(|m| fits(m, &self.setting.question.target) == Fit::Certain)
    }

    fn moves(&self, path: &Vec<Act>, written: &mut Written) -> Vec<u32> {
        let arena = &self.setting.arena;
        let visible = path.iter().filter_map(|act| act.label.as_ref());
        visible.map(|m| written.number(Half::Rest, arena, m)).collect()
    }

    fn undecided(&self, path: &Vec<Act>) -> String {
        let mut blame = Blame {
            target: &self.setting.question.target,
            all: false,
            parts: std::collections::BTreeMap::new(),
        };
        let told = self.slice(path, &mut blame).is_ok();
        let first = blame.parts.keys().next().copied();
        if told && path.iter().any(|act| !act.how.1.certain) {
            undecided_about(self.sites(), first)
        } else {
            "undecided for the last move's value".into()
        }
    }

    fn concretise(&self, path: &Vec<Act>, _: &RefinementOptions) -> Concrete {
        let domain = self.strands.domain();
        let Setting { code, arena, question, budget, .. } = &self.setting;
        let mut told = self.over(Keeping::Parts);
        let mut at = Strategy::start(&told);
        let mut pairs = Vec::new();
        // What O may give is known from the offers on the way.
        for act in path {
            let thread = self.strands.thread(act.how.0);
            let data = played(act).and_then(|(n, code)| {
                let offers = Strategy::offers(&told, &at, &thread)?;
                Some((n, offers.get(n)?.parts(domain, arena, code)))
            });
            let given = data.as_ref().map_or_else(Given::default, |(_, data)| data.clone().into());
            let turn = Turn { thread: &thread, played: data };
            let steps = told.steps(&at, turn, Some(&act.how.1.choices), &Budget::default());
            match steps.ok().and_then(|steps| steps.into_iter().next()) {
                Some(step) => at = step.next.unwrap_or_default(),
                None => return Concrete::Unclear,
            }
            let answer = act.label.as_ref().map(|m| (m.component, m.label.clone()));
            pairs.push(Pair { thread, offer: played(act).map(|(offer, _)| offer), given, answer });
        }
        let skeleton = &Skeleton { pairs, target: question.target.clone() };
        let exact = Strands::new(code.clone(), arena.clone(), question.reduce);
        let steps_left = MOST_ACTS.max(2 * path.len());
        let intervals = self.over(Keeping::Intervals);
        Concretising { skeleton, intervals, exact, budget, steps_left }.run()
    }

    fn slice(&self, path: &Vec<Act>, blame: &mut Blame<'_>) -> Result<(), Reason> {
        let budget = self.setting.budget;
        let mut causes = self.over(Keeping::Causes);
        let mut at = Strategy::start(&causes);
        for (n, act) in path.iter().enumerate() {
            let thread = &self.strands.thread(act.how.0);
            let played = played(act).and_then(|(n, code)| {
                let offers = Strategy::offers(&causes, &at, thread)?;
                Some((n, offers.get(n)?.parts(causes.domain(), &self.setting.arena, code)))
            });
            causes.domain_mut().take_doubts();
            let steps = causes.steps(&at, Turn { thread, played }, Some(&act.how.1.choices), budget)?;
            let Some(told) = steps.into_iter().next() else {
                return Err(Reason::Unverified("a play cannot be told again".into()));
            };
            let doubts = causes.domain_mut().take_doubts();
            if !act.how.1.certain && blame.step(&doubts) {
                break;
            }
            if n + 1 == path.len()
                && let Some(ThreadMove { m, .. }) = &told.label
                && fits(m, blame.target) == Fit::Perhaps
            {
                blame.last(m);
            }
            at = told.next.unwrap_or_default();
        }
        Ok(())
    }

    fn refine(&mut self, _: &[PartRef], refine: &dyn Fn(&mut Abstracted)) {
        let mut sites = self.strands.domain().sites.clone();
        let mut domain = Abstracted::new(sites.clone(), Keeping::Parts, self.setting.arithmetic);
        refine(&mut domain);
        sites = domain.sites;
        self.strands =
            strands(&self.setting, Abstracted::new(sites, Keeping::Parts, self.setting.arithmetic));
    }

    fn confirm(&self, _: &Vec<Act>, play: Play) -> Verdict {
        confirm(self.setting.subject, play, self.setting.budget)
    }
}

/// Looks for what may be the target.
struct Looking<'a> {
    target: &'a Move,
    threads: &'a [u32],
    /// Which letters may be the target, as far as they were looked at.
    fit: Vec<Option<bool>>,
}

impl Visitor<Abstracted> for Looking<'_> {
    type Found = (Place, Event);

    fn visit(
        &mut self,
        here: &mut Here<'_, '_, Abstracted>,
        events: &[Event],
    ) -> Result<Option<Self::Found>, Stop> {
        for event in events {
            let Some(letter) = event.label else { continue };
            let place = letter as usize;
            if self.fit.len() <= place {
                self.fit.resize(place + 1, None);
            }
            let target = self.target;
            let threads = self.threads;
            let fit = *self.fit[place].get_or_insert_with(|| {
                let label = here.letter(letter);
                fits(&label.m, target) != Fit::Not && (threads.is_empty() || *label.threads == *threads)
            });
            if fit {
                return Ok(Some((here.place, *event)));
            }
        }
        Ok(None)
    }

    fn arrive(&mut self, _: Place, _: Option<u32>, _: Place) {}
}

/// The search gives up after this many steps, or after twice the play.
const MOST_ACTS: usize = 40_000;
