//! Environments of concurrent plays: definitions, in the language itself, that play O's part in the order of the play.
//!
//! Whatever the environment does, it does in its turn. Each of its threads waits at a semaphore of its own until whoever
//! made the move before lets it go on, and whoever calls an identifier waits likewise at the entrance. So only one of
//! them acts at a time, and what it counts and looks at is its own meanwhile. P may make a move before it is seen, and
//! learn of O's only after it was made; but whoever moves could as well have waited, so P can play what is seen, too.

mod cells;
mod turns;

use std::collections::{HashMap, HashSet};

use agon_core::types::Type;
use agon_games::arena::{Arena, ComponentId};
use agon_games::moves::{Label, ThreadMove};
use agon_ia::parse::parse;
use agon_ia::print::print_term;

use super::questions::{Actor, OPENING, Question, QuestionId, Questions};
use crate::environment::Closed;
use crate::page::{Page, number};
use crate::replay::Refused;
use crate::verify::Subject;

/// What an environment is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// To bring the last move about. It aborts there, unless the program does, or ends.
    Lead,
    /// To end only if the program plays the play: wherever it is seen to do anything else, the environment diverges.
    Tell,
}

/// A closed program, and the cells of the environment that are passed on from thread to thread: whoever is at one of them
/// has the turn.
pub(super) struct Staged {
    pub closed: Closed,
    pub passed: HashSet<String>,
}

/// A program in the environment of a play of `with`, which has the free identifiers of both.
pub(super) fn close(
    with: Subject<'_>,
    program: Subject<'_>,
    moves: &[ThreadMove],
    purpose: Purpose,
) -> Result<Staged, Refused> {
    let questions = Questions::read(with.arena, moves)?;
    let mut writer = Writer {
        page: Page::new(program, with),
        arena: with.arena,
        moves,
        kept: vec![true; moves.len()],
        questions,
        purpose,
        declared: Vec::new(),
        semaphores: Vec::new(),
        gates: HashMap::new(),
        turns: HashMap::new(),
        cells: HashMap::new(),
        passed: HashSet::new(),
    };
    let mut definitions = Vec::new();
    let mut arguments = Vec::new();
    let own = with.judgement.context.iter().chain(&with.judgement.arguments);
    let mut unwritten = Vec::new();
    // What behaves like a cell becomes one; neither that nor what always does the same has turns.
    for var in own {
        let id = with.arena.of_variable(*var).expect("every free identifier has a component");
        let variable = with.judgement.terms.variable(*var);
        let name = match with.judgement.arguments.contains(var) {
            false => variable.name.to_string(),
            true => {
                let name = writer.page.fresh(&format!("argument{}", variable.name));
                arguments.push(name.clone());
                name
            }
        };
        if purpose == Purpose::Tell || !writer.as_cells(&name, id) {
            if purpose == Purpose::Lead {
                writer.as_constant(id);
            }
            unwritten.push((name, &variable.ty, id));
        }
    }
    for (name, ty, id) in unwritten {
        let text = writer.procedure(&name, ty, OPENING, Some(id));
        definitions.push(format!("let {name}{text} in"));
    }
    // What only the other program mentions is not played.
    let known = with.judgement.context.iter().map(|own| &with.judgement.terms.variable(*own).name);
    let known: HashSet<_> = known.collect();
    for var in &program.judgement.context {
        let variable = program.judgement.terms.variable(*var);
        if !known.contains(&variable.name) {
            let text = writer.procedure(&variable.name, &variable.ty, OPENING, None);
            definitions.push(format!("let {}{text} in", variable.name));
        }
    }
    let body = print_term(&program.program.tree, program.program.body);
    let body = if arguments.is_empty() { body } else { format!("({body})({})", arguments.join(", ")) };
    let body = writer.opened(body);
    let watcher = writer.watcher();
    if let Some(contended) = writer.first_handed_on() {
        writer.passed.remove(&contended);
    }
    writer.page.line("concurrent");
    writer.page.line(match purpose {
        Purpose::Lead => "// An environment that plays O's part.",
        Purpose::Tell => "// An environment that ends only if the program plays the play.",
    });
    for line in std::mem::take(&mut writer.semaphores) {
        writer.page.line(&format!("sem {line};"));
    }
    for line in std::mem::take(&mut writer.declared) {
        writer.page.line(&line);
    }
    for definition in definitions {
        writer.page.line(&laid_out(&definition));
    }
    if let Some(watcher) = &watcher {
        writer.page.line(&format!("{watcher} ||"));
    }
    writer.page.line("// The program.");
    let term = writer.page.text.len();
    writer.page.line(&if watcher.is_some() { format!("{{ {body} }}") } else { body });
    Ok(Staged { closed: Closed { text: writer.page.text, term }, passed: writer.passed })
}

