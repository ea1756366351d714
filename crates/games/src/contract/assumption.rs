//! Assumptions: what a part of a program is to keep to, so that the rest is safe with it [AG, §5.1].

use std::collections::BTreeMap;

use agon_base::id::number;
use agon_learn::automaton::{Automaton, State};
use agon_learn::teacher as learn;

use super::{Interface, Letter};
use crate::automaton::{Automaton as Drawn, States};
use crate::interval::Interval;
use crate::moves::Player;
use crate::sites::Sites;

/// An assumption about a part: the words of an automaton over letters, and how their data is approximated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// What the part is called.
    pub component: String,
    /// The letters.
    pub letters: Vec<Letter>,
    /// The words that are allowed, their letters by their places. It may have no state at all: nothing is allowed then.
    pub automaton: Automaton<u32>,
    /// How the data of the program, and what the part and the rest say to each other, is approximated.
    pub data: Vec<(String, Vec<Interval>)>,
    /// How deeply the part may nest calls in arguments of calls.
    pub depth: usize,
}

impl Assumption {
    /// The assumption of an automaton whose letters are numbered otherwise.
    pub fn new<L: Copy + learn::Letter>(
        component: &str,
        automaton: &Automaton<L>,
        letter: impl Fn(L) -> Letter,
        sites: &Sites,
        depth: usize,
    ) -> Assumption {
        let mut letters = Vec::new();
        let mut places: BTreeMap<L, u32> = BTreeMap::new();
        let mut numbered = Automaton::default();
        for State { accepting, edges } in automaton.canonical().states {
            let mut state = State { accepting, edges: BTreeMap::new() };
            for (id, to) in edges {
                let place = *places.entry(id).or_insert_with(|| {
                    letters.push(letter(id));
                    number(letters.len()) - 1
                });
                state.edges.insert(place, to);
            }
            numbered.states.push(state);
        }
        let data = sites.iter().map(|(_, site)| (site.name.clone(), site.parts().cloned().collect()));
        Assumption { component: component.into(), letters, automaton: numbered, data: data.collect(), depth }
    }

    /// The partitions of the assumption put on sites that have one part each; none if they do not fit.
    pub fn on(&self, sites: &Sites) -> Option<Sites> {
        let mut sites = sites.clone();
        let found: Vec<_> =
            sites.iter().map(|(id, site)| (id, site.name.clone(), site.range.clone())).collect();
        for (id, name, range) in found {
            let (_, parts) = self.data.iter().find(|(named, _)| *named == name)?;
            if !is_partition(parts, &range) {
                return None;
            }
            if parts.len() > 1 {
                sites.site_mut(id).split(&BTreeMap::from([(0, parts.clone())]));
            }
        }
        Some(sites)
    }

    /// The automaton move by move, to be drawn: O's moves and P's by turns.
    pub fn drawn(&self, interface: &Interface) -> Drawn<(Player, String)> {
        let mut rows: Vec<Vec<((Player, String), u32)>> =
            vec![Vec::new(); self.automaton.states.len().max(1)];
        for (n, state) in self.automaton.states.iter().enumerate() {
            let mut between: BTreeMap<String, u32> = BTreeMap::new();
            for (letter, to) in &state.edges {
                let Letter { o, p } = &self.letters[*letter as usize];
                let o = interface.show_said(o);
                let middle = *between.entry(o.clone()).or_insert_with(|| {
                    rows.push(Vec::new());
                    let middle = number(rows.len()) - 1;
                    rows[n].push(((Player::O, o), middle));
                    middle
                });
                rows[middle as usize].push(((Player::P, interface.show_said(p)), *to));
            }
        }
        let mut states = States::default();
        for (n, row) in rows.into_iter().enumerate() {
            row.into_iter().for_each(|(letter, to)| states.edge(letter, to));
            states.end_state(n < self.automaton.states.len());
        }
        states.automaton(0)
    }
}

/// Whether intervals, least first, are all numbers of a range, each once.
fn is_partition(parts: &[Interval], range: &Interval) -> bool {
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return false };
    let next = |pair: &[Interval]| {
        let end = pair[0].high().map(|high| high.add(&agon_base::int::Int::ONE));
        end.is_some() && end.as_ref() == pair[1].low()
    };
    first.low() == range.low() && last.high() == range.high() && parts.windows(2).all(next)
}
