//! What programs claim about themselves, in lines that start with `//!`: each claim as a command that decides it, and what it must answer.

use std::path::{Path, PathBuf};

use agon_c::claims::{Claims as CClaims, Expected as CExpected};
use agon_ia::claims::{Claim as IaClaim, Claims as IaClaims};
use agon_ia::parse::parse;

use crate::c::is_c;
use crate::render::module::up_to;
use crate::shape::answer::{Answer, Verdict};
use crate::shape::comparison::{Comparison, Verdict as Relation};
use crate::shape::diagnostic::Diagnostics;
use crate::shape::play::{Player, Step};

/// One claim of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The claim in the words of the file, such as `unsafe oflo.run`.
    pub what: String,
    /// The command that decides it, without its name and the format of the answer.
    pub command: Vec<String>,
    /// The answer that is claimed.
    pub expected: Expected,
    /// The file says that it cannot be decided.
    pub skipped: bool,
}

/// A claimed answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expected {
    /// A verdict of `agon check`.
    Checked {
        /// The verdict.
        verdict: Verdict,
        /// The play of a term.
        play: Option<String>,
        /// How many moves the environment makes.
        moves: Option<usize>,
        /// The bounds of the model up to which a module is safe. There are none if none are claimed.
        up_to: Option<String>,
        /// The verdict for one thread.
        alone: Option<Verdict>,
    },
    /// A verdict of `agon equiv` or `agon approx`.
    Compared(Relation),
    /// The program is not read, and the diagnostic has this code.
    Refused(String),
}

/// What came of a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The answer is the claimed one.
    Holds,
    /// The answer is another one: which.
    Wrong(String),
    /// There is no answer, for this reason.
    Undecided(String),
    /// The command has failed.
    Error(String),
}

/// The claims of a file. Nothing if it has no line that starts with `//!`, or only comments for Doxygen.
pub fn claims(path: &Path, text: &str) -> Result<Option<Vec<Claim>>, String> {
    let doxygen = |line: &str| line.trim_start().starts_with(['\\', '@']);
    let c = is_c(path);
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("//! "));
    if !lines.any(|line| !(c && doxygen(line))) || (c && !text.starts_with("//! ")) {
        return Ok(None);
    }
    match c {
        true => Ok(Some(of_c(path, &CClaims::read(text)?))),
        false => Ok(Some(of_ia(path, text, &IaClaims::read(text)?))),
    }
}

fn word(path: &Path) -> String {
    path.display().to_string()
}

fn of_ia(path: &Path, text: &str, claims: &IaClaims) -> Vec<Claim> {
    let module = parse(text).0.module.is_some();
    let mut given = Vec::new();
    for (name, value) in &claims.defines {
        given.extend(["-D".to_string(), format!("{name}={value}")]);
    }
    let mut found = Vec::new();
    for (target, claim) in &claims.verdicts {
        let named = if target == "abort" { String::new() } else { format!(" {target}") };
        let mut command = vec!["check".to_string(), word(path)];
        command.extend(given.clone());
        if target != "abort" {
            command.extend(["--target".to_string(), target.clone()]);
        }
        let (what, verdict, play) = match claim {
            IaClaim::Safe => (format!("safe{named}"), Verdict::Safe, None),
            IaClaim::Unsafe(play) => {
                (format!("unsafe{named}"), Verdict::Unsafe, play.clone().filter(|_| !module))
            }
        };
        if play.is_some() {
            // The play that is claimed is that of the precise engine, or of predicates.
            command.extend(match claims.skips("explicit") {
                true => ["--engine", "predicate"].map(String::from).to_vec(),
                false => ["--engine", "explicit", "--order", "shortest"].map(String::from).to_vec(),
            });
        }
        let moves = claims.moves.filter(|_| verdict == Verdict::Unsafe && target == "abort");
        let alone = claims.alone.map(|safe| if safe { Verdict::Safe } else { Verdict::Unsafe });
        let expected = Expected::Checked { verdict, play, moves, up_to: None, alone };
        found.push(Claim { what, command, expected, skipped: claims.skips("auto") });
    }
    if let Some(stuck) = claims.stuck {
        let mut command = vec!["check".to_string(), word(path), "--deadlock".to_string()];
        command.extend(given.clone());
        let (what, verdict) =
            if stuck { ("stuck: yes", Verdict::Unsafe) } else { ("stuck: no", Verdict::Safe) };
        let expected = Expected::Checked { verdict, play: None, moves: None, up_to: None, alone: None };
        found.push(Claim { what: what.into(), command, expected, skipped: false });
    }
    for (relation, other) in &claims.relations {
        let (subcommand, verdict) = relation_of(relation);
        let mut command = vec![subcommand.to_string(), word(path), word(&path.with_file_name(other))];
        command.extend(given.clone());
        let what = format!("{relation}: {other}");
        found.push(Claim { what, command, expected: Expected::Compared(verdict), skipped: false });
    }
    found
}

