//! What one thread does: the steps that nobody else sees, and those on cells.

use agon_base::int::Int;

use super::run::{Bound, Cells, CellsId, Closure, Heap, Name, Phase, Run, ScopeId, State, Thread, What};
use super::{Place, Step, Threads};
use crate::failure::{Failure, Fault, Log};
use crate::term::{Construct, Judgement, Operator, TermId, Unary, VarId};
use crate::types::{Data, Type};

/// What is asked of a term: to take arguments, the first one last; to be indexed; and then this.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Ask {
    pub arguments: Vec<Bound>,
    pub element: Option<u64>,
    pub what: What,
}

impl Ask {
    fn only(what: What) -> Ask {
        Ask { arguments: vec![], element: None, what }
    }
}

/// What is to be done with a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Frame {
    Unary(Unary),
    /// It is the left operand of this term.
    Left(TermId, Operator, Closure),
    /// It is the right operand of this term.
    Right(TermId, Operator, Int),
    Wrap(Data),
    /// It is forgotten.
    Then(Closure, Ask),
    /// It is this condition.
    If(TermId, Closure, Closure, Ask),
    /// It is the guard of this loop.
    Guard(Closure),
    /// The body of this loop is done.
    Again(Closure),
    /// It is written there.
    Assign(Closure),
    /// It is the index of this term, below this number.
    Index(TermId, Closure, u64, Ask),
    /// It is what the new cells start with.
    Initial(Closure, Ask),
    /// The body of this term, which declares a label, is done.
    Label(Closure),
}

impl Frame {
    /// Calls `f` with each closure but those in what is asked.
    pub fn each(&mut self, f: &mut dyn FnMut(&mut Closure)) {
        match self {
            Frame::Unary(_) | Frame::Right(..) | Frame::Wrap(_) => {}
            Frame::Left(_, _, a)
            | Frame::Then(a, _)
            | Frame::Guard(a)
            | Frame::Again(a)
            | Frame::Assign(a)
            | Frame::Index(_, a, _, _)
            | Frame::Initial(a, _)
            | Frame::Label(a) => f(a),
            Frame::If(_, a, b, _) => {
                f(a);
                f(b);
            }
        }
    }

    /// What will be asked.
    pub fn ask(&mut self) -> Option<&mut Ask> {
        match self {
            Frame::Then(_, ask)
            | Frame::If(_, _, _, ask)
            | Frame::Index(_, _, _, ask)
            | Frame::Initial(_, ask) => Some(ask),
            _ => None,
        }
    }
}

/// Which cells a step touches.
pub(super) struct Touch {
    /// Whose they are.
    pub var: VarId,
    /// It takes a place of a semaphore, rather than give one back, read or write.
    pub grab: bool,
}

/// No more names than this are kept for all terms together.
const MOST_NAMES: usize = 1 << 24;

/// The variables and labels that are free in each term, sorted, without those of the context; nothing if there are too
/// many of them.
pub(super) fn free_names(judgement: &Judgement) -> Option<Vec<Vec<Name>>> {
    let terms = &judgement.terms;
    let free = judgement.free();
    let mut all: Vec<Vec<Name>> = Vec::with_capacity(terms.len());
    let mut count = 0;
    for n in 0..terms.len() {
        let construct = terms.construct(TermId::new(n));
        let mut names = Vec::new();
        construct.each_child(|child| names.extend(all[child.index()].iter().copied()));
        match construct {
            Construct::Variable(var) if !free.contains(var) => names.push(Name::Variable(*var)),
            Construct::Goto(label) => names.push(Name::Jump(*label)),
            _ => {}
        }
        // No two binders share a name, and a name occurs only where it is bound.
        let own = match construct {
            Construct::Lambda(var, _) | Construct::Let(var, _, _) | Construct::NewSemaphore(var, ..) => {
                Some(Name::Variable(*var))
            }
            Construct::New(new) => Some(Name::Variable(new.variable)),
            Construct::Break(label, _) | Construct::Continue(label, _) => Some(Name::Jump(*label)),
            _ => None,
        };
        names.retain(|name| Some(*name) != own);
        names.sort_unstable();
        names.dedup();
        names.shrink_to_fit();
        count += names.len();
        if count > MOST_NAMES {
            return None;
        }
        all.push(names);
    }
    Some(all)
}

/// A height at which no note begins.
const NOTHING_READ: usize = usize::MAX;
/// A thread that takes this many silent steps in a row is exhausted.
const LONGEST: usize = 1 << 20;
/// Numbers whose bits add up to more than this are not reckoned with.
const LARGEST: u64 = 1 << 16;

