//! Splitting: a program as a part of it and the rest, which has a free identifier where the part was [AG, §5.1].
//!
//! `M[N]` becomes `M[h(x, …)]`, where `h` is free and `x, …` are the names around `N` that it may use: cells, parameters,
//! and labels, as commands that jump. `N` becomes a program of its own in which these names are free. Definitions
//! around `N` go with it, since a name stands for its definition wherever it is used.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use agon_base::source::Span;

use crate::term::{Construct, Judgement, LabelId, Name, TermId, Terms, VarId};
use crate::types::{Argument, Type};

/// A part of a program that can be checked on its own.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What it is called: a definition's name, or `f.1` for an argument; `p#2` if it is the second of that name.
    pub name: String,
    /// The term.
    pub term: TermId,
    /// Its type.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

/// A program in two.
#[derive(Clone, Debug)]
pub struct Split {
    /// The program, with a free identifier in place of the part.
    pub rest: Judgement,
    /// The part, with free identifiers for what it is given.
    pub part: Judgement,
    /// The free identifier of the rest.
    pub hole: VarId,
    /// What the part is given, in the order of the arguments of that identifier, as its own free identifiers.
    pub given: Vec<VarId>,
    /// Whether the rest may jump out of the part while it waits.
    pub rest_jumps: bool,
    /// Whether the part may jump out of calls of its own.
    pub part_jumps: bool,
}

/// How much of what is around a part belongs to its interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// What it uses.
    Used,
    /// All cells and parameters that it could use, and all free identifiers.
    All,
}

/// What is bound around a part.
enum Binder {
    Definition(VarId, TermId),
    Parameter(VarId),
    Cell(VarId),
    Label(LabelId),
}

/// The parts of a program that can be checked on their own: definitions, and arguments of free procedures.
pub fn candidates(judgement: &Judgement) -> Vec<Candidate> {
    let terms = &judgement.terms;
    let free = judgement.free();
    let mut found: Vec<Candidate> = Vec::new();
    let mut taken: HashSet<String> = HashSet::new();
    // How many parts had a name, so that the next number is known.
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut add = |name: String, term: TermId, ty: Type| {
        let mut unique = name.clone();
        let count = counts.entry(name.clone()).or_insert(1);
        while !taken.insert(unique.clone()) {
            *count += 1;
            unique = format!("{name}#{count}");
        }
        let name = unique;
        found.push(Candidate { name, term, ty, span: terms.span(term) });
    };
    for id in in_order(terms, judgement.body) {
        match terms.construct(id) {
            Construct::Let(var, definition, _) => {
                let variable = terms.variable(*var);
                add(variable.name.to_string(), *definition, variable.ty.clone());
            }
            Construct::Apply(function, argument) => {
                let mut head = *function;
                let mut place = 1;
                while let Construct::Apply(inner, _) = terms.construct(head) {
                    head = *inner;
                    place += 1;
                }
                if let (Construct::Variable(var), Type::Fun(parameter, _)) =
                    (terms.construct(head), terms.ty(*function))
                    && free.contains(var)
                    && !matches!(terms.construct(*argument), Construct::Variable(_))
                {
                    let name = format!("{}.{place}", terms.variable(*var).name);
                    add(name, *argument, parameter.ty.clone());
                }
            }
            _ => {}
        }
    }
    found
}

/// All terms of a term, as they are written.
fn in_order(terms: &Terms, root: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut waiting = vec![root];
    while let Some(id) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        found.push(id);
        let first = waiting.len();
        terms.construct(id).each_child(|child| waiting.push(child));
        waiting[first..].reverse();
    }
    found
}

