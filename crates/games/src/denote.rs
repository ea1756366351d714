//! The reference semantics: the figures of the papers, one arm per construct, as explicit automata.
//!
//! A term in normal form denotes the set of its complete plays. A construct `c(M₁, …, Mₙ)` is the strategy of `c`,
//! an automaton over its own moves and those of its parts, composed with the parts' strategies, which start again
//! each time they are asked; the moves in between are hidden [OTF, Def. 1–2; AG, §5.1]. Jumps are as in
//! [PRED, Fig. 3]: a term may end in `go l`, which only the construct that declares `l` understands.

mod compose;
mod constants;

use std::collections::BTreeSet;

use agon_lang::int::Int;
use agon_lang::normal::normalize;
use agon_lang::term::{Construct, Judgement, LabelId, New, TermId, VarId};
use agon_lang::types::{Data, Type};

use crate::arena::{Arena, OWN};
use crate::automaton::{Automaton, Builder};
use crate::moves::{Label, Move};
use compose::{Piece, compose};

/// Why a program has no denotation here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unfit {
    /// Some data has infinitely many values.
    Infinite,
    /// The program is concurrent.
    Concurrent,
    /// The normal form is too large to be built.
    TooLarge,
}

/// A letter of a subterm's plays.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Letter {
    /// A move of the term's own type.
    Own(Own),
    /// A move at a variable, free or bound outside.
    At(VarId, Option<usize>, Own),
    Abort,
    Go(LabelId),
}

/// A move of a base type: at an element, if the type is an array's.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Own {
    element: Option<u64>,
    label: Label,
}

impl Own {
    fn plain(label: Label) -> Own {
        Own { element: None, label }
    }

    fn is_question(&self) -> bool {
        self.label.is_question()
    }
}

/// The complete plays of a term.
type Plays = Automaton<Letter>;

/// Normal forms larger than this are not denoted.
const LARGEST: usize = 20_000;

/// The complete plays of a program: a minimal automaton over its moves.
pub fn denote(judgement: &Judgement, arena: &Arena) -> Result<Automaton<Move>, Unfit> {
    if judgement.mode == agon_lang::tree::Mode::Concurrent {
        return Err(Unfit::Concurrent);
    }
    let normal = normalize(judgement, LARGEST).ok_or(Unfit::TooLarge)?;
    let denoter = Denoter { judgement: &normal };
    let plays = denoter.term(normal.body, normal.ty.uncurry().1)?;
    Ok(plays.relabel(|letter| match letter {
        Letter::Own(own) => Move { component: OWN, element: None, label: own.label.clone() },
        Letter::At(var, argument, own) => {
            let component = arena.of_variable(*var).expect("only free identifiers are left");
            let component = match argument {
                Some(n) => arena.component(component).arguments[*n],
                None => component,
            };
            Move { component, element: own.element.map(Int::from), label: own.label.clone() }
        }
        Letter::Abort => Move { component: OWN, element: None, label: Label::Abort },
        Letter::Go(_) => unreachable!("labels are declared inside the program"),
    }))
}

struct Denoter<'a> {
    judgement: &'a Judgement,
}