impl Threads<'_> {
    /// The run after all steps that nobody sees.
    pub(super) fn settled(&self, mut run: Run) -> Run {
        if let Phase::Open(opened) = &mut run.phase {
            self.settle(&mut opened.thread, &mut run.heap);
        }
        run.canonical()
    }

    fn settle(&self, thread: &mut Thread, heap: &mut Heap) {
        for _ in 0..LONGEST {
            match &mut thread.state {
                State::Both(left, right) => {
                    self.settle(left, heap);
                    self.settle(right, heap);
                    if !left.is_finished() || !right.is_finished() {
                        return;
                    }
                    thread.state = State::Return(Int::ZERO);
                }
                State::Waiting(waiting) => {
                    for opened in waiting.open.values_mut() {
                        self.settle(&mut opened.thread, heap);
                    }
                    return;
                }
                State::Eval(..) => {
                    let State::Eval(closure, ask) = std::mem::replace(&mut thread.state, State::Diverge)
                    else {
                        return;
                    };
                    thread.state = self.eval(closure, ask, &mut thread.stack, &mut thread.log, heap);
                }
                State::Return(n) => {
                    let Some(frame) = thread.stack.pop() else { return };
                    let n = std::mem::take(n);
                    thread.state = self.resume(frame, n, &mut thread.stack, &mut thread.log, heap);
                }
                State::Abort(term, ..) if !self.judgement.watch.counts(self.terms, *term) => {
                    thread.state = State::Diverge;
                    return;
                }
                _ => return,
            }
        }
        thread.state = State::Exhausted;
    }

    /// A term with its part of a scope.
    fn close(&self, heap: &mut Heap, term: TermId, scope: ScopeId) -> Closure {
        self.bind(heap, term, scope, None)
    }

    /// A term with its part of a scope and of one more name.
    fn bind(&self, heap: &mut Heap, term: TermId, scope: ScopeId, new: Option<(Name, Bound)>) -> Closure {
        let names = &self.names[term.index()];
        let needed = |name: &Name| names.binary_search(name).is_ok();
        let old = &heap.scopes[scope.index()];
        let mut part: Vec<_> = old.iter().filter(|(name, _)| needed(name)).cloned().collect();
        match new {
            Some((name, bound)) if needed(&name) => {
                let place = part.partition_point(|(other, _)| *other < name);
                part.insert(place, (name, bound));
            }
            _ if part.len() == old.len() => return Closure { term, scope },
            _ => {}
        }
        Closure { term, scope: heap.scope(part) }
    }

    /// Something is asked of what a name stands for, other than cells.
    pub(super) fn enter(&self, bound: &Bound, ask: Ask, name: Option<VarId>) -> State {
        match bound {
            Bound::Thunk(closure) => State::Eval(*closure, ask),
            Bound::Opponent(place, n) => State::Question(place.clone(), Step::Argument(*n), ask, name),
            Bound::Cells(_) | Bound::Frame(_) => unreachable!("arguments are terms, or the environment's"),
        }
    }

    fn eval(
        &self,
        closure: Closure,
        mut ask: Ask,
        stack: &mut Vec<Frame>,
        log: &mut Log,
        heap: &mut Heap,
    ) -> State {
        let Closure { term, scope } = closure;
        let terms = self.terms;
        let value = || Ask::only(What::Run);
        match terms.construct(term) {
            Construct::Number(n) => State::Return(n.clone()),
            Construct::Skip | Construct::BeginPredicate(_) | Construct::EndPredicate(_) => {
                State::Return(Int::ZERO)
            }
            Construct::Abort(_) => State::Abort(term, Fault::Abort(None), NOTHING_READ),
            Construct::Diverge => State::Diverge,
            Construct::Variable(var) => self.variable(*var, scope, ask, heap),
            Construct::Lambda(var, body) => {
                let argument = ask.arguments.pop().expect("a procedure is asked with an argument");
                State::Eval(self.bind(heap, *body, scope, Some((Name::Variable(*var), argument))), ask)
            }
            Construct::Apply(function, argument) => {
                ask.arguments.push(Bound::Thunk(self.close(heap, *argument, scope)));
                State::Eval(self.close(heap, *function, scope), ask)
            }
            Construct::Let(var, definition, body) => {
                let thunk = Bound::Thunk(self.close(heap, *definition, scope));
                State::Eval(self.bind(heap, *body, scope, Some((Name::Variable(*var), thunk))), ask)
            }
            Construct::Unary(operator, a) => {
                stack.push(Frame::Unary(*operator));
                State::Eval(self.close(heap, *a, scope), value())
            }
            Construct::Binary(operator, a, b) => {
                stack.push(Frame::Left(term, *operator, self.close(heap, *b, scope)));
                State::Eval(self.close(heap, *a, scope), value())
            }
            Construct::Wrap(data, a) => {
                stack.push(Frame::Wrap(data.clone()));
                State::Eval(self.close(heap, *a, scope), value())
            }
            Construct::WrapVariable(data, a) => {
                match &mut ask.what {
                    What::Write(n) => *n = data.wrap(n),
                    _ => stack.push(Frame::Wrap(data.clone())),
                }
                State::Eval(self.close(heap, *a, scope), ask)
            }
            Construct::Sequence(a, b) => {
                stack.push(Frame::Then(self.close(heap, *b, scope), ask));
                State::Eval(self.close(heap, *a, scope), value())
            }
            Construct::If(guard, yes, no) => {
                let may_fail = |branch, holds| Failure::of_branch(terms, branch, *guard, holds).is_some();
                if may_fail(*yes, true) || may_fail(*no, false) {
                    log.begin(stack.len());
                }
                let (yes, no) = (self.close(heap, *yes, scope), self.close(heap, *no, scope));
                stack.push(Frame::If(*guard, yes, no, ask));
                State::Eval(self.close(heap, *guard, scope), value())
            }
            Construct::While(guard, _) => {
                stack.push(Frame::Guard(closure));
                State::Eval(self.close(heap, *guard, scope), value())
            }
            Construct::Assign(a, b) => {
                stack.push(Frame::Assign(self.close(heap, *a, scope)));
                State::Eval(self.close(heap, *b, scope), value())
            }
            Construct::Read(a) => State::Eval(self.close(heap, *a, scope), Ask::only(What::Read)),
            Construct::Index(a, b) => {
                let Type::Array(_, length) = terms.ty(*a) else { unreachable!("only arrays are indexed") };
                log.begin(stack.len());
                stack.push(Frame::Index(term, self.close(heap, *a, scope), *length, ask));
                State::Eval(self.close(heap, *b, scope), value())
            }
            Construct::New(new) => match new.initial {
                Some(initial) => {
                    stack.push(Frame::Initial(closure, ask));
                    State::Eval(self.close(heap, initial, scope), value())
                }
                None => self.new_cells(closure, new.variable, new.body, Int::ZERO, ask, heap),
            },
            Construct::NewSemaphore(var, _, taken, body) => {
                self.new_cells(closure, *var, *body, Int::from(*taken), ask, heap)
            }
            Construct::Break(label, body) | Construct::Continue(label, body) => {
                let own = Bound::Frame(stack.len());
                stack.push(Frame::Label(closure));
                State::Eval(self.bind(heap, *body, scope, Some((Name::Jump(*label), own))), value())
            }
            Construct::Goto(label) => {
                let name = Name::Jump(*label);
                let found = heap.scopes[scope.index()].iter().find(|(other, _)| *other == name);
                let Some((_, Bound::Frame(own))) = found else { unreachable!("labels are bound to frames") };
                stack.truncate(*own + 1);
                let Some(Frame::Label(target)) = stack.pop() else {
                    unreachable!("no jump leaves its thread")
                };
                match terms.construct(target.term) {
                    Construct::Continue(..) => State::Turn(target),
                    _ => State::Return(Int::ZERO),
                }
            }
            Construct::Parallel(a, b) => {
                let (a, b) = (self.close(heap, *a, scope), self.close(heap, *b, scope));
                let thread = |closure| Box::new(Thread::new(State::Eval(closure, value())));
                State::Both(thread(a), thread(b))
            }
            Construct::Grab(a) => State::Eval(self.close(heap, *a, scope), Ask::only(What::Grab)),
            Construct::Release(a) => State::Eval(self.close(heap, *a, scope), Ask::only(What::Release)),
            Construct::WithPredicate(_, body) => State::Eval(self.close(heap, *body, scope), ask),
        }
    }

    fn variable(&self, var: VarId, scope: ScopeId, ask: Ask, heap: &Heap) -> State {
        let name = Name::Variable(var);
        match heap.scopes[scope.index()].iter().find(|(other, _)| *other == name) {
            None => State::Question(Place::default(), Step::Free(var), ask, Some(var)),
            Some((_, Bound::Cells(address))) => State::Access(*address, var, ask),
            Some((_, bound)) => self.enter(bound, ask, Some(var)),
        }
    }

    fn new_cells(
        &self,
        closure: Closure,
        var: VarId,
        body: TermId,
        initial: Int,
        ask: Ask,
        heap: &mut Heap,
    ) -> State {
        let cells = Bound::Cells(heap.cells(Cells::new(initial)));
        State::Eval(self.bind(heap, body, closure.scope, Some((Name::Variable(var), cells))), ask)
    }

    fn resume(&self, frame: Frame, n: Int, stack: &mut Vec<Frame>, log: &mut Log, heap: &mut Heap) -> State {
        let value = || Ask::only(What::Run);
        // Where this frame was pushed, and what it may have begun to note.
        let height = stack.len();
        let state = match frame {
            Frame::Unary(operator) => State::Return(operator.apply(&n)),
            Frame::Left(term, operator, b) => {
                if operator.divides() {
                    log.begin(height);
                }
                stack.push(Frame::Right(term, operator, n));
                return State::Eval(b, value());
            }
            Frame::Right(_, _, a) if a.bits() + n.bits() > LARGEST => State::Exhausted,
            Frame::Right(term, operator, a) => match operator.apply(&a, &n) {
                Some(n) => State::Return(n),
                None => State::Abort(term, Fault::Division, height),
            },
            Frame::Wrap(data) => State::Return(data.wrap(&n)),
            Frame::Then(next, ask) => State::Eval(next, ask),
            Frame::If(guard, yes, no, ask) => {
                let holds = !n.is_zero();
                let branch = if holds { yes } else { no };
                match Failure::of_branch(self.terms, branch.term, guard, holds) {
                    Some((term, fault)) => State::Abort(term, fault, height),
                    None => State::Eval(branch, ask),
                }
            }
            Frame::Guard(closure) => {
                let Construct::While(_, body) = self.terms.construct(closure.term) else {
                    unreachable!("only loops have guards")
                };
                if n.is_zero() {
                    return State::Return(Int::ZERO);
                }
                stack.push(Frame::Again(closure));
                State::Turn(self.close(heap, *body, closure.scope))
            }
            Frame::Again(closure) => State::Eval(closure, value()),
            Frame::Assign(to) => State::Eval(to, Ask::only(What::Write(n))),
            Frame::Index(term, array, length, mut ask) => match n.to_u64().filter(|n| *n < length) {
                Some(n) => {
                    ask.element = Some(n);
                    State::Eval(array, ask)
                }
                None => State::Abort(term, Fault::Index(n), height),
            },
            Frame::Initial(closure, ask) => {
                let Construct::New(new) = self.terms.construct(closure.term) else {
                    unreachable!("only new cells start with something")
                };
                self.new_cells(closure, new.variable, new.body, n, ask, heap)
            }
            Frame::Label(_) => State::Return(n),
        };
        if !matches!(state, State::Abort(..)) {
            log.end(height);
        }
        state
    }

    /// A step of a thread that others may see, but that is no move: the turn of a loop, or one access to cells. Gives
    /// what the thread is then, and what the cells are.
    pub(super) fn silent_step(
        &self,
        thread: &Thread,
        run: &Run,
    ) -> Option<(State, Option<(CellsId, Cells)>)> {
        match &thread.state {
            State::Turn(closure) => Some((State::Eval(*closure, Ask::only(What::Run)), None)),
            State::Access(address, var, ask) => {
                let cells = &run.heap.cells[address.index()];
                let element = ask.element.unwrap_or(0);
                let now = cells.get(element);
                let ty = &self.terms.variable(*var).ty;
                let next = match (&ask.what, ty) {
                    (What::Run | What::Read, _) => return Some((State::Return(now.clone()), None)),
                    (What::Write(n), _) => ty.data().unwrap_or(&Data::Int).wrap(n),
                    (What::Grab, Type::Sem(places)) if *now < Int::from(*places) => now.add(&Int::ONE),
                    (What::Release, _) if !now.is_zero() => now.sub(&Int::ONE),
                    (What::Grab | What::Release, _) => return None,
                };
                Some((State::Return(Int::ZERO), Some((*address, cells.with(element, next)))))
            }
            _ => None,
        }
    }
    /// All silent steps, each with the cells that it touches, if any.
    pub(super) fn steps(&self, run: &Run) -> Vec<(Option<Touch>, Run)> {
        let mut after = Vec::new();
        for (way, thread) in run.nodes() {
            let touch = match &thread.state {
                State::Access(_, var, ask) => Some(Touch { var: *var, grab: ask.what == What::Grab }),
                _ => None,
            };
            if let Some((state, cells)) = self.silent_step(thread, run) {
                let mut next = run.clone();
                let stepped = next.at(&way);
                if let (State::Access(_, var, ask), State::Return(n), None) = (&thread.state, &state, &cells)
                {
                    stepped.log.read(*var, ask.element, false, n);
                }
                stepped.state = state;
                if let Some((address, cells)) = cells {
                    next.heap.cells[address.index()] = cells;
                }
                after.push((touch, self.settled(next)));
            }
        }
        after
    }
}
