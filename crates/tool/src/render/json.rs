//! Answers as data.

use agon_base::diagnostic::{Diagnostic, Severity};
use agon_base::source::{Source, Span};
use agon_check::verdict::{Iteration, Predicated, Report, Verdict};
use agon_games::moves::Player;
use agon_games::play::Play;
use agon_witness::verify::Evidence;
use serde_json::{Value, json};

use super::answer::why;
use super::words::words;
use super::{assumption, cause};
use crate::play_session::player;
use crate::session::Session;
use crate::system::peak_memory;

/// What a run cost.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Seconds, by the clock.
    pub seconds: f64,
    /// The most memory the process ever had, in MiB, where it is known.
    pub peak_memory_mib: Option<f64>,
}

/// The answer to a question.
pub fn answer(session: &Session, target: &str, report: &Report, cost: Cost) -> Value {
    let (verdict, reason) = match &report.verdict {
        Verdict::Safe => ("safe", None),
        Verdict::Unsafe(..) => ("unsafe", None),
        Verdict::Unknown(reason) => ("unknown", Some(why(session, reason))),
    };
    let mut value = json!({
        "file": session.source.name,
        "verdict": verdict,
        "target": target,
        "engine": report.engine,
        "iterations": report.iterations,
        "states": report.states,
        "transitions": report.transitions,
        "seconds": cost.seconds,
        "peak_memory_mib": cost.peak_memory_mib,
        "abstraction": {},
        "play": [],
    });
    if let Some(reason) = reason {
        value["reason"] = reason.into();
    }
    if let Some(failure) = &report.solver_failure {
        value["solver_failure"] = failure.to_string().into();
    }
    if let Some(why) = &report.because {
        value["chosen_because"] = why.as_str().into();
    }
    if let Some(assumed) = &report.assumed {
        value["assumption"] = assumption::data(assumed);
    }
    if let Some(refinement) = &report.refinement {
        let predicates_used = report.predicated.is_some();
        value["refinements"] =
            refinement.history.iter().map(|n| iteration(n, &refinement.moves, predicates_used)).collect();
        match &report.predicated {
            Some(predicated) => value["predicates"] = predicates(predicated),
            None => value["abstraction"] = abstraction(&refinement.abstraction),
        }
        if let (Verdict::Unknown(_), Some((name, times))) = (&report.verdict, &refinement.kept_splitting) {
            value["kept_splitting"] = json!({ "variable": name, "times": times });
        }
    }
    if let Verdict::Unsafe(play, Evidence { closed, failure }) = &report.verdict {
        value["play"] = self::play(session, play);
        if let Some(failure) = failure {
            value["cause"] = cause::data(session, failure);
        }
        if !report.stuck.is_empty() {
            value["stuck"] = report.stuck.iter().map(|span| place(&session.source, *span)).collect();
        }
        if let Some(closed) = closed {
            value["environment"] = closed.text[..closed.term].into();
        }
    }
    value
}

/// The answer to a question that had to be left before there was one.
pub fn unanswered(file: &str, target: &str, engine: &str, reason: &str) -> Value {
    json!({
        "file": file,
        "verdict": "unknown",
        "target": target,
        "engine": engine,
        "iterations": 0,
        "states": 0,
        "transitions": 0,
        "seconds": null,
        "peak_memory_mib": peak_memory(),
        "abstraction": {},
        "play": [],
        "reason": reason,
    })
}

/// What was known of the store by predicates.
fn predicates(predicated: &Predicated) -> Value {
    json!({
        "known": known(&predicated.kept),
        "alive": predicated.alive,
        "questions": predicated.asked,
        "annotated": predicated.annotated,
        "scopes_suffice": predicated.scopes_suffice,
    })
}

fn known(kept: &[(String, String)]) -> Value {
    kept.iter().map(|(shown, place)| json!({ "what": shown, "where": place })).collect()
}

/// What happened in an iteration, of partitions or of predicates, whose moves are in a list.
pub fn iteration(iteration: &Iteration, list: &[(Player, String)], predicates: bool) -> Value {
    let player = |player: &Player| if *player == Player::O { "O" } else { "P" };
    let moves = iteration.play.iter().map(|m| {
        let (by, m) = &list[*m as usize];
        json!({ "player": player(by), "move": m })
    });
    let splits = iteration
        .splits
        .iter()
        .map(|split| json!({ "variable": split.variable, "part": split.part, "into": split.into }));
    let mut value = json!({
        "play": moves.collect::<Value>(),
        "spurious": iteration.spurious,
        "states": iteration.states,
    });
    if predicates {
        value["known"] = known(&iteration.abstraction);
        value["changes"] = iteration.changes.clone().into();
    } else {
        value["abstraction"] = abstraction(&iteration.abstraction);
        value["splits"] = splits.collect();
        value["played_anew"] = iteration.played.into();
    }
    value
}

fn abstraction(partitions: &[(String, String)]) -> Value {
    partitions.iter().map(|(name, parts)| (name.clone(), Value::from(parts.as_str()))).collect()
}

/// The moves of a play.
pub fn play(session: &Session, play: &Play) -> Value {
    play.threaded()
        .zip(&play.spans)
        .enumerate()
        .map(|(n, (m, span))| {
            let mut step = json!({
                "player": format!("{:?}", player(&session.arena, &m)),
                "move": session.arena.show_threaded(&m),
                "reading": words(session, play, n),
            });
            if let Some(span) = span {
                step["place"] = place(&session.source, *span);
            }
            step
        })
        .collect()
}

/// Diagnostics about a source text.
pub fn diagnostics(source: &Source, diagnostics: &[Diagnostic]) -> Value {
    let list: Vec<Value> = diagnostics
        .iter()
        .map(|diagnostic| {
            json!({
                "code": diagnostic.code.number(),
                "severity": match diagnostic.severity { Severity::Error => "error", Severity::Warning => "warning" },
                "message": diagnostic.message,
                "place": diagnostic.primary.as_ref().map(|(span, _)| place(source, *span)),
                "label": diagnostic.primary.as_ref().map(|(_, label)| label),
                "notes": diagnostic.notes,
                "help": diagnostic.help,
            })
        })
        .collect();
    json!({ "file": source.name, "diagnostics": list })
}

/// A place, by line and column and by bytes.
pub fn place(source: &Source, span: Span) -> Value {
    let (line, column) = source.line_column(span.start);
    json!({ "line": line, "column": column, "start": span.start, "end": span.end })
}
