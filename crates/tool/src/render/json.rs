//! Answers as data.

use agon_base::diagnostic::{self, Severity};
use agon_base::source::{Source, Span};
use agon_check::verdict::{self, Report};
use agon_core::held::Held;
use agon_games::moves::Player;
use agon_games::play::Play;
use agon_witness::verify::Evidence;

use super::answer::why;
use super::words::words;
use super::{assumption, cause, store};
use crate::play_session::player;
use crate::session::Session;
use crate::shape::Version;
use crate::shape::answer::{Answer, Finding, Verdict};
use crate::shape::diagnostic::{self as shape, Diagnostic, Diagnostics, Place};
use crate::shape::play::Step;
use crate::shape::refinement::{
    Abstraction, Iteration, KeptSplitting, Known, Played, Predicates, Refined, Split,
};
use crate::system::peak_memory;

/// The cost of a run.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Wall-clock time in seconds.
    pub seconds: f64,
    /// The peak memory of the process in MiB, where it is known.
    pub peak_memory_mib: Option<f64>,
}

/// The answer to a question about a program.
pub fn answer(source: &Source, finding: Finding, cost: Cost) -> Answer {
    Answer {
        version: Version,
        file: source.name.clone(),
        seconds: Some(cost.seconds),
        peak_memory_mib: cost.peak_memory_mib,
        finding,
        checks: None,
        warnings: None,
        cached: None,
    }
}

/// A report about a target as data. The contents of cells are beside the moves, if they are given.
pub fn finding(session: &Session, target: &str, report: &Report, stores: Option<&[Vec<Held>]>) -> Finding {
    let mut finding = Finding {
        iterations: report.iterations,
        states: report.states,
        transitions: report.transitions,
        solver_failure: report.solver_failure.as_ref().map(ToString::to_string),
        chosen_because: report.because.clone(),
        assumption: report.assumed().map(assumption::data),
        assumptions: (!session.assumed.is_empty()).then(|| session.assumed.clone()),
        ..undecided(target, report.engine)
    };
    refined(&mut finding, report);
    match &report.verdict {
        verdict::Verdict::Safe => finding.verdict = Verdict::Safe,
        verdict::Verdict::Unknown(reason) => finding.reason = Some(why(session, reason)),
        verdict::Verdict::Unsafe(play, Evidence { closed, failure }) => {
            let stuck = || report.stuck().iter().map(|span| place(&session.source, *span)).collect();
            finding.verdict = Verdict::Unsafe;
            finding.play = self::play(session, play, stores);
            finding.cause = failure.as_ref().map(|failure| cause::data(session, failure));
            finding.stuck = (!report.stuck().is_empty()).then(stuck);
            finding.environment = closed.as_ref().map(|closed| closed.text[..closed.term].into());
        }
    }
    finding
}

/// Adds how the data was approximated, if it was.
pub(super) fn refined<P, E>(finding: &mut Finding, report: &verdict::Report<P, E>) {
    if let Some(refinement) = report.refinement() {
        let predicates_used = report.predicated().is_some();
        let history = refinement.history.iter();
        finding.refinements =
            Some(history.map(|n| iteration(n, &refinement.moves, predicates_used)).collect());
        match report.predicated() {
            Some(predicated) => finding.predicates = Some(predicates(predicated)),
            None => finding.abstraction = abstraction(&refinement.abstraction),
        }
        finding.kept_splitting = (refinement.kept_splitting.as_ref())
            .filter(|_| matches!(report.verdict, verdict::Verdict::Unknown(_)))
            .map(|(variable, times)| KeptSplitting { variable: variable.clone(), times: *times });
    }
}

/// The data of a target without a verdict.
pub(super) fn undecided(target: &str, engine: &str) -> Finding {
    Finding { target: target.into(), engine: engine.into(), ..Finding::default() }
}

