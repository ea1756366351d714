//! What every module keeps to, so that nobody who runs one asks again.

use agon_base::source::Span;

use super::{
    Base, Callee, Calls, CellKind, Expression, ExpressionId, Import, Label, LocalId, Module, Place,
    Procedure, ProcedureId, Signature, Sort, Statement,
};

/// What is wrong with a module, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invalid {
    /// What is wrong.
    pub what: &'static str,
    /// Where.
    pub span: Span,
}

impl Module {
    /// Whether the module is one: all ids are those of something, jumps stay in their body, which nothing runs out of, arrays and
    /// nothing else have indices, and calls have as many arguments as there are parameters.
    pub fn validate(&self) -> Result<(), Invalid> {
        for (_, cell) in self.cells() {
            let sort = match &cell.kind {
                CellKind::Value(sort) => Some(sort),
                CellKind::Mutex | CellKind::Semaphore(_) => None,
            };
            let many = cell.initial.len() as u64 > cell.length.unwrap_or(1);
            let fits = cell.initial.iter().all(|n| sort.is_none_or(|sort| self.fits(n, sort)));
            require(!cell.initial.is_empty() && !many && fits, "an initial value", cell.span)?;
        }
        for (_, import) in self.imports() {
            self.validate_import(import)?;
        }
        for (_, procedure) in self.procedures() {
            self.validate_procedure(procedure)?;
        }
        Ok(())
    }

    /// What an import returns are numbers of its type, at least one, and what it calls are procedures.
    fn validate_import(&self, import: &Import) -> Result<(), Invalid> {
        let Some(Signature { result, .. }) = self.signatures.get(import.signature.index()) else {
            return Err(Invalid { what: "the type of an import", span: import.span });
        };
        if let Some((low, high)) = &import.returns {
            let number = |sort: &Sort| !matches!(sort, Sort::Function(_));
            let fit = |sort: &Sort| number(sort) && self.fits(low, sort) && self.fits(high, sort);
            let right = low <= high && result.as_ref().is_some_and(fit);
            require(right, "the results of an import", import.span)?;
        }
        let known = |id: &ProcedureId| id.index() < self.procedures.len();
        let right = !matches!(&import.calls, Calls::Only(ids) if !ids.iter().all(known));
        require(right, "what an import calls", import.span)
    }

    fn validate_procedure(&self, procedure: &Procedure) -> Result<(), Invalid> {
        let Signature { parameters, result } = self.signature(procedure.signature);
        let same = procedure
            .locals
            .iter()
            .zip(parameters)
            .filter(|(local, sort)| local.sort == **sort && local.length.is_none());
        require(same.count() == parameters.len(), "the parameters", procedure.span)?;
        let last = procedure.body.last().map(|(statement, _)| statement);
        let ends = matches!(
            last,
            Some(
                Statement::Branch(..)
                    | Statement::Jump(_)
                    | Statement::Return(_)
                    | Statement::Fail(_)
                    | Statement::Exit(_)
                    | Statement::Leave(_)
                    | Statement::Diverge
            )
        );
        require(ends, "the end of the body", procedure.span)?;
        for (statement, span) in &procedure.body {
            let label = |to: &Label| require(to.index() < procedure.body.len(), "a label", *span);
            match statement {
                Statement::Branch(_, yes, no) => {
                    label(yes)?;
                    label(no)?;
                }
                Statement::Jump(to) => label(to)?,
                Statement::Return(value) => {
                    require(value.is_some() == result.is_some(), "the value of a return", *span)?;
                }
                Statement::Set(place, _) => self.validate_place(procedure, *place, true, *span)?,
                Statement::Fill(base, _) => {
                    let place = Place { base: *base, index: Some(ExpressionId(0)) };
                    self.validate_place(procedure, place, true, *span)?;
                }
                Statement::Call(callee, arguments, to) => {
                    self.validate_call(procedure, (*callee, arguments, *to), *span)?;
                }
                Statement::Lock(place)
                | Statement::Unlock(place)
                | Statement::Grab(place)
                | Statement::Release(place) => {
                    self.validate_place(procedure, *place, false, *span)?;
                }
                Statement::Begin(callee, arguments, to, bound) => {
                    self.validate_call(procedure, (*callee, arguments, None), *span)?;
                    require(!matches!(callee, Callee::Import(_)), "what a thread calls", *span)?;
                    require(bound.index() < self.bounds.len(), "a bound", *span)?;
                    self.validate_place(procedure, Base::Local(*to).whole(), true, *span)?;
                }
                Statement::Join(_, Some(to)) | Statement::Itself(to) => {
                    self.validate_place(procedure, Base::Local(*to).whole(), true, *span)?;
                }
                Statement::TryLock(place, to) => {
                    self.validate_place(procedure, *place, false, *span)?;
                    self.validate_place(procedure, Base::Local(*to).whole(), true, *span)?;
                }
                _ => {}
            }
            let mut roots = Vec::new();
            statement.each_expression(|root| roots.push(root));
            for root in roots {
                self.validate_expression(procedure, root)?;
            }
        }
        Ok(())
    }

