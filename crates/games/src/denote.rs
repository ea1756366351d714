//! The reference semantics: the figures of the papers, one arm per construct, as explicit automata.
//!
//! A term in normal form denotes the set of its complete plays. A construct `c(M₁, …, Mₙ)` is the strategy of `c`,
//! an automaton over its own moves and those of its parts, composed with the parts' strategies, which start again
//! each time they are asked; the moves in between are hidden [OTF, Def. 1–2; AG, §5.1]. Jumps are as in
//! [PRED, Fig. 3]: a term may end in `go l`, which only the construct that declares `l` understands.
//!
//! Where parts run at once their plays are interleaved, and their threads renumbered [SCC, §3]; see `denote/threads.rs`.
//! What is left of all this if the store is known by predicates only is in `denote/predicates.rs`.

mod cells;
mod compose;
mod constants;
mod jumps;
mod letters;
pub mod predicates;
mod revealed;
mod threads;

use std::collections::{BTreeSet, HashSet};

use agon_base::budget::{Budget, Stop};
use agon_base::id::number;
use agon_base::int::Int;
use agon_base::refused::Refused;
use agon_core::normal::normalize;
use agon_core::term::{Construct, Judgement, Mode, New, TermId, VarId};
use agon_core::types::{Data, Type};

use crate::arena::{Arena, OWN};
use crate::automaton::{Automaton, Builder};
use crate::moves::{Label, Move, ThreadMove};
use compose::{Constant, Piece, compose};
use jumps::{ended, restarted};
use letters::{Letter, Own, Plays, answers, own_answers, questions, values};
pub use revealed::{Coordinate, Coordinates, Revealed, revealed};
use threads::{Part, Weaving};

/// How a model is built bottom-up.
#[derive(Clone, Copy)]
pub struct Building<'a> {
    /// Whether bisimilar states of a concurrent model are made one before it is made deterministic.
    pub reduce: bool,
    /// No model on the way may have more states than this.
    pub most: usize,
    /// What it may cost.
    pub budget: &'a Budget,
}

/// A model that was built bottom-up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Built<L> {
    /// The model.
    pub model: Automaton<L>,
    /// The states of the largest model on the way, before it was minimised.
    pub largest: usize,
}

/// Normal forms larger than this are not denoted.
const LARGEST: usize = 20_000;

/// The complete plays of a program: a minimal automaton over its moves.
pub fn denote(judgement: &Judgement, arena: &Arena) -> Result<Automaton<Move>, Refused> {
    let building = Building { reduce: true, most: usize::MAX, budget: &Budget::default() };
    bottom_up(judgement, arena, building).map(|built| built.model)
}

/// The complete plays of a program, every subterm's model minimised before it is composed; and how large it got.
pub fn bottom_up(
    judgement: &Judgement,
    arena: &Arena,
    building: Building<'_>,
) -> Result<Built<Move>, Refused> {
    judgement.sequential()?;
    let (plays, largest) = plays(judgement, building, false)?;
    let model = plays.relabel(|letter| match visible(letter, arena) {
        Some(ThreadMove { m, .. }) => m,
        None => unreachable!("only free identifiers are left, and labels are declared inside the program"),
    });
    Ok(Built { model, largest })
}

/// The same of a program that may be concurrent: a minimal automaton over its moves with their threads.
pub fn bottom_up_threads(
    judgement: &Judgement,
    arena: &Arena,
    building: Building<'_>,
) -> Result<Built<ThreadMove>, Refused> {
    let (plays, largest) = plays(judgement, building, false)?;
    let model = plays.relabel(|letter| visible(letter, arena).expect("only free identifiers are left"));
    Ok(Built { model, largest })
}

fn plays(judgement: &Judgement, building: Building<'_>, revealed: bool) -> Result<(Plays, usize), Refused> {
    let normal = normalize(judgement, LARGEST).ok_or(Stop::Table)?;
    let concurrent = normal.mode == Mode::Concurrent;
    let cells = (0..normal.terms.len())
        .filter_map(|id| match normal.terms.construct(TermId::new(id)) {
            Construct::New(New { variable, .. }) | Construct::NewSemaphore(variable, ..) => Some(*variable),
            _ => None,
        })
        .filter(|_| concurrent);
    let mut denoter = Denoter {
        judgement: &normal,
        building,
        revealed,
        concurrent,
        cells: cells.collect(),
        path: Coordinates::default(),
        largest: 0,
    };
    let plays = denoter.term(normal.body, normal.ty.uncurry().1)?;
    let plays = if concurrent { complete(&plays) } else { plays };
    Ok((plays, denoter.largest))
}

