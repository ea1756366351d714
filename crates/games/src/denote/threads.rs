//! What runs at once: the branches of `||`, and the threads that O opens in the arguments of a call [SCC, §3].
//!
//! Each is a *copy* of a part, which goes from the part's start to its answer, and copies are interleaved. A copy
//! numbers its calls of a variable as if it were alone. Where copies meet they are renumbered (contraction): a call
//! takes the lowest number that no open call of that variable has, no matter which thread made it, and all that is below the call
//! keeps to that number.

use std::collections::{BTreeMap, BTreeSet};

use agon_base::id::number;
use agon_base::refused::Refused;
use agon_base::source::Span;
use agon_core::term::VarId;
use agon_core::types::Type;

use super::Denoter;
use super::compose::Piece;
use super::letters::{Letter, Own, Place, Plays, answers};
use super::revealed::Coordinates;
use crate::moves::Label;

/// What there are copies of.
pub(super) struct Part {
    pub plays: Plays,
    /// The parameters of an argument that is a procedure. What they are is O's affair.
    pub parameters: Vec<VarId>,
    /// How many copies there may be at once.
    pub bound: u64,
}

/// A construct whose parts run at once.
pub(super) enum Weaving<'a> {
    /// `M₁ || M₂`: both are run, and when both are done it is done.
    Branches,
    /// `f(M₁, …, Mₙ)`: while f waits, O opens copies of the arguments. Then it answers, with a value of a type.
    Call(VarId, &'a Type),
}

/// Which part it is a copy of, and the number of its thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Copy {
    part: usize,
    thread: u32,
}

/// How far a copy is. What is said to it and by it is a move of its own only where that is revealed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Standing {
    /// It is about to be asked this letter.
    Asked(u32),
    /// In a state of the part.
    Playing(u32),
    /// It gave this letter as its answer, which is about to be passed on.
    Answered(u32),
}

/// An open call of a variable.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Open {
    var: VarId,
    /// The copy that made it; none if it is the call whose arguments the copies are.
    by: Option<Copy>,
    /// Its number in the copy, and its number outside.
    inner: u32,
    outer: u32,
}

/// Copies on their way: where each is, and the calls that are open.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Weave {
    running: BTreeMap<Copy, Standing>,
    calls: BTreeSet<Open>,
}

/// Where the plays of the construct are.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Stage {
    Start,
    /// It was asked this.
    Asked(Own),
    /// It was asked this, and its copies are on their way.
    Woven(Own, Weave),
    /// It is about to give this answer.
    Answered(Own),
    End,
}

/// The lowest number, from 1, that is not in use.
fn lowest(in_use: impl Fn(u32) -> bool) -> u32 {
    (1..).find(|number| !in_use(*number)).expect("not all numbers are in use")
}

impl Weave {
    /// The same, but for one copy, which is here.
    fn with(&self, copy: Copy, standing: Standing) -> Weave {
        let mut next = self.clone();
        next.running.insert(copy, standing);
        next
    }

    /// The same without one copy, which is done.
    fn without(&self, copy: Copy) -> Weave {
        let mut next = self.clone();
        next.running.remove(&copy);
        next
    }

    /// Where a move that a copy makes at a variable is made outside. A call is open from its question to its answer.
    fn contract(&mut self, by: Copy, place: &Place, own: &Own) -> Place {
        let inner = place.threads[0];
        let known = |call: &&Open| call.var == place.var && call.by == Some(by) && call.inner == inner;
        let call = self.calls.iter().find(known).cloned().unwrap_or_else(|| {
            let in_use = |n| self.calls.iter().any(|call| call.var == place.var && call.outer == n);
            Open { var: place.var, by: Some(by), inner, outer: lowest(in_use) }
        });
        let mut outer = place.clone();
        outer.threads[0] = call.outer;
        if !place.path.is_empty() || own.is_question() {
            self.calls.insert(call);
        } else {
            self.calls.remove(&call);
        }
        outer
    }
}

/// What can happen next.
type Steps = Vec<(Option<Letter>, Stage)>;

/// A construct with its parts; and its coordinates, where what it says to them is revealed.
struct Loom<'a> {
    weaving: &'a Weaving<'a>,
    parts: &'a [Part],
    revealing: Option<Coordinates>,
    /// Where the program stands.
    program: Span,
}

