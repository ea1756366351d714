//! Contexts: programs with a hole for another program, whose free identifiers they bind.
//!
//! Whether `C[M]` can be derived from the derivation of `M` [SCC, §2] is found out without looking into `M`. A program
//! `x : A{n}, … |- M : B` is, with its free identifiers abstracted, of type `A{n} -> … -> B`. So the hole becomes a free
//! identifier of that type, applied to the names that it captures where it stands. Elaboration then finds what the
//! names are bound to, and says if that is nothing, or of a wrong type; and the bounds that `M` assumes are on the side of
//! the context now, claims like any other that is written. `M`'s guarantees are what the context may rely on.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::bounds::{Bounds, Broken, Position, Role, infer};
use agon_core::term::{Mode, Name};
use agon_core::types::{Argument, Data, Type};

use crate::elaborate::elaborate;
use crate::tree::{
    ArgumentNode, Binding, DataKind, DataNode, Ident, Node, NodeId, Program, Tree, TypeKind, TypeNode,
};

/// The bounds that a program assumes and that a context does not keep, with their places in the program's judgement;
/// or why the two do not go together.
pub fn breaches(
    context: &Program,
    overrides: &[(String, Int)],
    hole: &str,
    term: &Bounds,
) -> Result<Vec<Broken>, Vec<Diagnostic>> {
    let mut filled = context.clone();
    let holes = fill(&mut filled, hole, term)?;
    let (judgement, diagnostics) = elaborate(&filled, overrides);
    let Some(judgement) = judgement else {
        let errors = diagnostics.into_iter().filter(Diagnostic::is_error);
        let at_hole = |span: &Span| holes.contains(span);
        return Err(errors
            .map(|error| match &error.primary {
                Some((span, _)) if at_hole(span) => error.note(
                    "the context is to bind every free identifier of the program in its hole, with its type",
                ),
                _ => error,
            })
            .collect());
    };
    let (_, broken) = infer(&judgement).map_err(|diagnostic| vec![diagnostic])?;
    let is_hole = |broken: &Broken| *judgement.terms.variable(broken.variable).name == *hole;
    let (of_the_term, of_the_context): (Vec<_>, Vec<_>) = broken.into_iter().partition(is_hole);
    if !of_the_context.is_empty() {
        return Err(of_the_context.into_iter().map(|broken| broken.diagnostic).collect());
    }
    Ok(of_the_term
        .into_iter()
        .map(|broken| Broken { position: translated(&broken.position, term), ..broken })
        .collect())
}

/// A place in the type of the hole as one in the program's judgement.
fn translated(position: &Position, term: &Bounds) -> Position {
    let (first, rest) = position.path.split_first().map_or((1, &[][..]), |(first, rest)| (*first, rest));
    let (identifier, path) = match term.context.get(first - 1) {
        Some((name, _)) => (Some(name.clone()), rest.to_vec()),
        None => (None, [&[first - term.context.len()], rest].concat()),
    };
    Position { identifier, path, role: Role::Assume, ..position.clone() }
}

/// Makes the hole a free identifier, applied to the names that it captures. Gives the places where it stands.
fn fill(program: &mut Program, hole: &str, term: &Bounds) -> Result<Vec<Span>, Vec<Diagnostic>> {
    let tree = &mut program.tree;
    let holes: Vec<_> =
        tree.ids().filter(|id| matches!(tree.node(*id), Node::Name(name) if **name == *hole)).collect();
    if holes.is_empty() {
        let message = format!("the context has no hole: it never mentions `{hole}`");
        return Err(vec![Diagnostic::general(Code::UnknownName, message).help(format!(
            "write `{hole}` where the program is to stand, or name the hole with `--hole NAME`"
        ))]);
    }
    let spans = holes.iter().map(|id| tree.span(*id)).collect();
    for id in holes {
        let span = tree.span(id);
        let head = tree.add(Node::Name(Name::from(hole)), span);
        let captured: Vec<_> =
            term.context.iter().map(|(name, _)| tree.add(Node::Name(name.clone()), span)).collect();
        if !captured.is_empty() {
            tree.replace(id, Node::Apply(head, captured));
        }
    }
    let whole = (term.context.iter().rev())
        .fold(term.ty.clone(), |result, (_, argument)| Type::fun(argument.clone(), result));
    let ty = written(tree, &whole);
    program.context.retain(|binding| *binding.ident.name != *hole);
    let ident = Ident { name: Name::from(hole), span: Span::default() };
    program.context.insert(0, Binding { ident, listed: 0, argument: ArgumentNode { ty, bound: None } });
    // The hole may be of any order, and bounds are of concurrent programs.
    program.mode = Some((Mode::Concurrent, program.mode.map_or(Span::default(), |(_, span)| span)));
    Ok(spans)
}

