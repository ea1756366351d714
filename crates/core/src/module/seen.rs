//! The values that decided a failure: what was read for the condition, the index or the divisor that failed.

use agon_base::int::Int;

use super::evaluate::Scene;
use super::{Base, Expression, ExpressionId, Failure, Place, Sort, Statement};
use crate::checks::Kind;
use crate::term::Name;

/// A value that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// The cell or array.
    pub name: Name,
    /// The element of an array.
    pub element: Option<u64>,
    /// What it holds, as a sort.
    pub sort: Sort,
    /// What it held.
    pub value: Int,
}

/// What a statement read before it failed. What has no name in the text is left out, and so is what was read before.
pub(super) fn seen(scene: Scene<'_>, statement: &Statement, failure: &Failure) -> Vec<Seen> {
    let mut found: Vec<Seen> = Vec::new();
    for root in decisive(scene, statement, failure) {
        for id in scene.module.within(root) {
            let Expression::Load(place) = scene.module.expression(id) else { continue };
            if let Some(seen) = read(scene, id, *place)
                && !found.contains(&seen)
            {
                found.push(seen);
            }
        }
    }
    found
}

/// The expressions whose values decided that a statement fails.
fn decisive(scene: Scene<'_>, statement: &Statement, failure: &Failure) -> Vec<ExpressionId> {
    let check = failure.check;
    let inside = |kind: Kind| {
        let mut roots = Vec::new();
        statement.each_expression(|root| roots.push(root));
        let all = roots.into_iter().flat_map(|root| scene.module.within(root));
        all.filter(|id| scene.module.span(*id) == check.span)
            .filter_map(|id| match (scene.module.expression(id), kind) {
                (Expression::Load(Place { index, .. }), Kind::Index) => *index,
                (Expression::Binary(_, _, divisor), Kind::Division) => Some(*divisor),
                _ => None,
            })
            .take(1)
            .collect::<Vec<_>>()
    };
    match (statement, check.kind) {
        (Statement::Assert(condition, kind), failed) if *kind == failed => vec![*condition],
        (Statement::Set(Place { index: Some(index), .. }, _), Kind::Index) => {
            match &inside(Kind::Index)[..] {
                [] => vec![*index],
                found => found.to_vec(),
            }
        }
        (_, kind) => inside(kind),
    }
}

fn read(scene: Scene<'_>, id: ExpressionId, place: Place) -> Option<Seen> {
    let sort = scene.module.sort_of(scene.procedure, place.base)?.clone();
    let element = scene.element(place, scene.module.span(id)).ok()?.1;
    let value = scene.load(place.base, element);
    let (name, element) = match place.base {
        Base::Module(cell) if scene.module.is_hidden(cell) => return None,
        Base::Module(cell) => (scene.module.element_name(cell, element).into(), None),
        Base::Local(local) => {
            (scene.procedure.locals[local.index()].name.clone()?, place.index.map(|_| element))
        }
    };
    Some(Seen { name, element, sort, value })
}
