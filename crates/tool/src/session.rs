//! A session: a program that has been read and typed, ready to be asked about.

use agon_check::budget::Budget;
use agon_check::question::{Order, Question};
use agon_check::search::Progress;
use agon_check::verdict::Report;
use agon_games::arena::Arena;
use agon_lang::diagnostic::{Code, Diagnostic};
use agon_lang::elaborate::elaborate;
use agon_lang::int::Int;
use agon_lang::parse::parse;
use agon_lang::source::Source;
use agon_lang::term::Judgement;
use agon_lang::tree::Program;
use agon_witness::verify::Subject;

/// A program in all its forms.
pub struct Session {
    /// Its text.
    pub source: Source,
    /// Constants given from outside.
    pub overrides: Vec<(String, Int)>,
    /// Its tree.
    pub program: Program,
    /// Its typed term.
    pub judgement: Judgement,
    /// Its arena.
    pub arena: Arena,
    /// What the reader may want to know.
    pub warnings: Vec<Diagnostic>,
}

/// The engines that can be asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// Whichever fits.
    Auto,
    /// The precise one.
    Explicit,
}

impl Session {
    /// Reads and types a program; if it cannot be, all that is wrong with it.
    pub fn open(source: Source, overrides: Vec<(String, Int)>) -> Result<Session, (Source, Vec<Diagnostic>)> {
        let (program, diagnostics) = parse(&source.text);
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Err((source, diagnostics));
        }
        let (judgement, warnings) = elaborate(&program, &overrides);
        match judgement {
            Some(judgement) => {
                let arena = Arena::new(&judgement);
                Ok(Session { source, overrides, program, judgement, arena, warnings })
            }
            None => Err((source, warnings)),
        }
    }

    /// The question whether a move, as it is written, can be reached.
    pub fn question(&self, target: &str, order: Order) -> Result<Question, Diagnostic> {
        match self.arena.parse(target) {
            Ok(target) => Ok(Question { target, order }),
            Err(why) => Err(Diagnostic::general(
                Code::BadTarget,
                format!("`{target}` is not a move of this program: {why}"),
            )
            .help(
                "a move is written `abort`, `done`, `5`, `f.run`, `f.1.run`, `x.write(5)`, `a[3].read`, …",
            )),
        }
    }

    /// Answers a question.
    pub fn check(
        &self,
        question: &Question,
        engine: Engine,
        budget: &Budget,
        observe: &mut dyn FnMut(Progress),
    ) -> Report {
        match engine {
            Engine::Auto | Engine::Explicit => {
                agon_check::explicit::check(self.subject(), question, budget, observe)
            }
        }
    }

    /// The program as its witnesses see it.
    pub fn subject(&self) -> Subject<'_> {
        Subject {
            source: &self.source.text,
            program: &self.program,
            overrides: &self.overrides,
            judgement: &self.judgement,
            arena: &self.arena,
        }
    }
}