impl Denoter<'_> {
    /// The plays of a term that is asked the questions of a type; its own type, unless it fits everywhere.
    fn term(&self, term: TermId, asked: &Type) -> Result<Plays, Unfit> {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.term_here(term, asked))
    }

    /// The plays of a term that is asked for a value.
    fn value(&self, term: TermId) -> Result<Plays, Unfit> {
        self.term(term, &Type::Exp(Data::Int))
    }

    fn term_here(&self, term: TermId, asked: &Type) -> Result<Plays, Unfit> {
        let terms = &self.judgement.terms;
        let ty = match terms.ty(term) {
            Type::Never => asked,
            ty => ty,
        };
        match terms.construct(term) {
            // ⟦n⟧ = q·n
            Construct::Number(n) => Ok(compose(&constants::number(n), &[])),
            // ⟦skip⟧ = run·done
            Construct::Skip => Ok(compose(&constants::skip(), &[])),
            // ⟦abort⟧ = q·abort, whatever is asked
            Construct::Abort(_) => Ok(compose(&constants::abort(&questions(ty)?), &[])),
            // ⟦diverge⟧: no complete play
            Construct::Diverge => Ok(compose(&constants::nothing(), &[])),
            // ⟦goto l⟧ = q·go l
            Construct::Goto(label) => Ok(compose(&constants::goto(*label, &questions(ty)?), &[])),
            Construct::Unary(operator, a) => {
                let parts = [self.value(*a)?];
                let values = values(&parts[0]);
                Ok(compose(&constants::unary(&values, |n| operator.apply(n)), &parts))
            }
            Construct::Wrap(data, a) => {
                let parts = [self.value(*a)?];
                let values = values(&parts[0]);
                Ok(compose(&constants::unary(&values, |n| data.wrap(n)), &parts))
            }
            Construct::Binary(operator, a, b) => {
                let parts = [self.value(*a)?, self.value(*b)?];
                let (left, right) = (values(&parts[0]), values(&parts[1]));
                Ok(compose(&constants::binary(&left, &right, *operator), &parts))
            }
            Construct::WrapVariable(data, a) => {
                let inner = terms.ty(*a).data().unwrap_or(data);
                let parts = [self.term(*a, ty)?];
                let values = values(&parts[0]);
                Ok(compose(&constants::wrap_variable(&values, data, inner, &questions(ty)?), &parts))
            }
            Construct::Sequence(a, b) => {
                let parts = [self.term(*a, &Type::Com)?, self.term(*b, ty)?];
                Ok(compose(&constants::sequence(&self.exchanges(ty, &parts[1..])?), &parts))
            }
            Construct::If(guard, yes, no) => {
                let parts = [self.value(*guard)?, self.term(*yes, ty)?, self.term(*no, ty)?];
                let exchanges = self.exchanges(ty, &parts[1..])?;
                Ok(compose(&constants::conditional(&values(&parts[0]), &exchanges), &parts))
            }
            Construct::While(guard, body) => {
                let parts = [self.value(*guard)?, self.term(*body, &Type::Com)?];
                Ok(compose(&constants::repeat(&values(&parts[0])), &parts))
            }
            Construct::Assign(a, b) => {
                let parts = [self.term(*a, terms.ty(*a))?, self.value(*b)?];
                Ok(compose(&constants::assign(&values(&parts[1])), &parts))
            }
            Construct::Read(a) => {
                let parts = [self.term(*a, terms.ty(*a))?];
                Ok(compose(&constants::read(&values(&parts[0])), &parts))
            }
            Construct::Index(a, b) => {
                let parts = [self.term(*a, terms.ty(*a))?, self.value(*b)?];
                let Type::Array(_, length) = terms.ty(*a) else { unreachable!("only arrays are indexed") };
                let questions = questions(ty)?;
                let answers = values(&parts[0]);
                Ok(compose(&constants::index(&questions, &answers, &values(&parts[1]), *length), &parts))
            }
            Construct::New(new) => self.new_cells(new, ty),
            Construct::Break(label, body) => Ok(ended(&self.term(*body, &Type::Com)?, *label)),
            Construct::Continue(label, body) => Ok(restarted(&self.term(*body, &Type::Com)?, *label)),
            Construct::Variable(_) | Construct::Apply(..) => self.application(term),
            Construct::Parallel(..)
            | Construct::NewSemaphore(..)
            | Construct::Grab(_)
            | Construct::Release(_) => Err(Unfit::Concurrent),
            Construct::Lambda(..)
            | Construct::Let(..)
            | Construct::WithPredicate(..)
            | Construct::BeginPredicate(_)
            | Construct::EndPredicate(_) => unreachable!("normal forms have none"),
        }
    }

    /// The questions of a type, each with the answers that the parts may give to it.
    fn exchanges(&self, ty: &Type, parts: &[Plays]) -> Result<Vec<(Own, Vec<Own>)>, Unfit> {
        let answers: BTreeSet<Own> = parts.iter().flat_map(own_answers).collect();
        Ok(questions(ty)?
            .into_iter()
            .map(|question| {
                let fitting = answers.iter().filter(|answer| {
                    answer.element == question.element
                        && matches!(answer.label, Label::Ok) == matches!(question.label, Label::Write(_))
                });
                let fitting = fitting.cloned().collect();
                (question, fitting)
            })
            .collect())
    }

    /// ⟦f(M₁, …, Mₙ)⟧ = q·f.q·(Σᵢ f.i.q·⟦Mᵢ⟧·f.i.a)*·f.a·a: the copycat of f, composed with its arguments.
    fn application(&self, term: TermId) -> Result<Plays, Unfit> {
        let terms = &self.judgement.terms;
        let mut head = term;
        let mut arguments = Vec::new();
        while let Construct::Apply(function, argument) = terms.construct(head) {
            arguments.push(*argument);
            head = *function;
        }
        arguments.reverse();
        let Construct::Variable(var) = terms.construct(head) else {
            unreachable!("in normal forms only variables are applied")
        };
        let (parameters, base) = terms.variable(*var).ty.uncurry();
        let mut parts = Vec::new();
        for (parameter, argument) in parameters.iter().zip(&arguments) {
            parts.push(self.term(*argument, &parameter.ty)?);
        }
        let mut copied = Vec::new();
        for (parameter, part) in parameters.iter().zip(&parts) {
            copied.push(self.exchanges(&parameter.ty, std::slice::from_ref(part))?);
        }
        let mut own = Vec::new();
        for question in questions(base)? {
            own.push((question.clone(), answers(base, &question)?));
        }
        Ok(compose(&constants::copycat(*var, &own, &copied), &parts))
    }

    /// ⟦new x := M in N⟧: N after `x := M`, composed with a cell that starts at 0, all moves at x hidden.
    fn new_cells(&self, new: &New, ty: &Type) -> Result<Plays, Unfit> {
        let body = self.term(new.body, ty)?;
        let length = new.length.unwrap_or(1) as usize;
        let Some(initial) = new.initial else {
            return Ok(with_cells(&body, new.variable, vec![Int::ZERO; length]));
        };
        let initial = self.value(initial)?;
        let questions = questions(ty)?;
        let mut product = Piece::new();
        let root = product.state(Phase::Start);
        for (n, question) in questions.iter().enumerate() {
            if let Some(state) = initial.after(initial.initial, &Letter::Own(Own::plain(Label::Ask))) {
                let to = product.state(Phase::Initial(n, state));
                product.builder.edge(root, Some(Letter::Own(question.clone())), to);
            }
        }
        while let Some((from, phase)) = product.next() {
            match phase {
                Phase::Start => {}
                Phase::End => product.builder.accept(from),
                Phase::Body(state, cells) => {
                    body_step(&mut product, from, &body, new.variable, state, &cells)
                }
                Phase::Initial(n, state) => {
                    for (letter, to) in initial.edges(state) {
                        let (letter, to) = match &initial.letters[*letter as usize] {
                            // The cells are set, and the body goes on from behind the opening question.
                            Letter::Own(Own { label: Label::Value(value), .. }) => {
                                let question = Letter::Own(questions[n].clone());
                                let Some(opened) = body.after(body.initial, &question) else { continue };
                                (None, Phase::Body(opened, vec![value.clone(); length]))
                            }
                            letter @ Letter::At(..) => (Some(letter.clone()), Phase::Initial(n, *to)),
                            letter => (Some(letter.clone()), Phase::End),
                        };
                        let to = product.state(to);
                        product.builder.edge(from, letter, to);
                    }
                }
            }
        }
        Ok(product.builder.determinize(root).minimal())
    }
}

