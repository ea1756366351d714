//! Another language: commands and cells, a line each. It is checked, replayed, and its environments are written in it.
//!
//! ```text
//! open command NAME          a free command
//! open number SIZE NAME      a free expression, below SIZE
//! cell NAME N                a new cell
//! do NAME                    runs a free command
//! NAME <- NAME               writes to a cell
//! stop NAME = N              aborts if the cell holds the number
//! ```

use std::collections::{HashMap, HashSet};

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_base::source::{Span, line_column};
use agon_check::portfolio::{self, Engine};
use agon_check::question::Question;
use agon_check::task::Task;
use agon_check::verdict::{Report, Verdict};
use agon_core::checks::Watch;
use agon_core::environment::{Answer, Body, Declaration, Environment, Statement, Use};
use agon_core::language::{Closed, Language, TermLanguage};
use agon_core::term::{Cause, Construct, Judgement, Mode, Name, New, Operator, TermId, Terms, VarId};
use agon_core::types::{Data, Type};
use agon_witness::verify::Program;

struct Lines(String);

impl Language for Lines {
    fn text(&self, span: Span) -> Option<&str> {
        self.0.get(span.start as usize..span.end as usize)
    }

    fn line(&self, offset: u32) -> usize {
        line_column(&self.0, offset).0
    }

    fn names(&self) -> HashSet<Name> {
        self.0.split_whitespace().map(Name::from).collect()
    }
}

impl TermLanguage for Lines {
    fn close(&self, environment: &Environment) -> Closed {
        let lines = environment.declarations.iter().map(|declaration| match declaration {
            Declaration::Cell(name, _, start) => {
                format!("cell {name} {}\n", start.clone().unwrap_or_default())
            }
            Declaration::Element(name, at, holds) => format!("{name} {at} <- {holds}\n"),
            Declaration::Definition(name, procedure) => format!("to {name}: {}\n", body(&procedure.body)),
        });
        let before: String = lines.collect();
        Closed { term: before.len(), text: before + &self.0 }
    }

    fn annotate(&self, _: &[(String, Span)]) -> Option<String> {
        None
    }
}

fn body(body: &Body) -> String {
    let steps = body.steps.iter().map(|statement| match statement {
        Statement::Abort => "stop".into(),
        Statement::Use(place, Use::Count) => format!("count {}", place.name),
        other => panic!("first-order programs without arguments need no {other:?}"),
    });
    let end = match &body.end {
        Answer::Nothing => None,
        Answer::Number(n) => Some(format!("give {n}")),
        Answer::Cell(name) => Some(name.to_string()),
        Answer::Choice(comparison, yes, no) => {
            let sign = if comparison.operator == Operator::Equal { "is" } else { "below" };
            let condition = format!("{} {sign} {}", comparison.place.name, comparison.number);
            Some(format!("when {condition} {} else {}", self::body(yes), self::body(no)))
        }
    };
    steps.chain(end).collect::<Vec<_>>().join(", ")
}

/// What a line comes to: something to be done, or a cell for all lines below.
enum Line {
    Statement(TermId),
    Cell(VarId, TermId),
}