fn of_c(path: &Path, claims: &CClaims) -> Vec<Claim> {
    let files: Vec<PathBuf> = match claims.files.as_slice() {
        [] => vec![path.to_path_buf()],
        files => files.iter().map(|name| path.with_file_name(name)).collect(),
    };
    let mut found = Vec::new();
    for case in &claims.cases {
        let mut command = vec!["check".to_string()];
        command.extend(files.iter().map(|file| word(file)));
        command.extend(case.options.clone());
        command.extend(case.target.iter().flat_map(|target| ["--target".to_string(), target.clone()]));
        let checked =
            |verdict, up_to| Expected::Checked { verdict, play: None, moves: None, up_to, alone: None };
        let (what, expected) = match &case.verdict {
            CExpected::Safe(None) => ("safe".into(), checked(Verdict::Safe, None)),
            CExpected::Safe(Some(bounds)) => {
                (format!("safe-up-to: {bounds}"), checked(Verdict::Safe, Some(bounds.clone())))
            }
            CExpected::Unsafe(_) => ("unsafe".into(), checked(Verdict::Unsafe, None)),
            CExpected::Unknown => ("unknown".into(), checked(Verdict::Unknown, None)),
            CExpected::Refused(code) => (format!("refused: {code}"), Expected::Refused(code.clone())),
        };
        let with = match case.options.as_slice() {
            [] => String::new(),
            options => format!("with {}: ", options.join(" ")),
        };
        let target = case.target.as_ref().map_or(String::new(), |target| format!(" {target}"));
        found.push(Claim {
            what: format!("{with}{what}{target}"),
            command,
            expected,
            skipped: claims.skips("auto"),
        });
    }
    for (relation, other, options) in &claims.relations {
        let (subcommand, verdict) = relation_of(relation);
        let mut command = vec![subcommand.to_string(), word(path), word(&path.with_file_name(other))];
        command.extend(options.clone());
        let what = [format!("{relation}: {other}")].into_iter().chain(options.clone());
        found.push(Claim {
            what: what.collect::<Vec<_>>().join(" "),
            command,
            expected: Expected::Compared(verdict),
            skipped: claims.skips("equiv"),
        });
    }
    found
}

fn relation_of(word: &str) -> (&'static str, Relation) {
    match word {
        "equivalent" => ("equiv", Relation::Equivalent),
        "inequivalent" => ("equiv", Relation::Inequivalent),
        _ => ("approx", Relation::Approximates),
    }
}

impl Claim {
    /// Compares what the command wrote in JSON, to its output and as errors, with what is claimed.
    pub fn judge(&self, output: &str, errors: &str) -> Outcome {
        let failed = || Outcome::Error(message(errors));
        match &self.expected {
            Expected::Refused(code) => match diagnostics(errors) {
                Some(list) => match list.iter().any(|known| known == code) {
                    true => Outcome::Holds,
                    false => Outcome::Wrong(format!("it is refused: {}", message(errors))),
                },
                None if serde_json::from_str::<Answer>(output).is_ok() => Outcome::Wrong("it is read".into()),
                None => failed(),
            },
            Expected::Compared(relation) => match serde_json::from_str::<Comparison>(output) {
                Ok(Comparison { compared, .. }) if compared.verdict == *relation => Outcome::Holds,
                Ok(Comparison { compared, .. }) => match compared.verdict {
                    Relation::Unknown => Outcome::Undecided(compared.reason.unwrap_or_default()),
                    other => Outcome::Wrong(relation_word(other).into()),
                },
                Err(_) => failed(),
            },
            Expected::Checked { .. } => match serde_json::from_str::<Answer>(output) {
                Ok(answer) => self.checked(&answer),
                Err(_) => failed(),
            },
        }
    }

