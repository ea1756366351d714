//! Names of functions, which are numbers, and values as they are written.

use agon_base::int::Int;

use super::{Addresses, Cell, CellId, ImportId, Module, ProcedureId, Signature, SignatureId, Sort, next};

/// What a value names that is not `null`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Function {
    /// A procedure of the module's own.
    Procedure(ProcedureId),
    /// An import.
    Import(ImportId),
    /// A function of the environment's own, by its number from 1.
    Foreign(u64),
}

impl Module {
    /// The number that is a function's name.
    pub fn number(&self, function: Function) -> Int {
        let (procedures, imports) = (u64::from(self.with_names()), self.imports.len() as u64);
        Int::from(match function {
            Function::Procedure(id) => 1 + u64::from(id.0),
            Function::Import(id) => 1 + procedures + u64::from(id.0),
            Function::Foreign(n) => procedures + imports + n,
        })
    }

    /// How many procedures values can name: the first ones.
    fn with_names(&self) -> u32 {
        next(&self.procedures) - self.unnamed
    }

    /// The function that a number names; nothing if it is `null`.
    pub fn function(&self, number: &Int) -> Option<Function> {
        let (procedures, imports) = (self.with_names(), next(&self.imports));
        let n = number.to_u64()?.checked_sub(1)?;
        let own = u32::try_from(n).unwrap_or(u32::MAX);
        Some(if own < procedures {
            Function::Procedure(ProcedureId(own))
        } else if own < procedures + imports {
            Function::Import(ImportId(own - procedures))
        } else {
            Function::Foreign(n - u64::from(procedures + imports) + 1)
        })
    }

    /// The type of a function. The environment's own functions take turns: where values name functions of two types, those
    /// with odd numbers are of the first type and those with even numbers of the second.
    pub fn type_of(&self, function: Function) -> SignatureId {
        match function {
            Function::Procedure(id) => self.procedure(id).signature,
            Function::Import(id) => self.import(id).signature,
            Function::Foreign(n) => {
                let kinds = self.named.len().max(1) as u64;
                let turn = usize::try_from(n.saturating_sub(1) % kinds).unwrap_or(0);
                self.named.get(turn).copied().unwrap_or_default()
            }
        }
    }

    /// The environment's own functions of a type, first to last; there are none of a type that no value names.
    pub fn foreign(&self, signature: SignatureId) -> impl Iterator<Item = Function> + use<> {
        let turn = self.named.iter().position(|named| *named == signature);
        let kinds = self.named.len().max(1);
        turn.into_iter().flat_map(move |turn| (turn as u64 + 1..).step_by(kinds)).map(Function::Foreign)
    }

    /// The last of the environment's own functions, if it has this many of each type.
    pub fn foreign_names(&self, each: u64) -> Function {
        Function::Foreign(each.saturating_mul(self.named.len().max(1) as u64))
    }

    /// The types of functions that values name.
    pub fn named_types(&self) -> impl Iterator<Item = SignatureId> + '_ {
        self.named.iter().copied()
    }

    /// Whether a number is a value of a sort.
    pub fn fits(&self, n: &Int, sort: &Sort) -> bool {
        match sort {
            Sort::Data(data) | Sort::Address(data) => data.wrap(n) == *n,
            Sort::Function(signature) => match self.function(n) {
                Some(function) => self.type_of(function) == *signature,
                None => n.is_zero(),
            },
        }
    }

    /// A number brought into the range of a sort.
    pub fn wrap(&self, n: &Int, sort: &Sort) -> Int {
        match sort {
            Sort::Data(data) | Sort::Address(data) => data.wrap(n),
            Sort::Function(_) => n.clone(),
        }
    }

    /// The private procedure that a value names, which the environment may call once it has the value.
    pub fn escapes(&self, value: &Int, sort: &Sort) -> Option<ProcedureId> {
        match (sort, self.function(value)) {
            (Sort::Function(_), Some(Function::Procedure(id))) => {
                (!self.procedure(id).exported).then_some(id)
            }
            _ => None,
        }
    }

    /// A sort as it is written.
    pub fn show_sort(&self, sort: &Sort) -> String {
        match sort {
            Sort::Data(data) => data.to_string(),
            Sort::Address(_) => "address".into(),
            Sort::Function(id) => {
                let Signature { parameters, result } = self.signature(*id);
                let parameters: Vec<_> = parameters.iter().map(|sort| self.show_sort(sort)).collect();
                let result = result.as_ref().map_or("com".to_string(), |sort| self.show_sort(sort));
                format!("fn({}) : {result}", parameters.join(", "))
            }
        }
    }

    /// A function's name as it is written: in plays `@1`, `@2`, … are the environment's own functions.
    pub fn show_function(&self, function: Function) -> String {
        match function {
            Function::Procedure(id) => self.procedure(id).name.to_string(),
            Function::Import(id) => self.import(id).name.to_string(),
            Function::Foreign(n) => format!("@{n}"),
        }
    }

    /// An address as it is written. What the module does not name belongs to the environment.
    pub fn show_address(&self, n: &Int) -> String {
        if n.is_zero() {
            return "null".into();
        }
        let named = n.to_u64().and_then(|n| self.addresses.iter().find_map(|addresses| addresses.name(n)));
        named.unwrap_or_else(|| format!("@{}", n.sub(&Int::from(self.last_address()))))
    }

    /// The address with a name.
    pub(super) fn address_named(&self, name: &str) -> Option<Int> {
        if let Some(n) = name.strip_prefix('@') {
            return Int::parse(n).map(|n| n.add(&Int::from(self.last_address())));
        }
        let mut all = self.addresses.iter().flat_map(|addresses| addresses.first..addresses.end());
        all.find(|n| self.show_address(&Int::from(*n)) == name).map(Int::from)
    }

    /// The greatest address that the module names. Greater ones belong to the environment.
    pub fn last_address(&self) -> u64 {
        self.addresses.iter().map(|addresses| addresses.end() - 1).max().unwrap_or(0)
    }

    /// Names the elements of an array.
    pub fn name_elements(&mut self, cell: CellId, names: Addresses) {
        self.elements.insert(cell, names);
    }

    /// An element of a cell as it is written.
    pub fn element_name(&self, cell: CellId, element: u64) -> String {
        let Cell { name, length, .. } = self.cell(cell);
        let known = self.elements.get(&cell).and_then(|names| names.name(names.first + element));
        match (known, length) {
            (Some(known), _) => known.trim_start_matches('&').to_string(),
            (None, Some(_)) => format!("{name}[{element}]"),
            (None, None) => name.to_string(),
        }
    }

    /// Names addresses.
    pub fn name_addresses(&mut self, addresses: Addresses) {
        self.addresses.push(addresses);
    }

    /// A value of a sort as it is written.
    pub fn show_value(&self, n: &Int, sort: &Sort) -> String {
        match sort {
            Sort::Data(data) => data.show(n),
            Sort::Address(_) => self.show_address(n),
            Sort::Function(_) => {
                self.function(n).map_or("null".into(), |function| self.show_function(function))
            }
        }
    }
}
