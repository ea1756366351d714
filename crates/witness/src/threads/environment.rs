//! Environments of concurrent plays: definitions that play O's part in the order of the play.
//!
//! The environment makes each move in its turn. Each of its threads waits at a semaphore of its own until the thread that
//! made the move before lets it go on. A thread that calls an identifier waits likewise at the entrance. So only one of
//! them acts at a time, and what it counts and looks at is its own meanwhile. P may make a move before it is seen, and
//! learn of O's only after it was made; but the thread that moves could as well have waited, so P can play what is seen, too.

mod cells;
mod turns;

use std::collections::{HashMap, HashSet};

use agon_base::int::Int;
use agon_base::refused::Refused;
use agon_core::environment::{
    Answer, Body, Declaration, Environment, Opening, Place, Procedure, Purpose, Statement, Use,
};
use agon_core::term::Name;
use agon_core::types::{Argument, Data, Type};
use agon_games::arena::{Arena, ComponentId};
use agon_games::moves::{Label, ThreadMove};

use super::questions::{Actor, OPENING, Question, QuestionId, Questions};
use crate::distinguish::unshared;
use crate::names::Names;
use crate::verify::Subject;

/// An environment, and those of its cells that are passed on from thread to thread: the thread at one of them has the turn.
pub(super) struct Staged {
    pub environment: Environment,
    pub passed: HashSet<Name>,
}

/// The environment of a play of `with`, for a program. It has the free identifiers of both.
pub(super) fn stage(
    with: Subject<'_>,
    program: Subject<'_>,
    moves: &[ThreadMove],
    purpose: Purpose,
) -> Result<Staged, Refused> {
    let questions = Questions::read(with.arena, moves)?;
    let mut writer = Writer {
        names: Names::new(program, with),
        arena: with.arena,
        moves,
        kept: vec![true; moves.len()],
        questions,
        purpose,
        declared: Vec::new(),
        semaphores: Vec::new(),
        gates: HashMap::new(),
        turns: HashMap::new(),
        cells: HashMap::new(),
        passed: HashSet::new(),
    };
    let mut arguments = Vec::new();
    let mut unwritten = Vec::new();
    // What behaves like a cell becomes one; neither that nor what always does the same has turns.
    for var in with.judgement.context.iter().chain(&with.judgement.arguments) {
        let id = with.arena.of_variable(*var).expect("every free identifier has a component");
        let name = writer.names.identifier(with.judgement, *var, &mut arguments);
        if purpose == Purpose::Tell || !writer.as_cells(&name, id) {
            if purpose == Purpose::Lead {
                writer.as_constant(id);
            }
            unwritten.push((name, with.judgement.terms.variable(*var).ty.clone(), Some(id)));
        }
    }
    unwritten
        .extend(unshared(with.judgement, program.judgement).into_iter().map(|(name, ty)| (name, ty, None)));
    let mut definitions = Vec::new();
    for (name, ty, id) in unwritten {
        let procedure = writer.procedure(&name, &ty, OPENING, id);
        definitions.push(Declaration::Definition(name, procedure));
    }
    let (opening, after) = writer.opened();
    let beside = writer.watcher();
    if let Some(contended) = writer.first_handed_on() {
        writer.passed.remove(&contended);
    }
    let environment = Environment {
        purpose,
        concurrent: true,
        turns: writer.semaphores,
        declarations: writer.declared.into_iter().chain(definitions).collect(),
        beside,
        arguments,
        opening,
        after,
    };
    Ok(Staged { environment, passed: writer.passed })
}

struct Writer<'a> {
    names: Names,
    arena: &'a Arena,
    moves: &'a [ThreadMove],
    /// The moves that have a turn.
    kept: Vec<bool>,
    questions: Questions,
    purpose: Purpose,
    /// Declarations of cells and semaphores.
    declared: Vec<Declaration>,
    /// The semaphores that are passed on, and whether they are taken at the start.
    semaphores: Vec<(Name, bool)>,
    /// The entrances of identifiers, and of arguments that O gives with a question.
    gates: HashMap<(QuestionId, ComponentId), Name>,
    /// Where the threads of the environment wait.
    turns: HashMap<Actor, Name>,
    /// What the questions at variables, arrays and semaphores get to see.
    cells: HashMap<QuestionId, Name>,
    passed: HashSet<Name>,
}

