//! The game of a module with several threads over approximated data: what happens, thread by thread, in one order.

use std::collections::{BTreeMap, BTreeSet};

use agon_base::budget::{Budget, Stop};
use agon_base::int::Int;
use agon_core::module::threads::replay::Act;
use agon_games::abstracted::{Abstracted, Keeping, Value};
use agon_games::arena::OWN;
use agon_games::contract::Half;
use agon_games::interval::Interval;
use agon_games::machine::{CallMemo, Machine, Offer, OfferData, Seen, Threaded, thread_path};
use agon_games::moves::{Label, Move};
use agon_games::play::Play;
use agon_games::sites::{PartRef, Site, SiteId, Sites};
use agon_games::strategy::{Strategy, Turn};

use super::{Abstraction, Blame, Game, RefinementOptions, Written, begun, refine, undecided_about};
use crate::cegar;
use crate::concretise::{Concrete, Concretising, Given, MOST_PAIRS, Pair, Skeleton};
use crate::modules::threads::Found;
use crate::modules::threads::scheduled::{PathStep, Prepared, Search};
use crate::search::{Observer, Progress};
use crate::verdict::{Reason, Verdict};
use crate::walk::Selection;

/// Cells with more values than this are not distinguished from the start.
const MOST_VALUES: u64 = 1 << 8;

/// Whether a module with several threads can fail, by refining an abstraction of its data until it is fine enough.
pub fn check(
    abstraction: &dyn Abstraction,
    prepared: &Prepared<'_>,
    effort: &RefinementOptions,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Found {
    let compiled = &prepared.compiled;
    let mut domain = begun(abstraction, Sites::new(&compiled.code, &compiled.arena));
    let names = compiled.name_sites(&domain.sites).collect();
    compiled.separate_constants(&mut domain.sites);
    for id in &prepared.scheduled.exact {
        if let Some(cell) = compiled.code.module_cell(*id) {
            let site = domain.sites.of_cell(cell);
            distinguish(domain.sites.site_mut(site));
        }
    }
    let target = Move { component: OWN, element: None, label: Label::Abort };
    let mut game = Threads {
        prepared,
        threaded: threaded(prepared, domain),
        target: target.clone(),
        budget,
        selection: abstraction.selection(),
        arithmetic: abstraction.arithmetic(),
        names,
        played: 0,
    };
    refine(abstraction, effort, &mut game, &target, observe)
}

/// Every number of a site becomes a part of its own.
fn distinguish(site: &mut Site) {
    let (Some(low), Some(high)) = (site.range.low().cloned(), site.range.high().cloned()) else { return };
    let few = high.sub(&low).to_u64().is_some_and(|more| more < MOST_VALUES);
    if site.count() == 1 && few && low < high {
        let all = std::iter::successors(Some(low), |n| Some(n.add(&Int::ONE)).filter(|n| *n <= high));
        site.split(&BTreeMap::from([(0, all.map(Interval::point).collect())]));
    }
}

fn threaded(prepared: &Prepared<'_>, domain: Abstracted) -> Threaded<Abstracted> {
    let memo = CallMemo { forget: true, ..CallMemo::default() };
    let (code, arena) = (prepared.compiled.code.clone(), prepared.compiled.arena.clone());
    prepared.over(Machine::new(code, arena, domain).with_call_memo(memo))
}

struct Threads<'a> {
    prepared: &'a Prepared<'a>,
    threaded: Threaded<Abstracted>,
    target: Move,
    budget: &'a Budget,
    selection: Selection,
    arithmetic: agon_games::abstracted::IntervalArithmetic,
    /// The sites that hold names of functions.
    names: BTreeSet<SiteId>,
    played: u64,
}

type Path = Vec<PathStep<Value>>;

impl Threads<'_> {
    /// The numbers that the environment gives with a move.
    fn given(&self, asked: Option<&Move<Value>>) -> Given {
        let Some(Move { component, label, .. }) = asked else { return Given::default() };
        let compiled = &self.prepared.compiled;
        let interval = |component, value: &Value| compiled.nameable(component, &value.interval);
        match label {
            Label::Call(arguments) => {
                let components = &compiled.arena.component(*component).arguments;
                let arguments = components.iter().zip(arguments.iter());
                let arguments = arguments.map(|(component, value)| interval(*component, value)).collect();
                Given { arguments, ..Given::default() }
            }
            Label::Value(value) => Given { value: Some(interval(*component, value)), ..Given::default() },
            _ => Given::default(),
        }
    }

    fn over(
        &self,
        keeping: Keeping,
        arithmetic: agon_games::abstracted::IntervalArithmetic,
    ) -> Threaded<Abstracted> {
        threaded(self.prepared, Abstracted::new(self.sites().clone(), keeping, arithmetic))
    }
}

