//! Assumptions about what the environment gives: read, understood for one program or two, and known to be satisfiable.

use std::collections::BTreeMap;
use std::time::Duration;

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::{Source, Span};
use agon_base::spelling::closest;
use agon_core::condition::Condition;
use agon_core::module::{Function, Sort};
use agon_core::term::{Operator, Unary};
use agon_core::types::{Data, Type};
use agon_games::moves::Player;
use agon_ia::assumption::{Written, parse};
use agon_solve::embedded::Embedded;
use agon_solve::{Answer, Claim, Limit, Name, Solver, Terms};

use super::Session;
use super::module::{ModuleSession, Role};

/// The solver is asked for this long whether an assumption can be satisfied.
const PATIENCE: Duration = Duration::from_secs(5);
/// No more names than this are listed.
const MOST_NAMES: usize = 12;

/// What is assumed of the numbers of one kind of move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumed {
    /// Which moves.
    pub of: Of,
    /// What their numbers fulfil.
    pub condition: Condition,
    /// The same, as it is written.
    pub words: String,
}

/// Moves in which the environment gives numbers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Of {
    /// The values of a free identifier, or of an import.
    Answers(String),
    /// The calls of an export.
    Calls(String),
}

/// A number that the environment gives.
pub struct Place {
    /// What it is called.
    name: String,
    /// What else it may be called.
    also: Option<String>,
    of: Of,
    /// Which number of the move it is.
    index: usize,
    data: Data,
    /// Between which numbers it lies, if not everywhere in its type.
    range: Option<(Int, Int)>,
}

/// A program to whose environment assumptions apply.
pub trait Giving {
    /// The numbers that the environment gives.
    fn places(&self) -> Vec<Place>;
    /// Why a name that is there is none of them.
    fn not_given(&self, name: &str) -> Option<String>;
}

impl Giving for Session {
    fn places(&self) -> Vec<Place> {
        let free = self.arena.components().filter(|(_, component)| {
            component.variable.is_some() && component.parent.is_none() && component.asker == Player::P
        });
        let place = |component: &agon_games::arena::Component| {
            Some(Place {
                name: component.name.clone(),
                also: None,
                of: Of::Answers(component.name.clone()),
                index: 0,
                data: component.base.data()?.clone(),
                range: None,
            })
        };
        free.filter_map(|(_, component)| place(component)).collect()
    }

    fn not_given(&self, name: &str) -> Option<String> {
        let (_, component) = self.arena.components().skip(1).find(|(_, component)| component.name == name)?;
        Some(match (&component.base, component.asker) {
            (Type::Com, _) => format!("`{name}` is a command, which gives nothing"),
            (Type::Exp(_), Player::O) => format!("the program gives `{name}`"),
            _ => "only values and results of free identifiers have assumptions".into(),
        })
    }
}

impl ModuleSession {
    /// What an import is called here, if its answers are numbers of the environment's.
    fn answering(&self, import: agon_core::module::ImportId) -> Option<&str> {
        match self.role(Some(Function::Import(import))) {
            Role::Function => Some(&self.module().import(import).name),
            Role::Asks(place) => Some(place),
            _ => None,
        }
    }
}

impl Giving for ModuleSession {
    fn places(&self) -> Vec<Place> {
        let module = self.module();
        let mut places = Vec::new();
        for (id, import) in module.imports() {
            let result = module.signature(import.signature).result.as_ref();
            let (Some(Sort::Data(data)), Some(name)) = (result, self.answering(id)) else { continue };
            places.push(Place {
                name: name.into(),
                also: None,
                of: Of::Answers(name.into()),
                index: 0,
                data: data.clone(),
                range: import.returns.clone(),
            });
        }
        for (_, procedure) in module.procedures().filter(|(_, procedure)| procedure.exported) {
            let parameters = &module.signature(procedure.signature).parameters;
            for (index, (sort, local)) in parameters.iter().zip(&procedure.locals).enumerate() {
                let Sort::Data(data) = sort else { continue };
                let numbered = format!("{}.{}", procedure.name, index + 1);
                let named = local.name.as_ref().map(|name| format!("{}.{name}", procedure.name));
                places.push(Place {
                    name: named.clone().unwrap_or_else(|| numbered.clone()),
                    also: named.is_some().then_some(numbered),
                    of: Of::Calls(procedure.name.to_string()),
                    index,
                    data: data.clone(),
                    range: None,
                });
            }
        }
        places
    }

