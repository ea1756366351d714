//! Environments as they are written in `.ia`.

use agon_base::int::Int;
use agon_core::environment::{
    Answer, Body, Comparison, Declaration, Environment, Opening, Place, Procedure, Purpose, Statement, Use,
};
use agon_core::language::Closed;
use agon_core::term::{Name, Operator};
use agon_core::types::Type;

use crate::constant::Constants;
use crate::parse::parse;
use crate::print::print_term;
use crate::read::Document;

/// Lines are about so long.
const WIDTH: usize = 90;

/// A program in an environment.
pub(crate) fn close(document: &Document, environment: &Environment) -> Closed {
    let Document { program, overrides, .. } = document;
    let writer = Writer { concurrent: environment.concurrent };
    let mut lines = Vec::new();
    let constants = Constants::evaluate(program, overrides, &mut Vec::new());
    for constant in &program.constants {
        if let Some(value) = constants.get(&constant.ident.name) {
            lines.push(format!("const {} = {value};", constant.ident.name));
        }
    }
    if writer.concurrent {
        lines.push("concurrent".into());
    }
    lines.push(match environment.purpose {
        Purpose::Lead => "// An environment that plays O's part.".into(),
        Purpose::Tell => "// An environment that ends only if the program plays the play.".into(),
    });
    lines.extend(turns(&environment.turns));
    lines.extend(environment.declarations.iter().map(|declaration| writer.declaration(declaration)));
    lines.extend(environment.beside.iter().map(|steps| format!("{{ {} }} ||", writer.steps(steps))));
    lines.push("// The program.".into());
    let before: String = lines.into_iter().map(|line| line + "\n").collect();
    let mut body = print_term(&program.tree, program.body);
    if !environment.arguments.is_empty() {
        body = format!("({body})({})", environment.arguments.join(", "));
    }
    let mut parts = vec![writer.opened(&body, &environment.opening)];
    parts.extend(environment.after.iter().map(|statement| writer.statement(statement)));
    body = parts.join(";\n");
    if environment.beside.is_some() {
        body = format!("{{ {body} }}");
    }
    Closed { text: format!("{before}{body}\n"), term: before.len() }
}

/// Declarations of semaphores, several in a line.
fn turns(turns: &[(Name, bool)]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (name, taken) in turns {
        let declared = format!("{name}{}", if *taken { " = 1" } else { "" });
        match lines.last_mut().filter(|line| line.len() + declared.len() < WIDTH) {
            Some(line) => *line += &format!(", {declared}"),
            None => lines.push(declared),
        }
    }
    lines.into_iter().map(|line| format!("sem {line};")).collect()
}

/// A number as the language reads it.
fn number(n: &Int) -> String {
    if n.is_negative() { format!("({n})") } else { n.to_string() }
}

/// A definition in the standard layout.
fn laid_out(definition: String) -> String {
    if definition.len() <= WIDTH {
        return definition;
    }
    let (program, _) = parse(&format!("{definition} skip"));
    let text = print_term(&program.tree, program.body);
    text.strip_suffix("skip").map_or(definition, |text| text.trim_end().to_string())
}

struct Writer {
    concurrent: bool,
}

impl Writer {
    fn declaration(&self, declaration: &Declaration) -> String {
        match declaration {
            Declaration::Cell(name, ty, start) => {
                let start = |before: &str| {
                    start.as_ref().map_or(String::new(), |n| format!(" {before} {}", number(n)))
                };
                match ty {
                    Type::Array(data, length) => format!("new {data} {name}[{length}]{} in", start(":=")),
                    Type::Var(data) => format!("new {data} {name}{} in", start(":=")),
                    _ => format!("{ty} {name}{};", start("=")),
                }
            }
            Declaration::Element(name, at, holds) => format!("{name}[{at}] := {};", number(holds)),
            Declaration::Definition(name, procedure) => {
                let Procedure { parameters, base, body } = procedure;
                let parameters: Vec<String> =
                    parameters.iter().map(|(name, argument)| format!("{name} : {argument}")).collect();
                let parameters = match parameters.is_empty() {
                    true => String::new(),
                    false => format!("({})", parameters.join(", ")),
                };
                let result = match base {
                    Type::Com | Type::Exp(_) => format!(" : {base}"),
                    _ => String::new(),
                };
                let head = format!("let {name}{parameters}{result} =");
                match (&body.steps[..], &body.end) {
                    // What is done in the first call, in the second, and so on.
                    ([Statement::Use(_, Use::Count)], Answer::Choice(..)) if !self.concurrent => {
                        let lines = self.parts(body).join(";\n  ");
                        format!("{head} {{\n  {lines}\n}} in")
                    }
                    _ if self.concurrent => laid_out(format!("{head} {} in", self.branch(body))),
                    _ => format!("{head} {} in", self.branch(body)),
                }
            }
        }
    }

