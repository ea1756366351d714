//! What two modules have in common: their exports, their imports, and words for values that mean the same in both.

use std::collections::{BTreeMap, BTreeSet};

use agon_base::int::Int;
use agon_core::module::independent::Spot;
use agon_core::module::{Function, Module, SharedData, Sort};
use agon_games::arena::{ComponentId, Role};
use agon_games::moves::{Label, Move};

use crate::modules::Compiled;

/// Why two modules cannot be compared, if they cannot: their exports must be the same, and imports of one name have one type
/// and may do the same.
pub fn comparable(left: &Module, right: &Module) -> Result<(), String> {
    let exports = |module: &Module| -> BTreeMap<String, String> {
        let exported = module.procedures().filter(|(_, procedure)| procedure.exported);
        let shown = exported.map(|(_, procedure)| {
            (procedure.name.to_string(), module.show_sort(&Sort::Function(procedure.signature)))
        });
        shown.collect()
    };
    let imports = |module: &Module| -> BTreeMap<String, String> {
        let shown = module.imports().map(|(_, import)| (import.name.to_string(), module.show_import(import)));
        shown.collect()
    };
    let (ours, theirs) = (exports(left), exports(right));
    for (name, sort) in &ours {
        match theirs.get(name) {
            None => return Err(format!("`{name}` is exported by the first only")),
            Some(other) if other != sort => {
                return Err(format!("`{name}` is `{sort}` in the first and `{other}` in the second"));
            }
            Some(_) => {}
        }
    }
    if let Some(name) = theirs.keys().find(|name| !ours.contains_key(*name)) {
        return Err(format!("`{name}` is exported by the second only"));
    }
    let theirs = imports(right);
    let differs =
        imports(left).into_iter().find(|(name, sort)| theirs.get(name).is_some_and(|other| other != sort));
    // Names of the environment's own functions have types by their numbers.
    let names = |module: &Module| -> Vec<String> {
        module.named_types().map(|id| module.show_sort(&Sort::Function(id))).collect()
    };
    match differs {
        None if names(left) != names(right) => {
            Err("they use names of functions of different types, or in another order".into())
        }
        Some((name, sort)) => {
            Err(format!("the import `{name}` is `{sort}` in the first and `{}` in the second", theirs[&name]))
        }
        None if left.chooses() || right.chooses() => {
            Err("modules that leave an order of evaluation open are not compared".into())
        }
        None if left.threads > 1 || right.threads > 1 => Err("modules with threads are not compared".into()),
        None => comparable_data(left, right),
    }
}