    fn not_given(&self, name: &str) -> Option<String> {
        let module = self.module();
        let (function, parameter) = name.split_once('.').map_or((name, None), |(a, b)| (a, Some(b)));
        if let Some((_, procedure)) = module.procedures().find(|(_, known)| *known.name == *function) {
            return match (procedure.exported, parameter) {
                (false, _) => Some(format!("`{function}` is private, so the environment does not call it")),
                (true, None) => Some(format!("the module gives what `{function}` returns")),
                (true, Some(_)) => None,
            };
        }
        let (_, import) = module.imports().find(|(_, known)| *known.name == *function)?;
        let result = &module.signature(import.signature).result;
        Some(match (parameter, result) {
            (Some(_), _) => format!("the module gives the arguments of `{function}`"),
            (None, None) => format!("`{function}` returns nothing"),
            (None, Some(_)) => format!("`{function}` does not return numbers"),
        })
    }
}

/// What is wrong with an assumption: its text, and the errors in it.
pub type Wrong = (Source, Vec<Diagnostic>);

/// Reads assumptions about the environment of one program, or of two. One that no number satisfies is an error.
pub fn read(texts: &[String], programs: &[&dyn Giving]) -> Result<Vec<Assumed>, Wrong> {
    let places: Vec<Place> = programs.iter().flat_map(|program| program.places()).collect();
    let mut all = Vec::new();
    for text in texts {
        let source = Source::new("--assume".to_string(), text.clone());
        let wrong = |diagnostic: Diagnostic| (source.clone(), vec![diagnostic]);
        for conjunct in parse(text).map_err(wrong)?.conjuncts() {
            all.push(understood(&conjunct, &places, programs).map_err(wrong)?);
        }
    }
    let mut by_move: BTreeMap<&Of, Vec<&Assumed>> = BTreeMap::new();
    all.iter().for_each(|assumed: &Assumed| by_move.entry(&assumed.of).or_default().push(assumed));
    for (of, together) in by_move {
        if !satisfiable(of, &together, &places) {
            let words: Vec<&str> = together.iter().map(|assumed| &*assumed.words).collect();
            let words = words.join(" and ");
            let diagnostic = Diagnostic::general(
                Code::BadAssumption,
                format!("nothing that the environment gives satisfies `{words}`"),
            )
            .help("with an assumption that nothing satisfies, every program is safe");
            return Err((Source::new("--assume".to_string(), words), vec![diagnostic]));
        }
    }
    Ok(all)
}

/// A condition about one move.
fn understood(written: &Written, places: &[Place], programs: &[&dyn Giving]) -> Result<Assumed, Diagnostic> {
    let error = |message: String, span: Span, label: &str| {
        Diagnostic::error(Code::BadAssumption, message, span, label)
    };
    let mut of: Option<(&Of, &str)> = None;
    for (name, span) in written.places() {
        let Some(place) = find(places, name) else { return Err(unknown(name, span, places, programs)) };
        match of {
            Some((known, first)) if *known != place.of => {
                return Err(error(
                    format!("`{first}` and `{name}` are given in two moves"),
                    span,
                    "given in another move",
                )
                .help("a condition is about one answer, or about the arguments of one call"));
            }
            _ => of = Some((&place.of, name)),
        }
    }
    let Some((of, _)) = of else {
        let message = "this condition does not speak about what the environment gives";
        return Err(Diagnostic::general(Code::BadAssumption, message)
            .help("name a free identifier, an import, or a parameter of an export"));
    };
    truth(written, places)?;
    let condition = condition(written, places);
    let mut names: Vec<String> = Vec::new();
    for place in places.iter().filter(|place| place.of == *of) {
        names.resize(names.len().max(place.index + 1), String::new());
        if names[place.index].is_empty() {
            names[place.index].clone_from(&place.name);
        }
    }
    Ok(Assumed { of: of.clone(), words: condition.show(&names), condition })
}

fn find<'a>(places: &'a [Place], name: &str) -> Option<&'a Place> {
    let named = places.iter().find(|place| place.name == name);
    named.or_else(|| places.iter().find(|place| place.also.as_deref() == Some(name)))
}

