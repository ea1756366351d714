//! The programs of the corpus. What they claim is described in `crates/ia/src/claims.rs`.

use std::path::{Path, PathBuf};

use agon::session::Session;
use agon_base::source::Source;
use agon_check::verdict::Verdict;
use agon_core::term::Mode;
use agon_games::play::legal;
pub use agon_ia::claims::{Claim, Claims};

use crate::tree::files;

/// A program of the corpus.
#[derive(Clone)]
pub struct Program {
    /// Its path in the corpus, without the extension: the name of its tests.
    pub name: String,
    pub path: PathBuf,
    pub text: String,
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

/// Judges verdicts by a claim.
pub trait Judge {
    /// Whether a verdict is the expected one; its play must be legal and end with the target.
    fn is(&self, session: &Session, target: &str, verdict: &Verdict, place: &str) -> bool;
}

impl Judge for Claim {
    #[track_caller]
    fn is(&self, session: &Session, target: &str, verdict: &Verdict, place: &str) -> bool {
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
