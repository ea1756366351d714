//! The pa-semantics: what a program may do if its store is known by the truth of predicates only [PRED, §3].
//!
//! A term denotes words with a state before and a state after, s^ΨΨ′. Values are expressions over the cells. A word
//! is followed by those that start in a compatible state; since a state here knows which predicates it values,
//! that is the same state, except where predicates begin or end. So a term is built from the states in which it is
//! entered, one arm per construct, into one automaton with silent steps, and gives the states in which it ends, each with
//! how it ends.
//!
//! After x := E come the states Ψ″ with sat(Ψ′, Ψ″\[E/x\]). The paper prints sat(Ψ″, Ψ′\[E/x\]), which from x = 0 leads by
//! x := x + 1 to x = -1.
//!
//! Beyond the paper, any expression may have effects. An expression is worth what it was when it was evaluated: before
//! cells that it mentions may change, constants that stand for what they held are put in their places; what the state
//! said about the cells holds for the constants (`Logic::kept`). The same happens where it leaves the block of a cell. What O gives is a constant of
//! which nothing is known but its type. A value that exists under a condition only, as a quotient does, knows it.

mod calls;
mod cells;
mod psi;
mod pure;

use std::collections::BTreeMap;

use agon_base::budget::Stop;
use agon_base::id::number;
use agon_base::refused::Refused;
use agon_core::normal::{Predicates, normalize_with};
use agon_core::term::{Construct, Judgement, LabelId, TermId};
use agon_solve::{Solver, Term};

use super::LARGEST;
use crate::arena::{Arena, OWN};
use crate::automaton::{Automaton, Builder};
use crate::moves::{Label, Move};
use crate::symbolic::Value;
use psi::{Logic, Psi};

/// What becomes of the truth of a predicate after its scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum After {
    /// It is forgotten.
    #[default]
    Forgotten,
    /// It is preserved until the next assignment [PRED, §4.3].
    Preserved,
}

/// How a program is abstracted.
#[derive(Clone, Copy, Debug)]
pub struct Abstraction<'a> {
    /// By which predicates.
    pub predicates: Predicates<'a>,
    /// What becomes of them.
    pub after: After,
    /// The automaton may take this many states to build.
    pub most: usize,
}

/// What a program may do, as far as its predicates tell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Abstract {
    /// The complete plays, the data in their moves left out: a minimal automaton.
    pub plays: Automaton<Move<()>>,
    /// How many predicates had a truth at once at most.
    pub alive: usize,
    /// How often the solver was asked.
    pub asked: u64,
    /// How often it did not know; what nobody knows counts as compatible.
    pub unknown: u64,
}

impl Abstract {
    /// Whether some play aborts.
    pub fn aborts(&self) -> bool {
        self.plays.letters.iter().any(|m| m.label == Label::Abort)
    }
}

/// The abstract plays of a sequential program.
pub fn denote(
    judgement: &Judgement,
    arena: &Arena,
    abstraction: Abstraction<'_>,
    solver: &mut dyn Solver,
) -> Result<Abstract, Refused> {
    judgement.sequential()?;
    let normal = normalize_with(judgement, LARGEST, abstraction.predicates).ok_or(Stop::Table)?;
    let long = |term| match normal.terms.construct(TermId(term)) {
        Construct::New(new) => new.length.is_some_and(|length| length > LONGEST),
        _ => false,
    };
    if (0..number(normal.terms.len())).any(long) {
        return Err(Stop::Table.into());
    }
    let logic = Logic::new(&normal, solver);
    let mut denoter =
        Denoter { judgement: &normal, arena, abstraction, logic, builder: Builder::new(), alive: 0 };
    let initial = denoter.program()?;
    let Denoter { builder, logic, alive, .. } = denoter;
    let Logic { asked, unknown, .. } = logic;
    Ok(Abstract { plays: builder.determinize(initial).minimal(), alive, asked, unknown })
}

/// Arrays longer than this are not taken apart.
const LONGEST: u64 = 64;

/// What a term is asked: at an element, if it is an array.
#[derive(Clone, Debug)]
enum Question {
    Run,
    Ask,
    Read(Option<u64>),
    Write(Option<u64>, Value),
}

/// How a term ends.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Exit {
    /// A command is done, a variable is written.
    Done,
    /// With an expression.
    Value(Value),
    Go(LabelId),
    Abort,
}