/// The questions that may be asked of a base type.
fn questions(ty: &Type) -> Result<Vec<Own>, Unfit> {
    let writes = |data: &Data, element: Option<u64>| -> Result<Vec<Own>, Unfit> {
        let mut all = vec![Own { element, label: Label::Read }];
        all.extend(all_values(data)?.into_iter().map(|n| Own { element, label: Label::Write(n) }));
        Ok(all)
    };
    match ty {
        Type::Com => Ok(vec![Own::plain(Label::Run)]),
        Type::Exp(_) => Ok(vec![Own::plain(Label::Ask)]),
        Type::Var(data) => writes(data, None),
        Type::Array(data, length) => {
            let mut all = Vec::new();
            for element in 0..*length {
                all.extend(writes(data, Some(element))?);
            }
            Ok(all)
        }
        // A program that never answers is a command.
        Type::Never => Ok(vec![Own::plain(Label::Run)]),
        Type::Sem(_) => Err(Unfit::Concurrent),
        Type::Fun(..) => unreachable!("normal forms have base types"),
    }
}

/// The answers that O may give to a question at a free identifier.
fn answers(ty: &Type, question: &Own) -> Result<Vec<Own>, Unfit> {
    let element = question.element;
    match &question.label {
        Label::Run => Ok(vec![Own { element, label: Label::Done }]),
        Label::Write(_) => Ok(vec![Own { element, label: Label::Ok }]),
        _ => {
            let data = ty.data().expect("what is asked for a value has data");
            Ok(all_values(data)?.into_iter().map(|n| Own { element, label: Label::Value(n) }).collect())
        }
    }
}