fn unknown(name: &str, span: Span, places: &[Place], programs: &[&dyn Giving]) -> Diagnostic {
    let message = format!("`{name}` is nothing that the environment gives");
    let why = programs.iter().find_map(|program| program.not_given(name));
    let like = closest(name, places.iter().map(|place| &*place.name));
    let label = match (why, like) {
        (Some(why), _) => why,
        (None, Some(like)) => format!("did you mean `{like}`?"),
        (None, None) => "there is no such name".into(),
    };
    let mut names: Vec<String> = places.iter().map(|place| format!("`{}`", place.name)).collect();
    names.sort();
    names.dedup();
    if names.len() > MOST_NAMES {
        names.truncate(MOST_NAMES);
        names.push("others".into());
    }
    let help = match names.len() {
        0 => "the environment of this program gives no numbers".into(),
        _ => format!("the environment gives {}", names.join(", ")),
    };
    Diagnostic::error(Code::BadAssumption, message, span, label).help(help)
}

/// Whether the places of something written are all of type `bool`, if it is a place.
fn is_truth_value(written: &Written, places: &[Place]) -> bool {
    match written {
        Written::Truth(_) => true,
        Written::Place(name, _) => find(places, name).is_some_and(|place| place.data == Data::Bool),
        Written::Number(_) => false,
        Written::Unary(operator, ..) => *operator == Unary::Not,
        Written::Binary(operator, ..) => operator.is_truth(),
    }
}

/// Something written must be true or false.
fn truth(written: &Written, places: &[Place]) -> Result<(), Diagnostic> {
    if !is_truth_value(written, places) {
        let span = written.span().unwrap_or_default();
        return Err(Diagnostic::error(
            Code::BadAssumption,
            "a condition is needed here",
            span,
            "this is a number",
        )
        .help("compare it: `e > 0`"));
    }
    match written {
        Written::Unary(_, a, _) => truth(a, places),
        Written::Binary(Operator::Both | Operator::Either, a, b, _) => {
            truth(a, places)?;
            truth(b, places)
        }
        Written::Binary(Operator::Equal | Operator::NotEqual, a, b, _)
            if is_truth_value(a, places) && is_truth_value(b, places) =>
        {
            truth(a, places)?;
            truth(b, places)
        }
        Written::Binary(_, a, b, _) => {
            number(a, places)?;
            number(b, places)
        }
        _ => Ok(()),
    }
}

/// Something written must be a number.
fn number(written: &Written, places: &[Place]) -> Result<(), Diagnostic> {
    let is_place = matches!(written, Written::Place(..));
    if is_truth_value(written, places) && !is_place {
        let span = written.span().unwrap_or_default();
        return Err(Diagnostic::error(
            Code::BadAssumption,
            "a number is needed here",
            span,
            "this is true or false",
        ));
    }
    match written {
        Written::Unary(_, a, _) => number(a, places),
        Written::Binary(_, a, b, _) => {
            number(a, places)?;
            number(b, places)
        }
        _ => Ok(()),
    }
}

/// What is written, over the numbers of the move.
fn condition(written: &Written, places: &[Place]) -> Condition {
    match written {
        Written::Number(n) => Condition::Number(n.clone()),
        Written::Truth(truth) => Condition::Number(Int::truth(*truth)),
        Written::Place(name, _) => Condition::Given(find(places, name).map_or(0, |place| place.index)),
        Written::Unary(operator, a, _) => Condition::Unary(*operator, Box::new(condition(a, places))),
        Written::Binary(operator, a, b, _) => {
            Condition::Binary(*operator, Box::new(condition(a, places)), Box::new(condition(b, places)))
        }
    }
}

/// Whether conditions on one move can all hold. If that is not known, they may.
fn satisfiable(of: &Of, together: &[&Assumed], places: &[Place]) -> bool {
    let mut terms = Terms::new();
    let mut claims = Vec::new();
    let mut inputs = BTreeMap::new();
    for place in places.iter().filter(|place| place.of == *of) {
        let input = terms.constant(format!("x{}", place.index), agon_solve::Sort::Int);
        inputs.insert(place.index, input);
        if let Some((low, high)) = place.range.clone().or_else(|| place.data.range()) {
            let (low, high) = (terms.int(low), terms.int(high));
            claims.extend([terms.at_most(low, input), terms.at_most(input, high)]);
        }
    }
    for assumed in together {
        let claim = holds(&mut terms, &assumed.condition, &inputs);
        claims.push(claim);
    }
    let claims: Vec<Claim> = (0..).map(Name).zip(claims).map(|(name, term)| Claim { name, term }).collect();
    !matches!(Embedded::new().check(&terms, &claims, &Limit::within(PATIENCE)), Answer::Unsat(_))
}