/// The answer to a question whose search was ended from outside.
pub fn unanswered(file: &str, target: &str, engine: &str, reason: String) -> Answer {
    Answer {
        version: Version,
        file: file.into(),
        seconds: None,
        peak_memory_mib: peak_memory(),
        finding: Finding { reason: Some(reason), ..undecided(target, engine) },
        checks: None,
        warnings: None,
        cached: None,
    }
}

/// The final predicates as data.
fn predicates(predicated: &verdict::Predicated) -> Predicates {
    Predicates {
        known: known(&predicated.kept),
        alive: predicated.alive,
        questions: predicated.asked,
        annotated: predicated.annotated.clone(),
        scopes_suffice: predicated.scopes_suffice,
    }
}

fn known(kept: &[(String, String)]) -> Vec<Known> {
    kept.iter().map(|(shown, place)| Known { what: shown.clone(), place: place.clone() }).collect()
}

/// An iteration of partitions or of predicates. Its moves are indices into the list.
pub fn iteration(iteration: &verdict::Iteration, list: &[(Player, String)], predicates: bool) -> Iteration {
    let moves = iteration.play.iter().map(|m| {
        let (by, m) = &list[*m as usize];
        Played { player: (*by).into(), made: m.clone() }
    });
    let splits = iteration.splits.iter().map(|split| Split {
        variable: split.variable.clone(),
        part: split.part.clone(),
        into: split.into.clone(),
    });
    Iteration {
        play: moves.collect(),
        spurious: iteration.spurious.clone(),
        states: iteration.states,
        refined: match predicates {
            true => Refined::Predicates {
                known: known(&iteration.abstraction),
                changes: iteration.changes.clone(),
            },
            false => Refined::Partitions {
                abstraction: abstraction(&iteration.abstraction),
                splits: splits.collect(),
                played_anew: iteration.played,
            },
        },
    }
}

fn abstraction(partitions: &[(String, String)]) -> Abstraction {
    partitions.iter().cloned().collect()
}

/// The moves of a play as data. The contents of cells are beside the moves, if they are given.
pub fn play(session: &Session, play: &Play, stores: Option<&[Vec<Held>]>) -> Vec<Step> {
    let step = |(n, (m, span)): (usize, (_, &Option<Span>))| Step {
        player: player(&session.arena, &m).into(),
        made: session.arena.show_threaded(&m),
        reading: words(session, play, n),
        depth: None,
        kind: None,
        name: None,
        data: None,
        reentry: None,
        thread: None,
        place: span.map(|span| place(&session.source, span)),
        store: stores.and_then(|stores| Some(store::cells(session, stores.get(n)?))),
    };
    play.threaded().zip(&play.spans).enumerate().map(step).collect()
}

/// The diagnostics of a source text.
pub fn diagnostics(source: &Source, list: &[diagnostic::Diagnostic]) -> Diagnostics {
    Diagnostics { version: Version, file: source.name.clone(), diagnostics: messages(source, list) }
}

/// The list of diagnostics of a source text.
pub fn messages(source: &Source, list: &[diagnostic::Diagnostic]) -> Vec<Diagnostic> {
    let message = |diagnostic: &diagnostic::Diagnostic| Diagnostic {
        code: Some(diagnostic.code.number().into()),
        severity: match diagnostic.severity {
            Severity::Error => shape::Severity::Error,
            Severity::Warning => shape::Severity::Warning,
        },
        message: diagnostic.message.clone(),
        place: diagnostic.primary.as_ref().map(|(span, _)| place(source, *span)),
        label: diagnostic.primary.as_ref().map(|(_, label)| label.clone()),
        notes: diagnostic.notes.clone(),
        help: diagnostic.help.clone(),
    };
    list.iter().map(message).collect()
}

/// A place by line and column and by bytes.
pub fn place(source: &Source, span: Span) -> Place {
    let (file, line, column) = source.place(span.start);
    let file = Some(file).filter(|file| *file != source.name).map(String::from);
    let (end_line, end_column) = source.line_column(span.end);
    Place { file, line, column, end_line, end_column, start: span.start, end: span.end }
}