/// Reads a program.
fn read(text: &str) -> Judgement {
    let mut terms = Terms::default();
    let mut names: HashMap<&str, VarId> = HashMap::new();
    let (mut context, mut lines) = (Vec::new(), Vec::new());
    let int = |n: &str| Int::parse(n).expect("a number");
    for line in text.lines() {
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        let span = Span::new(start, start + line.len());
        let used = |terms: &mut Terms, name: &str| {
            let ty = terms.variable(names[name]).ty.clone();
            terms.add(Construct::Variable(names[name]), ty, span)
        };
        let number =
            |terms: &mut Terms, n: &str| terms.add(Construct::Number(int(n)), Type::Exp(Data::Int), span);
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["open", "command", name] => {
                context.push(terms.add_variable(name.into(), Type::Com, span));
                names.insert(name, context[context.len() - 1]);
            }
            ["open", "number", size, name] => {
                let ty = Type::Exp(Data::Mod(int(size)));
                context.push(terms.add_variable(name.into(), ty, span));
                names.insert(name, context[context.len() - 1]);
            }
            ["cell", name, n] => {
                let n = number(&mut terms, n);
                let cell = terms.add_variable(name.into(), Type::Var(Data::Int), span);
                names.insert(name, cell);
                lines.push(Line::Cell(cell, n));
            }
            ["do", name] => lines.push(Line::Statement(used(&mut terms, name))),
            [cell, "<-", name] => {
                let (cell, mut value) = (used(&mut terms, cell), used(&mut terms, name));
                if let Type::Var(data) = terms.ty(value).clone() {
                    value = terms.add(Construct::Read(value), Type::Exp(data), span);
                }
                lines.push(Line::Statement(terms.add(Construct::Assign(cell, value), Type::Com, span)));
            }
            ["stop", cell, "=", n] => {
                let (cell, n) = (used(&mut terms, cell), number(&mut terms, n));
                let read = terms.add(Construct::Read(cell), Type::Exp(Data::Int), span);
                let equal = Construct::Binary(Operator::Equal, read, n);
                let equal = terms.add(equal, Type::Exp(Data::Bool), span);
                let stop = terms.add(Construct::Abort(Cause::Abort), Type::Never, span);
                let skip = terms.add(Construct::Skip, Type::Com, span);
                lines.push(Line::Statement(terms.add(Construct::If(equal, stop, skip), Type::Com, span)));
            }
            _ => panic!("{line}"),
        }
    }
    let whole = Span::new(0, text.len());
    let mut body = terms.add(Construct::Skip, Type::Com, whole);
    for line in lines.into_iter().rev() {
        let construct = match line {
            Line::Statement(statement) => Construct::Sequence(statement, body),
            Line::Cell(variable, n) => {
                Construct::New(New { variable, data: Data::Int, length: None, initial: Some(n), body })
            }
        };
        body = terms.add(construct, Type::Com, whole);
    }
    Judgement {
        terms,
        mode: Mode::Sequential,
        context,
        arguments: Vec::new(),
        ty: Type::Com,
        body,
        concurrency: None,
        watch: Watch::All,
    }
}

fn check(text: &str, engine: Engine) -> Report {
    let program = Program::new(Lines(text.into()), read(text));
    let (question, budget) = (Question::aborts(), Budget::default());
    portfolio::answer(engine, Task::new(program.subject(), &question, &budget), &mut |_| {})
}

const ENGINES: [Engine; 4] =
    [Engine::Explicit, Engine::Interval, Engine::Partition { semi_terminating: false }, Engine::Auto];

const PROGRAM: &str = "open command tick
open number 4 key
cell a 0
cell b 0
do tick
a <- key
b <- key
b <- a
stop b = 3
";

#[test]
fn a_program_in_another_language_is_answered_in_it() {
    for engine in ENGINES {
        let Verdict::Unsafe(play, evidence) = check(PROGRAM, engine).verdict else {
            panic!("{engine:?} does not find the play");
        };
        assert!(play.moves.len() >= 8, "{engine:?}");
        let closed = evidence.closed.expect("an environment was run");
        let (environment, program) = closed.text.split_at(closed.term);
        assert_eq!(program, PROGRAM);
        if engine == Engine::Explicit {
            let expected = "to tick: \ncell key_calls 0\nto key: count key_calls, when key_calls is 1 give 3 else give 0\n";
            assert_eq!(environment, expected);
        }
    }
}

#[test]
fn what_no_environment_can_do_is_safe() {
    for engine in ENGINES {
        let verdict = check(&PROGRAM.replace("stop b = 3", "stop b = 4"), engine).verdict;
        assert!(matches!(verdict, Verdict::Safe), "{engine:?} says {}", verdict.word());
    }
}