/// A type as it would be written.
fn written(tree: &mut Tree, ty: &Type) -> TypeNode {
    let kind = match ty {
        Type::Com | Type::Never => TypeKind::Com,
        Type::Exp(data) => TypeKind::Exp(written_data(tree, data)),
        Type::Var(data) => TypeKind::Var(written_data(tree, data), None),
        Type::Array(data, length) => {
            let data = written_data(tree, data);
            TypeKind::Var(data, Some(number(tree, Int::from(*length))))
        }
        Type::Sem(places) => TypeKind::Sem(Some(number(tree, Int::from(*places)))),
        Type::Fun(argument, result) => stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            let Argument { ty, bound } = &**argument;
            let ty = written(tree, ty);
            let bound = bound.map(|bound| number(tree, Int::from(bound)));
            TypeKind::Fun(Box::new(ArgumentNode { ty, bound }), Box::new(written(tree, result)))
        }),
    };
    TypeNode { kind, span: Span::default() }
}

fn written_data(tree: &mut Tree, data: &Data) -> DataNode {
    let kind = match data {
        Data::Bool => DataKind::Bool,
        Data::Int => DataKind::Int,
        Data::Mod(size) => DataKind::Mod(number(tree, size.clone())),
        Data::Machine { signed, bits } => DataKind::Machine { signed: *signed, bits: *bits },
    };
    DataNode { kind, span: Span::default() }
}

fn number(tree: &mut Tree, n: Int) -> NodeId {
    tree.add(Node::Number(n), Span::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;
    use agon_core::bounds::bounds;

    /// What a context breaks, in words: what it does, and what was assumed.
    fn broken(term: &str, context: &str) -> Result<Vec<String>, Vec<Code>> {
        let judgement = elaborate(&parse(term).0, &[]).0.expect("it is typed");
        let term = bounds(&judgement).expect("it has bounds");
        match breaches(&parse(context).0, &[], "HOLE", &term) {
            Ok(list) => {
                Ok(list.iter().map(|one| format!("{} not {}", one.position.words(), one.written)).collect())
            }
            Err(diagnostics) => Err(diagnostics.iter().map(|diagnostic| diagnostic.code).collect()),
        }
    }

    #[test]
    fn what_is_bound_keeps_to_the_bounds_or_not() {
        let term = "f : com{2} -> com, x : com |- f(x)";
        assert_eq!(
            broken(term, "new int n in let f(c : com) : com = { c || c } in let x = n := 1 in HOLE"),
            Ok(vec![])
        );
        assert_eq!(broken(term, "let x = skip in let f(c : com) : com = c in HOLE"), Ok(vec![]));
        assert_eq!(
            broken(term, "let x = skip in let f(c : com) : com = { c || c || c } in HOLE"),
            Ok(vec!["f uses its first argument in at most 3 threads at once not 2".into()])
        );
        assert_eq!(
            broken(term, "(fun f : com -> com . let x = skip in HOLE)(fun c : com . { c || { c || c } })"),
            Ok(vec!["f uses its first argument in at most 3 threads at once not 2".into()])
        );
    }

    #[test]
    fn the_arguments_of_a_procedure_in_the_hole_count_too() {
        let term = "concurrent fun f : com -> com . f(skip)";
        assert_eq!(broken(term, "HOLE(fun c : com . c)"), Ok(vec![]));
        assert_eq!(
            broken(term, "HOLE(fun c : com . { c || c })"),
            Ok(vec!["the first argument of the program uses its first argument in at most 2 threads at once not 1".into()])
        );
    }

    #[test]
    fn guarantees_of_the_program_are_relied_on() {
        // The program calls `g` with an argument that uses what it is given twice at once.
        let term = "g : (com -> com) -> com |- g(fun c : com . { c || c })";
        let context =
            |bound: u64| format!("x : com{{{bound}}} |- let g(h : com -> com) : com = h(x) in HOLE");
        assert_eq!(broken(term, &context(2)), Ok(vec![]));
        assert_eq!(broken(term, &context(1)), Err(vec![Code::BoundExceeded]));
    }

    #[test]
    fn what_does_not_go_together_is_said() {
        let term = "concurrent f : com -> com |- f(skip)";
        assert_eq!(broken(term, "skip"), Err(vec![Code::UnknownName]));
        assert_eq!(broken(term, "HOLE"), Err(vec![Code::UnknownName]));
        assert_eq!(broken(term, "let f = skip in HOLE"), Err(vec![Code::Mismatch]));
        // The context may declare its hole, and may be open.
        assert_eq!(broken(term, "HOLE : com, f : com -> com |- HOLE; HOLE"), Ok(vec![]));
        assert_eq!(broken(term, "HOLE : com, f : com{2} -> com |- HOLE").map(|list| list.len()), Ok(1));
    }
}
