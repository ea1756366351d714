//! What two modules have in common: their exports, their imports, and words for values that mean the same in both.

use std::collections::BTreeMap;

use agon_base::int::Int;
use agon_core::module::independent::Spot;
use agon_core::module::{Function, Module, Sort};
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
        None if left.last_address() != right.last_address() => {
            Err("pointers point to different objects in them, so addresses cannot be compared".into())
        }
        None if left.threads > 1 || right.threads > 1 => Err("modules with threads are not compared".into()),
        None => Ok(()),
    }
}

/// What a module does after a move, as far as the environment sees it. Functions are named, not numbered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Seen {
    Calls(String, Vec<Given>),
    Returns(Option<Given>),
    Fails,
    Exits(Int),
    /// It never moves again.
    Nothing,
}

/// A value as both modules would write it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Given {
    Number(Int),
    Null,
    Named(String),
    Foreign(u64),
    /// An address of the module's own.
    Address(Int),
}

impl Seen {
    /// Whether two modules do the same, or hand out addresses that may stand for each other. Nothing, if the last is not known.
    pub(super) fn is(&self, other: &Seen) -> Option<bool> {
        if self == other {
            return Some(true);
        }
        let values = |seen: &Seen| match seen {
            Seen::Calls(_, given) => given.clone(),
            Seen::Returns(given) => given.iter().cloned().collect(),
            Seen::Fails | Seen::Exits(_) | Seen::Nothing => vec![],
        };
        let (ours, theirs) = (values(self), values(other));
        let same = match (self, other) {
            (Seen::Calls(ours, _), Seen::Calls(theirs, _)) => ours == theirs,
            (Seen::Returns(_), Seen::Returns(_)) => true,
            _ => false,
        };
        let apart = |(ours, theirs): (&Given, &Given)| {
            ours != theirs && !matches!((ours, theirs), (Given::Address(_), Given::Address(_)))
        };
        match same && ours.len() == theirs.len() && !ours.iter().zip(&theirs).any(apart) {
            true => None,
            false => Some(false),
        }
    }
}

impl Compiled {
    /// The component that is the same in another module.
    pub(super) fn same(&self, other: &Compiled, id: ComponentId) -> Option<ComponentId> {
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

    /// The function of this module that is the same as one of another; private ones are none.
    pub(super) fn function_like(&self, other: &Compiled, function: Function) -> Option<Function> {
        let name = other.module.show_function(function);
        match function {
            Function::Foreign(n) => Some(Function::Foreign(n)),
            Function::Import(_) => {
                let mut all = self.module.imports();
                all.find(|(_, import)| *import.name == *name).map(|(id, _)| Function::Import(id))
            }
            Function::Procedure(_) => {
                let mut all = self.module.procedures().filter(|(_, procedure)| procedure.exported);
                all.find(|(_, procedure)| *procedure.name == *name).map(|(id, _)| Function::Procedure(id))
            }
        }
    }

    /// A value as every module would write it; nothing, if it names a private procedure.
    pub(super) fn given(&self, sort: &Sort, n: &Int) -> Option<Given> {
        match sort {
            Sort::Data(_) => Some(Given::Number(n.clone())),
            Sort::Address(_) if n.is_zero() => Some(Given::Null),
            Sort::Address(_) if *n <= Int::from(self.module.last_address()) => {
                Some(Given::Address(n.clone()))
            }
            Sort::Address(_) => Some(Given::Number(n.clone())),
            Sort::Function(_) => match self.module.function(n) {
                None => Some(Given::Null),
                Some(Function::Foreign(n)) => Some(Given::Foreign(n)),
                Some(Function::Procedure(id)) if !self.module.procedure(id).exported => None,
                Some(function) => Some(Given::Named(self.module.show_function(function))),
            },
        }
    }

    /// What the environment sees of a move; nothing, if it is given a private procedure.
    pub(super) fn seen(&self, m: &Move) -> Option<Seen> {
        Some(match &m.label {
            Label::Abort => Seen::Fails,
            Label::Exit(n) => Seen::Exits(n.clone()),
            Label::Call(arguments) => {
                let function = self.roles.function(&self.module, m.component, m.element.as_ref())?;
                let signature = self.module.signature(self.module.type_of(function));
                let given = signature.parameters.iter().zip(arguments).map(|(sort, n)| self.given(sort, n));
                Seen::Calls(self.module.show_function(function), given.collect::<Option<_>>()?)
            }
            Label::Value(n) => Seen::Returns(Some(self.given(self.roles.sort(m.component)?, n)?)),
            _ => Seen::Returns(None),
        })
    }
}
