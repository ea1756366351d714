//! Certificates: a program is safe if the rest of it is with any part that keeps to an assumption, and the part does
//! keep to it [AG, §5.1]. Both are checked here, position by position, over the data that the certificate gives.
//!
//! The walk over positions is written here again, without the engine's cache, learner and order. What a step is comes from
//! code that the engine uses as well: the compiler and the machine over intervals, and `contract` for how the program is
//! split and which letters may follow which. A mistake there is not noticed here. Tests compare the machine with the
//! reference semantics, and intervals with numbers.

use agon_base::budget::{Budget, Stop};
use agon_base::explore::breadth_first;
use agon_base::int::Int;
use agon_base::intern::Interner;
use agon_base::refused::Refused;
use agon_core::split::Split;
use agon_games::abstracted::{Abstracted, Keeping, Value};
use agon_games::arena::OWN;
use agon_games::contract::{Assumption, Decomposition, Half, Letter, Position, Rules, Said};
use agon_games::interval::Interval;
use agon_games::machine::{Machine, Offer, State};
use agon_games::moves::{Label, Move};
use agon_games::sites::Sites;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::verify::Subject;

/// What a certificate is about.
#[derive(Clone, Copy)]
pub struct Claim<'a> {
    /// The program.
    pub subject: Subject<'a>,
    /// The program in two.
    pub split: &'a Split,
    /// What no environment is to bring about.
    pub target: &'a Move,
}

/// Whether the program is safe because the part keeps to the assumption; gives how many positions were visited, of
/// the rest and of the part.
pub fn certify(
    claim: Claim<'_>,
    assumption: &Assumption,
    budget: &Budget,
) -> Result<(usize, usize), Refused> {
    let halves = halves(claim, assumption)?;
    let sites = data(&halves, assumption)?;
    let mut checked = Checked::new(&halves, &sites, assumption, budget);
    let rest =
        checked.rest_is_safe(halves.in_half(Half::Rest, claim.target, claim.subject.arena).as_ref())?;
    let part = checked.part_keeps(halves.in_half(Half::Part, claim.target, claim.subject.arena).as_ref())?;
    Ok((rest, part))
}

/// Whether the rest of the program is safe with every part that keeps to the assumption, whatever the present one does; gives
/// how many positions were visited.
pub fn certify_rest(claim: Claim<'_>, assumption: &Assumption, budget: &Budget) -> Result<usize, Refused> {
    let halves = halves(claim, assumption)?;
    let sites = data(&halves, assumption)?;
    let mut checked = Checked::new(&halves, &sites, assumption, budget);
    checked.rest_is_safe(halves.in_half(Half::Rest, claim.target, claim.subject.arena).as_ref())
}

fn halves(claim: Claim<'_>, assumption: &Assumption) -> Result<Decomposition, Refused> {
    let whole = claim.subject.sequential_code()?;
    Decomposition::new(&whole, claim.subject.arena, claim.split, &assumption.component)
}

fn data(halves: &Decomposition, assumption: &Assumption) -> Result<Sites, Refused> {
    let sites = assumption.on(halves.sites());
    sites.ok_or_else(|| "the partitions are not those of the program's data".to_string().into())
}

/// The budget is checked once in this many positions.
const PATIENCE: usize = 1 << 6;

struct Checked<'a> {
    halves: &'a Decomposition,
    rest: Machine<Abstracted>,
    part: Machine<Abstracted>,
    assumption: &'a Assumption,
    /// For each state of the assumption, where its letters lead.
    allowed: Vec<FxHashMap<&'a Letter, u32>>,
    budget: &'a Budget,
}

/// Who is to move.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Turn {
    Rest,
    Part(Said),
    Environment,
}

/// What happens after a move of O's to the rest.
enum Next {
    Target,
    Goes(State, Turn),
}

