//! The comparison of two programs, as text and as data.

use std::fmt::Write;

use agon_base::budget::Budget;
use agon_check::equiv::{Compared as TermsCompared, Comparison, Difference, Plays, Relation, Side};
use agon_check::library::{Comparison as ModuleComparison, Difference as ModuleDifference};
use agon_check::verdict::Reason;
use agon_core::held::Held;
use agon_core::module::eval::{Exit, Outcome};
use agon_core::module::play::Move;
use agon_core::term::Mode;
use agon_witness::library::apart::{Apart, Left, SILENT};
use indicatif::HumanCount;

use super::answer::{moves, reason_for, shortened, why};
use super::json::play;
use super::module::{self, up_to};
use super::reader::Reader;
use super::relations;
use super::store;
use crate::session::Session;
use crate::session::module::{ModuleSession, ModulesCompared};
use crate::shape::answer::{Answer, Finding, Verdict as FindingVerdict};
use crate::shape::comparison::{self as shape, Compared, Verdict};
use crate::system::peak_memory;

fn verdict(comparison: &Comparison, relation: Relation) -> Verdict {
    match (comparison, relation) {
        (Comparison::Holds, Relation::Equivalence) => Verdict::Equivalent,
        (Comparison::Holds, Relation::Approximation) => Verdict::Approximates,
        (Comparison::Differs(_), Relation::Equivalence) => Verdict::Inequivalent,
        (Comparison::Differs(_), Relation::Approximation) => Verdict::DoesNotApproximate,
        (Comparison::Unknown(..), _) => Verdict::Unknown,
    }
}

/// How two modules compare, as text.
pub fn text_of_modules(compared: &ModulesCompared, sessions: [&ModuleSession; 2], whole: bool) -> String {
    let [left, right] = sessions.map(|session| &session.source.name);
    match &compared.found.comparison {
        ModuleComparison::Holds => {
            let up_to = up_to(&compared.up_to);
            let sources = sessions.map(|session| &session.source);
            let why = |proof| relations::text(proof, sources, relations::Compared::Modules);
            let why = compared.found.proof.as_deref().map(why);
            let plays = match compared.found.plays {
                Plays::All => "plays",
                Plays::Complete => "complete plays",
            };
            format!(
                "EQUIVALENT  {up_to}{left} and {right} have the same {plays}, with calls nested to any depth\n{}",
                why.unwrap_or_default()
            )
        }
        ModuleComparison::Unknown(reason) => format!("UNKNOWN  {}\n", why_unknown(reason, sessions)),
        ModuleComparison::Differs(difference) => {
            let only: String = only(difference).iter().map(|only| format!(", {only}")).collect();
            let by = match compared.found.plays {
                Plays::All => "",
                Plays::Complete => " by a complete play",
            };
            let mut text = format!("INEQUIVALENT  an environment tells {left} and {right} apart{by}{only}\n");
            for (session, played) in sessions.into_iter().zip(&difference.plays) {
                if played.play.0.is_empty() {
                    continue;
                }
                let _ = write!(text, "\n{}:\n", session.source.name);
                text += &module::moves(session, &played.play, &played.marks, whole);
                match played.outcome {
                    Outcome::Ended(Exit::Diverges) => text += "  L never moves again\n",
                    Outcome::Ended(Exit::Stopped(_)) => {
                        let _ = writeln!(text, "  L makes no move in {} steps", HumanCount(SILENT));
                    }
                    _ => {}
                }
            }
            if let Some(left) = &difference.data {
                let when = match compared.found.plays {
                    _ if difference.plays[0].play.0.is_empty() => "At first",
                    Plays::All => "Then",
                    Plays::Complete => "Where they part,",
                };
                text += &left_behind(left, when, sessions);
            }
            let Apart { with, closed, .. } = &difference.apart;
            let does = match difference.plays[*with].play.0.last() {
                Some(Move::Exit(_)) => "ends the process",
                _ => "aborts",
            };
            let names = [*with, 1 - with].map(|n| &sessions[n].source.name);
            let _ = write!(
                text,
                "\nAn environment that tells them apart; in the interpreter it {does} with {}, and not with {}:\n\n",
                names[0], names[1]
            );
            text + &module::indented(module::environment(closed))
        }
    }
}

