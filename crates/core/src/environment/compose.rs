//! An environment and a program as one closed program.

use std::collections::HashMap;

use agon_base::int::Int;
use agon_base::source::Span;

use super::{Answer, Body, Comparison, Declaration, Environment, Opening, Place, Procedure, Statement, Use};
use crate::checks::Watch;
use crate::term::{Cause, Construct, Judgement, Name, New, Operator, TermId, Terms, VarId};
use crate::types::{Data, Type};

/// A closed program: a program in an environment.
#[derive(Clone, Debug)]
pub struct Composed {
    /// The whole.
    pub judgement: Judgement,
    /// How many terms are the program's own; these are the first ones.
    own: usize,
}

impl Composed {
    /// Whether a term is part of the program, not of the environment.
    pub fn is_own(&self, term: TermId) -> bool {
        term.index() < self.own
    }
}

/// Binds all that is free in a program to what an environment declares by these names.
pub fn compose(environment: &Environment, program: &Judgement) -> Composed {
    let context = program.context.iter().map(|var| (program.terms.variable(*var).name.clone(), *var));
    let given = environment.arguments.iter().cloned().zip(program.arguments.iter().copied());
    let mut composer = Composer {
        terms: program.terms.clone(),
        free: context.chain(given).collect(),
        scope: HashMap::new(),
    };
    let turns = environment.turns.iter().map(|(name, taken)| composer.semaphore(name, 1, u64::from(*taken)));
    let mut binders: Vec<Binder> = turns.collect();
    binders.extend(environment.declarations.iter().map(|declaration| composer.declaration(declaration)));
    let mut parts = vec![composer.opened(program.body, &environment.opening)];
    parts.extend(environment.after.iter().map(|statement| composer.statement(statement)));
    let mut body = composer.sequence(parts);
    if let Some(beside) = &environment.beside {
        let beside = composer.command(beside);
        body = composer.add(Construct::Parallel(beside, body), Type::Com);
    }
    for binder in binders.into_iter().rev() {
        let ty = composer.terms.ty(body).clone();
        let construct = match binder {
            Binder::Semaphore(var, places, taken) => Construct::NewSemaphore(var, places, taken, body),
            Binder::Cell(variable, data, length, initial) => {
                Construct::New(New { variable, data, length, initial, body })
            }
            Binder::First(statement) => Construct::Sequence(statement, body),
            Binder::Definition(var, definition) => Construct::Let(var, definition, body),
        };
        body = composer.add(construct, ty);
    }
    let judgement = Judgement {
        ty: composer.terms.ty(body).settled(),
        terms: composer.terms,
        mode: program.mode,
        context: Vec::new(),
        arguments: Vec::new(),
        body,
        concurrency: program.concurrency,
        // An environment may itself abort, where the play ends.
        watch: Watch::All,
    };
    Composed { judgement, own: program.terms.len() }
}

/// A declaration that is still to be put before what it is declared for.
enum Binder {
    Semaphore(VarId, u64, u64),
    Cell(VarId, Data, Option<u64>, Option<TermId>),
    First(TermId),
    Definition(VarId, TermId),
}

struct Composer {
    terms: Terms,
    /// What is free in the program.
    free: HashMap<Name, VarId>,
    scope: HashMap<Name, VarId>,
}

impl Composer {
    fn add(&mut self, construct: Construct, ty: Type) -> TermId {
        self.terms.add(construct, ty, Span::default())
    }

    /// A variable of a name: the program's own, if it has one that is free.
    fn declare(&mut self, name: &Name, ty: Type) -> VarId {
        let var = match self.free.get(name) {
            Some(var) => {
                self.terms.retype(*var, ty);
                self.terms.claim(*var, None);
                *var
            }
            None => self.terms.add_variable(name.clone(), ty, Span::default()),
        };
        self.scope.insert(name.clone(), var);
        var
    }