/// Why two modules cannot be compared by the data that they share with the environment, if they cannot: what one of them defines
/// the other defines as well, with the same type.
fn comparable_data(left: &Module, right: &Module) -> Result<(), String> {
    for (modules, only) in [([left, right], "first"), ([right, left], "second")] {
        for (_, ours) in modules[0].all_data() {
            let other = modules[1].data_named(&ours.name).map(|id| modules[1].data(id));
            let shape = |module: &Module, data: &SharedData| (module.show_sort(&data.sort), data.length);
            match other {
                None if ours.initial.is_some() => {
                    return Err(format!("`{}` is defined by the {only} only", ours.name));
                }
                Some(theirs) if shape(modules[0], ours) != shape(modules[1], theirs) => {
                    return Err(format!("`{}` has different types in them", ours.name));
                }
                Some(theirs) if ours.initial.is_some() != theirs.initial.is_some() => {
                    return Err(format!("one of them defines `{}`, and the other one does not", ours.name));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// What a module does after a move, as far as the environment sees it. Functions are named, not numbered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Seen {
    Calls(String, Vec<Given>),
    Returns(Option<Given>),
    Fails,
    Exits(Int),
}

/// A value as both modules would write it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Given {
    Number(Int),
    Null,
    /// A function that both know by its name.
    Named(String),
    /// A function of the environment's own.
    Foreign(u64),
    /// An object of the environment's own.
    Object(Int),
    /// An address that the environment knows by words, and how far it is behind the first one of these.
    Fixed(String, u64),
    /// A private procedure or an address of the module's own, by its number.
    Own(Kind, Int),
}

/// What a module hands out that has a number of its own in each module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Kind {
    /// The name of a private procedure.
    Procedure,
    /// An address.
    Address,
}

/// What both modules have handed out, pair by pair: the environment cannot tell the one from the other.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Pairs(BTreeSet<(Kind, Int, Int)>);

impl Pairs {
    /// Whether two values are the same for the environment. What both hand out for the first time is, from now on.
    pub(super) fn alike(&mut self, ours: &Given, theirs: &Given) -> bool {
        let (Given::Own(kind, left), Given::Own(other, right)) = (ours, theirs) else {
            return ours == theirs;
        };
        if kind != other {
            return false;
        }
        let known = |(known, a, b): &&(Kind, Int, Int)| known == kind && (a == left || b == right);
        match self.0.iter().find(known) {
            Some((_, a, b)) => a == left && b == right,
            None => self.0.insert((*kind, left.clone(), right.clone())),
        }
    }

    /// What stands in the second module for something of the first, or the other way round.
    pub(super) fn other(&self, side: usize, kind: Kind, n: &Int) -> Option<&Int> {
        let pairs = self.0.iter().filter(|(known, ..)| *known == kind).map(|(_, a, b)| [a, b]);
        pairs.filter(|pair| pair[side] == n).map(|pair| pair[1 - side]).next()
    }

    /// All that a module has handed out of a kind.
    pub(super) fn of(&self, side: usize, kind: Kind) -> impl Iterator<Item = &Int> {
        self.0.iter().filter(move |(known, ..)| *known == kind).map(move |(_, a, b)| [a, b][side])
    }

    /// What one module has handed out, with its own numbers for both.
    pub(super) fn of_one(&self, side: usize) -> Pairs {
        let own = |(kind, a, b): &(Kind, Int, Int)| {
            let n = [a, b][side];
            (*kind, n.clone(), n.clone())
        };
        Pairs(self.0.iter().map(own).collect())
    }

    /// A value of the first module with the number that a module has for it.
    pub(super) fn own(&self, side: usize, given: &Given) -> Given {
        match given {
            Given::Own(kind, n) if side == 1 => {
                Given::Own(*kind, self.other(0, *kind, n).unwrap_or(n).clone())
            }
            given => given.clone(),
        }
    }

    /// An object of a module has died.
    pub(super) fn end(&mut self, side: usize, address: &Int) {
        self.0.retain(|(kind, a, b)| *kind != Kind::Address || [a, b][side] != address);
    }

    /// All pairs.
    pub(super) fn into_pairs(self) -> impl Iterator<Item = (Int, Int)> {
        self.0.into_iter().map(|(_, a, b)| (a, b))
    }
}

impl Seen {
    /// Whether two modules do the same.
    pub(super) fn is(&self, other: &Seen, pairs: &mut Pairs) -> bool {
        match (self, other) {
            (Seen::Calls(ours, given), Seen::Calls(theirs, taken)) => {
                ours == theirs
                    && given.len() == taken.len()
                    && given.iter().zip(taken).all(|(ours, theirs)| pairs.alike(ours, theirs))
            }
            (Seen::Returns(Some(ours)), Seen::Returns(Some(theirs))) => pairs.alike(ours, theirs),
            _ => self == other,
        }
    }
}

impl Compiled {
    /// The component that is the same in another module.
    pub(crate) fn same(&self, other: &Compiled, id: ComponentId) -> Option<ComponentId> {
        let name = &other.arena.component(id).name;
        let kind = std::mem::discriminant(&other.roles.of(id));
        let mut all = self.roles.iter().filter(|(_, role)| std::mem::discriminant(role) == kind);
        match other.roles.of(id) {
            Role::Parameter(procedure, n) => {
                let whole = other.roles.component(Role::Procedure(procedure))?;
                let whole = self.same(other, whole)?;
                self.arena.component(whole).arguments.get(n as usize).copied()
            }
            Role::Named(signature) => {
                let shown = other.module.show_sort(&Sort::Function(signature));
                all.find(|(_, role)| {
                    matches!(role, Role::Named(signature) if self.module.show_sort(&Sort::Function(*signature)) == shown)
                })
                .map(|(id, _)| id)
            }
            _ => all.find(|(id, _)| self.arena.component(*id).name == *name).map(|(id, _)| id),
        }
    }

    /// Where what the environment gives in a component goes.
    pub(super) fn spot(&self, id: ComponentId) -> Option<Spot> {
        match self.roles.of(id) {
            Role::Parameter(procedure, n) => Some(Spot::Local(procedure, agon_core::module::LocalId(n))),
            Role::Import(id) => Some(Spot::Answer(id)),
            _ => None,
        }
    }

    /// A value as every module would write it.
    pub(super) fn given(&self, sort: &Sort, n: &Int) -> Given {
        let last = self.module.last_address();
        match sort {
            Sort::Data(_) => Given::Number(n.clone()),
            Sort::Address(_) if n.is_zero() => Given::Null,
            Sort::Address(_) => match n.to_u64().filter(|n| *n <= last) {
                None => Given::Object(n.sub(&Int::from(last))),
                Some(at) => match self.module.fixed_address(at) {
                    Some((words, behind)) => Given::Fixed(words.to_string(), behind),
                    None => Given::Own(Kind::Address, n.clone()),
                },
            },
            Sort::Function(_) => match self.module.function(n) {
                None => Given::Null,
                Some(Function::Foreign(n)) => Given::Foreign(n),
                Some(Function::Procedure(id)) if !self.module.procedure(id).exported => {
                    Given::Own(Kind::Procedure, n.clone())
                }
                Some(function) => Given::Named(self.module.show_function(function)),
            },
        }
    }

    /// The number of a value; nothing if this module has none. What is [`Given::Own`] is its own.
    pub(super) fn number(&self, given: &Given) -> Option<Int> {
        Some(match given {
            Given::Number(n) | Given::Own(_, n) => n.clone(),
            Given::Null => Int::ZERO,
            Given::Foreign(n) => self.module.number(Function::Foreign(*n)),
            Given::Object(n) => n.add(&Int::from(self.module.last_address())),
            Given::Fixed(words, behind) => Int::from(self.module.address_of(words, *behind)?),
            Given::Named(name) => {
                let exports = self.module.procedures().filter(|(_, procedure)| procedure.exported);
                let own = exports.filter(|(_, procedure)| *procedure.name == **name);
                let own = own.map(|(id, _)| Function::Procedure(id)).next();
                let import = || self.module.imports().find(|(_, import)| *import.name == **name);
                let function = own.or_else(|| import().map(|(id, _)| Function::Import(id)))?;
                self.module.number(function)
            }
        })
    }

    /// What the environment sees of a move.
    pub(super) fn seen(&self, m: &Move) -> Option<Seen> {
        Some(match &m.label {
            Label::Abort => Seen::Fails,
            Label::Exit(n) => Seen::Exits(n.clone()),
            Label::Call(arguments) => {
                let function = self.roles.function(&self.module, m.component, m.element.as_ref())?;
                let signature = self.module.signature(self.module.type_of(function));
                let given = signature.parameters.iter().zip(arguments).map(|(sort, n)| self.given(sort, n));
                Seen::Calls(self.module.show_function(function), given.collect())
            }
            Label::Value(n) => Seen::Returns(Some(self.given(self.roles.sort(m.component)?, n))),
            _ => Seen::Returns(None),
        })
    }
}