/// Why it is not known how two modules compare, and where.
fn why_unknown(reason: &Reason, sessions: [&ModuleSession; 2]) -> String {
    let why = reason_for(reason, Reader::Command);
    match reason {
        Reason::Unproved { span: Some(span), second, .. } => {
            let (file, line, column) = sessions[usize::from(*second)].source.place(span.start);
            format!("{why} ({file}:{line}:{column})")
        }
        _ => why,
    }
}

/// Modules that differ, and not if imports call nothing.
const ONLY_BY_REENTRY: &str = "only if a function that it provides calls back";

/// What is known of a difference between modules, in words.
fn only(difference: &ModuleDifference) -> Vec<String> {
    let by_reentry = difference.only_by_reentry.then(|| ONLY_BY_REENTRY.to_string());
    by_reentry.into_iter().chain(difference.only.iter().cloned()).collect()
}

/// What two modules have left in shared data, in words.
fn left_behind(left: &Left, when: &str, sessions: [&ModuleSession; 2]) -> String {
    let index = left.index.as_ref().map(|index| format!("[{index}]")).unwrap_or_default();
    let shown = [0, 1].map(|side| {
        let module = sessions[side].module();
        let sort = module.data_named(&left.name).map(|id| &module.data(id).sort);
        sort.map_or_else(|| left.values[side].to_string(), |sort| module.show_value(&left.values[side], sort))
    });
    let [first, second] = sessions.map(|session| &session.source.name);
    let what = format!("{}{index}", left.name);
    match left.name.split_once(" gives") {
        Some((function, member)) => format!(
            "\nWhat {function} gives has {} in {member}{index} with {first}, and {} with {second}.\n",
            shown[0], shown[1]
        ),
        None => format!("\n{when} {what} holds {} with {first}, and {} with {second}.\n", shown[0], shown[1]),
    }
}

/// How two modules compare, as data.
pub fn of_modules(of: &ModulesCompared, sessions: [&ModuleSession; 2]) -> Compared {
    let mut compared = Compared {
        engine: of.found.engine.name().into(),
        iterations: 1,
        states: of.found.figures.members,
        transitions: of.found.figures.edges,
        up_to: (!of.up_to.is_empty()).then(|| of.up_to.clone()),
        plays: Some(match of.found.plays {
            Plays::All => shape::Plays::All,
            Plays::Complete => shape::Plays::Complete,
        }),
        assumptions: Some(sessions[0].given()).filter(|given| !given.is_empty()),
        ..undecided(sessions.map(|session| session.source.name.clone()))
    };
    if let Some(proof) = &of.found.proof {
        let sources = sessions.map(|session| &session.source);
        compared.relations = Some(relations::data(proof, sources));
        compared.alignment = Some(relations::alignment(proof, sources));
        compared.ranks = Some(relations::ranks(proof, sources));
    }
    match &of.found.comparison {
        ModuleComparison::Holds => compared.verdict = Verdict::Equivalent,
        ModuleComparison::Unknown(reason) => compared.reason = Some(why_unknown(reason, sessions)),
        ModuleComparison::Differs(difference) => {
            compared.verdict = Verdict::Inequivalent;
            let Apart { with, closed, .. } = &difference.apart;
            let played = &difference.plays[*with];
            compared.play = module::steps(sessions[*with], &played.play, &played.marks);
            compared.file_with_play = Some(sessions[*with].source.name.clone());
            compared.environment = Some(module::environment(closed).into());
            compared.only_by_reentry = Some(difference.only_by_reentry);
            compared.only = Some(only(difference)).filter(|only| !only.is_empty());
        }
    }
    compared
}

/// The unit of the states that a comparison counts.
pub fn unit(program: &Session) -> &'static str {
    match program.judgement.mode {
        Mode::Sequential => "pair",
        Mode::Concurrent => "position",
    }
}