/// Splits a program at one of its terms, which is known there under a type; or says why that cannot be.
pub fn split(judgement: &Judgement, term: TermId, ty: &Type, reach: Reach) -> Result<Split, String> {
    let terms = &judgement.terms;
    let (parameters, base) = ty.uncurry();
    if matches!(base, Type::Never) {
        return Err(
            "it never ends, so nobody knows its type; it can be written, as in `let p : com = …`".into()
        );
    }
    if !matches!(base, Type::Com | Type::Exp(_) | Type::Var(_)) {
        return Err(format!("it has type `{ty}`, which cannot be checked on its own"));
    }
    if parameters.iter().any(|parameter| parameter.ty.order() > 0 || matches!(parameter.ty, Type::Sem(_))) {
        return Err("a parameter of it is itself a procedure".into());
    }
    let around = around(judgement, term)?;
    let mut needs = Needs::of(terms, term);
    // Definitions go with the part, and what they need as well: innermost first, since they may need outer ones.
    let mut definitions = Vec::new();
    for binder in around.iter().rev() {
        if let Binder::Definition(var, definition) = binder
            && needs.variables.contains(var)
        {
            let also = Needs::of(terms, *definition);
            needs.variables.extend(also.variables);
            needs.labels.extend(also.labels);
            needs.jumps |= also.jumps;
            definitions.push((*var, *definition));
        }
    }

    let mut empty = terms.emptied();
    let span = terms.span(term);
    let mut given = Vec::new();
    let mut labels: BTreeMap<LabelId, VarId> = BTreeMap::new();
    for binder in &around {
        match binder {
            Binder::Cell(var) | Binder::Parameter(var) => {
                let used = needs.variables.contains(var);
                let ty = &terms.variable(*var).ty;
                let fits = ty.order() == 0 && !matches!(ty, Type::Sem(_) | Type::Never);
                if used && !fits {
                    let name = &terms.variable(*var).name;
                    return Err(format!("it uses `{name}`, a parameter of type `{ty}`"));
                }
                if used || (reach == Reach::All && fits) {
                    given.push(*var);
                }
            }
            Binder::Label(label) if needs.labels.contains(label) => {
                let var = empty.add_variable(terms.label(*label).clone(), Type::Com, span);
                labels.insert(*label, var);
                given.push(var);
            }
            _ => {}
        }
    }
    let captured = given.len();

    // The part: its own parameters are given to it as well. A `fun` may take more than its declared type says; then it
    // is applied to a parameter of the declared type.
    let mut body = term;
    let mut own = parameters.len();
    let mut unapplied = Vec::new();
    while own > 0
        && let Construct::Lambda(var, inner) = terms.construct(body)
        && terms.variable(*var).ty == parameters[parameters.len() - own].ty
    {
        given.push(*var);
        body = *inner;
        own -= 1;
    }
    for (n, parameter) in parameters.iter().enumerate().skip(parameters.len() - own) {
        let var = empty.add_variable(Arc::from((n + 1).to_string()), parameter.ty.clone(), span);
        given.push(var);
        unapplied.push(var);
    }
    let hole = empty.add_variable(Arc::from("HOLE"), Type::Com, span);
    let mut passed = Vec::new();
    for parameter in &parameters {
        passed.push(empty.add_variable(Arc::from("x"), parameter.ty.clone(), span));
    }

    let part = {
        let mut copy = Copy { from: terms, to: empty.clone(), labels: &labels, instead: None };
        let mut copied = copy.term(body);
        for var in unapplied {
            let ty = copy.to.variable(var).ty.clone();
            let argument = copy.to.add(Construct::Variable(var), ty, span);
            let Type::Fun(_, result) = copy.to.ty(copied).clone() else {
                return Err("it is no procedure".into());
            };
            copied = copy.to.add(Construct::Apply(copied, argument), (*result).clone(), span);
        }
        if *copy.to.ty(copied) == Type::Never {
            let skip = copy.to.add(Construct::Skip, Type::Com, span);
            copied = copy.to.add(Construct::Sequence(skip, copied), base.clone(), span);
        }
        for (var, definition) in &definitions {
            let definition = copy.term(*definition);
            let ty = copy.to.ty(copied).clone();
            copied = copy.to.add(Construct::Let(*var, definition, copied), ty, span);
        }
        let global = judgement.context.iter().chain(&judgement.arguments);
        let global = global.filter(|var| reach == Reach::All || needs.variables.contains(var)).copied();
        let context: Vec<VarId> = given.iter().copied().chain(global.clone()).collect();
        // A name is what it is where the part stands: inner ones hide outer ones, and labels are none of them.
        let bound = around.iter().rev().filter_map(|binder| match binder {
            Binder::Definition(var, _) | Binder::Parameter(var) | Binder::Cell(var) => Some(*var),
            Binder::Label(_) => None,
        });
        let own = given[captured..].iter().rev().copied();
        let visible: Vec<VarId> = own.chain(bound).chain(global).chain(labels.values().copied()).collect();
        distinct(&mut copy.to, &visible);
        Judgement {
            terms: copy.to,
            context,
            arguments: Vec::new(),
            ty: base.clone(),
            body: copied,
            ..judgement.blank()
        }
    };

    let rest = {
        let mut to = empty;
        // h : T1 -> … -> base, of what is captured and of the parameters.
        let types = given[..captured].iter().chain(&passed).map(|var| to.variable(*var).ty.clone());
        let types: Vec<Type> = types.collect();
        let fun = |result, ty: &Type| Type::fun(Argument { ty: ty.clone(), bound: None }, result);
        let mut ty = types.iter().rev().fold(base.clone(), fun);
        to.retype(hole, ty.clone());
        let mut applied = to.add(Construct::Variable(hole), ty.clone(), span);
        let jumps: BTreeMap<VarId, LabelId> = labels.iter().map(|(label, var)| (*var, *label)).collect();
        for var in given[..captured].iter().chain(&passed) {
            let argument = match jumps.get(var) {
                Some(label) => {
                    let skip = to.add(Construct::Skip, Type::Com, span);
                    let goto = to.add(Construct::Goto(*label), Type::Never, span);
                    to.add(Construct::Sequence(skip, goto), Type::Com, span)
                }
                None => {
                    let ty = to.variable(*var).ty.clone();
                    to.add(Construct::Variable(*var), ty, span)
                }
            };
            if let Type::Fun(_, result) = ty {
                ty = (*result).clone();
            }
            applied = to.add(Construct::Apply(applied, argument), ty.clone(), span);
        }
        for var in passed.iter().rev() {
            let argument = Argument { ty: to.variable(*var).ty.clone(), bound: None };
            ty = Type::fun(argument, ty);
            applied = to.add(Construct::Lambda(*var, applied), ty.clone(), span);
        }
        let none = BTreeMap::new();
        let mut copy = Copy { from: terms, to, labels: &none, instead: Some((term, applied)) };
        let body = copy.term(judgement.body);
        let body = without_unused(&mut copy.to, body);
        let context = judgement.context.iter().copied().chain([hole]).collect();
        Judgement {
            terms: copy.to,
            context,
            arguments: judgement.arguments.clone(),
            ty: judgement.ty.clone(),
            body,
            ..judgement.blank()
        }
    };
    let rest_jumps = Needs::of(&rest.terms, rest.body).jumps;
    Ok(Split { rest, part, hole, given, rest_jumps, part_jumps: needs.jumps })
}