impl Writer<'_> {
    fn question(&self, id: QuestionId) -> &Question {
        &self.questions.all[id.index()]
    }

    /// A component's name as one of the language.
    fn name(&self, id: ComponentId) -> String {
        let name = self.arena.component(id).name.replace('.', "_");
        if name.starts_with(|c: char| c.is_ascii_digit()) { format!("argument{name}") } else { name }
    }

    fn is_last(&self, at: usize) -> bool {
        at + 1 == self.moves.len()
    }

    /// How the program is opened; and, where it is to be seen, what is done when it has answered.
    fn opened(&mut self) -> (Opening, Vec<Statement>) {
        let opening = self.question(OPENING);
        let (label, answer) = (opening.label.clone(), opening.answer.clone());
        if self.purpose == Purpose::Lead && self.watched().is_none() {
            let opening = match label {
                Label::Read => Opening::Read,
                Label::Write(n) => Opening::Write(n),
                _ => Opening::Plain,
            };
            return (opening, vec![]);
        }
        let opening = match (label, &answer) {
            (Label::Run, _) => Opening::Command,
            (Label::Write(n), _) => Opening::Write(n),
            (_, Some((_, Label::Value(n)))) => Opening::Expect(n.clone(), vec![]),
            _ => Opening::Ignore,
        };
        let mut after = Vec::new();
        if let Some((at, _)) = answer {
            self.begin(at, &mut after);
        }
        (opening, after)
    }

    /// What answers all that is asked of a component under a question.
    fn procedure(&mut self, name: &str, ty: &Type, above: QuestionId, id: Option<ComponentId>) -> Procedure {
        let (parameters, base) = ty.uncurry();
        let parameters = self.names.parameters(name, &parameters);
        let body = self.bodies(name, base, above, id, &parameters);
        Procedure { parameters, base: base.clone(), body }
    }

    /// What is done for all that is asked of a component under a question: for the first this, for the second that.
    fn bodies(
        &mut self,
        name: &str,
        base: &Type,
        above: QuestionId,
        id: Option<ComponentId>,
        names: &[(Name, Argument)],
    ) -> Body {
        let asked = id.map_or(vec![], |id| self.questions.asked(above, id));
        let Some(first) = asked.first() else {
            return self.unasked(name, base);
        };
        if !self.kept[self.question(*first).at] {
            let answer = asked.iter().find_map(|id| self.question(*id).answer.as_ref());
            return match answer {
                Some((_, Label::Value(n))) => Answer::Number(n.clone()).into(),
                _ => self.unasked(name, base),
            };
        }
        let gate = self.waits_at(self.question(*first).at);
        let mut steps: Vec<Statement> =
            gate.iter().map(|gate| Statement::Use(Place::named(gate), Use::Grab)).collect();
        let bodies: Vec<Body> = asked.iter().map(|id| self.body(*id, base, names)).collect();
        let Body { steps: more, end } = match &bodies[..] {
            [only] => only.clone(),
            _ => {
                let counter = self.names.fresh(&format!("{name}_calls"));
                let cell = Declaration::Cell(counter.clone(), Type::Var(Data::Int), Some(Int::ZERO));
                self.declared.push(cell);
                self.passed.insert(counter.clone());
                let bodies: Vec<(usize, Body)> = (1..).zip(bodies).collect();
                let choice = Body::choice(&bodies, &|n| Place::named(&counter).is_below(n));
                Body { steps: vec![Statement::Use(Place::named(&counter), Use::Count)], ..choice }
            }
        };
        steps.extend(more);
        Body { steps, end }
    }

    /// What is never asked.
    fn unasked(&mut self, name: &str, base: &Type) -> Body {
        match (base, self.purpose) {
            (Type::Com, Purpose::Lead) => Body::default(),
            (Type::Exp(_), Purpose::Lead) => Answer::Number(Int::ZERO).into(),
            (Type::Com | Type::Exp(_), Purpose::Tell) => vec![Statement::Diverge].into(),
            _ => {
                let cell = self.names.fresh(&format!("{name}_sink"));
                self.declared.push(Declaration::Cell(cell.clone(), base.clone(), None));
                Body { steps: vec![Statement::Diverge], end: Answer::Cell(cell) }
            }
        }
    }

    /// What is done when P's question has come.
    fn body(&mut self, id: QuestionId, base: &Type, names: &[(Name, Argument)]) -> Body {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.body_here(id, base, names))
    }

    fn body_here(&mut self, id: QuestionId, base: &Type, names: &[(Name, Argument)]) -> Body {
        let mut steps = Vec::new();
        let (at, answer) = (self.question(id).at, self.question(id).answer.clone());
        let cell = self.cell(id).map_or(Answer::Nothing, Answer::Cell);
        self.look(at, &mut steps);
        if self.is_last(at) {
            steps.push(match self.watched() == Some(id) {
                true => Statement::Use(Place::named(&self.watch()), Use::Release),
                false => Statement::Abort,
            });
            return Body { steps, end: cell };
        }
        self.end(at, &mut steps);
        for phase in self.questions.phases.get(&id).cloned().unwrap_or_default() {
            let mut lanes = Vec::new();
            for lane in phase {
                let mut thread = Vec::new();
                for below in lane {
                    self.uses(id, below, names, &mut thread);
                }
                lanes.push(thread);
            }
            match &mut lanes[..] {
                [only] => steps.append(only),
                _ => steps.push(Statement::Parallel(lanes)),
            }
        }
        let mut end = cell;
        match answer {
            Some((at, label)) => {
                self.begin(at, &mut steps);
                if self.is_last(at) {
                    steps.push(Statement::Abort);
                } else {
                    self.end(at, &mut steps);
                }
                if let (Label::Value(n), Answer::Nothing) = (label, &end) {
                    end = Answer::Number(n);
                }
            }
            None if self.purpose == Purpose::Lead && *base == Type::Com => end = Answer::Nothing,
            None => steps.push(Statement::Diverge),
        }
        Body { steps, end }
    }

    /// The use of an argument of a call.
    fn uses(
        &mut self,
        call: QuestionId,
        id: QuestionId,
        names: &[(Name, Argument)],
        steps: &mut Vec<Statement>,
    ) {
        let question = self.question(id);
        let (at, label, answer) = (question.at, question.label.clone(), question.answer.clone());
        let (component, element) = (question.component, question.element.clone());
        self.begin(at, steps);
        if self.is_last(at) {
            steps.push(Statement::Abort);
            return;
        }
        self.end(at, steps);
        let siblings = &self.arena.component(self.question(call).component).arguments;
        let n = siblings.iter().position(|sibling| *sibling == component).unwrap_or(0);
        let name = &names[n].0;
        let place = Place { given: self.given(name, id, component), ..Place::named(name).at(element) };
        steps.push(match (label, &answer) {
            (Label::Run, _) => Statement::Use(place, Use::Run),
            (Label::Write(n), _) => Statement::Use(place, Use::Write(n)),
            (Label::Grab, _) => Statement::Use(place, Use::Grab),
            (Label::Release, _) => Statement::Use(place, Use::Release),
            (_, Some((at, Label::Value(n)))) if self.purpose == Purpose::Tell || self.is_last(*at) => {
                Statement::Expect(vec![place.is(n.clone())])
            }
            _ => Statement::Use(place, Use::Ignore),
        });
        match answer {
            Some((at, _)) => {
                self.begin(at, steps);
                if self.is_last(at) {
                    steps.push(Statement::Abort);
                } else {
                    self.end(at, steps);
                }
            }
            None if self.purpose == Purpose::Tell => steps.push(Statement::Diverge),
            None => {}
        }
    }

    /// The arguments that O gives with a question.
    fn given(&mut self, name: &str, id: QuestionId, component: ComponentId) -> Vec<Procedure> {
        let arguments = self.arena.component(component).arguments.clone();
        let numbered = arguments.into_iter().enumerate();
        let given = numbered.map(|(n, argument)| {
            let ty = self.ty(argument);
            self.procedure(&format!("{name}_{}", n + 1), &ty, id, Some(argument))
        });
        given.collect()
    }

    /// The type of a component with its arguments.
    fn ty(&self, id: ComponentId) -> Type {
        let component = self.arena.component(id);
        component.arguments.iter().rev().fold(component.base.clone(), |result, argument| {
            let bound = self.arena.component(*argument).bound;
            Type::fun(Argument { ty: self.ty(*argument), bound }, result)
        })
    }
}