    fn declaration(&mut self, declaration: &Declaration) -> Binder {
        match declaration {
            Declaration::Cell(name, Type::Sem(places), taken) => {
                let taken = taken.as_ref().and_then(Int::to_u64).unwrap_or(0);
                self.semaphore(name, *places, taken)
            }
            Declaration::Cell(name, ty, start) => {
                let data = ty.data().cloned().unwrap_or(Data::Int);
                let length = if let Type::Array(_, length) = ty { Some(*length) } else { None };
                let initial = start.as_ref().map(|n| self.number(n, &data));
                Binder::Cell(self.declare(name, ty.clone()), data, length, initial)
            }
            Declaration::Element(name, at, holds) => {
                let element = self.place(&Place::named(name).at(Some(at.clone())));
                Binder::First(self.write(element, holds))
            }
            Declaration::Definition(name, procedure) => {
                let definition = self.procedure(procedure);
                let ty = self.terms.ty(definition).clone();
                Binder::Definition(self.declare(name, ty), definition)
            }
        }
    }

    fn semaphore(&mut self, name: &Name, places: u64, taken: u64) -> Binder {
        Binder::Semaphore(self.declare(name, Type::Sem(places)), places, taken)
    }

    fn opened(&mut self, program: TermId, opening: &Opening) -> TermId {
        match opening {
            Opening::Plain | Opening::Command => program,
            Opening::Read => self.value(program),
            Opening::Write(n) => self.write(program, n),
            Opening::Ignore => self.ignore(program),
            Opening::Expect(n, comparisons) => {
                let value = self.value(program);
                let first = self.compare(value, Operator::Equal, n);
                self.expect(first, comparisons)
            }
        }
    }

    /// A number of a type.
    fn number(&mut self, n: &Int, data: &Data) -> TermId {
        self.add(Construct::Number(data.wrap(n)), Type::Exp(data.clone()))
    }

    fn variable(&mut self, name: &Name) -> TermId {
        let var = *self.scope.get(name).expect("an environment mentions only what it declares");
        let ty = self.terms.variable(var).ty.clone();
        self.add(Construct::Variable(var), ty)
    }

    fn place(&mut self, place: &Place) -> TermId {
        let mut term = self.variable(&place.name);
        for given in &place.given {
            let argument = self.procedure(given);
            let Type::Fun(_, result) = self.terms.ty(term).clone() else { break };
            term = self.add(Construct::Apply(term, argument), (*result).clone());
        }
        match (&place.element, self.terms.ty(term).clone()) {
            (Some(at), Type::Array(data, _)) => {
                let at = self.number(at, &Data::Int);
                self.add(Construct::Index(term, at), Type::Var(data))
            }
            _ => term,
        }
    }

    /// The value of a term; a variable is read.
    fn value(&mut self, term: TermId) -> TermId {
        match self.terms.ty(term).clone() {
            Type::Var(data) => self.add(Construct::Read(term), Type::Exp(data)),
            _ => term,
        }
    }

    fn write(&mut self, variable: TermId, n: &Int) -> TermId {
        let data = self.terms.ty(variable).data().cloned().unwrap_or(Data::Int);
        let n = self.number(n, &data);
        self.add(Construct::Assign(variable, n), Type::Com)
    }

    fn ignore(&mut self, term: TermId) -> TermId {
        let value = self.value(term);
        let skip = self.add(Construct::Skip, Type::Com);
        self.add(Construct::If(value, skip, skip), Type::Com)
    }

    fn compare(&mut self, value: TermId, operator: Operator, n: &Int) -> TermId {
        let n = self.number(n, &Data::Int);
        self.add(Construct::Binary(operator, value, n), Type::Exp(Data::Bool))
    }

    fn comparison(&mut self, comparison: &Comparison) -> TermId {
        let place = self.place(&comparison.place);
        let value = self.value(place);
        self.compare(value, comparison.operator, &comparison.number)
    }

    /// Goes on if this and the others hold, of which later ones are evaluated only if earlier ones hold.
    fn expect(&mut self, first: TermId, others: &[Comparison]) -> TermId {
        let mut condition = first;
        for other in others {
            let other = self.comparison(other);
            let no = self.number(&Int::ZERO, &Data::Bool);
            condition = self.add(Construct::If(condition, other, no), Type::Exp(Data::Bool));
        }
        let skip = self.add(Construct::Skip, Type::Com);
        let diverge = self.add(Construct::Diverge, Type::Never);
        self.add(Construct::If(condition, skip, diverge), Type::Com)
    }

