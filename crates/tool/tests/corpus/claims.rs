//! Every program of the corpus has its expected results in lines that start with `//!`:
//!
//! ```text
//! //! paper: [GC] B.1                            its source
//! //! safe                                       it never aborts
//! //! safe MOVE                                  no environment reaches the move
//! //! unsafe: run · f.run · abort                the play of the shortest order, or `any`; if the precise engine
//!                                                cannot handle the program, that of the predicate engine
//! //! unsafe MOVE: …                             the same for another target
//! //! equivalent: left.ia                        equal in every environment to another program of the folder
//! //! inequivalent: left.ia                      not equal
//! //! approximates: left.ia                      its complete plays are among those of the other
//! //! iterations ENGINE: 3                       at most this many, for the first verdict
//! //! data ENGINE: x [0,1]; y []                 the final partitions of all or some variables
//! //! alive: 2                                   its own predicates prove it, this many at once
//! //! model: 8 states, 9 transitions             the size of its minimal model
//! //! states: 9                                  how many positions a whole search visits
//! //! unreached: 3:5 7:1                         the places of the checks that no play reaches, in the order of the text
//! //! stuck: yes                                 whether a concurrent program has a deadlock; or `no`
//! //! halves: work, 10 states, 13742 positions    checked at that part: the assumption, and the largest exploration
//! //! moves: 4                                   of a module that is unsafe: the moves of its environment in a shortest play
//! //! alone: safe                                of a module with several threads: its verdict for one
//! //! inputs: 0..3 functions 1 nesting 2         of a module: what the reference search tries, whose play it is
//! //! define: size=3                             constants
//! //! skip ENGINE: reason                        an engine that cannot handle it, or another test: `denote`,
//!                                                `denote-threads`, `model`
//! ```

use std::path::{Path, PathBuf};

use agon::session::Session;
use agon_base::int::Int;
use agon_base::source::Source;
use agon_check::verdict::Verdict;
use agon_core::term::Mode;
use agon_games::play::legal;

use crate::tree::files;

/// A program of the corpus.
#[derive(Clone)]
pub struct Program {
    /// Its path in the corpus, without the extension: the name of its tests.
    pub name: String,
    pub path: PathBuf,
    pub text: String,
}

/// The expected results of a program.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    pub verdicts: Vec<(String, Claim)>,
    pub relations: Vec<(String, String)>,
    pub states: Option<usize>,
    pub model: Option<String>,
    pub defines: Vec<(String, Int)>,
    /// Engines and tests that cannot handle it.
    pub skips: Vec<String>,
    pub iterations: Vec<(String, usize)>,
    /// The places of the checks that no play reaches.
    pub unreached: Option<String>,
    pub stuck: Option<bool>,
    pub halves: Option<String>,
    /// How many moves the environment makes in a shortest play of a module.
    pub moves: Option<usize>,
    /// Whether a module of several threads is safe with one.
    pub alone: Option<bool>,
    pub data: Vec<(String, String)>,
    /// How many of the program's own predicates are alive at once in a proof by them.
    pub alive: Option<usize>,
}

/// An expected verdict.
#[derive(Clone, Debug)]
pub enum Claim {
    Safe,
    /// With its expected play, if there is one.
    Unsafe(Option<String>),
}

/// All programs of the corpus, by name.
pub fn corpus() -> Vec<Program> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let program = |path: PathBuf| {
        let inside = path.strip_prefix(&root).expect("it is in the corpus").with_extension("");
        let text = std::fs::read_to_string(&path).expect("the corpus can be read");
        Program { name: inside.display().to_string(), path, text }
    };
    files(&root, "ia").into_iter().map(program).collect()
}

impl Claims {
    /// The claims in a program's text; an error, if a line is not a claim.
    pub fn read(text: &str) -> Result<Claims, String> {
        let mut claims = Claims::default();
        for line in text.lines().filter_map(|line| line.strip_prefix("//! ")) {
            claims.line(line).map_err(|why| format!("{why}: `{line}`"))?;
        }
        if claims.verdicts.is_empty() && claims.relations.is_empty() {
            return Err("it claims nothing".into());
        }
        Ok(claims)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let (head, rest) = line.split_once(':').unwrap_or((line, ""));
        let (word, target) = head.split_once(' ').unwrap_or((head, "abort"));
        let (target, rest) = (target.to_string(), rest.trim());
        let number = || rest.parse::<usize>().map_err(|_| "not a number".to_string());
        match word {
            "safe" => self.verdicts.push((target, Claim::Safe)),
            "unsafe" => {
                let play = Some(rest.to_string()).filter(|play| play != "any");
                self.verdicts.push((target, Claim::Unsafe(play)));
            }
            "model" => self.model = Some(rest.into()),
            "states" => self.states = Some(number()?),
            "define" => {
                let (name, value) = rest.split_once('=').ok_or("not NAME=VALUE")?;
                self.defines.push((name.into(), Int::parse(value).ok_or("not a number")?));
            }
            "equivalent" | "inequivalent" | "approximates" => self.relations.push((word.into(), rest.into())),
            "unreached" => self.unreached = Some(rest.into()),
            "stuck" => self.stuck = Some(rest == "yes"),
            "halves" => self.halves = Some(rest.into()),
            "iterations" => self.iterations.push((target, number()?)),
            "moves" => self.moves = Some(number()?),
            // The tests of the references read it.
            "inputs" => {}
            "alone" => self.alone = Some(rest == "safe"),
            "alive" => self.alive = Some(number()?),
            "data" => self.data.push((target, rest.into())),
            "skip" if rest.is_empty() => return Err("a skip without a reason".into()),
            "skip" => self.skips.push(target),
            "paper" => {}
            _ => return Err("no such claim".into()),
        }
        Ok(())
    }

    /// Whether an engine or a test cannot handle the program.
    pub fn skips(&self, what: &str) -> bool {
        self.skips.iter().any(|skipped| skipped == what)
    }
}

impl Program {
    /// The program, if it has no errors.
    pub fn session(&self, claims: &Claims) -> Option<Session> {
        let source = Source::new(self.name.as_str(), self.text.as_str());
        Session::open(source, claims.defines.clone()).ok()
    }

    /// The program as a session.
    #[track_caller]
    pub fn open(&self, claims: &Claims) -> Session {
        let source = Source::new(self.path.display().to_string(), self.text.as_str());
        match Session::open(source, claims.defines.clone()) {
            Ok(session) => session,
            Err((_, diagnostics)) => panic!("{diagnostics:?}"),
        }
    }
}

impl Claim {
    /// Whether a verdict is the expected one; its play must be legal and end with the target.
    #[track_caller]
    pub fn is(&self, session: &Session, target: &str, verdict: &Verdict, place: &str) -> bool {
        match (self, verdict) {
            (Claim::Safe, Verdict::Safe) => true,
            (Claim::Unsafe(_), Verdict::Unsafe(play, evidence)) => {
                if session.judgement.mode == Mode::Sequential {
                    legal(&session.arena, &play.moves).unwrap_or_else(|why| panic!("{place}: {why}"));
                }
                let last = play.moves.last().map(|m| session.arena.show(m));
                assert_eq!(last.as_deref(), Some(target), "{place}");
                assert!(
                    evidence.closed.as_ref().is_some_and(|closed| closed.text.len() > closed.term),
                    "{place}"
                );
                true
            }
            _ => false,
        }
    }
}
