//! What runs at once: the branches of `||`, and the threads that O opens in the arguments of a call [SCC, §3].
//!
//! Each is a *copy* of a part, which goes from the part's start to its answer, and copies are interleaved. A copy
//! numbers its calls of a variable as if it were alone. Where copies meet they are renumbered (contraction): a call
//! takes the lowest number that no open call of that variable has, whoever made it, and all that is below the call
//! keeps to that number.

use std::collections::{BTreeMap, BTreeSet};

use agon_lang::term::VarId;
use agon_lang::types::Type;

use super::compose::Piece;
use super::letters::{Letter, Own, Place, Plays, answers};
use super::{Denoter, Unfit};
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

/// Copies on their way: the state of each, and the calls that are open.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Weave {
    running: BTreeMap<Copy, u32>,
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
    /// The same, but for one copy, which is in this state.
    fn with(&self, copy: Copy, state: u32) -> Weave {
        let mut next = self.clone();
        next.running.insert(copy, state);
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

impl Weaving<'_> {
    /// Where a thread that O opened in an argument of this call is. The call itself has number 1.
    fn thread(var: VarId, copy: Copy) -> Place {
        Place { var, path: vec![copy.part], threads: vec![1, copy.thread] }
    }

    /// ⟦M₁ || M₂⟧ runs both; ⟦f(M₁, …, Mₙ)⟧ calls f.
    fn begin(&self, question: Own, parts: &[Part]) -> (Option<Letter>, Stage) {
        let mut weave = Weave::default();
        let letter = match self {
            Weaving::Branches => {
                for (part, Part { plays, .. }) in parts.iter().enumerate() {
                    if let Some(state) = plays.after(plays.initial, &Letter::Own(question.clone())) {
                        weave.running.insert(Copy { part, thread: 1 }, state);
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
    fn opened(&self, question: &Own, weave: &Weave, parts: &[Part]) -> Steps {
        let Weaving::Call(var, _) = self else { return vec![] };
        let mut steps = Steps::new();
        for (part, Part { plays, bound, .. }) in parts.iter().enumerate() {
            let open = weave.running.keys().filter(|copy| copy.part == part).count() as u64;
            if open >= *bound {
                continue;
            }
            let thread = lowest(|thread| weave.running.contains_key(&Copy { part, thread }));
            let copy = Copy { part, thread };
            for (letter, state) in plays.edges(plays.initial) {
                if let Letter::Own(asked) = &plays.letters[*letter as usize] {
                    let letter = Letter::At(Weaving::thread(*var, copy), asked.clone());
                    steps.push((Some(letter), Stage::Woven(question.clone(), weave.with(copy, *state))));
                }
            }
        }
        steps
    }

    /// When all copies are done: the answer.
    fn answered(&self, question: &Own, weave: &Weave) -> Result<Steps, Unfit> {
        if !weave.running.is_empty() {
            return Ok(vec![]);
        }
        match self {
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
    fn running(&self, question: &Own, weave: &Weave, parts: &[Part]) -> Result<Steps, Unfit> {
        let mut steps = Steps::new();
        for (copy, state) in &weave.running {
            let Part { plays, parameters, .. } = &parts[copy.part];
            for (letter, to) in plays.edges(*state) {
                let mut next = weave.with(*copy, *to);
                let letter = match (&plays.letters[*letter as usize], self) {
                    (Letter::Own(_), Weaving::Branches) => {
                        next.running.remove(copy);
                        None
                    }
                    (Letter::Own(answer), Weaving::Call(var, _)) => {
                        next.running.remove(copy);
                        Some(Letter::At(Weaving::thread(*var, *copy), answer.clone()))
                    }
                    (Letter::At(place, own), _) => {
                        let parameter = parameters.iter().position(|var| *var == place.var);
                        let place = match (parameter, self) {
                            // A parameter is an argument of the argument.
                            (Some(n), Weaving::Call(var, _)) => {
                                let mut outer = Weaving::thread(*var, *copy);
                                outer.path.push(n);
                                outer.path.extend(&place.path);
                                outer.threads.extend(&place.threads);
                                outer
                            }
                            _ => next.contract(*copy, place, own),
                        };
                        Some(Letter::At(place, own.clone()))
                    }
                    (letter @ Letter::Cell(..), _) => Some(letter.clone()),
                    (Letter::Abort, _) => {
                        steps.push((Some(Letter::Abort), Stage::End));
                        continue;
                    }
                    (Letter::Go(_), _) => return Err(Unfit::Jump),
                    (Letter::Inner(..), _) => unreachable!("only sequential plays are revealed"),
                };
                steps.push((letter, Stage::Woven(question.clone(), next)));
            }
        }
        Ok(steps)
    }
}

impl Denoter<'_> {
    /// The plays of a construct whose parts run at once, which is asked one of these questions.
    pub(super) fn weave(
        &self,
        weaving: &Weaving<'_>,
        questions: Vec<Own>,
        parts: &[Part],
    ) -> Result<Plays, Unfit> {
        let mut product = Piece::new();
        let root = product.state(Stage::Start);
        while let Some((from, stage)) = product.next() {
            self.go_on(from)?;
            let steps = match stage {
                Stage::Start => {
                    let asked = questions.iter().cloned();
                    asked.map(|own| (Some(Letter::Own(own.clone())), Stage::Asked(own))).collect()
                }
                Stage::Asked(question) => vec![weaving.begin(question, parts)],
                Stage::Woven(question, weave) => {
                    let mut steps = weaving.running(&question, &weave, parts)?;
                    steps.extend(weaving.opened(&question, &weave, parts));
                    steps.extend(weaving.answered(&question, &weave)?);
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