impl Loom<'_> {
    /// Where a thread that O opened in an argument of this call is. The call itself has number 1.
    fn thread(var: VarId, copy: Copy) -> Place {
        Place { var, path: vec![copy.part], threads: vec![1, copy.thread] }
    }

    /// A move between the construct and a copy.
    fn inner(&self, copy: Copy, own: &Own) -> Option<Letter> {
        let thread = matches!(self.weaving, Weaving::Call(..)).then_some(copy.thread);
        let path = self.revealing.as_ref()?;
        Some(Letter::Inner(path.part(number(copy.part) + 1, thread), own.clone()))
    }

    /// A hidden move inside a copy, or an access to what is declared outside: it has the copy's thread.
    fn within(&self, copy: Copy, letter: &Letter) -> Letter {
        let mut letter = letter.clone();
        let (Some(path), Weaving::Call(..)) = (&self.revealing, self.weaving) else { return letter };
        let set = |coordinates: &mut Coordinates| coordinates.set_thread(path.0.len(), copy.thread);
        match &mut letter {
            Letter::Cell(access) => set(&mut access.by),
            Letter::Inner(place, _) => set(place),
            Letter::Local(local) => {
                set(&mut local.block);
                local.answer.iter_mut().for_each(|(_, by)| set(by));
            }
            _ => {}
        }
        letter
    }

    /// The questions that a part can be asked, each with where a copy is that was asked it.
    fn questions(&self, part: usize) -> impl Iterator<Item = (&Own, Standing)> {
        let plays = &self.parts[part].plays;
        plays.edges(plays.initial).iter().filter_map(move |(letter, state)| {
            let Letter::Own(own) = &plays.letters[*letter as usize] else { return None };
            let revealed = self.revealing.is_some();
            Some((own, if revealed { Standing::Asked(*letter) } else { Standing::Playing(*state) }))
        })
    }

    /// ⟦M₁ || M₂⟧ runs both; ⟦f(M₁, …, Mₙ)⟧ calls f.
    fn begin(&self, question: Own) -> (Option<Letter>, Stage) {
        let mut weave = Weave::default();
        let letter = match self.weaving {
            Weaving::Branches => {
                for part in 0..self.parts.len() {
                    if let Some((_, standing)) = self.questions(part).find(|(own, _)| **own == question) {
                        weave.running.insert(Copy { part, thread: 1 }, standing);
                    }
                }
                None
            }
            Weaving::Call(var, _) => {
                weave.calls.insert(Open { var: *var, by: None, inner: 1, outer: 1 });
                Some(Letter::At(Place { var: *var, path: vec![], threads: vec![1] }, question.clone()))
            }
        };
        (letter, Stage::Woven(question, weave))
    }

    /// O opens another copy of an argument, if the bound allows one more.
    fn opened(&self, question: &Own, weave: &Weave) -> Steps {
        let Weaving::Call(var, _) = self.weaving else { return vec![] };
        let mut steps = Steps::new();
        for (part, Part { bound, .. }) in self.parts.iter().enumerate() {
            let open = weave.running.keys().filter(|copy| copy.part == part).count() as u64;
            if open >= *bound {
                continue;
            }
            let thread = lowest(|thread| weave.running.contains_key(&Copy { part, thread }));
            let copy = Copy { part, thread };
            for (asked, standing) in self.questions(part) {
                let letter = Letter::At(Loom::thread(*var, copy), asked.clone());
                steps.push((Some(letter), Stage::Woven(question.clone(), weave.with(copy, standing))));
            }
        }
        steps
    }

    /// When all copies are done: the answer.
    fn answered(&self, question: &Own, weave: &Weave) -> Result<Steps, Refused> {
        if !weave.running.is_empty() {
            return Ok(vec![]);
        }
        match self.weaving {
            Weaving::Branches => Ok(vec![(None, Stage::Answered(Own::plain(Label::Done)))]),
            Weaving::Call(var, base) => {
                let place = Place { var: *var, path: vec![], threads: vec![1] };
                let given = answers(base, question)?.into_iter();
                Ok(given
                    .map(|own| (Some(Letter::At(place.clone(), own.clone())), Stage::Answered(own)))
                    .collect())
            }
        }
    }

    /// What the copies can do.
    fn running(&self, question: &Own, weave: &Weave) -> Result<Steps, Refused> {
        let mut steps = Steps::new();
        for (copy, standing) in &weave.running {
            let plays = &self.parts[copy.part].plays;
            let own = |letter: u32| match &plays.letters[letter as usize] {
                Letter::Own(own) => own,
                _ => unreachable!("questions and answers are of the part's own type"),
            };
            let state = match *standing {
                Standing::Playing(state) => state,
                Standing::Asked(letter) => {
                    let asked = plays.after(plays.initial, &plays.letters[letter as usize]);
                    let next = weave.with(*copy, Standing::Playing(asked.expect("it can be asked this")));
                    steps.push((self.inner(*copy, own(letter)), Stage::Woven(question.clone(), next)));
                    continue;
                }
                Standing::Answered(letter) => {
                    let passed = self.passed_on(*copy, own(letter));
                    steps.push((passed, Stage::Woven(question.clone(), weave.without(*copy))));
                    continue;
                }
            };
            for (letter, to) in plays.edges(state) {
                let mut next = weave.with(*copy, Standing::Playing(*to));
                let shown = match &plays.letters[*letter as usize] {
                    Letter::Own(answer) => match (self.inner(*copy, answer), self.weaving) {
                        (None, _) => {
                            next = weave.without(*copy);
                            self.passed_on(*copy, answer)
                        }
                        (inner, Weaving::Branches) => {
                            next = weave.without(*copy);
                            inner
                        }
                        (inner, Weaving::Call(..)) => {
                            next = weave.with(*copy, Standing::Answered(*letter));
                            inner
                        }
                    },
                    Letter::At(place, own) => {
                        let place =
                            self.place(*copy, place).unwrap_or_else(|| next.contract(*copy, place, own));
                        Some(Letter::At(place, own.clone()))
                    }
                    letter @ (Letter::Cell(_) | Letter::Inner(..) | Letter::Local(_)) => {
                        Some(self.within(*copy, letter))
                    }
                    Letter::Abort => {
                        steps.push((Some(Letter::Abort), Stage::End));
                        continue;
                    }
                    Letter::Go(_) => {
                        let what = "a jump leaves its thread".into();
                        return Err(Refused::Construct { what, span: self.program });
                    }
                };
                steps.push((shown, Stage::Woven(question.clone(), next)));
            }
        }
        Ok(steps)
    }

    /// What O sees of a copy's answer.
    fn passed_on(&self, copy: Copy, answer: &Own) -> Option<Letter> {
        match self.weaving {
            Weaving::Branches => None,
            Weaving::Call(var, _) => Some(Letter::At(Loom::thread(*var, copy), answer.clone())),
        }
    }

    /// Where a move that a copy makes at a parameter is made outside: a parameter is an argument of the argument.
    fn place(&self, copy: Copy, place: &Place) -> Option<Place> {
        let Weaving::Call(var, _) = self.weaving else { return None };
        let n = self.parts[copy.part].parameters.iter().position(|var| *var == place.var)?;
        let mut outer = Loom::thread(*var, copy);
        outer.path.push(n);
        outer.path.extend(&place.path);
        outer.threads.extend(&place.threads);
        Some(outer)
    }
}

