//! Answers as text.

use std::fmt::Write;

use agon_base::budget::Stop;
use agon_base::diagnostic::{Code, Diagnostic};
use agon_check::question::Question;
use agon_check::verdict::{Predicated, Reason, Refinement, Report, Unproved, Verdict};
use agon_core::held::Held;
use agon_core::language::Closed;
use agon_core::term::Mode;
use agon_core::types::{Data, Type};
use agon_games::moves::{Label, Player, ThreadMove};
use agon_games::play::Play;
use agon_games::symbolic::MOST_ELEMENTS;
use agon_witness::verify::Evidence;

use super::reader::Reader;
use super::words::words;
use super::{assumption, cause, store};
use crate::session::Session;

/// The most moves that are shown; of a longer play, only the beginning and the end are shown.
pub(super) const SHOWN: usize = 60;
/// Changes of cells are printed to the right of moves that are not longer than this.
pub(super) const WIDEST: usize = 100;

/// The verdict as text. The contents of cells are printed beside the moves, if they are given.
pub fn answer(
    session: &Session,
    question: &Question,
    report: &Report,
    whole_play: bool,
    stores: Option<&[Vec<Held>]>,
) -> String {
    let mut text = format!("{}  {}\n", report.verdict.word(), headline(session, question, report));
    match &report.verdict {
        Verdict::Safe => {}
        Verdict::Unsafe(play, Evidence { closed, failure }) => {
            if let Some(failure) = failure {
                let (line, column) = session.source.line_column(cause::span(session, failure).start);
                let _ = writeln!(text, "        {}  ({line}:{column})", cause::words(session, failure));
            }
            let _ = writeln!(text, "\n{}", moves(session, play, whole_play, stores));
            text += &match closed {
                Some(closed) => environment(closed),
                None => "The interpreter has replayed this play. With an environment made from it there are too many \
                         interleavings to try, so none is shown.\n"
                    .into(),
            };
        }
        Verdict::Unknown(reason) => {
            if let (Some(failure), false) = (&report.solver_failure, matches!(reason, Reason::Solver(_))) {
                let _ = writeln!(text, "\nA solver failed: {failure}.");
            }
            let diverges =
                matches!(reason, Reason::Iterations(_) | Reason::Stop(Stop::Time | Stop::Cancelled));
            if let Some((name, times)) = report.refinement().and_then(|r| r.kept_splitting.as_ref())
                && diverges
            {
                let times = if *times == 1 { "once".into() } else { format!("{times} times") };
                let _ = writeln!(text, "\nMost often it split `{name}`: {times}.");
            }
        }
    }
    if let Some(assumed) = report.assumed() {
        text += &assumption::below(assumed, whole_play);
    }
    if let Some(refinement) = report.refinement() {
        text += &match report.predicated() {
            Some(predicated) => predicates(predicated, &report.verdict),
            None => abstraction(refinement, report.iterations),
        };
        if whole_play {
            text += &history(refinement, report.predicated().is_some());
        }
    }
    text
}

/// The verdict in a sentence.
pub fn headline(session: &Session, question: &Question, report: &Report) -> String {
    let threads = question.threads.clone();
    let target = session.arena.show_threaded(&ThreadMove { m: question.target.clone(), threads });
    match (&report.verdict, &question.target.label) {
        (Verdict::Safe, Label::Abort) => "no environment makes the program abort".into(),
        (Verdict::Safe, _) => format!("no environment reaches `{target}`"),
        (Verdict::Unsafe(..), Label::Abort) => "an environment makes the program abort".into(),
        (Verdict::Unsafe(..), _) => format!("an environment reaches `{target}`"),
        (Verdict::Unknown(reason), _) => why(session, reason),
    }
}

