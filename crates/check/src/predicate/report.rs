//! The report: what was known of the store, iteration by iteration, and in the end.

use std::collections::{BTreeMap, BTreeSet};

use agon_base::source::Span;
use agon_core::term::Mode;
use agon_games::machine::Pausing;
use agon_games::moves::Move;
use agon_games::symbolic::Value;
use agon_games::values::CellId;

use super::predicates::PredicateId;
use super::scopes::Extent;
use super::{Engine, Scheme};
use crate::verdict::{Account, Predicated, Report, Verdict};

impl Engine<'_> {
    pub(super) fn lines(&self, extent: Extent) -> String {
        let line = |at: u32| self.subject.language.line(at);
        match (line(extent.span.start), line(extent.span.end)) {
            (first, last) if first == last => format!("in line {first}"),
            (first, last) => format!("in lines {first} to {last}"),
        }
    }

    /// What is kept of the store, in words.
    pub(super) fn kept(&self) -> Vec<(String, String)> {
        let mut kept = Vec::new();
        let shown = |id: PredicateId| self.space.predicates.get(id).shown.clone();
        for (id, extent) in self.scoped(&BTreeMap::new()) {
            kept.push((shown(id), self.lines(extent)));
        }
        let at: BTreeSet<PredicateId> = self.precision.at.values().flatten().copied().collect();
        kept.extend(at.into_iter().map(|id| (shown(id), "where it is needed".into())));
        kept.extend(self.precision.everywhere.iter().map(|id| (shown(*id), "everywhere".into())));
        let exact: BTreeSet<CellId> = self.precision.exact.iter().copied().collect();
        kept.extend(exact.into_iter().map(|cell| (self.name(cell).into(), "its numbers".into())));
        kept
    }

    pub(super) fn show(&self, m: &Move<Value>) -> String {
        let space = &self.space;
        space.arena.show_with(m, |data, value| match space.game.domain().number_in(value) {
            Some(n) => data.map_or_else(|| n.to_string(), |data| data.show(&n)),
            None => "…".into(),
        })
    }

    /// The report with an account of what was known in the end.
    pub(super) fn accounted(self, report: Report) -> Report {
        let written: Vec<(String, Span)> = self
            .occurrences
            .iter()
            .filter_map(|occurrence| {
                let shown = self.space.predicates.get(occurrence.predicate).shown.clone();
                occurrence.extent(occurrence.level).map(|extent| (shown, extent.span))
            })
            .collect();
        let annotated = match (&report.verdict, self.scheme) {
            (Verdict::Safe, Scheme::Minimal) if !written.is_empty() => {
                self.subject.language.annotate(&written)
            }
            _ => None,
        };
        let predicated = Predicated {
            kept: self.kept(),
            alive: self.space.alive,
            asked: self.space.game.domain().judge().asked,
            annotated,
            scopes_suffice: (self.pausing == Pausing::Steps
                || self.subject.judgement.mode == Mode::Concurrent)
                && self.precision.exact.is_empty()
                && self.precision.at.is_empty()
                && self.precision.everywhere.is_empty(),
        };
        let account = match report.account {
            Account::Approximated(refinement) => Account::Predicated(refinement, predicated),
            other => other,
        };
        let (states, transitions) = (self.cancelled.states, self.cancelled.transitions);
        match states > report.states {
            true => Report { account, states, transitions, ..report },
            false => Report { account, ..report },
        }
    }
}
