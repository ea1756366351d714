//! The reference semantics: the figures of the papers, one arm per construct, as explicit automata.
//!
//! A term in normal form denotes the set of its complete plays. A construct `c(M₁, …, Mₙ)` is the strategy of `c`,
//! an automaton over its own moves and those of its parts, composed with the parts' strategies, which start again
//! each time they are asked; the moves in between are hidden [OTF, Def. 1–2; AG, §5.1]. Jumps are as in
//! [PRED, Fig. 3]: a term may end in `go l`, which only the construct that declares `l` understands.

mod compose;
mod constants;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use agon_lang::int::Int;
use agon_lang::normal::normalize;
use agon_lang::term::{Construct, Judgement, LabelId, New, TermId, VarId};
use agon_lang::types::{Data, Type};

use crate::arena::{Arena, OWN};
use crate::automaton::{Automaton, Builder};
use crate::moves::{Label, Move};
use compose::{Constant, Piece, compose};

/// Why a program has no denotation here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unfit {
    /// Some data has infinitely many values.
    Infinite,
    /// The program is concurrent.
    Concurrent,
    /// The normal form is too large to be built.
    TooLarge,
    /// It was called off.
    Interrupted,
}

/// How a model is built bottom-up.
#[derive(Clone, Copy)]
pub struct Building<'a> {
    /// Whether the moves between the parts stay visible, with the place of the part in the syntax tree.
    pub revealed: bool,
    /// Asked now and then: whether to stop.
    pub interrupted: &'a dyn Fn() -> bool,
}

/// A model that was built bottom-up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Built<L> {
    /// The model.
    pub model: Automaton<L>,
    /// The states of the largest model on the way, before it was minimised.
    pub largest: usize,
}

/// A move of a revealed play.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Revealed {
    /// One that everybody sees.
    Visible(Move),
    /// One between a construct and its part, at the coordinates of the part.
    Inner(Vec<u32>, String),
    /// One at a local variable.
    Local(String, String),
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
    /// A move between a construct and its part, where these are revealed.
    Inner(Vec<u32>, Own),
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
    let building = Building { revealed: false, interrupted: &|| false };
    bottom_up(judgement, arena, building).map(|built| built.model)
}

/// The complete plays of a program, every subterm's model minimised before it is composed; and how large it got.
pub fn bottom_up(judgement: &Judgement, arena: &Arena, building: Building<'_>) -> Result<Built<Move>, Unfit> {
    let (plays, largest) = plays(judgement, Building { revealed: false, ..building })?;
    let model = plays.relabel(|letter| match visible(letter, arena) {
        Some(m) => m,
        None => unreachable!("only free identifiers are left, and labels are declared inside the program"),
    });
    Ok(Built { model, largest })
}

/// The complete plays of a program with all moves between its parts [GC, §2 and App. B.1].
pub fn revealed(
    judgement: &Judgement,
    arena: &Arena,
    building: Building<'_>,
) -> Result<Built<Revealed>, Unfit> {
    let (plays, largest) = plays(judgement, Building { revealed: true, ..building })?;
    let name = |own: &Own| {
        let element = own.element.map_or(String::new(), |element| format!("[{element}]"));
        match &own.label {
            Label::Run => format!("run{element}"),
            Label::Done => format!("done{element}"),
            Label::Ask => format!("q{element}"),
            Label::Value(n) => format!("{n}{element}"),
            Label::Read => format!("read{element}"),
            Label::Write(n) => format!("write({n}){element}"),
            Label::Grab => format!("grab{element}"),
            Label::Release => format!("release{element}"),
            Label::Ok => format!("ok{element}"),
            Label::Abort => "abort".into(),
        }
    };
    let model = plays.relabel(|letter| match letter {
        Letter::Inner(path, own) => Revealed::Inner(path.clone(), name(own)),
        Letter::At(var, _, own) if arena.of_variable(*var).is_none() => {
            // The same local may be declared in several places of the normal form.
            Revealed::Local(format!("x{}", var.0), name(own))
        }
        letter => Revealed::Visible(visible(letter, arena).expect("all other letters are visible")),
    });
    Ok(Built { model, largest })
}

fn plays(judgement: &Judgement, building: Building<'_>) -> Result<(Plays, usize), Unfit> {
    if judgement.mode == agon_lang::tree::Mode::Concurrent {
        return Err(Unfit::Concurrent);
    }
    let normal = normalize(judgement, LARGEST).ok_or(Unfit::TooLarge)?;
    let denoter =
        Denoter { judgement: &normal, building, path: RefCell::new(Vec::new()), largest: Cell::new(0) };
    let plays = denoter.term(normal.body, normal.ty.uncurry().1)?;
    Ok((plays, denoter.largest.get()))
}

fn visible(letter: &Letter, arena: &Arena) -> Option<Move> {
    match letter {
        Letter::Own(own) => Some(Move { component: OWN, element: None, label: own.label.clone() }),
        Letter::At(var, argument, own) => {
            let component = arena.of_variable(*var)?;
            let component = match argument {
                Some(n) => arena.component(component).arguments[*n],
                None => component,
            };
            Some(Move { component, element: own.element.map(Int::from), label: own.label.clone() })
        }
        Letter::Abort => Some(Move { component: OWN, element: None, label: Label::Abort }),
        Letter::Go(_) | Letter::Inner(..) => None,
    }
}

