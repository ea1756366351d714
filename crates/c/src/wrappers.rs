//! Functions around `malloc` that give a `void *`.
//!
//! Allocated memory is that of a type. Where a function gives what it allocates as a `void *`, its callers say the type. So each
//! call that does has a copy of the function of its own, in which the type is known, and so are sizes that are constants. A
//! `void *` variable that is converted to one type in its function gives that type, too.

use std::collections::{BTreeMap, BTreeSet};

use agon_base::int::Int;

use crate::library::Known;
use crate::tree::{
    Argument, Binary, Callee, Expr, ExprKind, Function, FunctionId, Linkage, Place, PlaceKind, Program,
    StmtKind, VariableId,
};
use crate::types::Type;
use crate::walk;

/// No more copies than this are made; a function that calls itself could ask for one after the other.
const MOST_COPIES: usize = 256;

/// What a copy is of: the function, the type that it allocates, and the arguments that are constants.
type Key = (FunctionId, String, Vec<Option<Int>>);

/// Gives allocations their types. Functions of closed programs that nobody calls any more are left out.
pub(crate) fn give_types(program: &mut Program, closed: bool) {
    for n in 0..program.functions.len() {
        by_variables(program, n);
    }
    let wrappers = wrappers(program);
    if wrappers.is_empty() {
        return;
    }
    let mut copies: BTreeMap<Key, FunctionId> = BTreeMap::new();
    let mut n = 0;
    while n < program.functions.len() {
        let Some(mut body) = program.functions[n].body.take() else {
            n += 1;
            continue;
        };
        let mut wanted: Vec<(Key, Type)> = Vec::new();
        walk::statements(&mut body.statements, &mut |e| {
            let Some(to) = e.ty.pointed_data().filter(|to| **to != Type::Void).cloned() else { return true };
            let ExprKind::Convert(inner) = &mut e.kind else { return true };
            if let ExprKind::Call(callee @ Callee::Function(_), arguments) = &mut stripped(inner).kind
                && let Callee::Function(id) = *callee
                && wrappers.contains(&id)
                && copies.len() + wanted.len() < MOST_COPIES
            {
                let constants = arguments.iter().map(constant).collect();
                let key = (id, format!("{to:?}"), constants);
                let next = program.functions.len() + wanted.len();
                let known = copies.get(&key).copied();
                let copy = known.unwrap_or(FunctionId(u32::try_from(next).unwrap_or(u32::MAX)));
                if known.is_none() {
                    copies.insert(key.clone(), copy);
                    wanted.push((key, to));
                }
                *callee = Callee::Function(copy);
            }
            true
        });
        program.functions[n].body = Some(body);
        for ((id, _, constants), to) in wanted {
            let copy = copy(program, id, &to, &constants, &wrappers);
            program.functions.push(copy);
        }
        n += 1;
    }
    // One wrapper may have called another.
    loop {
        let named = named(program);
        let unused = wrappers.iter().filter(|id| !named.contains(id)).copied();
        let dropped = |function: &Function| closed || function.linkage == Linkage::Internal;
        let unused: Vec<FunctionId> = unused
            .filter(|id| {
                let function = program.function(*id);
                function.body.is_some() && dropped(function)
            })
            .collect();
        if unused.is_empty() {
            return;
        }
        for id in unused {
            let function = &mut program.functions[id.index()];
            (function.body, function.used) = (None, false);
        }
    }
}

/// The functions that somebody calls or names.
fn named(program: &mut Program) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    let mut note = |e: &mut Expr| {
        match &e.kind {
            ExprKind::Function(id) | ExprKind::Call(Callee::Function(id), _) => _ = found.insert(*id),
            _ => {}
        }
        true
    };
    for object in &mut program.objects {
        object.initial.iter_mut().for_each(|item| walk::expr(&mut item.value, &mut note));
    }
    for body in program.functions.iter_mut().filter_map(|function| function.body.as_mut()) {
        walk::statements(&mut body.statements, &mut note);
    }
    found
}