impl Game for Threads<'_> {
    type Path = Path;
    type Play = Vec<Act>;
    type Evidence = ();

    fn sites(&self) -> &Sites {
        &self.threaded.machine().domain().sites
    }

    fn candidate(&mut self, progress: &mut Progress, observe: &mut Observer<'_>) -> cegar::Found<Path> {
        let extra = u64::from(self.selection != Selection::Shortest);
        let compiled = &self.prepared.compiled;
        let may_give = |offer: &Offer<Value>, data: &OfferData<Value>| {
            let may = |component, value: &Value| compiled.may_give(component, &value.interval);
            let components = &compiled.arena.component(offer.component).arguments;
            components.iter().zip(&data.arguments).all(|(component, value)| may(*component, value))
                && data.value.as_ref().is_none_or(|value| may(offer.component, value))
        };
        let within = (extra, self.prepared.exchange);
        let mut search = Search::new(&mut self.threaded, within, &may_give, self.budget);
        let found = search.run(progress, observe)?;
        self.played += progress.transitions;
        match found {
            None if self.threaded.cut => Err(Reason::Stop(Stop::Transitions)),
            found => Ok(found),
        }
    }

    fn played(&self) -> u64 {
        self.played
    }

    fn is_certain(&self, path: &Path) -> bool {
        path.iter().all(|step| step.how.outcomes.certain)
    }

    fn moves(&self, path: &Path, written: &mut Written) -> Vec<u32> {
        let arena = &self.prepared.compiled.arena;
        let visible = path.iter().flat_map(|step| [&step.label.asked, &step.label.said]).flatten();
        visible.map(|m| written.number(Half::Rest, arena, m)).collect()
    }

    fn undecided(&self, path: &Path) -> String {
        let first = path.iter().map(|step| &step.how.outcomes).find(|outcomes| !outcomes.certain);
        match first.and_then(|outcomes| outcomes.marker.as_ref()) {
            Some(about) => undecided_about(self.sites(), about.blame),
            None => "undecided".into(),
        }
    }

    fn concretise(&self, path: &Path, _: &RefinementOptions) -> Concrete {
        let pairs = path.iter().map(|step| {
            let Seen { thread, asked, said } = &step.label;
            let seen = said.as_ref().or(asked.as_ref());
            Pair {
                thread: thread_path(*thread),
                offer: step.how.offer.map(|(n, _)| n),
                given: self.given(asked.as_ref()),
                answer: seen.map(|m| (m.component, m.label.clone())),
            }
        });
        let skeleton = &Skeleton { pairs: pairs.collect(), target: self.target.clone() };
        let intervals = self.over(Keeping::Intervals, Interval::binary);
        let steps_left = MOST_PAIRS.max(2 * path.len());
        Concretising { skeleton, intervals, exact: self.prepared.exact(), budget: self.budget, steps_left }
            .run()
    }

    fn slice(&self, path: &Path, blame: &mut Blame<'_>) -> Result<(), Reason> {
        let mut causes = self.over(Keeping::Causes, self.arithmetic);
        let mut at = causes.start();
        for made in path {
            let thread = &thread_path(made.label.thread);
            let played = made.how.offer.and_then(|(n, code)| {
                let offers = Strategy::offers(&causes, &at, thread)?;
                let machine = causes.machine();
                Some((n, offers.get(n)?.parts(machine.domain(), machine.arena(), code)))
            });
            causes.domain_mut().take_doubts();
            let turn = Turn { thread, played };
            let steps = causes.steps(&at, turn, Some(&made.how.outcomes.choices), self.budget)?;
            let Some(step) = steps.into_iter().next() else {
                return Err(Reason::Unverified("a play cannot be told again".into()));
            };
            let doubts = causes.domain_mut().take_doubts();
            if !made.how.outcomes.certain && blame.step(&doubts) {
                break;
            }
            let Some(next) = step.next else { break };
            at = next;
        }
        // Names are never compared with anything but names, so the first cut tells all kinds of them apart.
        let whole =
            |part: &PartRef| self.names.contains(&part.site) && self.sites().site(part.site).count() == 1;
        for (_, cuts) in blame.parts.iter_mut().filter(|(part, _)| whole(part)) {
            cuts.extend(self.prepared.compiled.name_cuts());
        }
        Ok(())
    }

    fn refine(&mut self, _: &[PartRef], refine: &dyn Fn(&mut Abstracted)) {
        let mut domain = Abstracted::new(self.sites().clone(), Keeping::Parts, self.arithmetic);
        refine(&mut domain);
        let domain = Abstracted::new(domain.sites, Keeping::Parts, self.arithmetic);
        self.threaded = threaded(self.prepared, domain);
    }

    fn confirm(&self, path: &Path, play: Play) -> Verdict<Vec<Act>, ()> {
        // The environment's moves stand before those of the module's that belong to the same step.
        let mut moves = play.moves.into_iter();
        let mut asked = Vec::new();
        for step in path {
            asked.extend(step.label.asked.as_ref().and_then(|_| moves.next()));
            if step.label.said.is_some() {
                moves.next();
            }
        }
        Verdict::Unsafe(self.prepared.schedule(path, asked.into_iter()), ())
    }
}