struct Denoter<'a> {
    judgement: &'a Judgement,
    building: Building<'a>,
    /// The coordinates of the term that is being denoted.
    path: RefCell<Vec<u32>>,
    largest: Cell<usize>,
}

impl Denoter<'_> {
    /// The plays of a term that is asked the questions of a type; its own type, unless it fits everywhere.
    fn term(&self, term: TermId, asked: &Type) -> Result<Plays, Unfit> {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.term_here(term, asked))
    }

    /// The plays of the n-th part of the term that is being denoted.
    fn part(&self, n: u32, term: TermId, asked: &Type) -> Result<Plays, Unfit> {
        self.path.borrow_mut().push(n);
        let plays = self.term(term, asked);
        self.path.borrow_mut().pop();
        plays
    }

    /// The plays of a part that is asked for a value.
    fn value(&self, n: u32, term: TermId) -> Result<Plays, Unfit> {
        self.part(n, term, &Type::Exp(Data::Int))
    }

    fn compose(&self, constant: &Constant, parts: &[Plays]) -> Result<Plays, Unfit> {
        let path = self.path.borrow();
        let reveal = self.building.revealed.then_some(&path[..]);
        self.finish(compose(constant, parts, reveal, self.building.interrupted)?)
    }

    /// The minimal automaton of a product.
    fn finish<S>(&self, (product, root): (Piece<S>, u32)) -> Result<Plays, Unfit> {
        let plays = product.builder.determinize(root);
        self.largest.set(self.largest.get().max(product.len()).max(plays.states()));
        if (self.building.interrupted)() {
            return Err(Unfit::Interrupted);
        }
        Ok(plays.minimal())
    }

    fn term_here(&self, term: TermId, asked: &Type) -> Result<Plays, Unfit> {
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
            Construct::Diverge => self.compose(&constants::nothing(), &[]),
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
        for (n, (parameter, argument)) in (1..).zip(parameters.iter().zip(&arguments)) {
            parts.push(self.part(n, *argument, &parameter.ty)?);
        }
        let mut copied = Vec::new();
        for (parameter, part) in parameters.iter().zip(&parts) {
            copied.push(self.exchanges(&parameter.ty, std::slice::from_ref(part))?);
        }
        let mut own = Vec::new();
        for question in questions(base)? {
            own.push((question.clone(), answers(base, &question)?));
        }
        self.compose(&constants::copycat(*var, &own, &copied), &parts)
    }

    /// ⟦new x := M in N⟧: N after `x := M`, composed with a cell that starts at 0, all moves at x hidden.
    fn new_cells(&self, new: &New, ty: &Type) -> Result<Plays, Unfit> {
        let body = self.term(new.body, ty)?;
        let length = new.length.unwrap_or(1) as usize;
        let Some(initial) = new.initial else {
            return self.finish(self.with_cells(&body, new.variable, vec![Int::ZERO; length])?);
        };
        let initial = self.value(0, initial)?;
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
            self.go_on(from)?;
            match phase {
                Phase::Start => {}
                Phase::End => product.builder.accept(from),
                Phase::Body(state, cells) => {
                    self.body_step(&mut product, from, &body, new.variable, state, &cells)
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
                            letter @ (Letter::At(..) | Letter::Inner(..)) => {
                                (Some(letter.clone()), Phase::Initial(n, *to))
                            }
                            letter => (Some(letter.clone()), Phase::End),
                        };
                        let to = product.state(to);
                        product.builder.edge(from, letter, to);
                    }
                }
            }
        }
        self.finish((product, root))
    }

    /// Whether to go on with a product, asked now and then.
    fn go_on(&self, state: u32) -> Result<(), Unfit> {
        if state.is_multiple_of(1 << 12) && (self.building.interrupted)() {
            return Err(Unfit::Interrupted);
        }
        Ok(())
    }

    /// A term's plays composed with cells for one of its variables, the moves there hidden.
    fn with_cells(&self, body: &Plays, var: VarId, cells: Vec<Int>) -> Result<(Piece<Phase>, u32), Unfit> {
        let mut product = Piece::new();
        let root = product.state(Phase::Body(body.initial, cells));
        while let Some((from, phase)) = product.next() {
            self.go_on(from)?;
            match phase {
                Phase::Body(state, cells) => self.body_step(&mut product, from, body, var, state, &cells),
                Phase::End => product.builder.accept(from),
                Phase::Start | Phase::Initial(..) => unreachable!("there is no initial value"),
            }
        }
        Ok((product, root))
    }

    /// The cell strategy: a read gives what was last written.
    fn body_step(
        &self,
        product: &mut Piece<Phase>,
        from: u32,
        body: &Plays,
        var: VarId,
        state: u32,
        cells: &[Int],
    ) {
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
                    (self.building.revealed.then(|| letter.clone()), cells)
                }
                letter => (Some(letter.clone()), cells.to_vec()),
            };
            let to = if body.accepting[*to as usize] { Phase::End } else { Phase::Body(*to, cells) };
            let to = product.state(to);
            product.builder.edge(from, shown, to);
        }
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
