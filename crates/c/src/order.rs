//! Order of evaluation: which effects of an expression C leaves in no order, and in which orders they can come.
//!
//! An expression is cut where C says what comes first: at `&&`, `||` and `?:`. What is left is a *region*. Its atoms are
//! reads, writes and calls. Two atoms on different sides of an operator that touch one object conflict. If neither of them is a
//! call, C leaves the whole program undefined; if one is, either may come first.

use std::ops::Range;

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::source::Span;

use crate::effects::{self, Effects, Summary};
use crate::memory::Memory;
use crate::options::Evaluation;
use crate::points::Owner;
use crate::tree::{Argument, Callee, Expr, ExprKind, FunctionId, Place, PlaceKind, Program};

/// What comes at some time: an expression, or the old value of a place that is changed by an operator.
#[derive(Clone, Copy, Debug)]
pub enum Node<'a> {
    /// An expression.
    Value(&'a Expr),
    /// The old value of a place.
    Old(&'a Place),
}

impl Node<'_> {
    /// Where it is in memory, by which it is known.
    pub fn address(self) -> usize {
        match self {
            Node::Value(e) => std::ptr::from_ref(e) as usize,
            Node::Old(place) => std::ptr::from_ref(place) as usize,
        }
    }

    fn is_call(self) -> bool {
        matches!(self, Node::Value(Expr { kind: ExprKind::Call(..) | ExprKind::Library(..), .. }))
    }
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.address() == other.address()
    }
}

/// More orders than this are not looked at.
const MOST_ORDERS: usize = 24;
/// More atoms than this are not put in order.
const MOST_ATOMS: usize = 8;

/// What is touched: scalars of an object or of a variable, and one element if the index is known.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Touched {
    owners: Vec<Owner>,
    /// Whether a pointer says which object it is.
    pointed: bool,
    leaves: Range<usize>,
    index: Option<String>,
}

#[derive(Clone, Debug)]
enum Kind {
    Read(Touched),
    Write(Touched),
    Call(Summary),
}

#[derive(Clone, Debug)]
struct Atom<'a> {
    node: Node<'a>,
    kind: Kind,
    /// The outermost `&&`, `||` or `?:` that it is inside of. That is evaluated as a whole.
    inside: Option<Node<'a>>,
    /// Whether a comma comes after it, so that it is done before the value of the whole is known.
    settled: bool,
    span: Span,
}

/// The atoms of a part of a region, and whether one of them has an effect.
#[derive(Clone, Debug)]
struct Part {
    atoms: Range<usize>,
    effects: bool,
}

/// A region of an expression.
pub struct Region<'a> {
    program: &'a Program,
    function: FunctionId,
    effects: &'a Effects,
    memory: &'a Memory,
    atoms: Vec<Atom<'a>>,
    /// Atoms that conflict, one of which is a call.
    conflicts: Vec<(usize, usize)>,
    /// Atoms of which the first comes before the second.
    before: Vec<(usize, usize)>,
    /// Atoms between which there is a comma.
    sequenced: Vec<(usize, usize)>,
    undefined: Option<Diagnostic>,
}

