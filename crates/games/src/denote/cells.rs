//! Blocks: a term's plays composed with the cells that it declares, which nobody else sees.

use agon_base::id::size;
use agon_base::int::Int;
use agon_base::refused::Refused;
use agon_core::term::{New, VarId};
use agon_core::types::Type;

use super::Denoter;
use super::compose::Piece;
use super::letters::{Access, Letter, Own, Plays, questions};
use super::revealed::{Coordinates, Local};
use crate::moves::Label;

/// Where the plays of a block are.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    Start,
    /// In the initial value, after one of the questions.
    Initial(usize, u32),
    /// In the body, with what the cells hold.
    Body(u32, Vec<Int>),
    End,
}

impl Denoter<'_> {
    /// ⟦new x := M in N⟧: N after `x := M`, composed with a cell that starts at 0, all moves at x hidden.
    pub(super) fn new_cells(&mut self, new: &New, ty: &Type) -> Result<Plays, Refused> {
        let body = self.term(new.body, ty)?;
        let length = size(new.length.unwrap_or(1));
        let Some(initial) = new.initial else {
            let product = self.with_cells(&body, new.variable, vec![Int::ZERO; length])?;
            return self.finish(product);
        };
        let initial = self.value(0, initial)?;
        let questions = questions(ty)?;
        let inner = |own: &Own| self.revealing().map(|path| Letter::Inner(path.part(0, None), own.clone()));
        let mut product = Piece::new();
        let root = product.state(Phase::Start);
        for (n, question) in questions.iter().enumerate() {
            let to = product.state(Phase::Initial(n, initial.initial));
            product.builder.edge(root, Some(Letter::Own(question.clone())), to);
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
                            Letter::Own(own) if own.is_question() => (inner(own), Phase::Initial(n, *to)),
                            // The cells are set, and the body goes on from behind the opening question.
                            Letter::Own(own @ Own { label: Label::Value(value), .. }) => {
                                let question = Letter::Own(questions[n].clone());
                                let Some(opened) = body.after(body.initial, &question) else { continue };
                                (inner(own), Phase::Body(opened, vec![value.clone(); length]))
                            }
                            letter if !letter.is_last() => (Some(letter.clone()), Phase::Initial(n, *to)),
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

    /// ⟦sem s = n; M⟧: M composed with a semaphore of which n places are taken, all moves at s hidden.
    pub(super) fn new_semaphore(&mut self, var: VarId, taken: u64, body: &Plays) -> Result<Plays, Refused> {
        let product = self.with_cells(body, var, vec![Int::from(taken)])?;
        self.finish(product)
    }

    /// A term's plays composed with cells for one of its variables, the moves there hidden.
    fn with_cells(&self, body: &Plays, var: VarId, cells: Vec<Int>) -> Result<(Piece<Phase>, u32), Refused> {
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
            let ends = letter.is_last();
            let (shown, cells) = match letter {
                Letter::At(place, own) if place.var == var => {
                    let place = size(own.element.unwrap_or(0));
                    let mut cells = cells.to_vec();
                    match &own.label {
                        Label::Write(n) => cells[place] = n.clone(),
                        Label::Value(n) if cells[place] != *n => continue,
                        _ => {}
                    }
                    (self.local(var, own, None), cells)
                }
                Letter::Cell(Access { var: at, question, answer, by }) if *at == var => {
                    let Some(cells) = self.accessed(var, cells, question, answer) else { continue };
                    (self.local(var, question, Some((answer, by))), cells)
                }
                letter => (Some(letter.clone()), cells.to_vec()),
            };
            let to = if ends { Phase::End } else { Phase::Body(*to, cells) };
            let to = product.state(to);
            product.builder.edge(from, shown, to);
        }
    }

    /// What is seen outside of a move at a cell of the block that is being denoted: nothing, unless it is revealed.
    fn local(&self, var: VarId, own: &Own, answer: Option<(&Own, &Coordinates)>) -> Option<Letter> {
        let block = self.revealing()?;
        let name = self.judgement.terms.variable(var).name.clone();
        let answer = answer.map(|(answer, by)| (answer.clone(), by.clone()));
        Some(Letter::Local(Local { var, name, block, own: own.clone(), answer }))
    }

    /// Cells after an access, if this is the answer now. A full semaphore cannot be grabbed, nor an empty one released.
    fn accessed(&self, var: VarId, cells: &[Int], question: &Own, answer: &Own) -> Option<Vec<Int>> {
        let place = size(question.element.unwrap_or(0));
        let mut cells = cells.to_vec();
        let now = &mut cells[place];
        match (&question.label, &answer.label) {
            (Label::Write(n), _) => *now = n.clone(),
            (Label::Grab, _) => {
                let Type::Sem(places) = self.judgement.terms.variable(var).ty else { return None };
                *now = Some(now.add(&Int::ONE)).filter(|taken| *taken <= Int::from(places))?;
            }
            (Label::Release, _) => *now = Some(now.sub(&Int::ONE)).filter(|taken| !taken.is_negative())?,
            (_, Label::Value(n)) if n != now => return None,
            _ => {}
        }
        Some(cells)
    }
}
