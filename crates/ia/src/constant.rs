//! Constants: the values of `const` declarations, and constant arithmetic.

use std::collections::HashMap;

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_core::term::Name;

use crate::tree::{Binary, Node, NodeId, Program, Tree};

/// The values of a program's constants.
#[derive(Clone, Default, Debug)]
pub struct Constants(HashMap<Name, Int>);

/// Constants of more bits than this are a slip of the pen.
const LARGEST: u64 = 1 << 16;

impl Constants {
    /// Evaluates a program's constants, some of them given from outside.
    pub fn evaluate(
        program: &Program,
        overrides: &[(String, Int)],
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Constants {
        let mut constants = Constants::default();
        let mut declared: HashMap<&str, _> = HashMap::new();
        for constant in &program.constants {
            let ident = &constant.ident;
            if let Some(first) = declared.get(&*ident.name).copied() {
                diagnostics.push(
                    Diagnostic::error(
                        Code::DuplicateName,
                        format!("the constant `{}` is declared twice", ident.name),
                        ident.span,
                        "declared again here",
                    )
                    .also(first, "first declared here"),
                );
                continue;
            }
            declared.insert(&*ident.name, ident.span);
            let given = overrides.iter().rev().find(|(name, _)| **name == *ident.name);
            let value = match given {
                Some((_, value)) => Ok(value.clone()),
                None => constants.value(&program.tree, constant.value),
            };
            match value {
                Ok(value) => {
                    constants.0.insert(ident.name.clone(), value);
                }
                Err(diagnostic) => {
                    diagnostics.push(*diagnostic);
                    constants.0.insert(ident.name.clone(), Int::ONE);
                }
            }
        }
        for (name, _) in overrides {
            if !declared.contains_key(name.as_str()) {
                let known = match program.constants.len() {
                    0 => "the program declares no constants".into(),
                    _ => {
                        let names: Vec<_> =
                            program.constants.iter().map(|c| format!("`{}`", c.ident.name)).collect();
                        format!("the program's constants are {}", names.join(", "))
                    }
                };
                diagnostics.push(
                    Diagnostic::general(
                        Code::OverrideOfNothing,
                        format!("`-D {name}=…` sets a constant that the program does not have"),
                    )
                    .note(known)
                    .help(format!("declare it with `const {name} = …;` at the top of the program")),
                );
            }
        }
        constants
    }

    /// The constant of that name.
    pub fn get(&self, name: &str) -> Option<&Int> {
        self.0.get(name)
    }

    /// The value of a constant expression.
    pub fn value(&self, tree: &Tree, id: NodeId) -> Result<Int, Box<Diagnostic>> {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.value_here(tree, id))
    }

    fn value_here(&self, tree: &Tree, id: NodeId) -> Result<Int, Box<Diagnostic>> {
        match tree.node(id) {
            // Already told by the parser.
            Node::Missing => Ok(Int::ONE),
            Node::Number(n) => Ok(n.clone()),
            Node::Negate(inner) => Ok(self.value(tree, *inner)?.neg()),
            Node::Name(name) => self.get(name).cloned().ok_or_else(|| {
                Diagnostic::error(
                    Code::UnknownConstant,
                    format!("`{name}` is not a constant"),
                    tree.span(id),
                    "only numbers and constants can stand here",
                )
                .help(format!(
                    "declare it with `const {name} = …;` at the top of the program, before its use"
                ))
                .into()
            }),
            Node::Binary(operator, left, right) => {
                let (left, right) = (self.value(tree, *left)?, self.value(tree, *right)?);
                let result = match operator {
                    Binary::Multiply if left.bits() + right.bits() > LARGEST => None,
                    Binary::Add => Some(left.add(&right)),
                    Binary::Subtract => Some(left.sub(&right)),
                    Binary::Multiply => Some(left.mul(&right)),
                    Binary::Divide => left.div(&right),
                    Binary::Modulo => left.rem(&right),
                    _ => None,
                };
                result.ok_or_else(|| {
                    let (message, label) = if *operator == Binary::Multiply {
                        ("this constant is too large".into(), "more than 65,536 bits")
                    } else {
                        let message = format!("`{left} {} {right}` has no value", operator.symbol());
                        (message, "division by zero in a constant")
                    };
                    Diagnostic::error(Code::ConstantArithmetic, message, tree.span(id), label).into()
                })
            }
            _ => Err(Diagnostic::error(
                Code::UnknownConstant,
                "this is not a constant",
                tree.span(id),
                "only numbers and constants can stand here",
            )
            .into()),
        }
    }
}