/// The expression behind conversions to `void *`.
fn stripped(e: &mut Expr) -> &mut Expr {
    match e.kind {
        ExprKind::Convert(_) if is_void(&e.ty) => match &mut e.kind {
            ExprKind::Convert(inner) => stripped(inner),
            _ => unreachable!("it is a conversion"),
        },
        _ => e,
    }
}

fn is_void(ty: &Type) -> bool {
    ty.pointed_data() == Some(&Type::Void)
}

fn constant(e: &Expr) -> Option<Int> {
    match &e.kind {
        ExprKind::Number(n) => Some(n.clone()),
        _ => None,
    }
}

/// Calls `act` with what allocates and gets no type where it stands: calls of `malloc` and its like, and of wrappers.
fn untyped(e: &mut Expr, wrappers: &BTreeSet<FunctionId>, act: &mut dyn FnMut(&mut Expr)) -> bool {
    let typed = e.ty.pointed_data().is_some_and(|to| *to != Type::Void);
    if let (true, ExprKind::Convert(inner)) = (typed, &mut e.kind)
        && allocates(stripped(inner), wrappers)
    {
        return false;
    }
    if allocates(e, wrappers) {
        act(e);
        return false;
    }
    true
}

fn allocates(e: &Expr, wrappers: &BTreeSet<FunctionId>) -> bool {
    match &e.kind {
        ExprKind::Library(Known::Allocate(_), ..) => true,
        ExprKind::Call(Callee::Function(id), _) => wrappers.contains(id),
        _ => false,
    }
}

