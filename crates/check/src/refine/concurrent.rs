//! The game of a concurrent program over approximated data: what happens, strand by strand, in one order.

use std::mem::Discriminant;

use agon_base::budget::{Budget, Stop};
use agon_games::abstracted::{Abstracted, Causes, Keeping, Value};
use agon_games::arena::ComponentId;
use agon_games::contract::Half;
use agon_games::machine::explore::{Event, Figures, Here, Place, Visitor, Walk, explore};
use agon_games::machine::{How, PieceId, StrandId, Strands};
use agon_games::moves::{Label, Move, ThreadMove};
use agon_games::play::Play;
use agon_games::sites::{PartRef, Sites};
use agon_games::strategy::{Order, Step};
use agon_games::values::Exact;

use super::{Blame, Effort, Game, Setting, Written, undecided_about};
use crate::concretise::{Attempt, Concrete, Given, Rehearsal, answered, rehearse};
use crate::concurrent::{confirm, told, watched};
use crate::search::{Observer, Progress};
use crate::verdict::{Reason, Verdict};
use crate::walk::{Fit, Selection, fits};

pub(super) struct Concurrent<'a> {
    setting: Setting<'a>,
    strands: Strands<Abstracted>,
    iteration: usize,
    played: u64,
}

/// A step on the way to the target: its move, if it is seen, the strand that makes it, and how.
type Act = Step<Option<Move<Value>>, (), (StrandId, How)>;

/// Which offer O takes in a step, if O makes it, and which of its moves.
fn played(act: &Act) -> Option<(usize, u64)> {
    act.how.1.played.map(|(offer, code)| (offer as usize, code))
}

/// The kind of a move: where it is made, and what it does.
type Kind = (ComponentId, Discriminant<Label<Value>>);

fn kind(label: Option<&Move<Value>>) -> Option<Kind> {
    label.map(|m| (m.component, std::mem::discriminant(&m.label)))
}