/// The complete plays among all plays of a term.
fn complete(plays: &Plays) -> Plays {
    let mut builder = Builder::new();
    plays.accepting.iter().for_each(|_| _ = builder.state());
    let end = builder.state();
    builder.accept(end);
    for from in 0..number(plays.states()) {
        for (letter, to) in plays.edges(from) {
            let letter = &plays.letters[*letter as usize];
            builder.edge(from, Some(letter.clone()), if letter.is_last() { end } else { *to });
        }
    }
    builder.determinize(plays.initial).minimal()
}

fn visible(letter: &Letter, arena: &Arena) -> Option<ThreadMove> {
    let mut threads = Box::default();
    let m = match letter {
        Letter::Own(own) => Move { component: OWN, element: None, label: own.label.clone() },
        Letter::At(place, own) => {
            let mut component = arena.of_variable(place.var)?;
            for n in &place.path {
                component = arena.component(component).arguments[*n];
            }
            threads = place.threads.as_slice().into();
            Move { component, element: own.element.map(Int::from), label: own.label.clone() }
        }
        Letter::Abort => Move { component: OWN, element: None, label: Label::Abort },
        Letter::Cell(_) | Letter::Go(_) | Letter::Inner(..) | Letter::Local(_) => return None,
    };
    Some(ThreadMove { m, threads })
}

struct Denoter<'a> {
    judgement: &'a Judgement,
    building: Building<'a>,
    /// Whether the moves between the parts stay visible, with the place of the part in the syntax tree.
    revealed: bool,
    concurrent: bool,
    /// The local variables and semaphores of a concurrent program.
    cells: HashSet<VarId>,
    /// The coordinates of the term that is being denoted.
    path: Coordinates,
    /// The states of the largest model so far.
    largest: usize,
}

