//! Modules that are the same but for layout, comments, private names and what is never called. No environment tells them apart.
//!
//! The bodies of exports of the same name are walked side by side. What is private is taken for one where it stands at the same
//! place for the first time; from then on it must stand at the same places.

use std::collections::{BTreeMap, BTreeSet};

use agon_base::int::Int;

use super::{
    Base, Callee, Calls, CellId, CellKind, Expression, ExpressionId, Function, ImportId, Module, Place,
    ProcedureId, Share, SharedData, Signature, SignatureId, Sort, Statement,
};
use crate::checks::{BoundId, Kind};

/// Whether the two are the same module but for layout, comments, private names and procedures that are never called. A `false` says
/// nothing.
pub fn alike(left: &Module, right: &Module) -> bool {
    let mut pairing = Pairing::new(left, right);
    pairing.same_surroundings() && pairing.same_exports() && pairing.same_bodies()
}

/// Things of two modules that are taken for one: each has one partner.
struct Partners<T>(BTreeMap<T, T>, BTreeMap<T, T>);

impl<T: Ord + Copy> Partners<T> {
    /// Takes two for one, unless one of them has another partner. Says whether they are one now, and whether they were not before.
    fn join(&mut self, a: T, b: T) -> (bool, bool) {
        match (self.0.get(&a), self.1.get(&b)) {
            (None, None) => {
                self.0.insert(a, b);
                self.1.insert(b, a);
                (true, true)
            }
            (known, other) => (known == Some(&b) && other == Some(&a), false),
        }
    }
}

impl<T> Default for Partners<T> {
    fn default() -> Partners<T> {
        Partners(BTreeMap::new(), BTreeMap::new())
    }
}

struct Pairing<'a> {
    left: &'a Module,
    right: &'a Module,
    procedures: Partners<ProcedureId>,
    cells: Partners<CellId>,
    imports: Partners<ImportId>,
    bounds: Partners<BoundId>,
    /// Pairs of procedures whose bodies are still to be compared.
    waiting: Vec<(ProcedureId, ProcedureId)>,
    /// Pairs of cells whose contents are still to be compared.
    cells_waiting: Vec<(CellId, CellId)>,
    /// Pairs of expressions that were compared.
    compared: BTreeSet<(ExpressionId, ExpressionId)>,
}