/// Whether a program satisfies an assumption, as text.
pub fn against(session: &Session, report: &Report, whole_play: bool) -> String {
    match &report.verdict {
        Verdict::Safe => "SAFE  the program satisfies the assumption\n".into(),
        Verdict::Unsafe(play, _) if play.moves.is_empty() => {
            "UNSAFE  the assumption allows nothing, not even a program that does nothing\n".into()
        }
        Verdict::Unsafe(play, _) => {
            let note = report.because.as_ref().map_or(String::new(), |note| format!(": {note}"));
            format!(
                "UNSAFE  the program makes a play that the assumption does not allow{note}\n\n{}",
                moves(session, play, whole_play, None)
            )
        }
        Verdict::Unknown(reason) => format!("UNKNOWN  {}\n", why(session, reason)),
    }
}

/// The environment that was run with the program.
fn environment(closed: &Closed) -> String {
    let environment = closed.text[..closed.term].trim_end();
    let said = |line: &&str| !line.starts_with("//") && *line != "concurrent";
    let lines: Vec<_> = environment.lines().filter(said).collect();
    if lines.is_empty() {
        return "The program is closed; the interpreter reproduces the play.\n".into();
    }
    let mut text = "An environment that does it, run with the program by the interpreter:\n\n".to_string();
    for line in lines {
        let _ = writeln!(text, "  {}", shortened(line));
    }
    text
}

/// The verdict about deadlocks, as text.
pub fn deadlock(
    session: &Session,
    report: &Report,
    whole_play: bool,
    stores: Option<&[Vec<Held>]>,
) -> String {
    let beyond = "Deadlock is a property of single runs, which the game semantics does not contain.";
    match &report.verdict {
        Verdict::Safe => format!("SAFE  no run deadlocks\n\n{beyond}\n"),
        Verdict::Unsafe(play, _) => {
            let mut text = format!(
                "UNSAFE  a run deadlocks: after this play the program cannot move, whatever the environment does\n\n{}\n",
                moves(session, play, whole_play, stores)
            );
            if !report.stuck().is_empty() {
                let _ = writeln!(text, "Its threads are stuck at:\n");
                for span in report.stuck() {
                    let (line, column) = session.source.line_column(span.start);
                    let _ = writeln!(text, "  `{}`  ({line}:{column})", session.source.excerpt(*span));
                }
                text.push('\n');
            }
            let _ = writeln!(text, "{beyond}");
            text
        }
        Verdict::Unknown(reason) => format!("UNKNOWN  {}\n", why(session, reason)),
    }
}

/// The final partitions of the data.
fn abstraction(refinement: &Refinement, iterations: usize) -> String {
    let first = refinement.history.first().map_or(&refinement.abstraction, |first| &first.abstraction);
    let refined: Vec<_> =
        refinement.abstraction.iter().zip(first).filter(|(now, before)| now != before).collect();
    let width = refined.iter().map(|((name, _), _)| name.chars().count()).max().unwrap_or(0);
    let mut text = match (refined.len(), iterations) {
        (0, _) => return "\nThe data was not refined.\n".into(),
        (_, 1) => "\nThe final partitions:\n\n".into(),
        (_, n) => format!("\nThe partitions in iteration {n}:\n\n"),
    };
    for ((name, parts), _) in refined {
        let _ = writeln!(text, "  {name:width$}  {parts}");
    }
    text
}