impl Denoter<'_> {
    /// The plays of a term that is asked the questions of a type; its own type, unless it fits everywhere.
    fn term(&mut self, term: TermId, asked: &Type) -> Result<Plays, Refused> {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.term_here(term, asked))
    }

    /// The plays of the n-th part of the term that is being denoted.
    fn part(&mut self, n: u32, term: TermId, asked: &Type) -> Result<Plays, Refused> {
        self.path.0.push(Coordinate { part: n, thread: None });
        let plays = self.term(term, asked);
        self.path.0.pop();
        plays
    }

    /// The plays of a part that is asked for a value.
    fn value(&mut self, n: u32, term: TermId) -> Result<Plays, Refused> {
        self.part(n, term, &Type::Exp(Data::Int))
    }

    fn compose(&mut self, constant: &Constant, parts: &[Plays]) -> Result<Plays, Refused> {
        let reveal = self.revealed.then_some(&self.path);
        let product = compose(constant, parts, reveal, &|state| self.go_on(state))?;
        self.finish(product)
    }

    /// The coordinates of the term that is being denoted, if what is hidden is revealed.
    fn revealing(&self) -> Option<Coordinates> {
        self.revealed.then(|| self.path.clone())
    }

    /// The minimal automaton of a product.
    fn finish<S>(&mut self, (mut product, root): (Piece<S>, u32)) -> Result<Plays, Refused> {
        let Building { reduce, most, budget } = self.building;
        if self.concurrent {
            (0..number(product.builder.states())).for_each(|state| product.builder.accept(state));
        }
        let plays = match self.concurrent && reduce {
            true => product.builder.determinize_prefixes(root, most, budget)?,
            false => product.builder.determinize_within(root, most, budget)?,
        };
        self.largest = self.largest.max(product.len()).max(plays.states());
        Ok(plays.minimal_within(budget)?)
    }

    fn term_here(&mut self, term: TermId, asked: &Type) -> Result<Plays, Refused> {
        let terms = &self.judgement.terms;
        let ty = match terms.ty(term) {
            Type::Never => asked,
            ty => ty,
        };
        match terms.construct(term) {
            // ⟦n⟧ = q·n
            Construct::Number(n) => self.compose(&constants::number(n), &[]),
            // ⟦skip⟧ = run·done
            Construct::Skip => self.compose(&constants::skip(), &[]),
            // ⟦abort⟧ = q·abort, whatever is asked
            Construct::Abort(_) => self.compose(&constants::abort(&questions(ty)?), &[]),
            // ⟦diverge⟧: no complete play
            Construct::Diverge => self.compose(&constants::nothing(&questions(ty)?), &[]),
            // ⟦goto l⟧ = q·go l
            Construct::Goto(label) => self.compose(&constants::goto(*label, &questions(ty)?), &[]),
            Construct::Unary(operator, a) => {
                let parts = [self.value(1, *a)?];
                let values = values(&parts[0]);
                self.compose(&constants::unary(&values, |n| operator.apply(n)), &parts)
            }
            Construct::Wrap(data, a) => {
                let parts = [self.value(1, *a)?];
                let values = values(&parts[0]);
                self.compose(&constants::unary(&values, |n| data.wrap(n)), &parts)
            }
            Construct::Binary(operator, a, b) => {
                let parts = [self.value(1, *a)?, self.value(2, *b)?];
                let (left, right) = (values(&parts[0]), values(&parts[1]));
                self.compose(&constants::binary(&left, &right, *operator), &parts)
            }
            Construct::WrapVariable(data, a) => {
                let inner = terms.ty(*a).data().unwrap_or(data);
                let parts = [self.part(1, *a, ty)?];
                let values = values(&parts[0]);
                self.compose(&constants::wrap_variable(&values, data, inner, &questions(ty)?), &parts)
            }
            Construct::Sequence(a, b) => {
                let parts = [self.part(1, *a, &Type::Com)?, self.part(2, *b, ty)?];
                self.compose(&constants::sequence(&self.exchanges(ty, &parts[1..])?), &parts)
            }
            Construct::If(guard, yes, no) => {
                let parts = [self.value(1, *guard)?, self.part(2, *yes, ty)?, self.part(3, *no, ty)?];
                let exchanges = self.exchanges(ty, &parts[1..])?;
                self.compose(&constants::conditional(&values(&parts[0]), &exchanges), &parts)
            }
            Construct::While(guard, body) => {
                let parts = [self.value(1, *guard)?, self.part(2, *body, &Type::Com)?];
                self.compose(&constants::repeat(&values(&parts[0])), &parts)
            }
            Construct::Assign(a, b) => {
                let parts = [self.part(1, *a, terms.ty(*a))?, self.value(2, *b)?];
                self.compose(&constants::assign(&values(&parts[1])), &parts)
            }
            Construct::Read(a) => {
                let parts = [self.part(1, *a, terms.ty(*a))?];
                self.compose(&constants::read(&values(&parts[0])), &parts)
            }
            Construct::Index(a, b) => {
                let parts = [self.part(1, *a, terms.ty(*a))?, self.value(2, *b)?];
                let Type::Array(_, length) = terms.ty(*a) else { unreachable!("only arrays are indexed") };
                let questions = questions(ty)?;
                let answers = values(&parts[0]);
                self.compose(&constants::index(&questions, &answers, &values(&parts[1]), *length), &parts)
            }
            Construct::New(new) => self.new_cells(new, ty),
            Construct::Break(label, body) => Ok(ended(&self.term(*body, &Type::Com)?, *label)),
            Construct::Continue(label, body) => Ok(restarted(&self.term(*body, &Type::Com)?, *label)),
            Construct::Variable(_) | Construct::Apply(..) => self.application(term),
            // ⟦M || N⟧ = run·(⟦M⟧ interleaved with ⟦N⟧)·done
            Construct::Parallel(a, b) => {
                let mut part = |n, term| {
                    Ok::<_, Refused>(Part {
                        plays: self.part(n, term, &Type::Com)?,
                        parameters: vec![],
                        bound: 1,
                    })
                };
                let parts = [part(1, *a)?, part(2, *b)?];
                self.weave(&Weaving::Branches, questions(&Type::Com)?, &parts)
            }
            Construct::NewSemaphore(var, _, taken, body) => {
                let body = self.term(*body, ty)?;
                self.new_semaphore(*var, *taken, &body)
            }
            Construct::Grab(a) => {
                let parts = [self.part(1, *a, terms.ty(*a))?];
                self.compose(&constants::semaphore(Label::Grab), &parts)
            }
            Construct::Release(a) => {
                let parts = [self.part(1, *a, terms.ty(*a))?];
                self.compose(&constants::semaphore(Label::Release), &parts)
            }
            Construct::Lambda(..) => unreachable!("only arguments are procedures"),
            Construct::Let(..)
            | Construct::WithPredicate(..)
            | Construct::BeginPredicate(_)
            | Construct::EndPredicate(_) => unreachable!("normal forms have none"),
        }
    }

    /// The questions of a type, each with the answers that the parts may give to it.
    fn exchanges(&self, ty: &Type, parts: &[Plays]) -> Result<Vec<(Own, Vec<Own>)>, Refused> {
        let answers: BTreeSet<Own> = parts.iter().flat_map(own_answers).collect();
        Ok(questions(ty)?
            .into_iter()
            .map(|question| {
                let fitting = answers.iter().filter(|answer| {
                    let ok = matches!(question.label, Label::Write(_) | Label::Grab | Label::Release);
                    answer.element == question.element && matches!(answer.label, Label::Ok) == ok
                });
                let fitting = fitting.cloned().collect();
                (question, fitting)
            })
            .collect())
    }

    /// ⟦f(M₁, …, Mₙ)⟧ = q·f.q·(Σᵢ f.i.q·⟦Mᵢ⟧·f.i.a)*·f.a·a: the copycat of f, composed with its arguments.
    fn application(&mut self, term: TermId) -> Result<Plays, Refused> {
        let terms = &self.judgement.terms;
        let (head, arguments) = terms.spine(term);
        let Construct::Variable(var) = terms.construct(head) else {
            unreachable!("in normal forms only variables are applied")
        };
        if self.concurrent && !self.cells.contains(var) {
            return self.call(*var, &arguments);
        }
        let (parameters, base) = terms.variable(*var).ty.uncurry();
        let mut own = Vec::new();
        for question in questions(base)? {
            own.push((question.clone(), answers(base, &question)?));
        }
        if self.concurrent {
            return self.compose(&constants::access(*var, &own), &[]);
        }
        let mut parts = Vec::new();
        let mut copied = Vec::new();
        for (n, (parameter, argument)) in (1..).zip(parameters.iter().zip(&arguments)) {
            let part = self.part(n, *argument, &parameter.ty)?;
            copied.push(self.exchanges(&parameter.ty, std::slice::from_ref(&part))?);
            parts.push(part);
        }
        self.compose(&constants::copycat(*var, &own, &copied), &parts)
    }

    /// ⟦f(M₁, …, Mₙ)⟧ = q·f.q·(what O opens of ⟦M₁⟧, …, ⟦Mₙ⟧, interleaved)·f.a·a: the copycat of f, with delay.
    fn call(&mut self, var: VarId, arguments: &[TermId]) -> Result<Plays, Refused> {
        let terms = &self.judgement.terms;
        let (given, base) = terms.variable(var).ty.uncurry();
        let mut parts = Vec::new();
        for (n, (argument, ty)) in (1..).zip(arguments.iter().zip(given)) {
            let mut body = *argument;
            let mut parameters = Vec::new();
            while let Construct::Lambda(parameter, inner) = terms.construct(body) {
                parameters.push(*parameter);
                body = *inner;
            }
            let plays = self.part(n, body, ty.ty.uncurry().1)?;
            parts.push(Part { plays, parameters, bound: ty.bound.unwrap_or(1) });
        }
        self.weave(&Weaving::Call(var, base), questions(base)?, &parts)
    }

    /// Whether to go on with a product, asked now and then.
    fn go_on(&self, state: u32) -> Result<(), Refused> {
        if state.is_multiple_of(1 << 8) {
            self.building.budget.check()?;
        }
        if state as usize > self.building.most { Err(Stop::Table.into()) } else { Ok(()) }
    }
}