impl<'a> Checked<'a> {
    fn new(
        halves: &'a Decomposition,
        sites: &Sites,
        assumption: &'a Assumption,
        budget: &'a Budget,
    ) -> Checked<'a> {
        let machine = |half| halves.machine(half, sites, Keeping::Parts, Interval::binary);
        let allowed = assumption.automaton.states.iter().map(|state| {
            let edges = state.edges.iter();
            edges.filter_map(|(n, to)| Some((assumption.letters.get(*n as usize)?, *to))).collect()
        });
        let allowed = allowed.collect();
        Checked { halves, rest: machine(Half::Rest), part: machine(Half::Part), assumption, allowed, budget }
    }

    fn rules(&self) -> Rules<'_> {
        Rules {
            interface: &self.halves.interface,
            rest: &self.rest.domain().sites,
            part: &self.part.domain().sites,
            depth: self.assumption.depth,
            hits: true,
        }
    }

    fn go_on(&self, visited: usize) -> Result<(), Stop> {
        if visited.is_multiple_of(PATIENCE) { self.budget.check() } else { Ok(()) }
    }

    fn after_rest(
        &mut self,
        state: State,
        offer: &Offer<Value>,
        code: u64,
        target: Option<&Move>,
    ) -> Result<Vec<Next>, Refused> {
        let mut found = Vec::new();
        if may_be(&offer.at(self.rest.domain(), self.rest.arena(), code), target) {
            found.push(Next::Target);
        }
        let mut reactions = Vec::new();
        self.rest.play(state, offer, code, &mut reactions, self.budget)?;
        for reaction in reactions {
            if may_be(&reaction.label, target) {
                found.push(Next::Target);
            }
            let Some(next) = reaction.next else { continue };
            let interface = &self.halves.interface;
            match interface.to_part(&reaction.label, &self.part.domain().sites) {
                None => found.push(Next::Goes(next, Turn::Rest)),
                Some(said) => {
                    if reaction.label.label.is_question() && self.rest.owes(next, interface.given()) {
                        return Err("the part is entered while it runs".to_string().into());
                    }
                    found.extend(said.into_iter().map(|said| Next::Goes(next, Turn::Part(said))));
                }
            }
        }
        Ok(found)
    }

    /// The first premise.
    fn rest_is_safe(&mut self, target: Option<&Move>) -> Result<usize, Refused> {
        // Where nothing is allowed, there is no part to be safe with.
        let Some(first) = self.assumption.automaton.start() else { return Ok(0) };
        let start = (self.rest.start(), first, Position::default(), Turn::Rest);
        let mut visited = Interner::default();
        visited.intern(start);
        breadth_first(&mut visited, |visited, next| {
            let (state, q, at, turn) = visited.get(next).clone();
            self.go_on(visited.len())?;
            let mut found: Vec<(Next, u32, Position)> = Vec::new();
            if turn == Turn::Rest {
                for offer in self.rest.offers(state).iter() {
                    for code in 0..=offer.last.unwrap_or(0) {
                        let next = self.after_rest(state, offer, code, target)?;
                        found.extend(next.into_iter().map(|next| (next, q, at.clone())));
                    }
                }
            } else {
                let letters = self.rules().letters(&at);
                if let Turn::Part(said) = &turn
                    && !letters.iter().any(|letter| letter.o == *said)
                {
                    return Err("the rest says what is against the rules".to_string().into());
                }
                for letter in letters {
                    let fits = match &turn {
                        Turn::Part(said) => letter.o == *said,
                        _ => {
                            let o = letter.o.component;
                            o != OWN && self.halves.interface.outside(o).is_none()
                        }
                    };
                    let Some(to) = self.allowed[q as usize].get(&letter).copied().filter(|_| fits) else {
                        continue;
                    };
                    let after = self.rules().after(&at, &letter);
                    if letter.p.label == Label::Abort {
                        found.push((Next::Target, to, after));
                        continue;
                    }
                    if self.halves.interface.outside(letter.p.component).is_none() {
                        found.push((Next::Goes(state, Turn::Environment), to, after));
                        continue;
                    }
                    let offers = self.rest.offers(state);
                    let sites = &self.rest.domain().sites;
                    let Some((n, code)) = self.halves.interface.to_rest(&letter.p, &offers, sites) else {
                        return Err("the assumption says what the rest cannot hear".to_string().into());
                    };
                    let next = self.after_rest(state, &offers[n], code, target)?;
                    found.extend(next.into_iter().map(|next| (next, to, after.clone())));
                }
            }
            for (next, q, at) in found {
                match next {
                    Next::Target => {
                        return Err("the rest is not safe with the assumption".to_string().into());
                    }
                    Next::Goes(state, turn) => visited.intern((state, q, at, turn)),
                };
            }
            Ok::<(), Refused>(())
        })?;
        Ok(visited.len())
    }

    /// The second premise.
    fn part_keeps(&mut self, target: Option<&Move>) -> Result<usize, Refused> {
        let Some(first) = self.assumption.automaton.start() else {
            return Err("the assumption allows nothing, not even a part that does nothing"
                .to_string()
                .into());
        };
        let opening = self.part.start();
        let start = (opening, first, Position::default());
        let mut visited = Interner::default();
        visited.intern(start);
        breadth_first(&mut visited, |visited, next| {
            let (state, q, at) = visited.get(next).clone();
            self.go_on(visited.len())?;
            let mut from = vec![(state, self.part.offers(state))];
            let asked = from[0].1.last().map(|offer| offer.component);
            let interface = &self.halves.interface;
            if state != opening
                && interface.rest_jumps
                && asked.is_some_and(|asked| interface.outside(asked).is_some())
            {
                from.push((opening, self.part.offers(opening)));
            }
            let letters: FxHashSet<Letter> = self.rules().letters(&at).into_iter().collect();
            for (state, offers) in from {
                for offer in offers.iter() {
                    for code in 0..=offer.last.unwrap_or(0) {
                        for (letter, next) in self.after_part(state, offer, code, target)? {
                            if !letters.contains(&letter) {
                                return Err("the part plays what is against the rules".to_string().into());
                            }
                            let Some(to) = self.allowed[q as usize].get(&letter).copied() else {
                                let letter = self.halves.interface.show(&letter);
                                return Err(format!("the part plays {letter}, which is not allowed").into());
                            };
                            let Some(next) = next else { continue };
                            visited.intern((next, to, self.rules().after(&at, &letter)));
                        }
                    }
                }
            }
            Ok::<(), Refused>(())
        })?;
        Ok(visited.len())
    }

    /// The letters that the part may play, and where it is then; nowhere, if the target is reached.
    fn after_part(
        &mut self,
        state: State,
        offer: &Offer<Value>,
        code: u64,
        target: Option<&Move>,
    ) -> Result<Vec<(Letter, Option<State>)>, Refused> {
        let asked = offer.at(self.part.domain(), self.part.arena(), code);
        let o = self.halves.interface.offered(&asked);
        let letter = |p: Said| Letter { o: o.clone(), p };
        // Where the target may be reached, the assumption must forbid the rest to come; so nothing else matters there.
        if may_be(&asked, target) {
            return Ok(vec![(letter(self.halves.hit()), None)]);
        }
        let mut found = Vec::new();
        let mut reactions = Vec::new();
        self.part.play(state, offer, code, &mut reactions, self.budget)?;
        for reaction in reactions {
            if may_be(&reaction.label, target) {
                found.push((letter(self.halves.hit()), None));
                continue;
            }
            if reaction.label.label == Label::Abort {
                continue;
            }
            let next = Some(reaction.next.unwrap_or(self.part.start()));
            let said = self.halves.interface.from_part(&reaction.label, &self.rest.domain().sites);
            found.extend(said.into_iter().map(|p| (letter(p), next)));
        }
        Ok(found)
    }
}

/// Whether a move over approximated data may be the target.
fn may_be(m: &Move<Value>, target: Option<&Move>) -> bool {
    let Some(target) = target.filter(|target| target.component == m.component) else { return false };
    let meets = |value: &Value, n: &Int| value.interval.contains(n);
    let said = match (&m.label, &target.label) {
        (Label::Value(value), Label::Value(n)) | (Label::Write(value), Label::Write(n)) => meets(value, n),
        (label, wanted) => label.says_what(wanted),
    };
    let element = match (&m.element, &target.element) {
        (Some(value), Some(n)) => meets(value, n),
        _ => true,
    };
    said && element
}