impl<'a> Region<'a> {
    /// The orders in which the atoms of expressions that conflict can come; the first one is from the left. No atoms conflict
    /// if there is none. Of several expressions any may come first.
    pub fn orders(
        (program, function): (&'a Program, FunctionId),
        effects: &'a Effects,
        memory: &'a Memory,
        list: &[&'a Expr],
        evaluation: Evaluation,
    ) -> Result<Vec<Vec<Node<'a>>>, Diagnostic> {
        if let [Expr { kind: ExprKind::Comma(..), .. }] = list {
            // Its operands are regions of their own.
            return Ok(vec![]);
        }
        let mut region = Region {
            program,
            function,
            effects,
            memory,
            atoms: vec![],
            conflicts: vec![],
            before: vec![],
            sequenced: vec![],
            undefined: None,
        };
        let parts = list.iter().map(|e| region.expr(e)).collect();
        region.unordered(parts);
        let span = list.iter().map(|e| e.span).reduce(Span::to).unwrap_or_default();
        match region.undefined.take() {
            Some(diagnostic) => Err(diagnostic),
            None => Ok(chosen(region.linear(span)?, evaluation)),
        }
    }

    fn push(&mut self, node: Node<'a>, kind: Kind, span: Span) -> usize {
        self.atoms.push(Atom { node, kind, inside: None, settled: false, span });
        self.atoms.len() - 1
    }

    fn empty(&self) -> Part {
        Part { atoms: self.atoms.len()..self.atoms.len(), effects: false }
    }

    /// Parts that come in any order.
    fn unordered(&mut self, parts: Vec<Part>) -> Part {
        let effects = parts.iter().any(|part| part.effects);
        for (n, a) in parts.iter().enumerate().filter(|_| effects) {
            for b in &parts[n + 1..] {
                if !a.effects && !b.effects {
                    continue;
                }
                for i in a.atoms.clone() {
                    for j in b.atoms.clone() {
                        self.meet(i, j);
                    }
                }
            }
        }
        let start = parts.first().map_or(self.atoms.len(), |part| part.atoms.start);
        Part { atoms: start..self.atoms.len(), effects: parts.iter().any(|part| part.effects) }
    }

    /// Two atoms come in any order.
    fn meet(&mut self, i: usize, j: usize) {
        let (a, b) = (&self.atoms[i], &self.atoms[j]);
        let touches = |summary: &Summary, touched: &Touched, writes: bool| {
            let meets =
                |owner: &Owner| summary.writes.contains(owner) || (writes && summary.reads.contains(owner));
            touched.owners.iter().any(meets)
        };
        let conflict = match (&a.kind, &b.kind) {
            (Kind::Read(_), Kind::Read(_)) => false,
            (Kind::Call(a), Kind::Call(b)) => {
                let crosses = |a: &Summary, b: &Summary| {
                    a.writes.iter().any(|id| b.reads.contains(id) || b.writes.contains(id))
                };
                (a.moves && b.moves) || crosses(a, b) || crosses(b, a)
            }
            (Kind::Call(summary), Kind::Read(touched)) | (Kind::Read(touched), Kind::Call(summary)) => {
                touches(summary, touched, false)
            }
            (Kind::Call(summary), Kind::Write(touched)) | (Kind::Write(touched), Kind::Call(summary)) => {
                touches(summary, touched, true)
            }
            (Kind::Write(one), Kind::Read(other) | Kind::Write(other))
            | (Kind::Read(one), Kind::Write(other)) => {
                if overlap(one, other) && self.undefined.is_none() {
                    self.undefined = Some(unsequenced(a.span, b.span));
                }
                false
            }
        };
        if conflict {
            self.conflicts.push((i, j));
        }
    }

    /// An atom comes after all of a part. A write that it meets there is undefined.
    fn after(&mut self, part: &Part, atom: usize) {
        for i in part.atoms.clone().filter(|i| *i != atom) {
            if let Kind::Write(_) = self.atoms[i].kind
                && self.atoms[i].inside.is_none()
                && !self.atoms[i].settled
                && !matches!(self.atoms[atom].kind, Kind::Call(_))
            {
                self.meet(i, atom);
            }
            self.before.push((i, atom));
        }
    }

    fn expr(&mut self, e: &'a Expr) -> Part {
        match &e.kind {
            ExprKind::Number(_) | ExprKind::Function(_) => self.empty(),
            ExprKind::Address(place) => self.place(place),
            ExprKind::Load(place) => {
                let part = self.place(place);
                let read = self.push(Node::Value(e), Kind::Read(self.touched(place)), e.span);
                self.after(&part, read);
                Part { atoms: part.atoms.start..self.atoms.len(), effects: part.effects }
            }
            ExprKind::Unary(_, a) | ExprKind::Convert(a) => self.expr(a),
            ExprKind::Binary(_, a, b) | ExprKind::Difference(a, b) | ExprKind::Offset(a, b, _) => {
                let parts = vec![self.expr(a), self.expr(b)];
                self.unordered(parts)
            }
            ExprKind::Logical(_, a, b) => self.inside(e, &[a, b]),
            ExprKind::Conditional(a, b, c) => self.inside(e, &[a, b, c]),
            ExprKind::Comma(a, b) => {
                let (first, rest) = (self.expr(a), self.expr(b));
                for i in first.atoms.clone() {
                    self.atoms[i].settled = true;
                    self.sequenced.extend(rest.atoms.clone().map(|j| (i, j)));
                }
                Part { atoms: first.atoms.start..self.atoms.len(), effects: first.effects || rest.effects }
            }
            ExprKind::Assign(place, value) => {
                let parts = vec![self.place(place), self.expr(value)];
                let part = self.unordered(parts);
                let write = self.push(Node::Value(e), Kind::Write(self.touched(place)), e.span);
                self.after(&part, write);
                Part { atoms: part.atoms.start..self.atoms.len(), effects: true }
            }
            ExprKind::Update(update) => {
                let found = self.place(&update.place);
                let touched = self.touched(&update.place);
                let read =
                    self.push(Node::Old(&update.place), Kind::Read(touched.clone()), update.place.span);
                self.after(&found, read);
                let place = Part { atoms: found.atoms.start..self.atoms.len(), effects: found.effects };
                let operand = self.expr(&update.operand);
                let known = self.conflicts.len();
                let part = self.unordered(vec![place, operand]);
                if !self.conflicts[known..].iter().any(|(a, b)| *a == read || *b == read) {
                    // Nothing comes between reading and writing.
                    self.atoms[read].node = Node::Value(e);
                }
                let write = self.push(Node::Value(e), Kind::Write(touched), e.span);
                for i in part.atoms.clone().filter(|i| *i != read) {
                    if let (Kind::Write(_), false) = (&self.atoms[i].kind, self.atoms[i].settled) {
                        self.meet(i, write);
                    }
                    self.before.push((i, write));
                }
                self.before.push((read, write));
                Part { atoms: part.atoms.start..self.atoms.len(), effects: true }
            }
            ExprKind::Call(callee, arguments) => {
                let mut parts = Vec::new();
                if let Callee::Pointer(pointer) = callee {
                    parts.push(self.expr(pointer));
                }
                for argument in arguments {
                    parts.push(self.expr(argument));
                }
                let part = self.unordered(parts);
                self.called(e, part, self.effects.call(callee, &self.memory.analysis))
            }
            ExprKind::Compound(_, items) => {
                let parts = items.iter().map(|item| self.expr(&item.value)).collect();
                self.unordered(parts)
            }
            ExprKind::Library(known, _, arguments) => {
                let mut parts = Vec::new();
                for argument in arguments {
                    parts.push(match argument {
                        Argument::Value(value) => self.expr(value),
                        Argument::Object(place) => self.place(place),
                    });
                }
                let part = self.unordered(parts);
                self.called(e, part, effects::library(*known, arguments, Some(&self.memory.analysis)))
            }
        }
    }

    fn called(&mut self, e: &'a Expr, part: Part, summary: Summary) -> Part {
        let start = part.atoms.start.min(self.atoms.len());
        let call = self.push(Node::Value(e), Kind::Call(summary), e.span);
        self.after(&part, call);
        Part { atoms: start..self.atoms.len(), effects: true }
    }

    /// Operands between which C says what comes first. They are regions of their own.
    fn inside(&mut self, whole: &'a Expr, operands: &[&'a Expr]) -> Part {
        let (start, undefined) = (self.atoms.len(), self.undefined.take());
        let (conflicts, before) = (self.conflicts.len(), self.before.len());
        let sequenced = self.sequenced.len();
        let mut effects = false;
        for operand in operands {
            effects |= self.expr(operand).effects;
        }
        self.conflicts.truncate(conflicts);
        self.before.truncate(before);
        self.undefined = undefined;
        self.sequenced.truncate(sequenced);
        self.atoms[start..].iter_mut().for_each(|atom| atom.inside = Some(Node::Value(whole)));
        Part { atoms: start..self.atoms.len(), effects }
    }

