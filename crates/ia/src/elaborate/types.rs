//! From written types to types.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_core::types::{Argument, Data, Type};

use super::Elaborator;
use crate::tree::{ArgumentNode, DataKind, DataNode, NodeId, TypeKind, TypeNode};

/// The longest array.
const LONGEST: u64 = 1 << 32;

impl Elaborator<'_> {
    pub(super) fn ty(&mut self, node: &TypeNode) -> Type {
        match &node.kind {
            TypeKind::Missing => Type::Never,
            TypeKind::Com => Type::Com,
            TypeKind::Exp(data) => Type::Exp(self.data(data)),
            TypeKind::Var(data, None) => Type::Var(self.data(data)),
            TypeKind::Var(data, Some(length)) => Type::Array(self.data(data), self.length(*length)),
            TypeKind::Sem(places) => {
                self.concurrent(node.span, "a semaphore");
                Type::Sem(self.places(*places))
            }
            TypeKind::Fun(argument, result) => {
                let argument = self.argument(argument);
                let result = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.ty(result));
                Type::fun(argument, result)
            }
        }
    }

    pub(super) fn argument(&mut self, node: &ArgumentNode) -> Argument {
        let ty = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.ty(&node.ty));
        let bound = node.bound.map(|bound| {
            let span = self.program.tree.span(bound);
            self.concurrent(span, "a bound");
            self.count(bound, 0, "a bound is a number of threads, and this is out of range")
        });
        Argument { ty, bound }
    }

    pub(super) fn data(&mut self, node: &DataNode) -> Data {
        match &node.kind {
            DataKind::Bool => Data::Bool,
            // Names of functions are read in modules only, where they are a sort of their own.
            DataKind::Int | DataKind::Function(_) => Data::Int,
            DataKind::Machine { signed, bits } => Data::Machine { signed: *signed, bits: *bits },
            DataKind::Mod(k) => {
                let size = self.constant(*k);
                if size < Int::ONE {
                    self.report(
                        Diagnostic::error(
                            Code::EmptyType,
                            format!("`int%{size}` has no values"),
                            node.span,
                            format!("the size is {size}"),
                        )
                        .note("`int%k` has the values 0 … k-1")
                        .help("the size must be at least 1, whether it is written here or given with `-D`"),
                    );
                    return Data::Int;
                }
                if size > Int::power_of_two(64) {
                    self.report(
                        Diagnostic::error(
                            Code::TypeTooLarge,
                            format!("`int%{size}` has more than 2^64 values"),
                            node.span,
                            "too many values",
                        )
                        .help("`int` has all integers"),
                    );
                    return Data::Int;
                }
                Data::Mod(size)
            }
        }
    }

    pub(super) fn length(&mut self, node: NodeId) -> u64 {
        let length = self.constant(node);
        let span = self.program.tree.span(node);
        if length < Int::ONE {
            self.report(
                Diagnostic::error(
                    Code::EmptyType,
                    "an array needs at least one element",
                    span,
                    format!("the length is {length}"),
                )
                .help("the length must be at least 1, whether it is written here or given with `-D`"),
            );
            return 1;
        }
        match length.to_u64() {
            Some(length) if length <= LONGEST => length,
            _ => {
                self.report(Diagnostic::error(
                    Code::TypeTooLarge,
                    "an array has at most 2^32 elements",
                    span,
                    format!("the length is {length}"),
                ));
                1
            }
        }
    }

    pub(super) fn places(&mut self, node: Option<NodeId>) -> u64 {
        node.map_or(1, |node| self.count(node, 1, "this number of places is out of range"))
    }

    /// A constant that counts something.
    pub(super) fn count(&mut self, node: NodeId, least: u64, rule: &str) -> u64 {
        let n = self.constant(node);
        match n.to_u64() {
            Some(n) if n >= least && n <= u64::from(u16::MAX) => n,
            _ => {
                let code = if n < Int::from(least) { Code::EmptyType } else { Code::TypeTooLarge };
                let span = self.program.tree.span(node);
                let label = format!("this is {n}, not from {least} to {}", u16::MAX);
                self.report(Diagnostic::error(code, rule, span, label));
                least.max(1)
            }
        }
    }

    pub(super) fn constant(&mut self, node: NodeId) -> Int {
        match self.constants.value(&self.program.tree, node) {
            Ok(value) => value,
            Err(diagnostic) => {
                self.report(*diagnostic);
                Int::ONE
            }
        }
    }
}