    fn statement(&mut self, statement: &Statement) -> TermId {
        match statement {
            Statement::Abort => self.add(Construct::Abort(Cause::Abort), Type::Never),
            Statement::Diverge => self.add(Construct::Diverge, Type::Never),
            Statement::Use(place, how) => {
                let place = self.place(place);
                match how {
                    Use::Run => place,
                    Use::Ignore => self.ignore(place),
                    Use::Write(n) => self.write(place, n),
                    Use::Count => self.count(place),
                    Use::Grab => self.add(Construct::Grab(place), Type::Com),
                    Use::Release => self.add(Construct::Release(place), Type::Com),
                }
            }
            Statement::Expect(comparisons) => match &comparisons[..] {
                [] => self.add(Construct::Skip, Type::Com),
                [first, others @ ..] => {
                    let first = self.comparison(first);
                    self.expect(first, others)
                }
            },
            Statement::Repeat(times, statement) => self.repeat(*times, statement),
            Statement::Parallel(threads) => {
                let threads: Vec<TermId> = threads.iter().map(|thread| self.command(thread)).collect();
                let all = threads.into_iter().rev();
                all.reduce(|right, left| self.add(Construct::Parallel(left, right), Type::Com))
                    .unwrap_or_else(|| self.add(Construct::Skip, Type::Com))
            }
        }
    }

    /// Adds 1 to a variable.
    fn count(&mut self, variable: TermId) -> TermId {
        let value = self.value(variable);
        let one = self.number(&Int::ONE, &Data::Int);
        let next = self.add(Construct::Binary(Operator::Add, value, one), Type::Exp(Data::Int));
        self.add(Construct::Assign(variable, next), Type::Com)
    }

    fn repeat(&mut self, times: u64, statement: &Statement) -> TermId {
        let variable = self.terms.add_variable(Name::from("times"), Type::Var(Data::Int), Span::default());
        let counter = self.add(Construct::Variable(variable), Type::Var(Data::Int));
        let value = self.value(counter);
        let guard = self.compare(value, Operator::Less, &Int::from(times));
        let count = self.count(counter);
        let statement = self.statement(statement);
        let round = self.sequence(vec![count, statement]);
        let body = self.add(Construct::While(guard, round), Type::Com);
        let new = New { variable, data: Data::Int, length: None, initial: None, body };
        self.add(Construct::New(new), Type::Com)
    }

    fn command(&mut self, steps: &[Statement]) -> TermId {
        let parts = steps.iter().map(|statement| self.statement(statement)).collect();
        self.sequence(parts)
    }

    /// These, one after the other; the last one says what is given.
    fn sequence(&mut self, mut parts: Vec<TermId>) -> TermId {
        let last = parts.pop().unwrap_or_else(|| self.add(Construct::Skip, Type::Com));
        parts.into_iter().rev().fold(last, |rest, first| {
            let ty = self.terms.ty(rest).clone();
            self.add(Construct::Sequence(first, rest), ty)
        })
    }

    fn body(&mut self, body: &Body, base: &Type) -> TermId {
        let mut parts: Vec<TermId> = body.steps.iter().map(|statement| self.statement(statement)).collect();
        match (&body.end, base.data()) {
            (Answer::Nothing, _) => {}
            (Answer::Number(n), data) => parts.push(self.number(n, data.unwrap_or(&Data::Int))),
            (Answer::Cell(name), _) => parts.push(self.variable(name)),
            (Answer::Choice(comparison, yes, no), _) => {
                let guard = self.comparison(comparison);
                let (yes, no) = (self.body(yes, base), self.body(no, base));
                parts.push(self.add(Construct::If(guard, yes, no), base.clone()));
            }
        }
        let term = self.sequence(parts);
        if *self.terms.ty(term) != Type::Never {
            return term;
        }
        // What never returns is of whatever type it is to be.
        let skip = self.add(Construct::Skip, Type::Com);
        self.add(Construct::Sequence(skip, term), base.clone())
    }

    fn procedure(&mut self, procedure: &Procedure) -> TermId {
        let mut parameters = Vec::new();
        for (name, argument) in &procedure.parameters {
            let var = self.terms.add_variable(name.clone(), argument.ty.clone(), Span::default());
            self.terms.claim(var, argument.bound);
            self.scope.insert(name.clone(), var);
            parameters.push((var, argument.clone()));
        }
        let body = self.body(&procedure.body, &procedure.base);
        parameters.into_iter().rev().fold(body, |body, (var, argument)| {
            let ty = Type::fun(argument, self.terms.ty(body).clone());
            self.add(Construct::Lambda(var, body), ty)
        })
    }
}