/// The states in which a term is entered, and where the automaton is then.
type Entries = BTreeMap<Psi, u32>;
/// The states in which it ends.
type Exits = BTreeMap<(Exit, Psi), u32>;
/// An expression that a term gives, the state in which it does, and where the automaton is then.
type Valued = (Value, Psi, u32);

struct Denoter<'a> {
    judgement: &'a Judgement,
    arena: &'a Arena,
    abstraction: Abstraction<'a>,
    logic: Logic<'a>,
    builder: Builder<Move<()>>,
    alive: usize,
}

/// Where a loop starts again: its states, and those of them that it has not been followed from.
#[derive(Default)]
struct Head {
    known: Entries,
    waiting: Entries,
}

impl Denoter<'_> {
    /// q · ⟦M⟧ₐ · a + q · {|M|}, from a state of no predicates.
    fn program(&mut self) -> Result<u32, Refused> {
        let (start, end) = (self.builder.state(), self.builder.state());
        self.builder.accept(end);
        let base = self.judgement.ty.uncurry().1;
        for question in self.questions(self.judgement.body, base)? {
            let asked = self.builder.state();
            self.builder.edge(start, Some(question.letter(OWN)), asked);
            let from = Entries::from_iter([(Psi::default(), asked)]);
            for ((exit, psi), state) in self.term(self.judgement.body, &question, from)? {
                let letter = match exit {
                    Exit::Value(value) if !self.logic.exists(&psi, &value) => continue,
                    Exit::Done | Exit::Value(_) => question.answer(OWN),
                    Exit::Abort => Move { component: OWN, element: None, label: Label::Abort },
                    Exit::Go(_) => unreachable!("labels are declared inside the program"),
                };
                self.builder.edge(state, Some(letter), end);
            }
        }
        Ok(start)
    }

    /// Adds a state of the automaton to those that have come to something.
    fn add<K: Ord>(&mut self, all: &mut BTreeMap<K, u32>, key: K, state: u32) {
        let joined = match all.get(&key) {
            None => state,
            Some(known) if *known == state => state,
            Some(known) => {
                let joined = self.builder.state();
                self.builder.edge(*known, None, joined);
                self.builder.edge(state, None, joined);
                joined
            }
        };
        all.insert(key, joined);
    }

    fn add_all(&mut self, all: &mut Exits, exits: Exits) {
        exits.into_iter().for_each(|(key, state)| self.add(all, key, state));
    }

    /// Comes to the start of a loop in a state.
    fn arrive(&mut self, head: &mut Head, psi: Psi, state: u32, letter: Option<Move<()>>) {
        let to = *head.known.entry(psi).or_insert_with_key(|psi| {
            let to = self.builder.state();
            head.waiting.insert(psi.clone(), to);
            to
        });
        self.builder.edge(state, letter, to);
    }

    /// The ends of a term that is asked a question, entered in some states.
    fn term(&mut self, term: TermId, question: &Question, from: Entries) -> Result<Exits, Refused> {
        if self.builder.states() > self.abstraction.most {
            return Err(Stop::Table.into());
        }
        self.alive = from.keys().map(Psi::len).max().unwrap_or(0).max(self.alive);
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.term_here(term, question, from))
    }

    /// The ends of a command that is run: where it is done, and the others.
    fn run(&mut self, term: TermId, from: Entries) -> Result<(Entries, Exits), Refused> {
        let (mut done, mut others) = (Entries::new(), Exits::new());
        for ((exit, psi), state) in self.term(term, &Question::Run, from)? {
            match exit {
                Exit::Done => _ = done.insert(psi, state),
                exit => _ = others.insert((exit, psi), state),
            }
        }
        Ok((done, others))
    }

    /// The ends of a term that is asked for a value: where it gives one, and the others.
    fn values(
        &mut self,
        term: TermId,
        question: &Question,
        from: Entries,
    ) -> Result<(Vec<Valued>, Exits), Refused> {
        let (mut values, mut others) = (Vec::new(), Exits::new());
        for ((exit, psi), state) in self.term(term, question, from)? {
            match exit {
                Exit::Value(value) => values.push((value, psi, state)),
                exit => _ = others.insert((exit, psi), state),
            }
        }
        Ok((values, others))
    }

    /// The same, each value put through a function.
    fn mapped(
        &mut self,
        term: TermId,
        question: &Question,
        from: Entries,
        f: impl Fn(&mut Logic<'_>, &Value) -> Value,
    ) -> Result<Exits, Refused> {
        let (values, mut exits) = self.values(term, question, from)?;
        for (value, psi, state) in values {
            let value = f(&mut self.logic, &value);
            self.add(&mut exits, (Exit::Value(value), psi), state);
        }
        Ok(exits)
    }

    fn term_here(&mut self, term: TermId, question: &Question, from: Entries) -> Result<Exits, Refused> {
        let ends = |exit: Exit, from: Entries| {
            Ok(from.into_iter().map(|(psi, state)| ((exit.clone(), psi), state)).collect())
        };
        let terms = &self.judgement.terms;
        match terms.construct(term) {
            // ⟦n⟧ₙ = ε^ΨΨ
            Construct::Number(n) => ends(Exit::Value(self.logic.number(n)), from),
            // ⟦skip⟧ = ε^ΨΨ
            Construct::Skip => ends(Exit::Done, from),
            Construct::Abort(_) => ends(Exit::Abort, from),
            Construct::Diverge => Ok(Exits::new()),
            // {|goto l|} = (go l)^ΨΨ
            Construct::Goto(label) => ends(Exit::Go(*label), from),
            Construct::Unary(operator, a) => {
                self.mapped(*a, &Question::Ask, from, |logic, value| logic.unary(*operator, value))
            }
            Construct::Wrap(data, a) => {
                self.mapped(*a, &Question::Ask, from, |logic, value| logic.wrap(data, value))
            }
            // ⟦M₁ ⊕ M₂⟧ of E₁ ⊕ E₂ = ⟦M₁⟧ of E₁ · ⟦M₂⟧ of E₂
            Construct::Binary(operator, a, b) => {
                let (values, mut exits) = self.values(*a, &Question::Ask, from)?;
                for (left, from) in self.pending(values, *b, term) {
                    let (values, others) = self.values(*b, &Question::Ask, from)?;
                    self.add_all(&mut exits, others);
                    for (right, psi, state) in values {
                        let (value, fails) = self.logic.binary(*operator, &psi, &left, &right);
                        if let Some(value) = value {
                            self.add(&mut exits, (Exit::Value(value), psi.clone()), state);
                        }
                        if fails {
                            self.add(&mut exits, (Exit::Abort, psi), state);
                        }
                    }
                }
                Ok(exits)
            }
            // ⟦M₁; M₂⟧ = ⟦M₁⟧ · ⟦M₂⟧
            Construct::Sequence(a, b) => {
                let (done, mut exits) = self.run(*a, from)?;
                let others = self.term(*b, question, done)?;
                self.add_all(&mut exits, others);
                Ok(exits)
            }
            Construct::If(guard, yes, no) => {
                let (met, unmet, mut exits) = self.branch(*guard, from)?;
                for (part, from) in [(*yes, met), (*no, unmet)] {
                    let others = self.term(part, question, from)?;
                    self.add_all(&mut exits, others);
                }
                Ok(exits)
            }
            Construct::While(guard, body) => {
                let (mut head, mut exits) = self.head(from);
                while let Some(from) = head.next() {
                    let (met, unmet, others) = self.branch(*guard, from)?;
                    self.add_all(&mut exits, others);
                    for (psi, state) in unmet {
                        self.add(&mut exits, (Exit::Done, psi), state);
                    }
                    let (done, others) = self.run(*body, met)?;
                    self.add_all(&mut exits, others);
                    done.into_iter().for_each(|(psi, state)| self.arrive(&mut head, psi, state, None));
                }
                Ok(exits)
            }
            // ⟦x := M⟧ = Σ (⟦M⟧ of E)^ΨΨ″
            Construct::Assign(a, b) => {
                let (values, mut exits) = self.values(*b, &Question::Ask, from)?;
                for (value, from) in self.pending(values, *a, term) {
                    let others = self.term(*a, &Question::Write(None, value), from)?;
                    self.add_all(&mut exits, others);
                }
                Ok(exits)
            }
            Construct::Read(a) => self.term(*a, &Question::Read(None), from),
            Construct::WrapVariable(data, a) => match question {
                Question::Write(element, value) => {
                    let inner = terms.ty(*a).data().unwrap_or(data);
                    let value = self.logic.wrap(inner, value);
                    self.term(*a, &Question::Write(*element, value), from)
                }
                question => self.mapped(*a, question, from, |logic, value| logic.wrap(data, value)),
            },
            Construct::Index(a, index) => self.index(term, *a, *index, question, from),
            Construct::New(new) => self.block(term, new, question, from),
            // ⟦break l . M⟧ = ⟦M⟧ + {|M|}l
            Construct::Break(label, body) => {
                let mut exits = Exits::new();
                for ((exit, psi), state) in self.term(*body, question, from)? {
                    let exit = if exit == Exit::Go(*label) { Exit::Done } else { exit };
                    self.add(&mut exits, (exit, psi), state);
                }
                Ok(exits)
            }
            // ⟦cont l . M⟧ = {|M|}l* · ⟦M⟧
            Construct::Continue(label, body) => {
                let (mut head, mut exits) = self.head(from);
                while let Some(from) = head.next() {
                    for ((exit, psi), state) in self.term(*body, question, from)? {
                        match exit {
                            Exit::Go(to) if to == *label => self.arrive(&mut head, psi, state, None),
                            exit => self.add(&mut exits, (exit, psi), state),
                        }
                    }
                }
                Ok(exits)
            }
            Construct::Variable(var) if self.logic.is_local(*var) => match question {
                // ⟦!x⟧ₓ = ε^ΨΨ
                Question::Read(element) => {
                    ends(Exit::Value(Value::new(self.logic.cell(*var, *element))), from)
                }
                Question::Write(element, value) => {
                    let cell = self.logic.cell(*var, *element);
                    let mut exits = Exits::new();
                    for (psi, state) in from {
                        for after in self.logic.assigned(&psi, cell, value) {
                            self.add(&mut exits, (Exit::Done, after), state);
                        }
                    }
                    Ok(exits)
                }
                Question::Run | Question::Ask => unreachable!("variables are read and written"),
            },
            Construct::Variable(_) | Construct::Apply(..) => self.call(term, question, from),
            Construct::WithPredicate(predicate, body) => {
                let predicate = self.logic.predicate(*predicate)?;
                // One that is alive already lives on.
                let (alive, begun): (Entries, Entries) =
                    from.into_iter().partition(|(psi, _)| psi.has(predicate));
                let mut exits = self.term(*body, question, alive)?;
                let begun = self.begun(predicate, begun);
                for ((exit, psi), state) in self.term(*body, question, begun)? {
                    self.add(&mut exits, (exit, psi.ended(predicate, self.abstraction.after)), state);
                }
                Ok(exits)
            }
            // ε^ΨΨ′ for all compatible Ψ′ with the predicate
            Construct::BeginPredicate(predicate) => {
                let predicate = self.logic.predicate(*predicate)?;
                ends(Exit::Done, self.begun(predicate, from))
            }
            // ε^ΨΨ′ for the Ψ′ without it
            Construct::EndPredicate(predicate) => {
                let predicate = self.logic.predicate(*predicate)?;
                let mut after = Entries::new();
                for (psi, state) in from {
                    self.add(&mut after, psi.ended(predicate, self.abstraction.after), state);
                }
                ends(Exit::Done, after)
            }
            Construct::Lambda(..) => unreachable!("arguments of free identifiers are of base type"),
            Construct::Let(..) => unreachable!("normal forms have none"),
            Construct::Parallel(..)
            | Construct::NewSemaphore(..)
            | Construct::Grab(_)
            | Construct::Release(_) => unreachable!("the program is sequential"),
        }
    }

    fn begun(&mut self, predicate: Term, from: Entries) -> Entries {
        let mut after = Entries::new();
        for (psi, state) in from {
            for psi in self.logic.begun(&psi, &[predicate]) {
                self.add(&mut after, psi, state);
            }
        }
        after
    }

    fn head(&mut self, from: Entries) -> (Head, Exits) {
        let mut head = Head::default();
        from.into_iter().for_each(|(psi, state)| self.arrive(&mut head, psi, state, None));
        (head, Exits::new())
    }

    /// Where a condition may hold, where it may fail, and how else it may end.
    fn branch(&mut self, guard: TermId, from: Entries) -> Result<(Entries, Entries, Exits), Refused> {
        let (values, exits) = self.values(guard, &Question::Ask, from)?;
        let (mut met, mut unmet) = (Entries::new(), Entries::new());
        for (value, psi, state) in values {
            let (may_hold, may_fail) = self.logic.branches(&psi, &value);
            if may_hold {
                self.add(&mut met, psi.clone(), state);
            }
            if may_fail {
                self.add(&mut unmet, psi, state);
            }
        }
        Ok((met, unmet, exits))
    }
}

impl Head {
    /// The states to follow it from next, if any are left.
    fn next(&mut self) -> Option<Entries> {
        Some(std::mem::take(&mut self.waiting)).filter(|from| !from.is_empty())
    }
}