    fn checked(&self, answer: &Answer) -> Outcome {
        let Expected::Checked { verdict, play, moves, up_to: bounds, alone } = &self.expected else {
            return Outcome::Holds;
        };
        let found = &answer.finding;
        let wrong = |what: String| Outcome::Wrong(what);
        if found.verdict != *verdict {
            let why = found.reason.clone().unwrap_or_default();
            return match found.verdict {
                Verdict::Unknown => Outcome::Undecided(why),
                Verdict::Safe => wrong("SAFE".into()),
                Verdict::Unsafe => wrong(match &found.cause {
                    Some(cause) => format!("UNSAFE  {}", cause.message),
                    None => format!("UNSAFE  {}", found.play.last().map_or("", |step| &step.reading)),
                }),
            };
        }
        let found_bounds = up_to(found.up_to.as_deref().unwrap_or_default());
        let claimed_bounds = bounds.as_ref().map_or(String::new(), |bounds| format!("up to {bounds}: "));
        if *verdict == Verdict::Safe && found_bounds != claimed_bounds {
            return wrong(match found_bounds.trim_end_matches(": ") {
                "" => "SAFE without bounds".into(),
                bounds => format!("SAFE {bounds}"),
            });
        }
        if let Some(play) = play
            && moves_of(&found.play) != *play
        {
            return wrong(format!("the play is {}", moves_of(&found.play)));
        }
        let by_environment = found.play.iter().filter(|step| step.player == Player::O).count();
        if moves.is_some_and(|moves| moves != by_environment) {
            return wrong(format!("the environment makes {by_environment} moves"));
        }
        if let (Some(alone), Some(threads)) = (alone, &found.threads)
            && threads.sequential != *alone
        {
            return wrong("the verdict for one thread is another one".into());
        }
        Outcome::Holds
    }
}

/// The moves of a play, without the numbers of threads.
fn moves_of(play: &[Step]) -> String {
    let shown = play.iter().map(|step| step.made.split('@').next().unwrap_or_default());
    shown.collect::<Vec<_>>().join(" · ")
}

fn relation_word(relation: Relation) -> &'static str {
    match relation {
        Relation::Equivalent => "EQUIVALENT",
        Relation::Inequivalent => "INEQUIVALENT",
        Relation::Approximates => "APPROXIMATES",
        Relation::DoesNotApproximate => "DOES NOT APPROXIMATE",
        Relation::Unknown => "UNKNOWN",
    }
}

/// The errors of a command that are diagnostics.
fn read(errors: &str) -> Vec<Diagnostics> {
    errors.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// The codes of diagnostics. Nothing if there are none.
fn diagnostics(errors: &str) -> Option<Vec<String>> {
    let found = read(errors);
    let codes = found.iter().flat_map(|list| &list.diagnostics).filter_map(|one| one.code.clone());
    (!found.is_empty()).then(|| codes.collect())
}

/// The first error of a command.
fn message(errors: &str) -> String {
    let first = read(errors).into_iter().flat_map(|list| {
        let file = list.file.clone();
        list.diagnostics.into_iter().map(move |one| {
            let place = one.place.as_ref().map_or(String::new(), |place| {
                let file = place.file.as_deref().unwrap_or(&file);
                format!("{file}:{}:{}: ", place.line, place.column)
            });
            let code = one.code.map_or(String::new(), |code| format!("{code} "));
            format!("{place}{code}{}", one.message)
        })
    });
    let plain = || errors.lines().find(|line| !line.trim().is_empty()).unwrap_or("no answer").to_string();
    first.into_iter().next().unwrap_or_else(plain)
}