    fn validate_call(
        &self,
        procedure: &Procedure,
        (callee, arguments, to): (Callee, &[ExpressionId], Option<LocalId>),
        span: Span,
    ) -> Result<(), Invalid> {
        let signature = match callee {
            Callee::Procedure(id) => self.procedures.get(id.index()).map(|procedure| procedure.signature),
            Callee::Import(id) => self.imports.get(id.index()).map(|import| import.signature),
            Callee::Value(_, signature) => Some(signature),
        };
        let Some(Signature { parameters, result }) = signature.and_then(|id| self.signatures.get(id.index()))
        else {
            return Err(Invalid { what: "what is called", span });
        };
        require(parameters.len() == arguments.len(), "the number of arguments", span)?;
        require(to.is_none() || result.is_some(), "the result of a call", span)?;
        to.map_or(Ok(()), |to| self.validate_place(procedure, Base::Local(to).whole(), true, span))
    }

    fn validate_expression(&self, procedure: &Procedure, root: ExpressionId) -> Result<(), Invalid> {
        // What comes before is smaller, so no expression is part of itself.
        let below = |inner: &ExpressionId, outer: ExpressionId| inner.0 < outer.0;
        let mut waiting = vec![root];
        while let Some(id) = waiting.pop() {
            let Some(expression) = self.expressions.get(id.index()) else {
                return Err(Invalid { what: "an expression", span: procedure.span });
            };
            let span = self.span(id);
            let inner: Vec<ExpressionId> = match expression {
                Expression::Number(_) | Expression::Function(_) => vec![],
                Expression::Load(place) => {
                    self.validate_place(procedure, *place, true, span)?;
                    place.index.into_iter().collect()
                }
                Expression::Unary(_, a) | Expression::Wrap(_, a) => vec![*a],
                Expression::Binary(_, a, b) => vec![*a, *b],
            };
            require(inner.iter().all(|inner| below(inner, id)), "the parts of an expression", span)?;
            waiting.extend(inner);
        }
        Ok(())
    }

    /// A place is there, is an element just if it has an index, and holds values or a lock.
    fn validate_place(
        &self,
        procedure: &Procedure,
        place: Place,
        holds_value: bool,
        span: Span,
    ) -> Result<(), Invalid> {
        let (length, is_value) = match place.base {
            Base::Local(id) => match procedure.locals.get(id.index()) {
                Some(local) => (local.length, true),
                None => return Err(Invalid { what: "a local", span }),
            },
            Base::Module(id) => match self.cells.get(id.index()) {
                Some(cell) => (cell.length, matches!(cell.kind, CellKind::Value(_))),
                None => return Err(Invalid { what: "a cell", span }),
            },
        };
        require(length.is_some() == place.index.is_some(), "the index of a place", span)?;
        require(is_value == holds_value, "what a place holds", span)
    }
}

fn require(holds: bool, what: &'static str, span: Span) -> Result<(), Invalid> {
    if holds { Ok(()) } else { Err(Invalid { what, span }) }
}