    fn opened(&self, program: &str, opening: &Opening) -> String {
        match opening {
            Opening::Plain => program.to_string(),
            Opening::Read => format!("!({program})"),
            Opening::Write(n) => format!("({program}) := {}", number(n)),
            Opening::Command => format!("{{ {program} }}"),
            Opening::Ignore => format!("if ({program}) then skip"),
            Opening::Expect(n, comparisons) => {
                let others = match comparisons.is_empty() {
                    true => String::new(),
                    false => format!(" and {}", self.comparisons(comparisons)),
                };
                format!("if ({program}) = {}{others} then skip else diverge", number(n))
            }
        }
    }

    /// A body; a choice needs no braces.
    fn branch(&self, body: &Body) -> String {
        match (&body.steps[..], &body.end) {
            ([], Answer::Choice(..)) => self.parts(body).concat(),
            _ => self.block(self.parts(body)),
        }
    }

    fn block(&self, mut parts: Vec<String>) -> String {
        let splits = if self.concurrent { "||" } else { ";" };
        match (parts.len(), parts.pop()) {
            (_, None) => "skip".into(),
            (1, Some(only)) if !only.contains(splits) && !only.starts_with("if ") => only,
            // A loop has braces of its own.
            (1, Some(only)) if !self.concurrent && only.starts_with("{ ") => only,
            (_, last) => {
                parts.extend(last);
                format!("{{ {} }}", parts.join("; "))
            }
        }
    }

    fn parts(&self, body: &Body) -> Vec<String> {
        let mut parts: Vec<String> = body.steps.iter().map(|statement| self.statement(statement)).collect();
        parts.extend(match &body.end {
            Answer::Nothing => None,
            Answer::Number(n) => Some(number(n)),
            Answer::Cell(name) => Some(name.to_string()),
            Answer::Choice(comparison, yes, no) => Some(format!(
                "if {} then {} else {}",
                self.comparison(comparison),
                self.branch(yes),
                self.branch(no)
            )),
        });
        parts
    }

    fn steps(&self, steps: &[Statement]) -> String {
        steps.iter().map(|statement| self.statement(statement)).collect::<Vec<_>>().join("; ")
    }

    fn statement(&self, statement: &Statement) -> String {
        match statement {
            Statement::Abort => "abort".into(),
            Statement::Diverge => "diverge".into(),
            Statement::Use(place, how) => {
                let place = self.place(place);
                match how {
                    Use::Run => place,
                    Use::Ignore => format!("if {place} then skip"),
                    Use::Write(n) => format!("{place} := {}", number(n)),
                    Use::Count => format!("{place} := {place} + 1"),
                    Use::Grab => format!("grab({place})"),
                    Use::Release => format!("release({place})"),
                }
            }
            Statement::Expect(comparisons) => {
                format!("if {} then skip else diverge", self.comparisons(comparisons))
            }
            Statement::Repeat(times, statement) => format!(
                "{{ new int times := 0 in while times < {times} do {{ times := times + 1; {} }} }}",
                self.statement(statement)
            ),
            Statement::Parallel(threads) => {
                let threads = threads.iter().map(|steps| self.branch(&steps.clone().into()));
                threads.collect::<Vec<_>>().join(" || ")
            }
        }
    }

    fn place(&self, place: &Place) -> String {
        let mut text = place.name.to_string();
        if !place.given.is_empty() {
            let given = place.given.iter().map(|procedure| self.argument(procedure));
            text += &format!("({})", given.collect::<Vec<_>>().join(", "));
        }
        match &place.element {
            Some(at) => format!("{text}[{at}]"),
            None => text,
        }
    }

    fn argument(&self, procedure: &Procedure) -> String {
        let parameters =
            procedure.parameters.iter().map(|(name, argument)| format!("fun {name} : {argument} . "));
        parameters.collect::<String>() + &self.branch(&procedure.body)
    }

    fn comparison(&self, comparison: &Comparison) -> String {
        let operator = if comparison.operator == Operator::Equal { "=" } else { "<" };
        format!("{} {operator} {}", self.place(&comparison.place), number(&comparison.number))
    }

    fn comparisons(&self, comparisons: &[Comparison]) -> String {
        match comparisons {
            [only] => self.comparison(only),
            _ => {
                let all = comparisons.iter().map(|comparison| self.comparison(comparison));
                format!("({})", all.collect::<Vec<_>>().join(" and "))
            }
        }
    }
}