/// The functions that give a `void *` and allocate something without a type.
fn wrappers(program: &mut Program) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    loop {
        let before = found.len();
        for n in 0..program.functions.len() {
            let id = FunctionId(u32::try_from(n).unwrap_or(u32::MAX));
            let function = &mut program.functions[n];
            let Some(body) = function.body.as_mut().filter(|_| is_void(&function.ty.result)) else {
                continue;
            };
            let mut has = false;
            walk::statements(&mut body.statements, &mut |e| untyped(e, &found, &mut |_| has = true));
            if has {
                found.insert(id);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// A copy of a wrapper that allocates a type.
fn copy(
    program: &Program,
    id: FunctionId,
    to: &Type,
    constants: &[Option<Int>],
    wrappers: &BTreeSet<FunctionId>,
) -> Function {
    let mut function = program.function(id).clone();
    (function.linkage, function.used) = (Linkage::Internal, true);
    let size = program.size(to).map_or(1, |(bytes, _)| bytes.max(1));
    let size_t = Type::Integer(program.model.size());
    let Some(body) = &mut function.body else { return function };
    let changed = changed(&mut body.statements);
    walk::statements(&mut body.statements, &mut |e| {
        if let ExprKind::Load(Place { kind: PlaceKind::Variable(variable), .. }) = &e.kind
            && !changed.contains(variable)
            && let Some(Some(n)) = constants.get(variable.index())
        {
            e.kind = ExprKind::Number(n.clone());
        }
        folded(e);
        true
    });
    walk::statements(&mut body.statements, &mut |e| {
        untyped(e, wrappers, &mut |e| {
            if let ExprKind::Library(Known::Allocate(_), _, arguments) = &mut e.kind
                && let [Argument::Value(bytes)] = &mut arguments[..]
                && constant(bytes).is_none()
            {
                whole(bytes, size, &size_t);
            }
            let (kind, span) = (std::mem::replace(&mut e.kind, ExprKind::Number(Int::ZERO)), e.span);
            let call = Expr { kind, ty: e.ty.clone(), span };
            let typed = Expr { kind: ExprKind::Convert(Box::new(call)), ty: to.clone().pointer(), span };
            e.kind = ExprKind::Convert(Box::new(typed));
        })
    });
    function
}

/// A number of bytes as a number of whole elements.
fn whole(bytes: &mut Expr, size: u64, size_t: &Type) {
    let span = bytes.span;
    let number = || Expr { kind: ExprKind::Number(Int::from(size)), ty: size_t.clone(), span };
    let all = std::mem::replace(bytes, number());
    let binary = |operator, a: Expr| Expr {
        kind: ExprKind::Binary(operator, Box::new(a), Box::new(number())),
        ty: size_t.clone(),
        span,
    };
    *bytes = binary(Binary::Multiply, binary(Binary::Divide, all));
}

/// A product or conversion of constants is one.
fn folded(e: &mut Expr) {
    let Type::Integer(integer) = &e.ty else { return };
    let value = match &mut e.kind {
        ExprKind::Convert(inner) => {
            folded(inner);
            constant(inner)
        }
        ExprKind::Binary(Binary::Multiply, a, b) => {
            folded(a);
            folded(b);
            constant(a).zip(constant(b)).map(|(a, b)| a.mul(&b))
        }
        _ => None,
    };
    if let Some(value) = value {
        e.kind = ExprKind::Number(integer.convert(&value));
    }
}

/// The variables that are assigned to, or whose address is taken.
fn changed(statements: &mut [crate::tree::Stmt]) -> BTreeSet<VariableId> {
    let mut found = BTreeSet::new();
    walk::statements(statements, &mut |e| {
        let place = match &e.kind {
            ExprKind::Assign(place, _) => Some(place),
            ExprKind::Address(place) => Some(&**place),
            ExprKind::Update(update) => Some(&update.place),
            _ => None,
        };
        if let Some(Place { kind: PlaceKind::Variable(id), .. }) = place {
            found.insert(*id);
        }
        true
    });
    found
}

/// Gives types to what is allocated for `void *` variables that are converted to one type.
fn by_variables(program: &mut Program, n: usize) {
    let Some(mut body) = program.functions[n].body.take() else { return };
    let mut types: BTreeMap<VariableId, Vec<Type>> = BTreeMap::new();
    walk::statements(&mut body.statements, &mut |e| {
        if let (Some(to), ExprKind::Convert(inner)) =
            (e.ty.pointed_data().filter(|to| **to != Type::Void), &e.kind)
            && let ExprKind::Load(Place { kind: PlaceKind::Variable(id), ty, .. }) = &inner.kind
            && is_void(ty)
        {
            let known = types.entry(*id).or_default();
            if !known.iter().any(|known| program.alike(known, to)) {
                known.push(to.clone());
            }
        }
        true
    });
    types.retain(|_, types| types.len() == 1);
    let none = BTreeSet::new();
    let give = |id: VariableId, value: &mut Expr| {
        let Some([to]) = types.get(&id).map(Vec::as_slice) else { return };
        if let (true, ExprKind::Library(..)) = (allocates(value, &none), &value.kind) {
            let (kind, span) = (std::mem::replace(&mut value.kind, ExprKind::Number(Int::ZERO)), value.span);
            let call = Expr { kind, ty: value.ty.clone(), span };
            let typed = Expr { kind: ExprKind::Convert(Box::new(call)), ty: to.clone().pointer(), span };
            value.kind = ExprKind::Convert(Box::new(typed));
        }
    };
    declared(&mut body.statements, &give);
    walk::statements(&mut body.statements, &mut |e| {
        if let ExprKind::Assign(Place { kind: PlaceKind::Variable(id), .. }, value) = &mut e.kind {
            give(*id, value);
        }
        true
    });
    program.functions[n].body = Some(body);
}

/// Calls `act` with what variables are declared with.
fn declared(statements: &mut [crate::tree::Stmt], act: &dyn Fn(VariableId, &mut Expr)) {
    for statement in statements {
        match &mut statement.kind {
            StmtKind::Declare(id, items) => {
                items.iter_mut().flatten().for_each(|item| act(*id, &mut item.value));
            }
            StmtKind::Block(inner) => declared(inner, act),
            StmtKind::If(_, yes, no) => {
                declared(std::slice::from_mut(yes), act);
                no.iter_mut().for_each(|no| declared(std::slice::from_mut(no), act));
            }
            StmtKind::While(_, body, _) | StmtKind::Do(body, _) | StmtKind::Switch(_, _, _, body) => {
                declared(std::slice::from_mut(body), act);
            }
            _ => {}
        }
    }
}
