//! Types: data, phrases, and the order of a type.

use std::fmt;
use std::sync::Arc;

use agon_base::int::Int;

/// A type of data values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Data {
    /// `false` (0) and `true` (1).
    Bool,
    /// All integers.
    Int,
    /// The values 0 up to, not including, a number that is at least 1 and at most 2^64.
    Mod(Int),
    /// Two's complement machine integers.
    Machine {
        /// Whether half of the values are negative.
        signed: bool,
        /// 8, 16, 32 or 64.
        bits: u32,
    },
}

impl Data {
    /// The least and the greatest value, where there are such.
    pub fn range(&self) -> Option<(Int, Int)> {
        match self {
            Data::Bool => Some((Int::ZERO, Int::ONE)),
            Data::Int => None,
            Data::Mod(k) => Some((Int::ZERO, k.sub(&Int::ONE))),
            Data::Machine { signed: false, bits } => {
                Some((Int::ZERO, Int::power_of_two(*bits).sub(&Int::ONE)))
            }
            Data::Machine { signed: true, bits } => {
                let half = Int::power_of_two(bits - 1);
                Some((half.neg(), half.sub(&Int::ONE)))
            }
        }
    }

    /// The number of values, if it is finite.
    pub fn size(&self) -> Option<Int> {
        self.range().map(|(low, high)| high.sub(&low).add(&Int::ONE))
    }

    /// Brings a number into the type's range: modulo its size, in two's complement where signed.
    pub fn wrap(&self, n: &Int) -> Int {
        let Some((low, high)) = self.range() else { return n.clone() };
        if low <= *n && *n <= high {
            return n.clone();
        }
        self.value(self.code(n))
    }

    /// The place of a number, brought into range, in the order 0, 1, … in which values are tried and stored:
    /// negative ones come last, as in two's complement. All integers go 0, -1, 1, -2, …, as far as 64 bits reach.
    pub fn code(&self, n: &Int) -> u64 {
        match self.size() {
            None => {
                let doubled = n.add(n);
                let place = if n.is_negative() { doubled.add(&Int::ONE).neg() } else { doubled };
                place.to_u64().unwrap_or(0)
            }
            Some(size) => n.rem(&size).and_then(|n| n.to_u64()).unwrap_or(0),
        }
    }

    /// The value at a place of that order.
    pub fn value(&self, code: u64) -> Int {
        let n = Int::from(code);
        match self.range() {
            None => {
                let half = Int::from(code / 2);
                if code.is_multiple_of(2) { half } else { half.add(&Int::ONE).neg() }
            }
            Some((_, high)) if n > high => n.sub(&self.size().unwrap_or(Int::ZERO)),
            _ => n,
        }
    }

    /// Whether every value of this type is one of the other.
    pub fn fits(&self, other: &Data) -> bool {
        match (self.range(), other.range()) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some((low, high)), Some((other_low, other_high))) => other_low <= low && high <= other_high,
        }
    }

    /// Whether the two have the same values.
    pub fn same_values(&self, other: &Data) -> bool {
        self.range() == other.range()
    }

    /// A value as this type writes it.
    pub fn show(&self, n: &Int) -> String {
        match self {
            Data::Bool if n.is_zero() => "false".into(),
            Data::Bool if *n == Int::ONE => "true".into(),
            _ => n.to_string(),
        }
    }
}

impl fmt::Display for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Data::Bool => f.write_str("bool"),
            Data::Int => f.write_str("int"),
            Data::Mod(k) => write!(f, "int%{k}"),
            Data::Machine { signed, bits } => write!(f, "{}{bits}", if *signed { "i" } else { "u" }),
        }
    }
}

/// A type of phrases.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// Commands.
    Com,
    /// Expressions that give a value.
    Exp(Data),
    /// Variables: to be read and written.
    Var(Data),
    /// Arrays of variables, with their length.
    Array(Data, u64),
    /// Semaphores, with their number of places.
    Sem(u64),
    /// Procedures of one argument.
    Fun(Arc<Argument>, Arc<Type>),
    /// The type of what never gives control back: it fits everywhere.
    Never,
}