impl Denoter<'_> {
    /// The plays of a construct whose parts run at once, which is asked one of these questions.
    pub(super) fn weave(
        &mut self,
        weaving: &Weaving<'_>,
        questions: Vec<Own>,
        parts: &[Part],
    ) -> Result<Plays, Refused> {
        let program = self.judgement.terms.span(self.judgement.body);
        let loom = Loom { weaving, parts, revealing: self.revealing(), program };
        let mut product = Piece::new();
        let root = product.state(Stage::Start);
        while let Some((from, stage)) = product.next() {
            self.go_on(from)?;
            let steps = match stage {
                Stage::Start => {
                    let asked = questions.iter().cloned();
                    asked.map(|own| (Some(Letter::Own(own.clone())), Stage::Asked(own))).collect()
                }
                Stage::Asked(question) => vec![loom.begin(question)],
                Stage::Woven(question, weave) => {
                    let mut steps = loom.running(&question, &weave)?;
                    steps.extend(loom.opened(&question, &weave));
                    steps.extend(loom.answered(&question, &weave)?);
                    steps
                }
                Stage::Answered(answer) => vec![(Some(Letter::Own(answer)), Stage::End)],
                Stage::End => vec![],
            };
            for (letter, stage) in steps {
                let to = product.state(stage);
                product.builder.edge(from, letter, to);
            }
        }
        self.finish((product, root))
    }
}