type Inputs = BTreeMap<usize, agon_solve::Term>;

/// That a condition holds, for the solver.
fn holds(terms: &mut Terms, condition: &Condition, inputs: &Inputs) -> agon_solve::Term {
    match condition {
        Condition::Unary(Unary::Not, a) => {
            let a = holds(terms, a, inputs);
            terms.not(a)
        }
        Condition::Binary(operator @ (Operator::Both | Operator::Either), a, b) => {
            let sides = [holds(terms, a, inputs), holds(terms, b, inputs)];
            if *operator == Operator::Both { terms.and(&sides) } else { terms.or(&sides) }
        }
        Condition::Binary(operator, a, b) if operator.is_truth() => {
            let (a, b) = (value(terms, a, inputs), value(terms, b, inputs));
            match operator {
                Operator::Equal => terms.equal(a, b),
                Operator::NotEqual => {
                    let same = terms.equal(a, b);
                    terms.not(same)
                }
                Operator::Less => terms.less(a, b),
                Operator::LessEqual => terms.at_most(a, b),
                Operator::Greater => terms.less(b, a),
                _ => terms.at_most(b, a),
            }
        }
        other => {
            let (number, zero) = (value(terms, other, inputs), terms.int(0i64));
            let same = terms.equal(number, zero);
            terms.not(same)
        }
    }
}

/// The number that an expression in a condition is, for the solver.
fn value(terms: &mut Terms, condition: &Condition, inputs: &Inputs) -> agon_solve::Term {
    match condition {
        Condition::Number(n) => terms.int(n.clone()),
        Condition::Given(n) => inputs.get(n).copied().unwrap_or_else(|| terms.int(0i64)),
        Condition::Unary(Unary::Negate, a) => {
            let a = value(terms, a, inputs);
            terms.neg(a)
        }
        Condition::Binary(operator, a, b) if !operator.is_truth() => {
            let (a, b) = (value(terms, a, inputs), value(terms, b, inputs));
            match operator {
                Operator::Add => terms.add(a, b),
                Operator::Subtract => terms.sub(a, b),
                Operator::Multiply => terms.mul(a, b),
                Operator::Divide => terms.div(a, b),
                _ => terms.rem(a, b),
            }
        }
        truth => {
            let truth = holds(terms, truth, inputs);
            let (one, zero) = (terms.int(1i64), terms.int(0i64));
            terms.if_else(truth, one, zero)
        }
    }
}

/// Assumes it of the environment of a term, as far as it speaks about what the program mentions.
pub(super) fn of_term(session: &mut Session, all: &[Assumed]) {
    for assumed in all {
        let Of::Answers(name) = &assumed.of else { continue };
        let free: Vec<_> =
            session.judgement.context.iter().chain(&session.judgement.arguments).copied().collect();
        let terms = &mut session.judgement.terms;
        if let Some(var) = free.into_iter().find(|var| *terms.variable(*var).name == **name) {
            terms.assume(var, assumed.condition.clone());
        }
    }
}

/// Assumes it of the environment of a module, as far as it speaks about what the module has. Returns what is to be said with a verdict.
pub(super) fn of_module(session: &mut ModuleSession, all: &[Assumed]) -> Vec<String> {
    let mut words = Vec::new();
    for Assumed { of, condition, words: own } in all {
        match of {
            Of::Answers(name) => {
                let ids: Vec<_> = session.module().imports().map(|(id, _)| id).collect();
                let Some(id) = ids.into_iter().find(|id| session.answering(*id) == Some(name)) else {
                    continue;
                };
                session.module.assume_answer(id, condition.clone());
            }
            Of::Calls(name) => {
                let exported = |procedure: &agon_core::module::Procedure| {
                    procedure.exported && *procedure.name == **name
                };
                let id = session
                    .module()
                    .procedures()
                    .find(|(_, procedure)| exported(procedure))
                    .map(|(id, _)| id);
                let Some(id) = id else { continue };
                session.module.assume_call(id, condition.clone());
            }
        }
        words.push(own.clone());
    }
    words
}