/// The final predicates.
fn predicates(predicated: &Predicated, verdict: &Verdict) -> String {
    let mut text = match (predicated.kept.len(), predicated.alive, verdict) {
        (0, _, Verdict::Unknown(_)) => "\nThere were no predicates.\n".into(),
        (0, ..) => "\nNo predicate was needed.\n".into(),
        // No predicate is alive at a move if no scope contains the step from one of O's moves to the next.
        (_, 0, _) => "\nThe predicates:\n\n".into(),
        (_, alive, _) => format!("\nThe predicates, at most {alive} at a time:\n\n"),
    };
    known(&mut text, "", &predicated.kept);
    if let Some(annotated) = &predicated.annotated {
        text += match predicated.scopes_suffice {
            true => "\nThese scopes prove it; `--predicates annotated` uses them as written:\n\n",
            false => "\nThese scopes prove it, with the other refinements that --verbose shows:\n\n",
        };
        for line in annotated.lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

/// Predicates and their scopes, one on each line. Long predicates do not widen the column.
fn known(text: &mut String, head: &str, kept: &[(String, String)]) {
    let length = |shown: &str| shown.chars().count();
    let width = kept.iter().map(|(shown, _)| length(shown)).filter(|n| *n <= SHOWN).max().unwrap_or(0);
    for (shown, place) in kept.iter().take(SHOWN) {
        let _ = writeln!(text, "  {head}{shown:width$}  {place}");
    }
    if kept.len() > SHOWN {
        let _ = writeln!(text, "  {head}… and {} more", kept.len() - SHOWN);
    }
}

fn counted(n: u64, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// The iterations of a refinement of partitions or of predicates.
pub(super) fn history(refinement: &Refinement, predicates: bool) -> String {
    let mut text = String::new();
    for (n, iteration) in refinement.history.iter().enumerate() {
        let _ = write!(text, "\nIteration {}: {}", n + 1, counted(iteration.states as u64, "state"));
        if predicates {
            text.push('\n');
            match iteration.abstraction.is_empty() {
                true => text += "  known     nothing\n",
                false => known(&mut text, "known     ", &iteration.abstraction),
            }
        } else {
            let _ = writeln!(text, ", {} computed", counted(iteration.played, "move"));
            for (name, parts) in &iteration.abstraction {
                let _ = writeln!(text, "  data      {name} {parts}");
            }
        }
        if iteration.play.is_empty() {
            let said = iteration.spurious.as_deref().unwrap_or("the target is not reached");
            let _ = writeln!(text, "  {said}");
            continue;
        }
        let moves: Vec<_> = iteration.play.iter().map(|m| refinement.moves[*m as usize].1.as_str()).collect();
        let shown = match moves.len() {
            ..=SHOWN => moves.join(" · "),
            len => {
                let (first, last) = (&moves[..SHOWN / 2], &moves[len - SHOWN / 2..]);
                format!("{} · … {} moves … · {}", first.join(" · "), len - SHOWN, last.join(" · "))
            }
        };
        let _ = writeln!(text, "  play      {shown}");
        match &iteration.spurious {
            Some(why) => {
                let _ = writeln!(text, "  spurious  {why}");
            }
            None => {
                let _ = writeln!(text, "  genuine");
            }
        }
        for change in &iteration.changes {
            let _ = writeln!(text, "  refined   {change}");
        }
        for split in iteration.splits.iter().take(SHOWN) {
            let _ = writeln!(
                text,
                "  split     {} {} into {}",
                split.variable,
                split.part,
                split.into.join(", ")
            );
        }
        if iteration.splits.len() > SHOWN {
            let _ = writeln!(text, "  split     … and {} more parts", iteration.splits.len() - SHOWN);
        }
    }
    text
}

/// The moves of a play, one on each line: number, player, move, words, place; and the changes of cells, if their contents
/// are given.
pub fn moves(session: &Session, play: &Play, whole: bool, stores: Option<&[Vec<Held>]>) -> String {
    let shown: Vec<String> = play.threaded().map(|m| session.arena.show_threaded(&m)).collect();
    let width = shown.iter().map(|m| m.chars().count()).max().unwrap_or(0);
    let mut lines = Vec::new();
    let hidden = if whole || shown.len() <= SHOWN { 0..0 } else { SHOWN / 2..shown.len() - SHOWN / 2 };
    for (n, (m, span)) in play.moves.iter().zip(&play.spans).enumerate() {
        if hidden.contains(&n) {
            if n == hidden.start {
                lines.push((
                    format!("       … {} moves; --verbose shows them all …", hidden.len()),
                    String::new(),
                ));
            }
            continue;
        }
        let player = match session.arena.player(m) {
            _ if m.label == Label::Abort => "P",
            Player::O => "O",
            Player::P => "P",
        };
        let said = words(session, play, n);
        let place = span.map_or(String::new(), |span| {
            let (line, column) = session.source.line_column(span.start);
            format!("  ({line}:{column})")
        });
        let changes = stores.and_then(|stores| {
            let before = n.checked_sub(1).map_or(&[][..], |before| &stores[before]);
            Some(store::changes(session, before, stores.get(n)?))
        });
        let line = format!("{:5}  {player}  {:width$}  {said}{place}", n + 1, shown[n]);
        lines.push((line, changes.unwrap_or_default()));
    }
    let length = |line: &str| line.chars().count();
    let widest = lines.iter().map(|(line, _)| length(line)).filter(|n| *n <= WIDEST).max().unwrap_or(0);
    let mut text = String::new();
    for (line, changes) in lines {
        let _ = match changes.is_empty() {
            true => writeln!(text, "{line}"),
            false => writeln!(text, "{line:widest$}  | {changes}"),
        };
    }
    text
}

/// A line, cut to the width that fits.
pub fn shortened(line: &str) -> String {
    match line.char_indices().nth(160) {
        Some((cut, _)) => format!("{} …  (--environment FILE writes it all)", &line[..cut]),
        None => line.into(),
    }
}

/// Which limit was reached, and what to do on the command line.
pub fn limit(limit: Stop) -> String {
    limit_for(limit, Reader::Command)
}

/// Which limit was reached, and what the reader can do.
pub fn limit_for(limit: Stop, reader: Reader) -> String {
    let said = match limit {
        Stop::Time => return format!("the time ran out; {}", reader.more_time()),
        Stop::Memory => return format!("the memory ran out; {}", reader.more_memory()),
        Stop::Store => {
            "the program declares more cells than there is room for (2^30 bits); \
             make its arrays shorter"
        }
        Stop::Transitions => "the search was cut short",
        Stop::Number => {
            return format!(
                "a product has more than 2^20 bits, or, by predicates, an array of more than {MOST_ELEMENTS} elements is \
                 indexed by an unknown number; neither is computed"
            );
        }
        Stop::Table => {
            "a table is full: it numbers its entries with 32 bits; give the program's data smaller types, or its threads \
             smaller bounds"
        }
        Stop::Cancelled => "the search was interrupted",
        Stop::Unbounded(_) => "the environment may answer any integer",
    };
    said.into()
}

/// Why there is no verdict, and what to do on the command line.
pub fn why(session: &Session, reason: &Reason) -> String {
    why_for(session, reason, Reader::Command)
}

/// Why there is no verdict, and what the reader can do.
pub fn why_for(session: &Session, reason: &Reason, reader: Reader) -> String {
    match reason {
        Reason::Stop(Stop::Unbounded(component)) if session.judgement.mode == Mode::Concurrent => {
            let component = session.arena.component(*component);
            let place = match component.name.as_str() {
                "" => "as the program's value".into(),
                name => format!("in `{name}`"),
            };
            let (choices, finite) = match (&component.base, component.base.data().and_then(Data::size)) {
                (_, None) => ("any integer".into(), "finite"),
                (Type::Array(_, length), Some(_)) => (format!("any of the {length} elements"), "smaller"),
                (_, Some(size)) => (format!("any of the {size} values"), "smaller"),
            };
            format!(
                "the environment may choose {choices} {place}, and of a concurrent program every one is tried; give it a \
                 {finite} type, such as `int%8`"
            )
        }
        Reason::Stop(Stop::Unbounded(component)) => format!(
            "the environment may answer any integer in `{}`, and the precise engine has tried only a few small \
             ones; give it a finite type, such as `int%8`",
            session.arena.component(*component).name
        ),
        Reason::Partly { moves, reason } => proved(*moves) + &why_for(session, reason, reader),
        Reason::Unproved { span: Some(span), .. } => {
            let (line, column) = session.source.line_column(span.start);
            format!("{} ({}:{line}:{column})", reason_for(reason, reader), session.source.name)
        }
        _ => reason_for(reason, reader),
    }
}

/// Up to how many moves of the environment two programs were proved to do the same, as the beginning of a sentence.
fn proved(moves: usize) -> String {
    match moves {
        0 => String::new(),
        1 => "with one move of the environment there is no difference, whatever its numbers are; ".into(),
        _ => format!(
            "with up to {moves} moves of the environment there is no difference, whatever its numbers are; "
        ),
    }
}

/// Why there is no verdict, whatever the program is, and what the reader can do.
pub fn reason_for(reason: &Reason, reader: Reader) -> String {
    match reason {
        Reason::Reenters => format!(
            "the part that was to be checked on its own is entered while it runs, and is two parts at once then; {}",
            reader.another_part()
        ),
        Reason::NoComponent(why) => why.clone(),
        Reason::Iterations(most) => {
            let were = if *most == 1 { "iteration was" } else { "iterations were" };
            format!("{most} {were} not enough; {}", reader.more_iterations())
        }
        Reason::Solver(why @ agon_solve::Reason::Difference(_)) => {
            format!("{why}; one of them is wrong, so nothing is believed")
        }
        Reason::Solver(why @ agon_solve::Reason::Beyond(_)) => {
            format!("{why}; {}", reader.another_solver())
        }
        Reason::Solver(why) => {
            format!("{why}; name a solver that works with --solver PROGRAM, or none: one is built in")
        }
        Reason::Predicates => format!(
            "there is a counterexample that cannot be played, but what is known of the store does not exclude it; \
             {} both, and an `assert` with an invariant where the program loops or calls may exclude it",
            reader.iterations_show()
        ),
        Reason::Refused(why) => format!("the certificate is refused: {why}"),
        Reason::TooLargeToReplay => {
            "a play was found, but the program declares more cells than there is room for when it is run with exact \
             numbers (2^30 bits); make its arrays shorter"
                .into()
        }
        Reason::Stop(stop) => limit_for(*stop, reader),
        Reason::Bound(bound) => format!("the model is exact up to {bound}, and beyond that the modules may differ or not"),
        Reason::Undefined(what) => {
            format!("the program may do what C leaves undefined: {what}")
        }
        Reason::Unsupported(what) => format!("{what} is not supported"),
        Reason::Partly { moves, reason } => proved(*moves) + &reason_for(reason, reader),
        Reason::FewTried(why) => {
            let relations = why.as_ref().map(|why| {
                format!(", and relations, which need no trying, are not looked for between modules that {why}")
            });
            format!(
                "the environment may give more numbers than can be tried; a few were tried, and show no difference{}",
                relations.unwrap_or_default()
            )
        }
        Reason::Unproved { what, moves, .. } => {
            let proved = proved(*moves);
            let missing = match what {
                Unproved::Loop => "it was not proved that this loop ends where the other program goes on",
                Unproved::Relation => "no relation between the two programs was found that excludes a difference here",
            };
            format!("{proved}{missing}")
        }
        Reason::Ambiguous => {
            "the programs make the same moves, but they jump out of calls that are nested in calls of the same \
             identifier, and then the moves alone do not tell which question an answer answers"
                .into()
        }
        Reason::NoParts(why) | Reason::NoModel(why) => why.clone(),
        Reason::Unshown(program) => {
            format!("{program} says that it fails, by its Horn clauses, and no play was found that does")
        }
        Reason::SomeValues(sort) => format!(
            "the environment may give any value of type `{sort}`, and only a few small ones were tried; give it a smaller \
             type, such as `int%8`"
        ),
        Reason::NoEngine { what, .. } => format!("{what}, and no engine of this version can run that"),
        Reason::Unconfirmed(moves) => format!(
            "a play of {moves} moves was found, but the time ran out before the interpreter had confirmed it; {}",
            reader.more_time()
        ),
        Reason::Unverified(why) => format!(
            "a play was found, but the interpreter did not confirm it: {why}. This is a bug in agon; please report it"
        ),
        Reason::Bug(what) => format!("{what}. This is a bug in agon; please report it"),
    }
}

/// A diagnostic for the place that a missing verdict is due to, if there is one.
pub fn blamed(reason: &Reason) -> Option<Diagnostic> {
    match reason {
        Reason::NoEngine { what, span } => Some(Diagnostic::warning(
            Code::NoEngine,
            what.clone(),
            *span,
            "no engine of this version can run this",
        )),
        _ => None,
    }
}