/// Lines are about so long.
const WIDTH: usize = 90;

/// A definition in the standard layout.
fn laid_out(definition: &str) -> String {
    if definition.len() <= WIDTH {
        return definition.to_string();
    }
    let (program, _) = parse(&format!("{definition} skip"));
    let text = print_term(&program.tree, program.body);
    text.strip_suffix("skip").map_or(definition.to_string(), |text| text.trim_end().to_string())
}

struct Writer<'a> {
    page: Page,
    arena: &'a Arena,
    moves: &'a [ThreadMove],
    /// The moves that have a turn.
    kept: Vec<bool>,
    questions: Questions,
    purpose: Purpose,
    /// Declarations of cells and semaphores.
    declared: Vec<String>,
    /// Declarations of the semaphores that are passed on, many in a line.
    semaphores: Vec<String>,
    /// The entrances of identifiers, and of arguments that O gives with a question.
    gates: HashMap<(QuestionId, ComponentId), String>,
    /// Where the threads of the environment wait.
    turns: HashMap<Actor, String>,
    /// What the questions at variables, arrays and semaphores get to see.
    cells: HashMap<QuestionId, String>,
    passed: HashSet<String>,
}

impl Writer<'_> {
    fn question(&self, id: QuestionId) -> &Question {
        &self.questions.all[id]
    }

    /// A component's name as one of the language.
    fn name(&self, id: ComponentId) -> String {
        let name = self.arena.component(id).name.replace('.', "_");
        if name.starts_with(|c: char| c.is_ascii_digit()) { format!("argument{name}") } else { name }
    }

    fn is_last(&self, at: usize) -> bool {
        at + 1 == self.moves.len()
    }

    /// What the program is asked, and, where it is to be seen, what it answers.
    fn opened(&mut self, body: String) -> String {
        let opening = self.question(OPENING);
        let (label, answer) = (opening.label.clone(), opening.answer.clone());
        if self.purpose == Purpose::Lead && self.watched().is_none() {
            return match label {
                Label::Read => format!("!({body})"),
                Label::Write(n) => format!("({body}) := {}", number(&n)),
                _ => body,
            };
        }
        let opened = match (label, &answer) {
            (Label::Run, _) => format!("{{ {body} }}"),
            (Label::Write(n), _) => format!("({body}) := {}", number(&n)),
            (_, Some((_, Label::Value(n)))) => format!("if ({body}) = {} then skip else diverge", number(n)),
            _ => format!("if ({body}) then skip"),
        };
        let mut parts = vec![opened];
        if let Some((at, _)) = answer {
            self.begin(at, &mut parts);
        }
        parts.join(";\n")
    }

    /// The parameters and the body of a definition that answers what is asked of a component under a question.
    fn procedure(&mut self, name: &str, ty: &Type, above: QuestionId, id: Option<ComponentId>) -> String {
        let (parameters, base) = ty.uncurry();
        let mut names = Vec::new();
        let mut declared = Vec::new();
        for (n, parameter) in parameters.iter().enumerate() {
            let parameter_name = self.page.fresh(&format!("{name}_{}", n + 1));
            declared.push(format!("{parameter_name} : {parameter}"));
            names.push(parameter_name);
        }
        let parameters =
            if declared.is_empty() { String::new() } else { format!("({})", declared.join(", ")) };
        let result = match base {
            Type::Com | Type::Exp(_) => format!(" : {base}"),
            _ => String::new(),
        };
        let body = self.bodies(name, base, above, id, &names);
        format!("{parameters}{result} = {body}")
    }

    /// An argument that O gives with a question.
    fn argument(&mut self, name: &str, ty: &Type, above: QuestionId, id: ComponentId) -> String {
        let (parameters, base) = ty.uncurry();
        let mut names = Vec::new();
        let mut text = String::new();
        for (n, parameter) in parameters.iter().enumerate() {
            let parameter_name = self.page.fresh(&format!("{name}_{}", n + 1));
            text += &format!("fun {parameter_name} : {parameter} . ");
            names.push(parameter_name);
        }
        text + &self.bodies(name, base, above, Some(id), &names)
    }

    /// What is done for all that is asked of a component under a question: for the first this, for the second that.
    fn bodies(
        &mut self,
        name: &str,
        base: &Type,
        above: QuestionId,
        id: Option<ComponentId>,
        names: &[String],
    ) -> String {
        let asked = id.map_or(vec![], |id| self.questions.asked(above, id));
        let mut parts = Vec::new();
        let Some(first) = asked.first() else {
            return self.unasked(name, base);
        };
        if !self.kept[self.question(*first).at] {
            let answer = asked.iter().find_map(|id| self.question(*id).answer.as_ref());
            return match answer {
                Some((_, Label::Value(n))) => number(n),
                _ => self.unasked(name, base),
            };
        }
        if let Some(gate) = self.waits_at(self.question(*first).at) {
            parts.push(format!("grab({gate})"));
        }
        let bodies: Vec<Vec<String>> = asked.iter().map(|id| self.body(*id, base, names)).collect();
        match &bodies[..] {
            [only] => parts.extend(only.iter().cloned()),
            _ => {
                let counter = self.page.fresh(&format!("{name}_calls"));
                self.declared.push(format!("new int {counter} := 0 in"));
                self.passed.insert(counter.clone());
                parts.push(format!("{counter} := {counter} + 1"));
                parts.push(choice(&counter, &bodies, 1));
            }
        }
        block(&parts)
    }

    /// What is never asked.
    fn unasked(&mut self, name: &str, base: &Type) -> String {
        match (base, self.purpose) {
            (Type::Com, Purpose::Lead) => "skip".into(),
            (Type::Exp(_), Purpose::Lead) => "0".into(),
            (Type::Com | Type::Exp(_), Purpose::Tell) => "diverge".into(),
            _ => {
                let cell = self.page.fresh(&format!("{name}_sink"));
                self.declare(&cell, base, None);
                format!("{{ diverge; {cell} }}")
            }
        }
    }

    /// What is done when P's question has come.
    fn body(&mut self, id: QuestionId, base: &Type, names: &[String]) -> Vec<String> {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.body_here(id, base, names))
    }

    fn body_here(&mut self, id: QuestionId, base: &Type, names: &[String]) -> Vec<String> {
        let mut parts = Vec::new();
        let (at, answer) = (self.question(id).at, self.question(id).answer.clone());
        let cell = self.cell(id);
        self.look(at, &mut parts);
        if self.is_last(at) {
            parts.push(if self.watched() == Some(id) {
                format!("release({})", self.watch())
            } else {
                "abort".into()
            });
            parts.extend(cell);
            return parts;
        }
        self.end(at, &mut parts);
        for phase in self.questions.phases.get(&id).cloned().unwrap_or_default() {
            let mut lanes = Vec::new();
            for lane in phase {
                let mut steps = Vec::new();
                for below in lane {
                    self.uses(id, below, names, &mut steps);
                }
                lanes.push(steps);
            }
            match &mut lanes[..] {
                [only] => parts.append(only),
                _ => parts.push(lanes.iter().map(|lane| block(lane)).collect::<Vec<_>>().join(" || ")),
            }
        }
        match answer {
            Some((at, label)) => {
                self.begin(at, &mut parts);
                if self.is_last(at) {
                    parts.push("abort".into());
                } else {
                    self.end(at, &mut parts);
                }
                match label {
                    Label::Value(n) if cell.is_none() => parts.push(number(&n)),
                    _ => parts.extend(cell),
                }
            }
            None if self.purpose == Purpose::Lead && *base == Type::Com => {}
            None => {
                parts.push("diverge".into());
                parts.extend(cell);
            }
        }
        parts
    }

    /// The use of an argument of a call.
    fn uses(&mut self, call: QuestionId, id: QuestionId, names: &[String], parts: &mut Vec<String>) {
        let question = self.question(id);
        let (at, label, answer) = (question.at, question.label.clone(), question.answer.clone());
        let element = question.element.as_ref().map_or(String::new(), |n| format!("[{n}]"));
        let component = question.component;
        self.begin(at, parts);
        if self.is_last(at) {
            parts.push("abort".into());
            return;
        }
        self.end(at, parts);
        let siblings = &self.arena.component(self.question(call).component).arguments;
        let n = siblings.iter().position(|sibling| *sibling == component).unwrap_or(0);
        let given = self.given(&names[n], id, component);
        let place = format!("{}{given}{element}", names[n]);
        parts.push(match (label, &answer) {
            (Label::Run, _) => place,
            (Label::Write(n), _) => format!("{place} := {}", number(&n)),
            (Label::Grab, _) => format!("grab({place})"),
            (Label::Release, _) => format!("release({place})"),
            (_, Some((at, Label::Value(n)))) if self.purpose == Purpose::Tell || self.is_last(*at) => {
                format!("if {place} = {} then skip else diverge", number(n))
            }
            // The value is of no interest here.
            _ => format!("if {place} then skip"),
        });
        match answer {
            Some((at, _)) => {
                self.begin(at, parts);
                if self.is_last(at) {
                    parts.push("abort".into());
                } else {
                    self.end(at, parts);
                }
            }
            None if self.purpose == Purpose::Tell => parts.push("diverge".into()),
            None => {}
        }
    }

    /// The arguments that O gives with a question.
    fn given(&mut self, name: &str, id: QuestionId, component: ComponentId) -> String {
        let arguments = self.arena.component(component).arguments.clone();
        if arguments.is_empty() {
            return String::new();
        }
        let mut texts = Vec::new();
        for (n, argument) in arguments.into_iter().enumerate() {
            let ty = self.ty(argument);
            texts.push(self.argument(&format!("{name}_{}", n + 1), &ty, id, argument));
        }
        format!("({})", texts.join(", "))
    }

    /// The type of a component with its arguments.
    fn ty(&self, id: ComponentId) -> Type {
        let component = self.arena.component(id);
        component.arguments.iter().rev().fold(component.base.clone(), |result, argument| {
            let bound = self.arena.component(*argument).bound;
            Type::fun(agon_core::types::Argument { ty: self.ty(*argument), bound }, result)
        })
    }
}

fn block(parts: &[String]) -> String {
    match parts {
        [] => "skip".into(),
        [only] if !only.contains("||") && !only.starts_with("if ") => only.clone(),
        _ => format!("{{ {} }}", parts.join("; ")),
    }
}

/// What is done in the call that a counter has come to: a balanced choice.
fn choice(counter: &str, bodies: &[Vec<String>], first: usize) -> String {
    match bodies {
        [only] => block(only),
        _ => {
            let (left, right) = bodies.split_at(bodies.len() / 2);
            let middle = first + left.len();
            let (left, right) = (choice(counter, left, first), choice(counter, right, middle));
            format!("if {counter} < {middle} then {left} else {right}")
        }
    }
}