/// A comparison as data. The contents of cells are beside the moves, if they are given.
pub fn data(
    of: &TermsCompared,
    relation: Relation,
    left: &Session,
    right: &Session,
    stores: Option<&[Vec<Held>]>,
) -> Compared {
    let TermsCompared { comparison, progress, .. } = of;
    let mut compared = Compared {
        engine: of.engine.name().into(),
        verdict: verdict(comparison, relation),
        iterations: 1,
        states: progress.states,
        transitions: progress.transitions,
        assumptions: (!left.assumed.is_empty()).then(|| left.assumed.clone()),
        ..undecided([left.source.name.clone(), right.source.name.clone()])
    };
    if let Some(proof) = &of.proof {
        let sources = [&left.source, &right.source];
        compared.relations = Some(relations::data(proof, sources));
        compared.alignment = Some(relations::alignment(proof, sources));
        compared.ranks = Some(relations::ranks(proof, sources));
    }
    match comparison {
        Comparison::Holds => {}
        Comparison::Differs(difference) => {
            let owner = owner(difference, left, right);
            let distinction = difference.distinction.as_ref();
            compared.play = play(owner, &difference.play, stores);
            compared.file_with_play = Some(owner.source.name.clone());
            compared.only = Some(difference.only.clone()).filter(|only| !only.is_empty());
            compared.environment =
                distinction.map(|distinction| distinction.with.text[..distinction.with.term].into());
        }
        Comparison::Unknown(side, reason) => {
            compared.reason = Some(why(pick(*side, left, right), reason));
        }
    }
    compared
}

/// The contents of cells at each move of a difference, if there is one and the budget suffices.
pub fn stores(
    comparison: &Comparison,
    left: &Session,
    right: &Session,
    budget: &Budget,
) -> Option<Vec<Vec<Held>>> {
    match comparison {
        Comparison::Differs(difference) => {
            store::stores(owner(difference, left, right), &difference.play, budget)
        }
        Comparison::Holds | Comparison::Unknown(..) => None,
    }
}

/// The data of a comparison without a verdict.
fn undecided(files: [String; 2]) -> Compared {
    Compared { files, engine: "explicit".into(), peak_memory_mib: peak_memory(), ..Compared::default() }
}

/// The data of a comparison that was ended from outside.
pub fn unanswered(files: [String; 2], reason: String) -> Compared {
    Compared { reason: Some(reason), ..undecided(files) }
}

/// The data of a program that is no longer there.
pub fn gone(files: [String; 2], reason: String) -> Compared {
    Compared { verdict: Verdict::Inequivalent, reason: Some(reason), ..undecided(files) }
}

/// A verdict about two programs as one about the second, for build servers: the client that distinguishes them is the message.
pub fn reported(of: shape::Comparison) -> Answer {
    let shape::Comparison { version, seconds, cached, compared } = of;
    let [first, second] = &compared.files;
    let target = match compared.verdict {
        Verdict::Approximates | Verdict::DoesNotApproximate => "approximation",
        Verdict::Equivalent | Verdict::Inequivalent | Verdict::Unknown => "equivalence",
    };
    let differ = || {
        let only = compared.only.iter().flatten().map(|only| format!(", {only}")).collect::<String>();
        let client = compared.environment.as_ref().map(|client| format!("\n\n{client}")).unwrap_or_default();
        let played = compared.file_with_play.as_ref().map(|file| format!("; the play is one of {file}"));
        format!("an environment tells {first} and {second} apart{only}{}{client}", played.unwrap_or_default())
    };
    let (verdict, reason) = match compared.verdict {
        Verdict::Equivalent | Verdict::Approximates => (FindingVerdict::Safe, None),
        Verdict::Unknown => (FindingVerdict::Unknown, compared.reason.clone()),
        Verdict::Inequivalent | Verdict::DoesNotApproximate => {
            (FindingVerdict::Unsafe, Some(compared.reason.clone().unwrap_or_else(differ)))
        }
    };
    // Places are those of the second file: the first is that of another version.
    let mut play = compared.play;
    if compared.file_with_play.as_ref() != Some(second) {
        play.iter_mut().for_each(|step| step.place = None);
    }
    let finding = Finding {
        verdict,
        target: target.into(),
        engine: compared.engine,
        iterations: compared.iterations,
        states: compared.states,
        transitions: compared.transitions,
        play,
        up_to: compared.up_to,
        reason,
        assumptions: compared.assumptions,
        environment: compared.environment,
        ..Finding::default()
    };
    let (file, peak_memory_mib) = (second.clone(), compared.peak_memory_mib);
    Answer { version, file, seconds, peak_memory_mib, finding, checks: None, warnings: None, cached }
}