/// What a term needs from around it.
struct Needs {
    variables: BTreeSet<VarId>,
    labels: BTreeSet<LabelId>,
    /// Whether there is a jump in it.
    jumps: bool,
}

impl Needs {
    fn of(terms: &Terms, root: TermId) -> Needs {
        let mut needs = Needs { variables: BTreeSet::new(), labels: BTreeSet::new(), jumps: false };
        let mut bound = BTreeSet::new();
        let mut own_labels = BTreeSet::new();
        for id in in_order(terms, root) {
            match terms.construct(id) {
                Construct::Variable(var) => {
                    needs.variables.insert(*var);
                }
                Construct::Goto(label) => {
                    needs.labels.insert(*label);
                    needs.jumps = true;
                }
                Construct::Lambda(var, _)
                | Construct::Let(var, _, _)
                | Construct::NewSemaphore(var, _, _, _) => {
                    bound.insert(*var);
                }
                Construct::New(new) => {
                    bound.insert(new.variable);
                }
                Construct::Break(label, _) | Construct::Continue(label, _) => {
                    own_labels.insert(*label);
                }
                _ => {}
            }
        }
        // No two binders share a variable.
        needs.variables.retain(|var| !bound.contains(var));
        needs.labels.retain(|label| !own_labels.contains(label));
        needs
    }
}

/// What is bound around a term, outermost first.
fn around(judgement: &Judgement, term: TermId) -> Result<Vec<Binder>, String> {
    let terms = &judgement.terms;
    let mut parents: BTreeMap<TermId, TermId> = BTreeMap::new();
    let mut shared = BTreeSet::new();
    for id in in_order(terms, judgement.body) {
        terms.construct(id).each_child(|child| {
            if parents.insert(child, id).is_some() {
                shared.insert(child);
            }
        });
    }
    let mut path = vec![term];
    while let Some(parent) = parents.get(&path[path.len() - 1]) {
        if shared.contains(&path[path.len() - 1]) {
            return Err("it stands in several places".into());
        }
        path.push(*parent);
    }
    if path[path.len() - 1] != judgement.body {
        return Err("it is no part of the program".into());
    }
    path.reverse();
    let mut binders = Vec::new();
    // The arguments that what is walked into is applied to.
    let mut spine: Vec<TermId> = Vec::new();
    for (here, next) in path.iter().zip(&path[1..]) {
        let keeps = match terms.construct(*here) {
            Construct::Apply(function, argument) => {
                if next == function {
                    spine.push(*argument);
                }
                next == function
            }
            Construct::Lambda(var, _) => {
                binders.push(match spine.pop() {
                    Some(argument) => Binder::Definition(*var, argument),
                    None => Binder::Parameter(*var),
                });
                true
            }
            Construct::Let(var, definition, body) => {
                if next == body {
                    binders.push(Binder::Definition(*var, *definition));
                }
                next == body
            }
            Construct::New(new) => {
                if *next == new.body {
                    binders.push(Binder::Cell(new.variable));
                }
                *next == new.body
            }
            Construct::Break(label, _) | Construct::Continue(label, _) => {
                binders.push(Binder::Label(*label));
                false
            }
            Construct::NewSemaphore(var, ..) => {
                binders.push(Binder::Parameter(*var));
                true
            }
            Construct::Sequence(_, last) | Construct::WithPredicate(_, last) => next == last,
            Construct::If(guard, _, _) => next != guard,
            _ => false,
        };
        if !keeps {
            spine.clear();
        }
    }
    Ok(binders)
}

