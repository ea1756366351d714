//! The types of C: integers as a data model has them, conversions between them, and types made of others.

use std::fmt;
use std::sync::Arc;

use agon_base::int::Int;
use agon_core::types::Data;

/// How many bits the integers have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DataModel {
    /// `int` has 32 bits, `long` and pointers have 64.
    #[default]
    Lp64,
    /// `int`, `long` and pointers have 32 bits.
    Ilp32,
}

/// The rank of an integer type, from the lowest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Rank {
    Bool,
    Char,
    Short,
    Int,
    Long,
    LongLong,
}

/// An integer type. Plain `char` is signed, and an enumeration is the integer type that holds its values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Integer {
    /// Its rank.
    pub rank: Rank,
    /// Whether it has negative values.
    pub signed: bool,
    /// How many bits it has; `_Bool` has 8 of which one counts.
    pub bits: u32,
}

/// A structure type of a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StructId(pub u32);

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`.
    Void,
    /// An integer type.
    Integer(Integer),
    /// A pointer to data or to a function.
    Pointer(Arc<Type>),
    /// An array; its length may be unknown.
    Array(Arc<Type>, Option<u64>),
    /// A structure.
    Struct(StructId),
    /// A function.
    Function(Arc<FunctionType>),
    /// `pthread_mutex_t`.
    Mutex,
    /// A type that nothing can be done with.
    Unsupported(Unsupported),
}

/// Types that are read, so that declarations may mention them, and refused where they are used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Unsupported {
    Floating,
    Atomic,
    VariableLength,
    VariableArguments,
    Other,
}

/// A type of functions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    /// The parameters, after arrays and functions have become pointers.
    pub parameters: Vec<Type>,
    /// Whether more arguments may follow.
    pub variadic: bool,
    /// Whether the parameters are known: `f()` says nothing about them.
    pub prototype: bool,
    /// What it gives.
    pub result: Type,
}

impl DataModel {
    /// An integer type.
    pub fn integer(self, rank: Rank, signed: bool) -> Integer {
        let bits = match (rank, self) {
            (Rank::Bool | Rank::Char, _) => 8,
            (Rank::Short, _) => 16,
            (Rank::Int, _) | (Rank::Long, DataModel::Ilp32) => 32,
            (Rank::Long, DataModel::Lp64) | (Rank::LongLong, _) => 64,
        };
        Integer { rank, signed: signed && rank != Rank::Bool, bits }
    }

    /// `int`.
    pub fn int(self) -> Integer {
        self.integer(Rank::Int, true)
    }

    /// The type of `sizeof`.
    pub fn size(self) -> Integer {
        self.integer(if self == DataModel::Lp64 { Rank::Long } else { Rank::Int }, false)
    }

    /// The type of the difference of two pointers.
    pub fn difference(self) -> Integer {
        Integer { signed: true, ..self.size() }
    }

    /// The integer promotions.
    pub fn promote(self, integer: Integer) -> Integer {
        // A bit field that `int` can hold becomes `int`.
        let narrow =
            integer.rank < Rank::Int || (integer.rank == Rank::Int && integer.bits < self.int().bits);
        if narrow { self.int() } else { integer }
    }

    /// The usual arithmetic conversions: the type in which two integers meet.
    pub fn common(self, a: Integer, b: Integer) -> Integer {
        let (a, b) = (self.promote(a), self.promote(b));
        if a.signed == b.signed {
            return if a.rank >= b.rank { a } else { b };
        }
        let (unsigned, signed) = if a.signed { (b, a) } else { (a, b) };
        if unsigned.rank >= signed.rank {
            unsigned
        } else if signed.bits > unsigned.bits {
            signed
        } else {
            self.integer(signed.rank, false)
        }
    }

    /// The type of an enumeration with such members. Without negative members it is unsigned.
    pub fn enumeration(self, members: &[Int]) -> Integer {
        let signed = members.iter().any(Int::is_negative);
        let ranks = [Rank::Int, Rank::Long, Rank::LongLong].map(|rank| self.integer(rank, signed));
        let holds = |integer: &Integer| members.iter().all(|member| integer.holds(member));
        ranks.into_iter().find(holds).unwrap_or(ranks[2])
    }
}

impl Integer {
    /// The data of the core.
    pub fn data(self) -> Data {
        match self.rank {
            Rank::Bool => Data::Bool,
            _ => Data::Machine { signed: self.signed, bits: self.bits },
        }
    }

    /// The least and the greatest value.
    pub fn range(self) -> (Int, Int) {
        self.data().range().expect("machine integers have a range")
    }

    /// Whether a number is a value of the type.
    pub fn holds(self, n: &Int) -> bool {
        let (low, high) = self.range();
        low <= *n && *n <= high
    }

    /// A number converted to the type.
    pub fn convert(self, n: &Int) -> Int {
        match self.rank {
            Rank::Bool => Int::truth(!n.is_zero()),
            _ => self.data().wrap(n),
        }
    }
}

impl Type {
    /// A pointer to this.
    pub fn pointer(self) -> Type {
        Type::Pointer(Arc::new(self))
    }

    /// The integer type that it is.
    pub fn integer(&self) -> Option<Integer> {
        match self {
            Type::Integer(integer) => Some(*integer),
            _ => None,
        }
    }

    /// The function that a pointer points to.
    pub fn pointed_function(&self) -> Option<&Arc<FunctionType>> {
        match self {
            Type::Pointer(to) => match &**to {
                Type::Function(function) => Some(function),
                _ => None,
            },
            _ => None,
        }
    }

    /// What a pointer to data points to.
    pub fn pointed_data(&self) -> Option<&Type> {
        match self {
            Type::Pointer(to) if !matches!(**to, Type::Function(_)) => Some(to),
            _ => None,
        }
    }

    /// Whether values of it fit in one cell.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Type::Integer(_) | Type::Pointer(_))
    }

    /// As a parameter: arrays and functions become pointers.
    pub fn decayed(self) -> Type {
        match self {
            Type::Array(element, _) => Type::Pointer(element),
            Type::Function(_) => self.pointer(),
            other => other,
        }
    }

    /// What nothing can be done with, inside arrays too.
    pub fn unsupported(&self) -> Option<Unsupported> {
        match self {
            Type::Unsupported(what) => Some(*what),
            Type::Array(element, _) => element.unsupported(),
            _ => None,
        }
    }
}

impl Unsupported {
    /// What it is, in words.
    pub fn words(self) -> &'static str {
        match self {
            Unsupported::Floating => "a floating-point number",
            Unsupported::Atomic => "an atomic or thread-local object",
            Unsupported::VariableLength => "an array whose length is no constant",
            Unsupported::VariableArguments => "a list of variable arguments",
            Unsupported::Other => "a type that agon does not know",
        }
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.rank {
            Rank::Bool => return f.write_str("_Bool"),
            Rank::Char if self.signed => return f.write_str("signed char"),
            Rank::Char => "char",
            Rank::Short => "short",
            Rank::Int => "int",
            Rank::Long => "long",
            Rank::LongLong => "long long",
        };
        write!(f, "{}{name}", if self.signed { "" } else { "unsigned " })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_meet_as_the_standard_says() {
        let (lp, ilp) = (DataModel::Lp64, DataModel::Ilp32);
        let name = |model: DataModel, a: (Rank, bool), b: (Rank, bool)| {
            model.common(model.integer(a.0, a.1), model.integer(b.0, b.1)).to_string()
        };
        use Rank::*;
        assert_eq!(name(lp, (Char, false), (Short, false)), "int");
        assert_eq!(name(lp, (Int, false), (Int, true)), "unsigned int");
        assert_eq!(name(lp, (Int, false), (Long, true)), "long");
        assert_eq!(name(ilp, (Int, false), (Long, true)), "unsigned long");
        assert_eq!(name(lp, (Long, false), (LongLong, true)), "unsigned long long");
        assert_eq!(name(lp, (Bool, false), (Bool, false)), "int");
    }

    #[test]
    fn an_enumeration_without_negative_members_is_unsigned() {
        let members = [0i64, 3].map(Int::from);
        assert_eq!(DataModel::Lp64.enumeration(&members).to_string(), "unsigned int");
        assert_eq!(DataModel::Lp64.enumeration(&[Int::from(-1i64)]).to_string(), "int");
        assert_eq!(DataModel::Lp64.enumeration(&[Int::power_of_two(32)]).to_string(), "unsigned long");
    }

    #[test]
    fn a_conversion_to_bool_asks_for_zero() {
        let bool_ = DataModel::Lp64.integer(Rank::Bool, true);
        assert_eq!(bool_.convert(&Int::from(256i64)), Int::ONE);
        assert_eq!(bool_.convert(&Int::ZERO), Int::ZERO);
    }
}