    /// The expressions in a place.
    fn place(&mut self, place: &'a Place) -> Part {
        match &place.kind {
            PlaceKind::Object(_) | PlaceKind::Variable(_) => self.empty(),
            PlaceKind::Member(inner, _) => self.place(inner),
            PlaceKind::Element(inner, index) => {
                let parts = vec![self.place(inner), self.expr(index)];
                self.unordered(parts)
            }
            PlaceKind::Target(pointer) => self.expr(pointer),
        }
    }

    fn touched(&self, place: &Place) -> Touched {
        match &place.kind {
            PlaceKind::Object(_) | PlaceKind::Variable(_) | PlaceKind::Target(_) => {
                let (owners, pointed) = match &place.kind {
                    PlaceKind::Object(id) => (vec![Owner::Object(*id)], false),
                    PlaceKind::Variable(id) => (vec![Owner::Variable(self.function, *id)], false),
                    _ => (effects::owners(place, Some(&self.memory.analysis)), true),
                };
                Touched { owners, pointed, leaves: 0..self.program.leaf_count(&place.ty), index: None }
            }
            PlaceKind::Member(inner, member) => {
                let outer = self.touched(inner);
                let before = match &inner.ty {
                    crate::types::Type::Struct(id) => self.program.leaves_before(*id, *member),
                    _ => 0,
                };
                let start = outer.leaves.start + before;
                Touched { leaves: start..start + self.program.leaf_count(&place.ty), ..outer }
            }
            PlaceKind::Element(inner, index) => {
                let outer = self.touched(inner);
                let first = matches!(inner.kind, PlaceKind::Object(_) | PlaceKind::Variable(_));
                let index = match &index.kind {
                    ExprKind::Number(n) if first => Some(n.to_string()),
                    _ => outer.index.clone(),
                };
                Touched { index, ..outer }
            }
        }
    }