/// Copies terms, with another term in place of one, and with commands in place of jumps.
struct Copy<'a> {
    from: &'a Terms,
    to: Terms,
    labels: &'a BTreeMap<LabelId, VarId>,
    instead: Option<(TermId, TermId)>,
}

impl Copy<'_> {
    fn term(&mut self, root: TermId) -> TermId {
        let mut done: BTreeMap<TermId, TermId> = self.instead.into_iter().collect();
        let mut needed = vec![root];
        let mut all = BTreeSet::new();
        while let Some(id) = needed.pop() {
            if !done.contains_key(&id) && all.insert(id) {
                self.from.construct(id).each_child(|child| needed.push(child));
            }
        }
        // A term's children come before it.
        for id in all {
            let span = self.from.span(id);
            let construct = match self.from.construct(id) {
                Construct::Goto(label) if self.labels.contains_key(label) => {
                    let jump = self.to.add(Construct::Variable(self.labels[label]), Type::Com, span);
                    let never = self.to.add(Construct::Diverge, Type::Never, span);
                    Construct::Sequence(jump, never)
                }
                other => other.with_children(|child| done[&child]),
            };
            let new = self.to.add(construct, self.from.ty(id).clone(), span);
            done.insert(id, new);
        }
        done[&root]
    }
}

/// The same term without definitions that are not used: those that only the part used went with it.
fn without_unused(terms: &mut Terms, root: TermId) -> TermId {
    let mut definitions: BTreeMap<VarId, TermId> = BTreeMap::new();
    let mut used = BTreeSet::new();
    let mut waiting = vec![root];
    while let Some(id) = waiting.pop() {
        match terms.construct(id) {
            Construct::Variable(var) => {
                if used.insert(*var) {
                    waiting.extend(definitions.remove(var));
                }
            }
            Construct::Let(var, definition, body) => {
                waiting.push(*body);
                match used.contains(var) {
                    true => waiting.push(*definition),
                    false => {
                        definitions.insert(*var, *definition);
                    }
                }
            }
            other => other.each_child(|child| waiting.push(child)),
        }
    }
    let from = terms.clone();
    let mut bodies = BTreeMap::new();
    // A term's children come before it.
    let mut all: Vec<TermId> = in_order(&from, root);
    all.sort_unstable();
    for id in all {
        let new = match from.construct(id) {
            Construct::Let(var, _, body) if !used.contains(var) => bodies[body],
            other => {
                let construct = other.with_children(|child| bodies[&child]);
                terms.add(construct, from.ty(id).clone(), from.span(id))
            }
        };
        bodies.insert(id, new);
    }
    bodies[&root]
}

/// Gives variables of one name different ones; the first keeps it.
fn distinct(terms: &mut Terms, variables: &[VarId]) {
    let mut taken: BTreeSet<Name> = BTreeSet::new();
    for var in variables {
        let name = terms.variable(*var).name.clone();
        let unused = (2..).map(|n| Name::from(format!("{name}#{n}"))).find(|name| !taken.contains(name));
        if !taken.insert(name)
            && let Some(unused) = unused
        {
            taken.insert(unused.clone());
            terms.rename(*var, unused);
        }
    }
}

impl Judgement {
    /// The same kind of environment, and nothing else.
    fn blank(&self) -> Judgement {
        Judgement {
            terms: Terms::default(),
            mode: self.mode,
            context: Vec::new(),
            arguments: Vec::new(),
            ty: Type::Com,
            body: TermId(0),
            concurrency: self.concurrency,
            watch: self.watch,
        }
    }
}
