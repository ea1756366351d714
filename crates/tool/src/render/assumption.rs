//! Assumptions about a part of a program, as text and as data.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;

use agon_check::refine::assume::Assumed;
use agon_games::contract::{Assumption, Interface, Letter, Said, hit};

use crate::shape::assumption as shape;

/// Longer assumptions are shown only in part.
const SHOWN: usize = 40;

/// An assumption as text: for each state, the moves of O and the answers that the part may give.
pub fn text(assumption: &Assumption, interface: &Interface, whole: bool) -> String {
    let lines = lines(assumption, interface);
    let shown = if whole { lines.len() } else { lines.len().min(SHOWN) };
    let mut text = String::new();
    for line in &lines[..shown] {
        let _ = writeln!(text, "  {line}");
    }
    if lines.len() > shown {
        let _ = writeln!(text, "  … and {} more lines; --verbose shows them all", lines.len() - shown);
    }
    text
}

fn lines(assumption: &Assumption, interface: &Interface) -> Vec<String> {
    let states = &assumption.automaton.states;
    if states.is_empty() {
        return vec![
            "nothing is allowed: over these partitions of the data, the rest is safe with no part".into(),
        ];
    }
    let mut lines = Vec::new();
    let mut shown = vec![false; states.len()];
    shown[0] = true;
    let mut waiting = VecDeque::from([0]);
    while let Some(n) = waiting.pop_front() {
        let mut by_move: BTreeMap<&Said, Vec<(&Said, u32)>> = BTreeMap::new();
        for (letter, to) in &states[n as usize].edges {
            let Letter { o, p } = &assumption.letters[*letter as usize];
            by_move.entry(o).or_default().push((p, *to));
        }
        if by_move.is_empty() {
            lines.push((n, "P must not answer any move of O".into()));
        }
        for (o, then) in by_move {
            let o = interface.show_said(o);
            // If even the target is allowed, everything is: the rest never reaches this state with this move.
            if then.iter().any(|(p, _)| **p == hit()) {
                lines.push((n, format!("O never makes {o}, so P may make any move then")));
                continue;
            }
            let then = then.into_iter().map(|(p, to)| {
                if !std::mem::replace(&mut shown[to as usize], true) {
                    waiting.push_back(to);
                }
                format!("{} → {to}", interface.show_said(p))
            });
            let then: Vec<_> = then.collect();
            lines.push((n, format!("O may {o}, then P must {}", then.join(" or "))));
        }
    }
    lines.sort_by_key(|(n, _)| *n);
    let mut last = None;
    let numbered = lines.into_iter().map(|(n, line): (u32, String)| {
        let number = if last == Some(n) { "   ".into() } else { format!("{n:3}") };
        last = Some(n);
        format!("{number}  {line}")
    });
    numbered.collect()
}

/// The assumption, as text below a verdict.
pub fn below(assumed: &Assumed, whole: bool) -> String {
    let mut text = match &assumed.why {
        Some(why) => format!("\nChecked in two parts, `{}` and the rest: {why}.\n", assumed.component),
        None => format!("\nChecked in two parts, `{}` and the rest.\n", assumed.component),
    };
    match (&assumed.assumption, &assumed.last) {
        (Some(assumption), _) => {
            let _ = write!(
                text,
                "\nThe contract of `{}`; the rest is safe with every part that satisfies it ({}):\n\n{}",
                assumed.component,
                counted(assumption),
                self::text(assumption, &assumed.interface, whole)
            );
        }
        (None, Some(guess)) => {
            let _ = writeln!(text, "The last candidate assumption had {}.", counted(guess));
        }
        (None, None) => {}
    }
    if whole {
        for (n, table) in assumed.tables.iter().enumerate() {
            let _ = write!(text, "\nTable {}\n\n", n + 1);
            for line in table.lines() {
                let _ = writeln!(text, "  {line}");
            }
        }
    }
    let asked = assumed.questions;
    let _ = writeln!(
        text,
        "\nMembership: {}, {} more without a run; candidates: {}.",
        several(asked.membership, "play"),
        asked.free,
        several(asked.equivalence, "assumption")
    );
    text
}

fn counted(assumption: &Assumption) -> String {
    several(assumption.automaton.states.len() as u64, "state")
}

fn several(n: u64, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// The assumption as data.
pub fn data(assumed: &Assumed) -> shape::Assumption {
    shape::Assumption {
        component: assumed.component.clone(),
        chosen_because: assumed.why.clone(),
        membership_queries: assumed.questions.membership,
        answered_without: assumed.questions.free,
        equivalence_queries: assumed.questions.equivalence,
        tables: assumed.tables.clone(),
        last_states: assumed.last.as_ref().map(|guess| guess.automaton.states.len()),
        states: assumed.assumption.as_ref().map(|assumption| assumption.automaton.states.len()),
        edges: assumed.assumption.as_ref().map(|assumption| edges(assumption, &assumed.interface)),
        text: None,
        graph: None,
    }
}

/// The edges of an assumption: from, O's move, P's move, to.
fn edges(assumption: &Assumption, interface: &Interface) -> Vec<(usize, String, String, u32)> {
    let mut edges = Vec::new();
    for (n, state) in assumption.automaton.states.iter().enumerate() {
        for (letter, to) in &state.edges {
            let Letter { o, p } = &assumption.letters[*letter as usize];
            edges.push((n, interface.show_said(o), interface.show_said(p), *to));
        }
    }
    edges
}
