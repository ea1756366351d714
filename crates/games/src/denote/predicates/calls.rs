//! Free identifiers: what P asks O, what O asks in between, and the moves of both [PRED, §2.2].

use agon_base::budget::Stop;
use agon_base::refused::Refused;
use agon_core::term::{Construct, TermId};
use agon_core::types::Type;

use super::{Denoter, Entries, Exit, Exits, Head, LONGEST, Question};
use crate::arena::ComponentId;
use crate::moves::{Label, Move};

impl Question {
    /// The move that asks it somewhere.
    pub(super) fn letter(&self, component: ComponentId) -> Move<()> {
        let label = match self {
            Question::Run => Label::Run,
            Question::Ask => Label::Ask,
            Question::Read(_) => Label::Read,
            Question::Write(..) => Label::Write(()),
        };
        Move { component, element: self.element(), label }
    }

    /// The move that answers it.
    pub(super) fn answer(&self, component: ComponentId) -> Move<()> {
        let label = match self {
            Question::Run => Label::Done,
            Question::Ask | Question::Read(_) => Label::Value(()),
            Question::Write(..) => Label::Ok,
        };
        Move { component, element: self.element(), label }
    }

    fn element(&self) -> Option<()> {
        match self {
            Question::Read(element) | Question::Write(element, _) => element.map(|_| ()),
            Question::Run | Question::Ask => None,
        }
    }
}

impl Denoter<'_> {
    /// The questions that O may ask a term of a base type.
    pub(super) fn questions(&mut self, term: TermId, ty: &Type) -> Result<Vec<Question>, Refused> {
        Ok(match ty {
            Type::Com | Type::Never => vec![Question::Run],
            Type::Exp(_) => vec![Question::Ask],
            Type::Var(data) => {
                vec![Question::Read(None), Question::Write(None, self.logic.written(term, data))]
            }
            Type::Array(_, length) if *length > LONGEST => return Err(Stop::Table.into()),
            Type::Array(data, length) => {
                let given = self.logic.written(term, data);
                let both = |n| [Question::Read(Some(n)), Question::Write(Some(n), given)];
                (0..*length).flat_map(both).collect()
            }
            Type::Sem(_) | Type::Fun(..) => unreachable!("sequential normal forms have base types"),
        })
    }

    /// ⟦f(M₁, …, Mₙ)⟧ = f.q · (Σᵢ f.i.q · ⟦Mᵢ⟧ₐ · f.i.a)* · f.a; it ends as an argument does that jumps or aborts.
    pub(super) fn call(
        &mut self,
        term: TermId,
        question: &Question,
        from: Entries,
    ) -> Result<Exits, Refused> {
        let terms = &self.judgement.terms;
        let (head, arguments) = terms.spine(term);
        let Construct::Variable(var) = terms.construct(head) else {
            unreachable!("in normal forms only variables are applied")
        };
        let component = self.arena.of_variable(*var).expect("only free identifiers are left");
        let (parameters, base) = terms.variable(*var).ty.uncurry();
        let mut asked = Vec::new();
        let places = self.arena.component(component).arguments.clone();
        for ((argument, parameter), place) in arguments.into_iter().zip(parameters).zip(places) {
            for question in self.questions(argument, &parameter.ty)? {
                asked.push((argument, place, question));
            }
        }
        let (mut waiting, mut exits) = (Head::default(), Exits::new());
        for (psi, state) in from {
            if !matches!(question, Question::Write(_, value) if !self.logic.exists(&psi, value)) {
                self.arrive(&mut waiting, psi, state, Some(question.letter(component)));
            }
        }
        while let Some(from) = waiting.next() {
            for (argument, place, question) in &asked {
                let mut opened = Entries::new();
                for (psi, state) in &from {
                    let to = self.builder.state();
                    self.builder.edge(*state, Some(question.letter(*place)), to);
                    opened.insert(psi.clone(), to);
                }
                for ((exit, psi), state) in self.term(*argument, question, opened)? {
                    match exit {
                        Exit::Value(value) if !self.logic.exists(&psi, &value) => {}
                        Exit::Done | Exit::Value(_) => {
                            self.arrive(&mut waiting, psi, state, Some(question.answer(*place)));
                        }
                        exit => self.add(&mut exits, (exit, psi), state),
                    }
                }
            }
            let exit = match (question, base.data()) {
                (Question::Ask | Question::Read(_), Some(data)) => {
                    Exit::Value(self.logic.answered(term, data))
                }
                _ => Exit::Done,
            };
            for (psi, state) in from {
                let to = self.builder.state();
                self.builder.edge(state, Some(question.answer(component)), to);
                self.add(&mut exits, (exit.clone(), psi), to);
            }
        }
        Ok(exits)
    }
}