/// The type of an argument, with the number of threads that may be open in it at once.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Argument {
    /// The type itself.
    pub ty: Type,
    /// The bound, where it was written.
    pub bound: Option<u64>,
}

impl Type {
    /// The type of a procedure.
    pub fn fun(argument: Argument, result: Type) -> Type {
        Type::Fun(Arc::new(argument), Arc::new(result))
    }

    /// The arguments and, after them, the base type.
    pub fn uncurry(&self) -> (Vec<&Argument>, &Type) {
        let mut arguments = Vec::new();
        let mut ty = self;
        while let Type::Fun(argument, result) = ty {
            arguments.push(&**argument);
            ty = result;
        }
        (arguments, ty)
    }

    /// 0 for base types, one more than that of the highest argument for procedures.
    pub fn order(&self) -> usize {
        let (arguments, _) = self.uncurry();
        arguments.iter().map(|argument| argument.ty.order() + 1).max().unwrap_or(0)
    }

    /// The type with `com` for a result that fits everywhere.
    pub fn settled(&self) -> Type {
        match self {
            Type::Never => Type::Com,
            Type::Fun(argument, result) => Type::Fun(argument.clone(), Arc::new(result.settled())),
            ty => ty.clone(),
        }
    }

    /// The type with other bounds: each is made from its own and the one at the same place of another type.
    pub fn with_bounds(&self, other: &Type, choose: fn(Option<u64>, Option<u64>) -> Option<u64>) -> Type {
        let (Type::Fun(argument, result), Type::Fun(other_argument, other_result)) = (self, other) else {
            return self.clone();
        };
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            let ty = argument.ty.with_bounds(&other_argument.ty, choose);
            let bound = choose(argument.bound, other_argument.bound);
            Type::fun(Argument { ty, bound }, result.with_bounds(other_result, choose))
        })
    }

    /// The data of a base type that has any.
    pub fn data(&self) -> Option<&Data> {
        match self {
            Type::Exp(data) | Type::Var(data) | Type::Array(data, _) => Some(data),
            _ => None,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Com => f.write_str("com"),
            Type::Exp(data) => data.fmt(f),
            Type::Var(data) => write!(f, "var {data}"),
            Type::Array(data, length) => write!(f, "var {data}[{length}]"),
            Type::Sem(1) => f.write_str("sem"),
            Type::Sem(n) => write!(f, "sem${n}"),
            Type::Fun(argument, result) => write!(f, "{argument} -> {result}"),
            Type::Never => f.write_str("any type"),
        }
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.ty {
            ty @ Type::Fun(..) => write!(f, "({ty})")?,
            ty => write!(f, "{ty}")?,
        }
        match self.bound {
            Some(bound) => write!(f, "{{{bound}}}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_wrap_into_their_type() {
        let byte = Data::Machine { signed: true, bits: 8 };
        assert_eq!(byte.wrap(&Int::from(128i64)), Int::from(-128i64));
        assert_eq!(byte.wrap(&Int::from(-129i64)), Int::from(127i64));
        assert_eq!(byte.code(&Int::from(-1i64)), 255);
        assert_eq!(byte.value(255), Int::from(-1i64));
        let three = Data::Mod(Int::from(3i64));
        assert_eq!(three.wrap(&Int::from(-1i64)), Int::from(2i64));
        let wide = Data::Machine { signed: false, bits: 64 };
        assert_eq!(wide.wrap(&Int::from(-1i64)), Int::from(u64::MAX));
        assert_eq!(Data::Int.wrap(&Int::from(-7i64)), Int::from(-7i64));
    }

    #[test]
    fn order_counts_arguments_of_arguments() {
        let arrow = |a: Type, b: Type| Type::fun(Argument { ty: a, bound: None }, b);
        let first = arrow(Type::Com, arrow(Type::Com, Type::Com));
        assert_eq!(Type::Com.order(), 0);
        assert_eq!(first.order(), 1);
        assert_eq!(arrow(first, Type::Com).order(), 2);
    }
}