    /// The orders of the atoms that conflict, one for each way in which the conflicts can be decided.
    fn linear(&self, span: Span) -> Result<Vec<Vec<Node<'a>>>, Diagnostic> {
        if self.conflicts.is_empty() {
            return Ok(vec![]);
        }
        let conflict = |n: usize| self.conflicts.iter().any(|(a, b)| *a == n || *b == n);
        let mut taken: Vec<bool> = (0..self.atoms.len()).map(conflict).collect();
        for (n, atom) in self.atoms.iter().enumerate().filter(|(n, _)| conflict(*n)) {
            let other = |m: &usize| self.atoms[*m].inside == atom.inside && self.atoms[*m].node != atom.node;
            if atom.inside.is_some() && (0..n).filter(|m| conflict(*m)).any(|m| other(&m)) {
                return Err(order(atom.span, "at two places inside `&&`, `||` or `?:`"));
            }
        }
        // What a comma puts before something that is put in order is put in order, too. So are the effects in a place whose old
        // value is: the place is looked at once more when the new value is stored, and its effects happen once.
        let in_place = self.before.iter().filter(|(_, n)| matches!(self.atoms[*n].node, Node::Old(_)));
        let first: Vec<&(usize, usize)> = self.sequenced.iter().chain(in_place).collect();
        for _ in 0..self.atoms.len() {
            for (i, j) in &first {
                taken[*i] |= taken[*j] && !matches!(self.atoms[*i].kind, Kind::Read(_));
            }
        }
        let node = |n: usize| self.atoms[n].inside.unwrap_or(self.atoms[n].node);
        let mut nodes: Vec<Node<'a>> = Vec::new();
        for n in (0..self.atoms.len()).filter(|n| taken[*n]) {
            if !nodes.contains(&node(n)) {
                nodes.push(node(n));
            }
        }
        if nodes.len() > MOST_ATOMS {
            return Err(order(span, "with too many calls and reads"));
        }
        let at = |n: usize| nodes.iter().position(|known| *known == node(n));
        let pairs = |list: &[(usize, usize)]| -> Vec<(usize, usize)> {
            list.iter().filter_map(|(a, b)| Some((at(*a)?, at(*b)?))).filter(|(a, b)| a != b).collect()
        };
        let (conflicts, before) =
            (pairs(&self.conflicts), [pairs(&self.before), pairs(&self.sequenced)].concat());
        let mut found: Vec<(Vec<bool>, Vec<Node<'a>>)> = Vec::new();
        let mut waiting = vec![Vec::new()];
        while let Some(begun) = waiting.pop() {
            if begun.len() == nodes.len() {
                let place = |n: usize| begun.iter().position(|m| *m == n);
                let decided: Vec<bool> = conflicts.iter().map(|(a, b)| place(*a) < place(*b)).collect();
                if !found.iter().any(|(known, _)| *known == decided) {
                    found.push((decided, begun.iter().map(|n| nodes[*n]).collect()));
                }
                if found.len() > MOST_ORDERS {
                    return Err(order(span, "in too many orders"));
                }
                continue;
            }
            // The leftmost comes out of the stack first.
            for n in (0..nodes.len()).rev() {
                let ready = before.iter().all(|(a, b)| *b != n || begun.contains(a));
                if !begun.contains(&n) && ready {
                    waiting.push([&begun[..], &[n]].concat());
                }
            }
        }
        Ok(found.into_iter().map(|(_, order)| order).collect())
    }
}

/// The orders that are looked at.
fn chosen(mut orders: Vec<Vec<Node<'_>>>, evaluation: Evaluation) -> Vec<Vec<Node<'_>>> {
    match evaluation {
        Evaluation::Any => {}
        Evaluation::Left => orders.truncate(1),
        Evaluation::CallsFirst => {
            // Calls come as early as they can; among equals the leftmost order is first.
            let late =
                |order: &Vec<Node<'_>>| order.iter().map(|node| !node.is_call()).collect::<Vec<bool>>();
            orders.sort_by_key(late);
            orders.truncate(1);
        }
    }
    orders
}

fn overlap(a: &Touched, b: &Touched) -> bool {
    let apart = matches!((&a.index, &b.index), (Some(a), Some(b)) if a != b);
    let leaves = a.leaves.start < b.leaves.end && b.leaves.start < a.leaves.end;
    // What pointers point to may be the same or not.
    let known = !a.pointed && !b.pointed;
    known && a.owners == b.owners && leaves && !apart
}

fn unsequenced(a: Span, b: Span) -> Diagnostic {
    let message = "an object is changed and used in one expression, in no order: this is undefined";
    Diagnostic::error(Code::Unsequenced, message, b, "used or changed here")
        .also(a, "and here")
        .help("make two statements of it")
}

/// What is said about an expression whose orders are not looked at.
pub fn order(span: Span, what: &str) -> Diagnostic {
    let message = format!("the order of evaluation matters here, {what}");
    Diagnostic::error(Code::EvaluationOrder, message, span, "C does not say what comes first")
        .help("keep the results of calls in variables of their own, one statement each")
}