/// The program of a side.
pub fn pick<'a>(side: Side, left: &'a Session, right: &'a Session) -> &'a Session {
    match side {
        Side::Left => left,
        Side::Right => right,
    }
}

/// The program that has the play.
pub fn owner<'a>(difference: &Difference, left: &'a Session, right: &'a Session) -> &'a Session {
    pick(difference.side, left, right)
}

/// A comparison as text.
pub fn text(
    of: &TermsCompared,
    relation: Relation,
    left: &Session,
    right: &Session,
    verbose: bool,
    stores: Option<&[Vec<Held>]>,
) -> String {
    let mut text = String::new();
    let sources = [&left.source, &right.source];
    let proof = || {
        let shown = |proof| relations::text(proof, sources, relations::Compared::Programs);
        of.proof.as_deref().map(shown).unwrap_or_default()
    };
    match (&of.comparison, relation) {
        (Comparison::Holds, Relation::Equivalence) => {
            let _ = writeln!(text, "EQUIVALENT  no environment tells the two programs apart");
            text += &proof();
        }
        (Comparison::Holds, Relation::Approximation) => {
            let _ = writeln!(text, "APPROXIMATES  every complete play of the first is one of the second");
            text += &proof();
        }
        (Comparison::Differs(difference), _) => {
            let owner = owner(difference, left, right);
            let other = if difference.side == Side::Left { right } else { left };
            let word = match relation {
                Relation::Equivalence => "INEQUIVALENT",
                Relation::Approximation => "DOES NOT APPROXIMATE",
            };
            let (with, without) = (&owner.source.name, &other.source.name);
            let _ = writeln!(text, "{word}  {with} has this play, {without} does not:\n");
            let _ = writeln!(text, "{}", moves(owner, &difference.play, verbose, stores));
            if !difference.only.is_empty() {
                let only = difference.only.join(", ");
                let _ = writeln!(text, "They differ {only}: that is proved.\n");
            }
            let Some(distinction) = &difference.distinction else {
                let _ = writeln!(text, "The interpreter can replay it with {with}, and not with {without}.");
                return text;
            };
            let environment = &distinction.with.text[..distinction.with.term];
            // Another run may interleave the threads in another order.
            let _ = match (distinction.shown, owner.judgement.mode) {
                (true, Mode::Sequential) => writeln!(
                    text,
                    "An environment that tells them apart; in the interpreter it reaches its end with {with}, and not with \
                     {without}:\n"
                ),
                (true, Mode::Concurrent) => writeln!(
                    text,
                    "An environment that tells them apart; in the interpreter it can reach its end with {with}, and cannot with \
                     {without}:\n"
                ),
                (false, Mode::Sequential) => writeln!(
                    text,
                    "The interpreter makes other moves with {without}. An environment that makes this play with {with}:\n"
                ),
                (false, Mode::Concurrent) => writeln!(
                    text,
                    "The interpreter cannot replay it with {without}. An environment that makes this play with {with}:\n"
                ),
            };
            let said = |line: &&str| !line.starts_with("//") && *line != "concurrent";
            for line in environment.lines().filter(said) {
                let _ = writeln!(text, "  {}", shortened(line));
            }
        }
        (Comparison::Unknown(side, reason), _) => {
            let _ = writeln!(text, "UNKNOWN  {}", why(pick(*side, left, right), reason));
        }
    }
    text
}