/// More values than this are as good as infinitely many for explicit automata.
const MOST_VALUES: u64 = 1 << 6;

fn all_values(data: &Data) -> Result<Vec<Int>, Unfit> {
    match data.size().and_then(|size| size.to_u64()) {
        Some(size) if size <= MOST_VALUES => Ok((0..size).map(|code| data.value(code)).collect()),
        _ => Err(Unfit::Infinite),
    }
}

fn own_answers(plays: &Plays) -> BTreeSet<Own> {
    plays
        .letters
        .iter()
        .filter_map(|letter| match letter {
            Letter::Own(own) if !own.is_question() => Some(own.clone()),
            _ => None,
        })
        .collect()
}

/// The values that a term may give.
fn values(plays: &Plays) -> Vec<Int> {
    let values: BTreeSet<Int> = own_answers(plays)
        .into_iter()
        .filter_map(|own| match own.label {
            Label::Value(n) => Some(n),
            _ => None,
        })
        .collect();
    values.into_iter().collect()
}

/// ⟦break l . M⟧: a play of M that ends in `go l` is done.
fn ended(plays: &Plays, label: LabelId) -> Plays {
    relink(plays, |builder, from, letter, to, _| match letter {
        Letter::Go(to_label) if *to_label == label => {
            builder.edge(from, Some(Letter::Own(Own::plain(Label::Done))), to);
        }
        letter => builder.edge(from, Some(letter.clone()), to),
    })
}

/// ⟦cont l . M⟧: where a play of M ends in `go l`, another follows, without its opening question.
fn restarted(plays: &Plays, label: LabelId) -> Plays {
    relink(plays, |builder, from, letter, to, opened| match letter {
        Letter::Go(to_label) if *to_label == label => {
            if let Some(opened) = opened {
                builder.edge(from, None, opened);
            }
        }
        letter => builder.edge(from, Some(letter.clone()), to),
    })
}

fn relink(plays: &Plays, edge: impl Fn(&mut Builder<Letter>, u32, &Letter, u32, Option<u32>)) -> Plays {
    let mut builder = Builder::new();
    for accepting in &plays.accepting {
        let state = builder.state();
        if *accepting {
            builder.accept(state);
        }
    }
    let opened = plays.after(plays.initial, &Letter::Own(Own::plain(Label::Run)));
    for from in 0..plays.states() as u32 {
        for (letter, to) in plays.edges(from) {
            edge(&mut builder, from, &plays.letters[*letter as usize], *to, opened);
        }
    }
    builder.determinize(plays.initial).minimal()
}

/// Where the plays of a block are.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Phase {
    Start,
    /// In the initial value, after one of the questions.
    Initial(usize, u32),
    /// In the body, with what the cells hold.
    Body(u32, Vec<Int>),
    End,
}

/// A term's plays composed with cells for one of its variables, the moves there hidden.
fn with_cells(body: &Plays, var: VarId, cells: Vec<Int>) -> Plays {
    let mut product = Piece::new();
    let root = product.state(Phase::Body(body.initial, cells));
    while let Some((from, phase)) = product.next() {
        match phase {
            Phase::Body(state, cells) => body_step(&mut product, from, body, var, state, &cells),
            Phase::End => product.builder.accept(from),
            Phase::Start | Phase::Initial(..) => unreachable!("there is no initial value"),
        }
    }
    product.builder.determinize(root).minimal()
}

/// The cell strategy: a read gives what was last written.
fn body_step(product: &mut Piece<Phase>, from: u32, body: &Plays, var: VarId, state: u32, cells: &[Int]) {
    for (letter, to) in body.edges(state) {
        let letter = &body.letters[*letter as usize];
        let (shown, cells) = match letter {
            Letter::At(at, _, own) if *at == var => {
                let place = own.element.unwrap_or(0) as usize;
                let mut cells = cells.to_vec();
                match &own.label {
                    Label::Write(n) => cells[place] = n.clone(),
                    Label::Value(n) if cells[place] != *n => continue,
                    _ => {}
                }
                (None, cells)
            }
            letter => (Some(letter.clone()), cells.to_vec()),
        };
        let to = if body.accepting[*to as usize] { Phase::End } else { Phase::Body(*to, cells) };
        let to = product.state(to);
        product.builder.edge(from, shown, to);
    }
}
