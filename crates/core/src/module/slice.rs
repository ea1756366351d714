//! Slicing: the same module without what no check that counts depends on [Weiser 1984].
//!
//! What is *kept* are checks that count, calls of functions of the environment's, ends of the run, loops without an end, and all that decides whether control
//! reaches these and which values they see: assignments to cells that are read there, branches that lead there in one way only, calls
//! of procedures that do any of this. The environment moves at the same places, so a play of the module that fails is one
//! of the slice with the same moves of the environment's: a proof about the slice is one about the module.
//!
//! The converse does not hold. A loop that is left out may never end, and a check that is left out and does not count
//! may stop the run. So a play of the slice that fails must be played by the module itself before it is believed.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use agon_base::int::Int;

use super::live::successors;
use super::{
    Base, Callee, CellId, Expression, ExpressionId, Label, LocalId, Module, Place, Procedure, ProcedureId,
    SignatureId, Sort, Statement,
};
use crate::checks::Check;
use crate::condition::Condition;

/// The branches of a procedure with more statements than this are all kept.
const MOST_STATEMENTS: usize = 1 << 12;

/// What is kept of a module.
struct Slice<'a> {
    module: &'a Module,
    /// Which statements of each procedure.
    kept: Vec<Vec<bool>>,
    /// For each statement of each procedure, the branches that decide whether it is reached.
    controls: Vec<Vec<Vec<usize>>>,
    /// Where each branch goes if it is left out; nothing if the procedure ends.
    instead: Vec<Vec<Option<usize>>>,
    cells: BTreeSet<CellId>,
    locals: BTreeSet<(ProcedureId, LocalId)>,
    /// The procedures whose results are read.
    results: BTreeSet<ProcedureId>,
    /// Whether the environment may get to know a function by a value.
    tells: bool,
    /// The procedures that values of a type may name.
    named: Vec<(SignatureId, Vec<ProcedureId>)>,
}

impl Module {
    /// The same module without what no check that counts depends on. What fails in it may not fail in this one.
    pub fn sliced(&self) -> Module {
        if self.begins_threads() || self.threads > 1 {
            return self.clone();
        }
        let mut slice = Slice::new(self);
        slice.close();
        let mut sliced = self.clone();
        for (id, procedure) in self.procedures() {
            let body = &mut sliced.procedures[id.index()].body;
            for (at, (statement, span)) in procedure.body.iter().enumerate() {
                let new = slice.statement(id, at, statement, |n| {
                    sliced.expressions.push(Expression::Number(n));
                    sliced.spans.push(*span);
                    ExpressionId(super::next(&sliced.expressions) - 1)
                });
                body[at].0 = new;
            }
        }
        sliced
    }

    /// The checks to which control may get from the beginning of their procedures.
    pub fn reachable_checks(&self) -> Vec<Check> {
        let several = self.threads > 1 || self.begins_threads();
        let mut found = Vec::new();
        for (_, procedure) in self.procedures() {
            for ((statement, span), reached) in procedure.body.iter().zip(reachable(procedure)) {
                if reached {
                    self.checks_of(statement, *span, several, &mut found);
                }
            }
        }
        let reached: HashSet<Check> = found.into_iter().collect();
        let mut checks = self.checks();
        checks.retain(|check| reached.contains(check));
        checks
    }

    /// Whether a procedure never reads its n-th parameter, and nothing is assumed of it.
    pub fn ignores_parameter(&self, id: ProcedureId, n: u32) -> bool {
        let assumed =
            |condition: &Arc<Condition>| condition.given().iter().any(|m| u32::try_from(*m) == Ok(n));
        let mut read = self.assumed_call(id).is_some_and(assumed);
        for (statement, _) in &self.procedure(id).body {
            self.each_read(statement, |base| read |= base == Base::Local(LocalId(n)));
        }
        !read
    }

    /// Whether nobody reads what an import returns, and nothing is assumed of it but a range.
    pub fn ignores_result(&self, id: super::ImportId) -> bool {
        let by_name = self.named_types().any(|signature| signature == self.import(id).signature);
        let mut statements = self.procedures().flat_map(|(_, procedure)| &procedure.body);
        let read = statements.any(|(statement, _)| {
            matches!(statement, Statement::Call(Callee::Import(called), _, Some(_)) if *called == id)
        });
        !by_name && !read && self.assumed_answer(id).is_none()
    }

