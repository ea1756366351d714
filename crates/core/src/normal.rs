//! Normal forms: definitions and procedures unfolded until only free identifiers are applied.
//!
//! This is β-reduction with the conversions that push arguments into conditionals, sequences and blocks. Arguments
//! that are procedures become `fun`s of terms of base type (η-expansion), their parameters typed as the identifier
//! they are given to says. Normal forms can be exponentially larger than their terms; only the reference semantics
//! asks for them.
//!
//! Predicate scopes are passed over, unless they are asked for.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use agon_base::source::Span;

use crate::term::{Construct, Judgement, LabelId, New, TermId, Terms, VarId};
use crate::types::Type;

/// Which predicates a normal form has.
#[derive(Clone, Copy, Default, Debug)]
pub struct Predicates<'a> {
    /// Whether those that the program writes stay, `letp`, `newp` and `endp`.
    pub annotated: bool,
    /// More of them, values over local variables: each becomes a `letp` around all that is in the scope of its
    /// variables.
    pub maximal: &'a [TermId],
}

/// The normal form of a program, without predicates; nothing if it has more than `largest` terms.
pub fn normalize(judgement: &Judgement, largest: usize) -> Option<Judgement> {
    normalize_with(judgement, largest, Predicates::default())
}

/// The normal form of a program, with the predicates that it writes.
pub fn normalize_annotated(judgement: &Judgement, largest: usize) -> Option<Judgement> {
    normalize_with(judgement, largest, Predicates { annotated: true, maximal: &[] })
}

/// The normal form of a program with some predicates; nothing if it has more than `largest` terms.
pub fn normalize_with(
    judgement: &Judgement,
    largest: usize,
    predicates: Predicates<'_>,
) -> Option<Judgement> {
    let mut terms = Terms::default();
    // Free identifiers keep their places.
    for id in 0..judgement.terms.variable_count() {
        let variable = judgement.terms.variable(VarId::new(id));
        let id = terms.add_variable(variable.name.clone(), variable.ty.clone(), variable.span);
        terms.claim(id, variable.bound);
    }
    let maximal =
        predicates.maximal.iter().map(|predicate| (*predicate, variables(&judgement.terms, *predicate)));
    let mut normalizer = Normalizer {
        from: &judgement.terms,
        to: terms,
        largest,
        annotated: predicates.annotated,
        maximal: maximal.collect(),
    };
    let body = normalizer.term(judgement.body, &Scope::default(), &None)?;
    Some(Judgement {
        terms: normalizer.to,
        body,
        mode: judgement.mode,
        context: judgement.context.clone(),
        arguments: judgement.arguments.clone(),
        ty: judgement.ty.clone(),
        concurrency: judgement.concurrency,
        watch: judgement.watch,
    })
}

/// The variables that a term mentions.
fn variables(terms: &Terms, term: TermId) -> BTreeSet<VarId> {
    let variable = |term| match terms.construct(term) {
        Construct::Variable(var) => Some(*var),
        _ => None,
    };
    terms.within(term).filter_map(variable).collect()
}

struct Normalizer<'a> {
    from: &'a Terms,
    to: Terms,
    largest: usize,
    /// Whether the predicates that are written are kept.
    annotated: bool,
    /// The predicates of maximal scope, with their variables.
    maximal: Vec<(TermId, BTreeSet<VarId>)>,
}

/// What variables and labels stand for, innermost first.
#[derive(Clone, Default)]
struct Scope(Option<Rc<Entry>>);

struct Entry {
    what: What,
    outer: Scope,
}

enum What {
    Thunk(VarId, TermId, Scope),
    Renamed(VarId, VarId),
    Label(LabelId, LabelId),
}

impl Scope {
    fn with(&self, what: What) -> Scope {
        Scope(Some(Rc::new(Entry { what, outer: self.clone() })))
    }

    /// Whether a variable is known by another name here, as cells and parameters are.
    fn renames(&self, var: VarId) -> bool {
        let mut here = self;
        while let Some(entry) = &here.0 {
            if matches!(&entry.what, What::Renamed(bound, _) if *bound == var) {
                return true;
            }
            here = &entry.outer;
        }
        false
    }
}

/// The arguments that a term is applied to, first one first.
type Spine = Option<Rc<Link>>;

struct Link {
    argument: Given,
    /// The application.
    span: Span,
    rest: Spine,
}

/// An argument: a term in its scope, or a parameter of the normal form.
enum Given {
    Term(TermId, Scope),
    Parameter(VarId),
}

