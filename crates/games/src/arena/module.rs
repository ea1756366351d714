//! The arena of a module: a component for each function that either side may call.

use agon_base::int::Int;
use agon_core::module::{CellKind, Function, ImportId, Module, ProcedureId, SignatureId, Sort};
use agon_core::types::{Data, Type};

use super::{Arena, Component, ComponentId};
use crate::moves::Player;

/// What a component of a module's arena is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The whole: where the module fails or ends the process.
    Own,
    /// A procedure that the environment may call.
    Procedure(ProcedureId),
    /// What the environment gives for the n-th parameter of a procedure.
    Parameter(ProcedureId, u32),
    /// An import.
    Import(ImportId),
    /// The functions of a type that the environment may name.
    Named(SignatureId),
    /// A procedure that the module calls itself, and that is summarised.
    Summarised(ProcedureId),
}

/// What each component is, and which component each thing has.
#[derive(Clone, Debug, Default)]
pub struct Roles {
    roles: Vec<(Role, Option<Sort>)>,
}

impl Roles {
    /// What a component is.
    pub fn of(&self, id: ComponentId) -> Role {
        self.roles[id.index()].0
    }

    /// The sort of the values that are given there: by the module if it is a procedure, otherwise by the environment.
    pub fn sort(&self, id: ComponentId) -> Option<&Sort> {
        self.roles[id.index()].1.as_ref()
    }

    /// The component of something, if it has one.
    pub fn component(&self, role: Role) -> Option<ComponentId> {
        self.iter().find(|(_, known)| *known == role).map(|(id, _)| id)
    }

    /// All components, and what they are.
    pub fn iter(&self) -> impl Iterator<Item = (ComponentId, Role)> + '_ {
        (0..).map(ComponentId).zip(self.roles.iter().map(|(role, _)| *role))
    }

    /// The function that is called in a component; `name` is the number that names it, where that is a value.
    pub fn function(&self, module: &Module, id: ComponentId, name: Option<&Int>) -> Option<Function> {
        match self.of(id) {
            Role::Procedure(id) | Role::Summarised(id) => Some(Function::Procedure(id)),
            Role::Import(id) => Some(Function::Import(id)),
            Role::Named(_) => name.and_then(|name| module.function(name)),
            Role::Own | Role::Parameter(..) => None,
        }
    }
}

/// The data of values of a sort. The environment has so many names of its own, of each type, that more cannot be told apart: three
/// for each place where a name can be kept, if there is one stack [Murawski, Ramsay, Tzevelekos 2017].
pub(crate) fn data_of(module: &Module, sort: &Sort) -> Data {
    match sort {
        Sort::Data(data) | Sort::Address(data) => data.clone(),
        Sort::Function(_) => {
            let kept = |sort: &Sort, length: Option<u64>| match sort {
                Sort::Function(_) => length.unwrap_or(1),
                Sort::Data(_) | Sort::Address(_) => 0,
            };
            let cells = module.cells().map(|(_, cell)| match &cell.kind {
                CellKind::Value(sort) => kept(sort, cell.length),
                CellKind::Mutex | CellKind::Semaphore(_) => 0,
            });
            let locals = module.procedures().flat_map(|(_, procedure)| &procedure.locals);
            let registers = cells.chain(locals.map(|local| kept(&local.sort, local.length)));
            let names = registers.fold(0, u64::saturating_add).saturating_mul(module.naming).max(1);
            let last = module.foreign_names(names);
            Data::Mod(module.number(last).add(&Int::ONE))
        }
    }
}

impl Arena {
    /// The arena of a module, and what its components are. A procedure that may call itself has a second component, for the
    /// calls by the module.
    pub fn of_module(module: &Module) -> (Arena, Roles) {
        let mut arena = Arena { components: Vec::new(), variables: Default::default() };
        let mut roles = Roles::default();
        let mut add = |name: String, role: Role, parent: Option<ComponentId>, asker, sort: Option<&Sort>| {
            let id = ComponentId(u32::try_from(arena.components.len()).expect("ids have 32 bits"));
            arena.components.push(Component {
                name,
                variable: None,
                parent,
                arguments: Vec::new(),
                base: sort.map_or(Type::Com, |sort| Type::Exp(data_of(module, sort))),
                asker,
                bound: None,
                range: match role {
                    Role::Import(id) => module.import(id).returns.clone(),
                    Role::Parameter(id, n) => module.assumed_range(id, n as usize).cloned(),
                    _ => None,
                },
                assumed: match role {
                    Role::Import(id) => module.assumed_answer(id).cloned(),
                    _ => None,
                },
            });
            roles.roles.push((role, sort.cloned()));
            if let Some(parent) = parent {
                arena.components[parent.index()].arguments.push(id);
            }
            id
        };
        add(String::new(), Role::Own, None, Player::O, None);
        for (id, procedure) in module.procedures() {
            let signature = module.signature(procedure.signature);
            let name = procedure.name.to_string();
            let role = Role::Procedure(id);
            let whole = add(name.clone(), role, None, Player::O, signature.result.as_ref());
            for (n, (sort, local)) in (0..).zip(signature.parameters.iter().zip(&procedure.locals)) {
                let name = format!("{name}.{}", local.name.as_deref().unwrap_or_default());
                add(name, Role::Parameter(id, n), Some(whole), Player::P, Some(sort));
            }
        }
        for (id, import) in module.imports() {
            let result = module.signature(import.signature).result.as_ref();
            add(import.name.to_string(), Role::Import(id), None, Player::P, result);
        }
        for id in module.named_types() {
            add("*".into(), Role::Named(id), None, Player::P, module.signature(id).result.as_ref());
        }
        for id in module.cut_at() {
            let procedure = module.procedure(id);
            let result = module.signature(procedure.signature).result.as_ref();
            add(procedure.name.to_string(), Role::Summarised(id), None, Player::P, result);
        }
        (arena, roles)
    }
}