    /// Calls `f` with each cell or array that a statement reads.
    fn each_read(&self, statement: &Statement, mut f: impl FnMut(Base)) {
        statement.each_expression(|root| self.each_load(root, &mut f));
    }

    /// Calls `f` with each cell or array that an expression reads.
    fn each_load(&self, root: ExpressionId, f: &mut impl FnMut(Base)) {
        for id in self.within(root) {
            if let Expression::Load(Place { base, .. }) = self.expression(id) {
                f(*base);
            }
        }
    }
}

impl<'a> Slice<'a> {
    fn new(module: &'a Module) -> Slice<'a> {
        let private = module.mentioned().into_iter().any(|id| !module.procedure(id).exported);
        let mut slice = Slice {
            module,
            kept: Vec::new(),
            controls: Vec::new(),
            instead: Vec::new(),
            cells: BTreeSet::new(),
            locals: BTreeSet::new(),
            results: BTreeSet::new(),
            tells: private,
            named: module.named_types().map(|id| (id, module.nameable(id).collect())).collect(),
        };
        for (id, procedure) in module.procedures() {
            let gives = module.signature(procedure.signature).result.as_ref();
            if private && matches!(gives, Some(Sort::Function(_))) {
                slice.results.insert(id);
            }
            let reached = reachable(procedure);
            let count = procedure.body.len();
            let kept = procedure.body.iter().enumerate();
            let kept = kept.map(|(at, (statement, span))| {
                reached[at] && (is_seen(statement) || module.has_watched(statement, *span, false))
            });
            slice.kept.push(kept.collect());
            let mut controls = vec![Vec::new(); count];
            let mut instead = vec![None; count];
            let behind = (count <= MOST_STATEMENTS).then(|| {
                let (behind, endless) = postdominators(procedure, &reached);
                endless.into_iter().for_each(|at| slice.kept[id.index()][at] = true);
                behind
            });
            for at in (0..count).filter(|at| reached[*at]) {
                let (Statement::Branch(..), _) = &procedure.body[at] else { continue };
                match &behind {
                    Some(behind) => {
                        let end = behind[at];
                        instead[at] = Some(end).filter(|end| *end < count);
                        for inside in region(procedure, at, end) {
                            controls[inside].push(at);
                        }
                    }
                    None => slice.kept[id.index()][at] = true,
                }
            }
            slice.controls.push(controls);
            slice.instead.push(instead);
        }
        slice
    }

    /// Adds what the kept statements depend on, until nothing is missing.
    fn close(&mut self) {
        loop {
            let before = self.size();
            for (id, procedure) in self.module.procedures() {
                for (at, (statement, _)) in procedure.body.iter().enumerate() {
                    if !self.kept[id.index()][at] && self.is_needed(id, statement) {
                        self.kept[id.index()][at] = true;
                    }
                    if self.kept[id.index()][at] {
                        for branch in std::mem::take(&mut self.controls[id.index()][at]) {
                            self.kept[id.index()][branch] = true;
                        }
                        self.add_reads(id, statement);
                    }
                }
            }
            if self.size() == before {
                return;
            }
        }
    }

    fn size(&self) -> usize {
        let kept = self.kept.iter().flatten().filter(|kept| **kept).count();
        kept + self.cells.len() + self.locals.len() + self.results.len()
    }

    fn has(&self, procedure: ProcedureId, base: Base) -> bool {
        match base {
            Base::Module(cell) => self.cells.contains(&cell),
            Base::Local(local) => self.locals.contains(&(procedure, local)),
        }
    }

    /// The procedures that a call may be one of, without the environment.
    fn callees(&self, callee: Callee) -> Vec<ProcedureId> {
        match callee {
            Callee::Procedure(id) => vec![id],
            Callee::Import(_) => vec![],
            Callee::Value(_, signature) => {
                let known = self.named.iter().find(|(known, _)| *known == signature);
                known.map_or_else(|| self.module.nameable(signature).collect(), |(_, all)| all.clone())
            }
        }
    }

    /// Whether a statement does something that something kept depends on.
    fn is_needed(&self, procedure: ProcedureId, statement: &Statement) -> bool {
        match statement {
            Statement::Set(Place { base, .. }, _) | Statement::Fill(base, _) => self.has(procedure, *base),
            Statement::Call(Callee::Procedure(id), _, to) => {
                self.kept[id.index()].contains(&true)
                    || to.is_some_and(|to| self.has(procedure, Base::Local(to)))
            }
            Statement::Return(Some(_)) => self.results.contains(&procedure),
            _ => false,
        }
    }

    /// What a kept statement reads is read.
    fn add_reads(&mut self, procedure: ProcedureId, statement: &Statement) {
        let mut reads = BTreeSet::new();
        if let Statement::Call(callee, arguments, to) = statement {
            if let Callee::Value(value, _) = callee {
                self.module.each_load(*value, &mut |base| _ = reads.insert(base));
            }
            for (n, argument) in arguments.iter().enumerate() {
                if self.is_passed(*callee, n, *argument) {
                    self.module.each_load(*argument, &mut |base| _ = reads.insert(base));
                }
            }
            if to.is_some_and(|to| self.has(procedure, Base::Local(to))) {
                self.results.extend(self.callees(*callee));
            }
        } else {
            self.module.each_read(statement, |base| _ = reads.insert(base));
        }
        for base in reads {
            match base {
                Base::Module(cell) => _ = self.cells.insert(cell),
                Base::Local(local) => _ = self.locals.insert((procedure, local)),
            }
        }
    }

    /// Whether it matters what a call is given for its n-th parameter.
    fn is_passed(&self, callee: Callee, n: usize, argument: ExpressionId) -> bool {
        let local = LocalId(u32::try_from(n).unwrap_or(u32::MAX));
        let read = |id: ProcedureId| self.locals.contains(&(id, local));
        self.callees(callee).into_iter().any(read)
            || self.module.is_watched_within(argument)
            || self.is_told(callee, n)
    }

    /// Whether the environment may get to know a function by the n-th argument of a call.
    fn is_told(&self, callee: Callee, n: usize) -> bool {
        let signature = match callee {
            Callee::Procedure(_) => return false,
            Callee::Import(id) => self.module.import(id).signature,
            Callee::Value(_, signature) => signature,
        };
        let parameters = &self.module.signature(signature).parameters;
        self.tells && matches!(parameters.get(n), Some(Sort::Function(_)))
    }

    /// A statement as it is in the slice. Numbers are made by `number`.
    fn statement(
        &self,
        id: ProcedureId,
        at: usize,
        statement: &Statement,
        mut number: impl FnMut(Int) -> ExpressionId,
    ) -> Statement {
        let next = Label(u32::try_from(at + 1).unwrap_or(u32::MAX));
        let kept = self.kept[id.index()][at];
        match statement {
            Statement::Call(callee, arguments, to) if kept => {
                let mut passed = Vec::new();
                for (n, argument) in arguments.iter().enumerate() {
                    let matters = self.is_passed(*callee, n, *argument);
                    passed.push(if matters { *argument } else { number(Int::ZERO) });
                }
                Statement::Call(*callee, passed, to.filter(|to| self.has(id, Base::Local(*to))))
            }
            _ if kept => statement.clone(),
            Statement::Branch(..) => match self.instead[id.index()][at] {
                Some(to) => Statement::Jump(Label(u32::try_from(to).unwrap_or(u32::MAX))),
                None => Statement::Return(self.result(id).then(|| number(Int::ZERO))),
            },
            Statement::Return(value) => Statement::Return(value.map(|_| number(Int::ZERO))),
            // A check that does not count stops the run where it fails. That is kept where it costs nothing.
            Statement::Assert(..) => {
                let mut free = true;
                self.module.each_read(statement, |base| free &= self.has(id, base));
                if free { statement.clone() } else { Statement::Jump(next) }
            }
            Statement::Set(..) | Statement::Fill(..) | Statement::Call(..) => Statement::Jump(next),
            _ => statement.clone(),
        }
    }

    /// Whether a procedure gives a value.
    fn result(&self, id: ProcedureId) -> bool {
        self.module.signature(self.module.procedure(id).signature).result.is_some()
    }
}

/// Whether a statement is always kept: the environment moves there, the run ends there, or it waits there.
fn is_seen(statement: &Statement) -> bool {
    match statement {
        Statement::Call(callee, ..) => !matches!(callee, Callee::Procedure(_)),
        Statement::Set(..)
        | Statement::Fill(..)
        | Statement::Branch(..)
        | Statement::Jump(_)
        | Statement::Return(_)
        | Statement::Assert(..)
        | Statement::Atomic(_)
        | Statement::BeginPredicate(_)
        | Statement::EndPredicate(_) => false,
        Statement::Fail(_)
        | Statement::Exit(_)
        | Statement::Diverge
        | Statement::Lock(_)
        | Statement::TryLock(..)
        | Statement::Unlock(_)
        | Statement::Grab(_)
        | Statement::Release(_)
        | Statement::Begin(..)
        | Statement::Join(..)
        | Statement::Detach(_)
        | Statement::Leave(_)
        | Statement::Itself(_) => true,
    }
}

/// Which statements of a body can be reached from its first one.
fn reachable(procedure: &Procedure) -> Vec<bool> {
    let mut reached = vec![false; procedure.body.len()];
    let mut waiting = vec![0];
    while let Some(at) = waiting.pop() {
        if at < reached.len() && !std::mem::replace(&mut reached[at], true) {
            waiting.extend(successors(&procedure.body[at].0, at));
        }
    }
    reached
}

/// The statements that may come after a branch before control gets to `end`.
fn region(procedure: &Procedure, branch: usize, end: usize) -> BTreeSet<usize> {
    let mut inside = BTreeSet::new();
    let mut waiting: Vec<usize> = successors(&procedure.body[branch].0, branch).collect();
    while let Some(at) = waiting.pop() {
        if at != end && inside.insert(at) {
            waiting.extend(successors(&procedure.body[at].0, at));
        }
    }
    inside
}

/// For each statement the first one that all ways from it to the end of the body have in common; the number of statements, if
/// that is the end itself. And the statements from which the end is not reached; they are kept. A way that never ends counts as one that may end at each of its statements
/// [Cooper, Harvey, Kennedy 2001].
fn postdominators(procedure: &Procedure, reached: &[bool]) -> (Vec<usize>, Vec<usize>) {
    let end = procedure.body.len();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); end + 1];
    for at in (0..end).filter(|at| reached[*at]) {
        let mut last = true;
        for to in successors(&procedure.body[at].0, at) {
            before[to].push(at);
            last = false;
        }
        if last {
            before[end].push(at);
        }
    }
    let mut order = backwards(end, &before);
    let endless: Vec<usize> = (0..end).filter(|at| reached[*at] && !order.contains(at)).collect();
    if !endless.is_empty() {
        before[end].extend(&endless);
        order = backwards(end, &before);
    }
    let mut place = vec![usize::MAX; end + 1];
    order.iter().enumerate().for_each(|(n, at)| place[*at] = n);
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); end + 1];
    for (to, from) in before.iter().enumerate() {
        from.iter().for_each(|from| after[*from].push(to));
    }
    let mut found = vec![usize::MAX; end + 1];
    found[end] = end;
    loop {
        let mut changed = false;
        for at in order.iter().copied().skip(1) {
            let common = |mut a: usize, mut b: usize| {
                while a != b {
                    if place[a] > place[b] { a = found[a] } else { b = found[b] }
                }
                a
            };
            let known = after[at].iter().copied().filter(|to| found[*to] != usize::MAX);
            let Some(first) = known.reduce(common) else { continue };
            changed |= found[at] != first;
            found[at] = first;
        }
        if !changed {
            return (found, endless);
        }
    }
}

/// The statements from which the end can be reached, the end first, each behind one that follows it: reverse postorder from the end.
fn backwards(end: usize, before: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; before.len()];
    let mut order = Vec::new();
    let mut stack = vec![(end, 0)];
    seen[end] = true;
    while let Some((at, n)) = stack.pop() {
        match before[at].get(n) {
            Some(next) => {
                stack.push((at, n + 1));
                if !std::mem::replace(&mut seen[*next], true) {
                    stack.push((*next, 0));
                }
            }
            None => order.push(at),
        }
    }
    order.reverse();
    order
}