impl Normalizer<'_> {
    fn term(&mut self, term: TermId, scope: &Scope, spine: &Spine) -> Option<TermId> {
        if self.to.len() > self.largest {
            return None;
        }
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.term_here(term, scope, spine))
    }

    fn term_here(&mut self, term: TermId, scope: &Scope, spine: &Spine) -> Option<TermId> {
        let from = self.from;
        let span = from.span(term);
        let plain = |normalizer: &mut Self, child: &TermId| normalizer.term(*child, scope, &None);
        let (construct, ty) = match from.construct(term) {
            Construct::Variable(var) => return self.variable(*var, term, scope, spine),
            Construct::Lambda(var, body) => {
                let link = spine.as_ref()?;
                let scope = scope.with(match &link.argument {
                    Given::Term(argument, scope) => What::Thunk(*var, *argument, scope.clone()),
                    Given::Parameter(new) => What::Renamed(*var, *new),
                });
                return self.term(*body, &scope, &link.rest);
            }
            Construct::Apply(function, argument) => {
                let link =
                    Link { argument: Given::Term(*argument, scope.clone()), span, rest: spine.clone() };
                return self.term(*function, scope, &Some(Rc::new(link)));
            }
            Construct::Let(var, definition, body) => {
                let scope = scope.with(What::Thunk(*var, *definition, scope.clone()));
                return self.term(*body, &scope, spine);
            }
            Construct::WithPredicate(_, body) if !self.annotated => return self.term(*body, scope, spine),
            Construct::BeginPredicate(_) | Construct::EndPredicate(_) if !self.annotated => {
                (Construct::Skip, Type::Com)
            }
            Construct::WithPredicate(predicate, body) => {
                let predicate = plain(self, predicate)?;
                let body = self.term(*body, scope, spine)?;
                (Construct::WithPredicate(predicate, body), self.to.ty(body).clone())
            }
            Construct::BeginPredicate(predicate) => {
                (Construct::BeginPredicate(plain(self, predicate)?), Type::Com)
            }
            Construct::EndPredicate(predicate) => {
                (Construct::EndPredicate(plain(self, predicate)?), Type::Com)
            }
            Construct::If(guard, yes, no) => {
                let guard = plain(self, guard)?;
                let yes = self.term(*yes, scope, spine)?;
                let no = self.term(*no, scope, spine)?;
                let ty = match spine {
                    None => from.ty(term).clone(),
                    Some(_) if *self.to.ty(yes) == Type::Never => self.to.ty(no).clone(),
                    Some(_) => self.to.ty(yes).clone(),
                };
                (Construct::If(guard, yes, no), ty)
            }
            Construct::Sequence(a, b) => {
                let a = plain(self, a)?;
                let b = self.term(*b, scope, spine)?;
                let ty = self.to.ty(b).clone();
                (Construct::Sequence(a, b), ty)
            }
            Construct::New(new) => {
                let initial = match &new.initial {
                    Some(initial) => Some(plain(self, initial)?),
                    None => None,
                };
                let (variable, inner) = self.renamed(new.variable, scope);
                let body = self.term(new.body, &inner, spine)?;
                let ty = self.to.ty(body).clone();
                let body = self.with_maximal(new.variable, &inner, body)?;
                (Construct::New(New { variable, initial, body, ..new.clone() }), ty)
            }
            Construct::NewSemaphore(var, places, taken, body) => {
                let (variable, inner) = self.renamed(*var, scope);
                let body = self.term(*body, &inner, spine)?;
                let ty = self.to.ty(body).clone();
                (Construct::NewSemaphore(variable, *places, *taken, body), ty)
            }
            Construct::Break(label, body) => {
                let (label, inner) = self.relabelled(*label, scope);
                (Construct::Break(label, self.term(*body, &inner, &None)?), Type::Com)
            }
            Construct::Continue(label, body) => {
                let (label, inner) = self.relabelled(*label, scope);
                (Construct::Continue(label, self.term(*body, &inner, &None)?), Type::Com)
            }
            Construct::Goto(label) => (Construct::Goto(self.label(*label, scope)), Type::Never),
            other => {
                let construct = match other {
                    Construct::Number(_) | Construct::Skip | Construct::Abort(_) | Construct::Diverge => {
                        other.clone()
                    }
                    Construct::Unary(operator, a) => Construct::Unary(*operator, plain(self, a)?),
                    Construct::Binary(operator, a, b) => {
                        Construct::Binary(*operator, plain(self, a)?, plain(self, b)?)
                    }
                    Construct::Wrap(data, a) => Construct::Wrap(data.clone(), plain(self, a)?),
                    Construct::WrapVariable(data, a) => {
                        Construct::WrapVariable(data.clone(), plain(self, a)?)
                    }
                    Construct::While(a, b) => Construct::While(plain(self, a)?, plain(self, b)?),
                    Construct::Assign(a, b) => Construct::Assign(plain(self, a)?, plain(self, b)?),
                    Construct::Read(a) => Construct::Read(plain(self, a)?),
                    Construct::Index(a, b) => Construct::Index(plain(self, a)?, plain(self, b)?),
                    Construct::Parallel(a, b) => Construct::Parallel(plain(self, a)?, plain(self, b)?),
                    Construct::Grab(a) => Construct::Grab(plain(self, a)?),
                    Construct::Release(a) => Construct::Release(plain(self, a)?),
                    other => unreachable!("{other:?} was normalized above"),
                };
                (construct, from.ty(term).clone())
            }
        };
        Some(self.to.add(construct, ty, span))
    }

    /// The body of a block, with the predicates around it whose last variable the block declares.
    fn with_maximal(&mut self, declared: VarId, scope: &Scope, mut body: TermId) -> Option<TermId> {
        for (predicate, variables) in self.maximal.clone().into_iter().rev() {
            if variables.contains(&declared) && variables.iter().all(|var| scope.renames(*var)) {
                let (ty, span) = (self.to.ty(body).clone(), self.from.span(predicate));
                let predicate = self.term(predicate, scope, &None)?;
                body = self.to.add(Construct::WithPredicate(predicate, body), ty, span);
            }
        }
        Some(body)
    }

    fn variable(&mut self, var: VarId, term: TermId, scope: &Scope, spine: &Spine) -> Option<TermId> {
        let mut here = scope;
        let mut renamed = var;
        while let Some(entry) = &here.0 {
            match &entry.what {
                What::Thunk(bound, definition, outer) if *bound == var => {
                    let unfolded = self.term(*definition, outer, spine)?;
                    return Some(self.ascribed(unfolded, term, spine));
                }
                What::Renamed(bound, new) if *bound == var => {
                    renamed = *new;
                    break;
                }
                _ => here = &entry.outer,
            }
        }
        self.applied(renamed, spine, self.from.span(term))
    }

    /// A variable of the normal form, applied.
    fn applied(&mut self, var: VarId, spine: &Spine, span: Span) -> Option<TermId> {
        let mut ty = self.to.variable(var).ty.clone();
        let mut head = self.to.add(Construct::Variable(var), ty.clone(), span);
        let mut rest = spine;
        while let (Some(link), Type::Fun(parameter, result)) = (rest, &ty) {
            let argument = self.argument(&link.argument, &parameter.ty, span)?;
            let result = (**result).clone();
            head = self.to.add(Construct::Apply(head, argument), result.clone(), link.span);
            ty = result;
            rest = &link.rest;
        }
        Some(head)
    }

    /// An argument of a type: where that is a procedure's, a `fun` of its parameters.
    fn argument(&mut self, argument: &Given, ty: &Type, span: Span) -> Option<TermId> {
        let mut parameters = Vec::new();
        let mut base = ty;
        while let Type::Fun(parameter, result) = base {
            let var = self.to.add_variable(Arc::from("x"), parameter.ty.clone(), span);
            parameters.push((var, base));
            base = result;
        }
        let spine = parameters.iter().rev().fold(None, |rest, (var, _)| {
            Some(Rc::new(Link { argument: Given::Parameter(*var), span, rest }))
        });
        let body = match argument {
            Given::Term(term, scope) => self.term(*term, scope, &spine)?,
            Given::Parameter(var) => {
                stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.applied(*var, &spine, span))?
            }
        };
        let fun =
            |body, (var, ty): (VarId, &Type)| self.to.add(Construct::Lambda(var, body), ty.clone(), span);
        Some(parameters.into_iter().rev().fold(body, fun))
    }

    /// What unfolds to a term that fits everywhere keeps the type under which it was known.
    fn ascribed(&mut self, unfolded: TermId, term: TermId, spine: &Spine) -> TermId {
        let mut ty = self.from.ty(term).clone();
        let mut rest = spine;
        while let (Some(link), Type::Fun(_, result)) = (rest, &ty) {
            ty = (**result).clone();
            rest = &link.rest;
        }
        if *self.to.ty(unfolded) != Type::Never || ty == Type::Never {
            return unfolded;
        }
        let span = self.from.span(term);
        let skip = self.to.add(Construct::Skip, Type::Com, span);
        self.to.add(Construct::Sequence(skip, unfolded), ty, span)
    }

    fn renamed(&mut self, var: VarId, scope: &Scope) -> (VarId, Scope) {
        let variable = self.from.variable(var);
        let new = self.to.add_variable(variable.name.clone(), variable.ty.clone(), variable.span);
        (new, scope.with(What::Renamed(var, new)))
    }

    fn relabelled(&mut self, label: LabelId, scope: &Scope) -> (LabelId, Scope) {
        let new = self.to.add_label(self.from.label(label).clone());
        (new, scope.with(What::Label(label, new)))
    }

    fn label(&self, label: LabelId, scope: &Scope) -> LabelId {
        let mut here = scope;
        while let Some(entry) = &here.0 {
            match &entry.what {
                What::Label(bound, new) if *bound == label => return *new,
                _ => here = &entry.outer,
            }
        }
        unreachable!("elaboration resolved every label")
    }
}