impl<'a> Concurrent<'a> {
    pub(super) fn new(setting: Setting<'a>, domain: Abstracted) -> Concurrent<'a> {
        let strands = strands(&setting, domain);
        Concurrent { setting, strands, iteration: 0, played: 0 }
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

    fn sites(&self) -> &Sites {
        &self.strands.domain().sites
    }

    fn candidate(
        &mut self,
        selection: Selection,
        observe: &mut Observer<'_>,
    ) -> Result<(Option<Vec<Act>>, Progress), Reason> {
        self.iteration += 1;
        let order = match selection {
            Selection::Shuffled(seed) => Order::Random(seed),
            _ => Order::Shortest,
        };
        let Setting { question, budget, .. } = self.setting;
        let iteration = self.iteration;
        let watch = watched(budget, observe, iteration);
        let last_place = budget.entries.unwrap_or(Place::MAX);
        let walk = Walk { order, threads: budget.threads, last_place, budget, watch: &watch };
        let looking = || Looking { target: &question.target, threads: &question.threads, fit: Vec::new() };
        let walked = explore(&mut self.strands, walk, looking);
        let Figures { positions, transitions, memory } = walked.figures;
        self.played += transitions;
        let progress = Progress { states: positions, transitions, memory, iteration };
        let Some((place, last)) = walked.found? else { return Ok((None, progress)) };
        let mut events = walked.space.events_to(&mut self.strands, place)?;
        events.push(last);
        let acts = events.iter().map(|event| Step {
            label: event.label.map(|letter| self.strands.letter(letter).m.clone()),
            next: event.next,
            origin: event.origin,
            how: (event.how.strand, self.strands.how(event).clone()),
        });
        Ok((Some(acts.collect()), progress))
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

    fn concretise(&self, path: &Vec<Act>, _: &Effort) -> Concrete {
        let domain = self.strands.domain();
        let mut intervals = self.over(Keeping::Intervals);
        let mut exact =
            Strands::new(self.setting.code.clone(), self.setting.arena.clone(), self.setting.question.reduce);
        let mut position: Vec<PieceId> = Vec::new();
        let mut told = self.over(Keeping::Parts);
        let mut given = Vec::new();
        let mut strands = Vec::new();
        // What O may give is told by the offers on the way.
        for act in path {
            let here = told.same_strand(&self.strands, act.how.0);
            let data = played(act).and_then(|(n, code)| {
                let offers = told.offers(&position, here)?;
                let offer = offers.get(n)?;
                Some((n, offer.parts(domain, &self.setting.arena, code)))
            });
            given.push(data.as_ref().map_or_else(Given::default, |(_, data)| Given {
                value: data.value.as_ref().map(|value| value.interval.clone()),
                index: data.index.as_ref().map(|index| index.interval.clone()),
            }));
            strands.push((
                intervals.same_strand(&self.strands, act.how.0),
                exact.same_strand(&self.strands, act.how.0),
            ));
            let performed = told.perform(&position, here, data, Some(&act.how.1.choices), &Budget::default());
            match performed.ok().and_then(|acts| acts.into_iter().next()) {
                Some(step) => position = step.next.unwrap_or_default(),
                None => return Concrete::Unclear,
            }
        }
        let mut schedule = Schedule {
            setting: &self.setting,
            acts: path,
            strands,
            intervals,
            exact,
            acts_left: MOST_ACTS.max(2 * path.len()),
        };
        rehearse(&mut schedule, given, self.setting.budget)
    }

    fn slice(&self, path: &Vec<Act>, blame: &mut Blame<'_>) -> Result<(), Reason> {
        let budget = self.setting.budget;
        let mut causes = self.over(Keeping::Causes);
        let mut position: Vec<PieceId> = Vec::new();
        for (n, act) in path.iter().enumerate() {
            let strand = causes.same_strand(&self.strands, act.how.0);
            let played = played(act).and_then(|(n, code)| {
                let offers = causes.offers(&position, strand)?;
                let offer = offers.get(n)?;
                Some((n, offer.parts(causes.domain(), &self.setting.arena, code)))
            });
            causes.domain_mut().take_doubts();
            let performed = causes.perform(&position, strand, played, Some(&act.how.1.choices), budget)?;
            let Some(told) = performed.into_iter().next() else {
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
            position = told.next.unwrap_or_default();
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

    fn confirm(&self, play: Play) -> Verdict {
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

/// So many acts are tried before giving up, or twice the play.
const MOST_ACTS: usize = 40_000;
/// From a play over intervals no more than so many positions are followed at once.
const MOST_POSITIONS: usize = 16;
/// A run of P's may ask this often whether to go on.
const MOST_PATIENCE: u64 = 16;

/// What happens, in its order, to be tried with numbers.
struct Schedule<'a> {
    setting: &'a Setting<'a>,
    acts: &'a [Act],
    /// The strands of the acts, as the two machines call them.
    strands: Vec<(StrandId, StrandId)>,
    intervals: Strands<Abstracted>,
    exact: Strands<Exact>,
    acts_left: usize,
}

impl Rehearsal for Schedule<'_> {
    fn is_enough(&self) -> bool {
        self.acts_left == 0
    }

    fn attempt(&mut self, given: &[Given]) -> Attempt {
        let target = &self.setting.question.target;
        let mut positions: Vec<Vec<PieceId>> = vec![Vec::new()];
        let mut certain = true;
        let mut doubts: Vec<Causes> = Vec::new();
        let mut moves = 0;
        for (n, act) in self.acts.iter().enumerate() {
            self.acts_left = self.acts_left.saturating_sub(1);
            let is_last = n + 1 == self.acts.len();
            let strand = self.strands[n].0;
            let mut next: Vec<Vec<PieceId>> = Vec::new();
            let mut instead = None;
            for position in positions {
                let offers = self.intervals.offers(&position, strand);
                let played = match played(act) {
                    None => None,
                    Some((offer, _)) => match offers.as_ref().and_then(|offers| offers.get(offer)) {
                        Some(found) => Some((offer, given[n].data(n, found.element.as_ref()))),
                        None => continue,
                    },
                };
                let budget = &self.setting.budget.with_patience(MOST_PATIENCE);
                self.intervals.domain_mut().take_pending();
                self.intervals.domain_mut().take_doubts();
                let performed = self.intervals.perform(&position, strand, played, None, budget);
                let Ok(performed) = performed else { return Attempt::Unsure(doubts) };
                // Ways were gone one by one, so all that was pending has been picked.
                let undecided = self.intervals.domain_mut().take_doubts();
                let ways = performed.len();
                let mut kept = 0;
                for Step { label, next: after, .. } in performed {
                    let label = label.map(|label| label.m);
                    let fit = label.as_ref().map_or(Fit::Not, |m| fits(m, target));
                    if kind(label.as_ref()) != kind(act.label.as_ref()) || (is_last && fit == Fit::Not) {
                        instead = instead.or(label);
                        continue;
                    }
                    if is_last && fit == Fit::Perhaps {
                        doubts.extend(label.iter().filter_map(answered).map(|value| value.causes.clone()));
                        certain = false;
                    }
                    kept += 1;
                    // Where the play is complete, nothing follows.
                    let after = after.unwrap_or_default();
                    if !next.contains(&after) {
                        next.push(after);
                    }
                }
                if ways != 1 || kept != 1 {
                    certain = false;
                    doubts.extend(undecided);
                }
            }
            moves += usize::from(act.label.is_some());
            if next.is_empty() {
                let show =
                    |m: &Move<Value>| self.setting.arena.show_with(m, |_, value| value.interval.to_string());
                let after = moves - usize::from(act.label.is_some());
                return Attempt::Impossible { after, instead: instead.as_ref().map(show) };
            }
            if next.len() > MOST_POSITIONS {
                return Attempt::Unsure(doubts);
            }
            positions = next;
        }
        if certain { Attempt::Certain } else { Attempt::Unsure(doubts) }
    }

    fn tell(&mut self, given: &[Given]) -> Option<Play> {
        self.acts_left = self.acts_left.saturating_sub(self.acts.len());
        let Schedule { setting, acts, strands, exact, .. } = self;
        let acts = acts
            .iter()
            .zip(given)
            .zip(strands)
            .map(|((act, given), (_, strand))| (*strand, played(act).map(|(offer, _)| (offer, given))));
        told(exact, acts, &setting.question.target, setting.budget)
    }
}