impl<'a> Pairing<'a> {
    fn new(left: &'a Module, right: &'a Module) -> Pairing<'a> {
        Pairing {
            left,
            right,
            procedures: Partners::default(),
            cells: Partners::default(),
            imports: Partners::default(),
            bounds: Partners::default(),
            waiting: Vec::new(),
            cells_waiting: Vec::new(),
            compared: BTreeSet::new(),
        }
    }

    /// Whether what is said of the modules as a whole is the same: threads, checks, addresses, data that is shared, types of names.
    fn same_surroundings(&mut self) -> bool {
        let (left, right) = (self.left, self.right);
        let named = |module: &Module| -> Vec<String> {
            module.named_types().map(|id| module.show_sort(&Sort::Function(id))).collect()
        };
        let whole = |module: &Module| (module.threads, module.races, module.watch, module.naming);
        // Where the environment gives names of functions, it gives those of all imports.
        let imports = |module: &Module| -> Vec<String> {
            let mut names: Vec<String> =
                module.imports().map(|(_, import)| import.name.to_string()).collect();
            names.sort();
            names
        };
        let names = named(left);
        whole(left) == whole(right)
            && left.last_address() == right.last_address()
            && left.fixed == right.fixed
            && names == named(right)
            && (names.is_empty() || imports(left) == imports(right))
            && left.data.len() == right.data.len()
            && left.all_data().all(|(_, data)| {
                right.data_named(&data.name).is_some_and(|other| self.same_data(data, right.data(other)))
            })
    }

    fn same_data(&mut self, a: &SharedData, b: &SharedData) -> bool {
        let same = match (&a.initial, &b.initial) {
            (None, None) => true,
            (Some(ours), Some(theirs)) => self.same_values(&a.sort, ours, theirs),
            _ => false,
        };
        same && a.length == b.length && self.same_sort(&a.sort, &b.sort)
    }

    /// Whether both export the same procedures.
    fn same_exports(&mut self) -> bool {
        let exports = |module: &'a Module| -> BTreeMap<&'a str, ProcedureId> {
            let exported = module.procedures().filter(|(_, procedure)| procedure.exported);
            exported.map(|(id, procedure)| (&*procedure.name, id)).collect()
        };
        let (ours, theirs) = (exports(self.left), exports(self.right));
        ours.len() == theirs.len()
            && ours
                .iter()
                .zip(&theirs)
                .all(|((name, a), (other, b))| name == other && self.same_procedure(*a, *b))
    }

    /// Whether all procedures that can be called do the same.
    fn same_bodies(&mut self) -> bool {
        loop {
            if let Some((a, b)) = self.cells_waiting.pop() {
                if !self.same_contents(a, b) {
                    return false;
                }
            } else if let Some((a, b)) = self.waiting.pop() {
                if !self.same_body(a, b) {
                    return false;
                }
            } else {
                return true;
            }
        }
    }

    /// Takes two procedures for one.
    fn same_procedure(&mut self, a: ProcedureId, b: ProcedureId) -> bool {
        let (same, new) = self.procedures.join(a, b);
        if new {
            self.waiting.push((a, b));
        }
        same
    }

    fn same_cell(&mut self, a: CellId, b: CellId) -> bool {
        let (same, new) = self.cells.join(a, b);
        if new {
            self.cells_waiting.push((a, b));
        }
        same
    }

    fn same_contents(&mut self, a: CellId, b: CellId) -> bool {
        let (a, b) = (self.left.cell(a), self.right.cell(b));
        a.length == b.length
            && match (&a.kind, &b.kind) {
                (CellKind::Value(sort), CellKind::Value(other)) => {
                    self.same_sort(sort, other) && self.same_values(sort, &a.initial, &b.initial)
                }
                (kind, other) => kind == other && a.initial == b.initial,
            }
    }

    /// Takes two imports for one.
    fn same_import(&mut self, a: ImportId, b: ImportId) -> bool {
        let (same, new) = self.imports.join(a, b);
        if !new {
            return same;
        }
        let (left, right) = (self.left, self.right);
        let (ours, theirs) = (left.import(a), right.import(b));
        let calls = match (&ours.calls, &theirs.calls) {
            (Calls::Only(ours), Calls::Only(theirs)) => {
                ours.len() == theirs.len()
                    && ours.iter().zip(theirs).all(|(a, b)| self.same_procedure(*a, *b))
            }
            (ours, theirs) => ours == theirs,
        };
        let share = match (left.share_of(a), right.share_of(b)) {
            (None, None) | (Some(Share::Ends), Some(Share::Ends)) => true,
            (Some(Share::Asks { data: a, once: ours }), Some(Share::Asks { data: b, once: theirs })) => {
                ours == theirs && left.data(a).name == right.data(b).name
            }
            (Some(Share::Tells(a)), Some(Share::Tells(b))) => left.data(a).name == right.data(b).name,
            _ => false,
        };
        calls
            && share
            && ours.name == theirs.name
            && (&ours.returns, ours.ends, ours.choice) == (&theirs.returns, theirs.ends, theirs.choice)
            && left.assumed_answer(a) == right.assumed_answer(b)
            && self.same_signature(ours.signature, theirs.signature)
    }

    fn same_function(&mut self, a: Option<Function>, b: Option<Function>) -> bool {
        match (a, b) {
            (None, None) => true,
            (Some(Function::Procedure(a)), Some(Function::Procedure(b))) => self.same_procedure(a, b),
            (Some(Function::Import(a)), Some(Function::Import(b))) => self.same_import(a, b),
            (Some(Function::Foreign(a)), Some(Function::Foreign(b))) => a == b,
            _ => false,
        }
    }

    fn same_signature(&self, a: SignatureId, b: SignatureId) -> bool {
        let (Signature { parameters, result }, other) = (self.left.signature(a), self.right.signature(b));
        parameters.len() == other.parameters.len()
            && parameters.iter().zip(&other.parameters).all(|(a, b)| self.same_sort(a, b))
            && match (result, &other.result) {
                (None, None) => true,
                (Some(a), Some(b)) => self.same_sort(a, b),
                _ => false,
            }
    }

    fn same_sort(&self, a: &Sort, b: &Sort) -> bool {
        match (a, b) {
            (Sort::Data(a), Sort::Data(b)) | (Sort::Address(a), Sort::Address(b)) => a == b,
            (Sort::Function(a), Sort::Function(b)) => self.same_signature(*a, *b),
            _ => false,
        }
    }

    /// Whether cells hold the same at first: names of functions have other numbers in each module.
    fn same_values(&mut self, sort: &Sort, ours: &[Int], theirs: &[Int]) -> bool {
        if !matches!(sort, Sort::Function(_)) {
            return ours == theirs;
        }
        let function = |module: &Module, n: &Int| module.function(n);
        ours.len() == theirs.len()
            && ours.iter().zip(theirs).all(|(a, b)| {
                let (a, b) = (function(self.left, a), function(self.right, b));
                self.same_function(a, b)
            })
    }

    fn same_body(&mut self, a: ProcedureId, b: ProcedureId) -> bool {
        let (left, right) = (self.left, self.right);
        let (ours, theirs) = (left.procedure(a), right.procedure(b));
        ours.exported == theirs.exported
            && left.assumed_call(a) == right.assumed_call(b)
            && self.same_signature(ours.signature, theirs.signature)
            && ours.locals.len() == theirs.locals.len()
            && ours
                .locals
                .iter()
                .zip(&theirs.locals)
                .all(|(a, b)| a.length == b.length && self.same_sort(&a.sort, &b.sort))
            && ours.body.len() == theirs.body.len()
            && ours.body.iter().zip(&theirs.body).all(|((a, _), (b, _))| self.same_statement(a, b))
    }

    fn same_statement(&mut self, a: &Statement, b: &Statement) -> bool {
        use Statement::*;
        match (a, b) {
            (Set(to, a), Set(other, b)) => self.same_place(*to, *other) && self.same_expression(*a, *b),
            (Fill(to, a), Fill(other, b)) => self.same_base(*to, *other) && self.same_expression(*a, *b),
            (Branch(a, to, or), Branch(b, other_to, other_or)) => {
                (to, or) == (other_to, other_or) && self.same_expression(*a, *b)
            }
            (Call(a, ours, to), Call(b, theirs, other)) => {
                to == other && self.same_call((*a, ours), (*b, theirs))
            }
            (Begin(a, ours, to, bound), Begin(b, theirs, other, met)) => {
                to == other && self.same_bound(*bound, *met) && self.same_call((*a, ours), (*b, theirs))
            }
            (Return(a), Return(b)) | (Leave(a), Leave(b)) => match (a, b) {
                (Some(a), Some(b)) => self.same_expression(*a, *b),
                (a, b) => a.is_none() && b.is_none(),
            },
            (Assert(a, kind), Assert(b, other)) => {
                self.same_kind(*kind, *other) && self.same_expression(*a, *b)
            }
            (Fail(kind), Fail(other)) => self.same_kind(*kind, *other),
            (Exit(a), Exit(b)) | (Detach(a), Detach(b)) => self.same_expression(*a, *b),
            (Join(a, to), Join(b, other)) => to == other && self.same_expression(*a, *b),
            (Lock(a), Lock(b)) | (Unlock(a), Unlock(b)) | (Grab(a), Grab(b)) | (Release(a), Release(b)) => {
                self.same_place(*a, *b)
            }
            (TryLock(a, to), TryLock(b, other)) => to == other && self.same_place(*a, *b),
            (BeginPredicate(_), BeginPredicate(_)) | (EndPredicate(_), EndPredicate(_)) => true,
            (Jump(_) | Diverge | Itself(_) | Atomic(_), _) => a == b,
            _ => false,
        }
    }

    fn same_call(
        &mut self,
        (a, ours): (Callee, &[ExpressionId]),
        (b, theirs): (Callee, &[ExpressionId]),
    ) -> bool {
        let same = match (a, b) {
            (Callee::Procedure(a), Callee::Procedure(b)) => self.same_procedure(a, b),
            (Callee::Import(a), Callee::Import(b)) => self.same_import(a, b),
            (Callee::Value(a, signature), Callee::Value(b, other)) => {
                self.same_signature(signature, other) && self.same_expression(a, b)
            }
            _ => false,
        };
        same && ours.len() == theirs.len()
            && ours.iter().zip(theirs).all(|(a, b)| self.same_expression(*a, *b))
    }

    /// Whether the same is checked. Bounds may have other words.
    fn same_kind(&mut self, a: Kind, b: Kind) -> bool {
        match (a, b) {
            (Kind::Bound(a), Kind::Bound(b)) => self.same_bound(a, b),
            (a, b) => a == b,
        }
    }

    fn same_bound(&mut self, a: BoundId, b: BoundId) -> bool {
        self.bounds.join(a, b).0 && self.left.is_gap(a) == self.right.is_gap(b)
    }

    fn same_place(&mut self, a: Place, b: Place) -> bool {
        self.same_base(a.base, b.base)
            && match (a.index, b.index) {
                (Some(a), Some(b)) => self.same_expression(a, b),
                (a, b) => a.is_none() && b.is_none(),
            }
    }

    fn same_base(&mut self, a: Base, b: Base) -> bool {
        match (a, b) {
            (Base::Module(a), Base::Module(b)) => self.same_cell(a, b),
            (a, b) => a == b,
        }
    }

    fn same_expression(&mut self, a: ExpressionId, b: ExpressionId) -> bool {
        let mut waiting = vec![(a, b)];
        while let Some((a, b)) = waiting.pop() {
            // What was taken for one stays one, so nothing is compared twice.
            if !self.compared.insert((a, b)) {
                continue;
            }
            let same = match (self.left.expression(a), self.right.expression(b)) {
                (Expression::Function(a), Expression::Function(b)) => self.same_function(Some(*a), Some(*b)),
                (Expression::Load(a), Expression::Load(b)) => {
                    waiting.extend(a.index.zip(b.index));
                    a.index.is_some() == b.index.is_some() && self.same_base(a.base, b.base)
                }
                (Expression::Unary(operator, a), Expression::Unary(other, b)) => {
                    waiting.push((*a, *b));
                    operator == other
                }
                (Expression::Binary(operator, a, c), Expression::Binary(other, b, d)) => {
                    waiting.extend([(*a, *b), (*c, *d)]);
                    operator == other
                }
                (Expression::Wrap(data, a), Expression::Wrap(other, b)) => {
                    waiting.push((*a, *b));
                    data == other
                }
                (Expression::Number(a), Expression::Number(b)) => a == b,
                _ => false,
            };
            if !same {
                return false;
            }
        }
        true
    }
}
