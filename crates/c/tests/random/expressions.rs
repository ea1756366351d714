//! Random expressions without effects.

use super::{Program, Scope, Shape, Variable};

/// Constants of every type, base and suffix, near limits and small.
const CONSTANTS: [&str; 44] = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "7",
    "10",
    "31",
    "63",
    "100",
    "127",
    "128",
    "255",
    "256",
    "32767",
    "32768",
    "65535",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "0x7f",
    "0xff",
    "0x7fffffff",
    "0x80000000",
    "0xffffffff",
    "0x7fffffffffffffff",
    "0x8000000000000000",
    "0xffffffffffffffff",
    "017",
    "0377",
    "1u",
    "4294967295u",
    "2l",
    "3ul",
    "1ll",
    "18446744073709551615ull",
    "'a'",
    "'\\n'",
    "'\\xff'",
    "'\\0'",
    "'\\377'",
    "2147483648u",
];

impl Program {
    /// A constant.
    pub(super) fn constant(&mut self) -> String {
        let small = self.random.below(8);
        if self.random.one_in(2) {
            return small.to_string();
        }
        if self.random.one_in(8) {
            let member = ["ONE", "TEN", "FAR", "BELOW", "ABOVE"][self.random.below(5)];
            return match self.random.one_in(3) {
                true => format!("sizeof({})", self.ty().name),
                false => self.named(member),
            };
        }
        if self.small { small.to_string() } else { CONSTANTS[self.random.below(CONSTANTS.len())].into() }
    }

    /// An expression of an arithmetic type.
    pub(super) fn expression(&mut self, scope: &Scope, depth: usize) -> String {
        if depth == 0 || self.random.one_in(6) {
            return match self.random.below(3) {
                0 => self.constant(),
                _ => self.read(scope, depth),
            };
        }
        let d = depth - 1;
        let text = match self.random.below(16) {
            0 => {
                let operator = ["-", "+", "~", "!"][self.random.below(4)];
                let operand = self.expression(scope, d);
                return format!("{operator} ({operand})");
            }
            1 => {
                let ty = self.type_name();
                let operand = self.expression(scope, d);
                return format!("({ty})({operand})");
            }
            2 => {
                let [c, a, b] = [(); 3].map(|()| self.expression(scope, d));
                return format!("(({c}) ? ({a}) : ({b}))");
            }
            3 => {
                let operator = ["/", "%"][self.random.below(2)];
                let (a, b) = (self.expression(scope, d), self.expression(scope, d));
                match self.random.below(60) {
                    0..6 => format!("{a} {operator} ({b} ? {b} : 3)"),
                    _ => format!("{a} {operator} ({b} | 1)"),
                }
            }
            4 | 5 => {
                let operator = ["<<", ">>"][self.random.below(2)];
                let (a, b) = (self.expression(scope, d), self.expression(scope, d));
                match self.random.below(80) {
                    0..25 => format!("{a} {operator} (({b}) & 31)"),
                    _ => format!("{a} {operator} (({b}) & 7)"),
                }
            }
            6 | 7 => {
                let operator = ["==", "!=", "<", ">", "<=", ">="][self.random.below(6)];
                let (a, b) = (self.expression(scope, d), self.expression(scope, d));
                format!("{a} {operator} {b}")
            }
            8 => {
                let operator = ["&&", "||"][self.random.below(2)];
                let (a, b) = (self.expression(scope, d), self.expression(scope, d));
                format!("{a} {operator} {b}")
            }
            9 if !self.pure.is_empty() => {
                let n = self.random.below(self.pure.len());
                let (name, count) = self.pure[n].clone();
                let arguments: Vec<String> = (0..count).map(|_| self.expression(scope, d.min(1))).collect();
                return format!("{name}({})", arguments.join(", "));
            }
            10 => {
                self.sized = true;
                let place = self.read(scope, d);
                self.sized = false;
                return format!("sizeof({place})");
            }
            11 if !self.alike.is_empty() && self.random.one_in(3) => {
                let shape = self.structs[0].1.clone();
                let objects = self.objects(scope, &shape);
                if objects.is_empty() {
                    return self.constant();
                }
                let (from, _) = &objects[self.random.below(objects.len())];
                let (take, value) = (self.named("take"), self.expression(scope, d.min(1)));
                return format!("{take}({value}, {from})");
            }
            _ => {
                let operator = ["+", "-", "*", "&", "|", "^"][self.random.below(6)];
                let (a, b) = (self.expression(scope, d), self.expression(scope, d));
                format!("{a} {operator} {b}")
            }
        };
        if self.random.one_in(3) { text } else { format!("({text})") }
    }

    /// What a place holds, or a constant if nothing may be read.
    pub(super) fn read(&mut self, scope: &Scope, depth: usize) -> String {
        let all: Vec<Variable> = self.readable(scope);
        if all.is_empty() {
            return self.constant();
        }
        let variable = all[self.random.below(all.len())].clone();
        self.inside(scope, variable.name, &variable.shape, depth)
    }

    /// A place that may be written, with the name of its variable.
    pub(super) fn place(&mut self, scope: &Scope, depth: usize) -> Option<(String, String)> {
        let all: Vec<Variable> =
            self.readable(scope).into_iter().filter(|variable| !variable.fixed).collect();
        if all.is_empty() {
            return None;
        }
        let variable = all[self.random.below(all.len())].clone();
        let place = self.inside(scope, variable.name.clone(), &variable.shape, depth);
        Some((place, variable.name))
    }

    pub(super) fn readable(&self, scope: &Scope) -> Vec<Variable> {
        let globals = if scope.pure { &[][..] } else { &self.globals[..] };
        let all = globals.iter().chain(&scope.variables);
        all.filter(|variable| !scope.excluded.contains(&variable.name)).cloned().collect()
    }

    /// A scalar inside an object.
    pub(super) fn inside(&mut self, scope: &Scope, name: String, shape: &Shape, depth: usize) -> String {
        match shape {
            Shape::Scalar | Shape::Bits => name,
            Shape::Array(length, inner) => {
                let sized = std::mem::take(&mut self.sized);
                let index = self.index(scope, *length, depth.saturating_sub(1));
                self.sized = sized;
                self.inside(scope, format!("{name}[{index}]"), inner, depth)
            }
            Shape::Struct(members) => {
                let mut chosen = self.random.below(members.len());
                if self.sized && members[chosen].1 == Shape::Bits {
                    chosen = 0;
                }
                let (member, inner) = &members[chosen];
                self.inside(scope, format!("{name}.{member}"), inner, depth)
            }
        }
    }

    /// An index that is in bounds, unless a risk is taken.
    pub(super) fn index(&mut self, scope: &Scope, length: usize, depth: usize) -> String {
        if std::mem::take(&mut self.risk) {
            return self.expression(scope, 1);
        }
        match self.random.below(100) {
            0..45 => self.random.below(length).to_string(),
            45..65 if length.is_power_of_two() => {
                format!("({}) & {}", self.expression(scope, depth), length - 1)
            }
            _ => format!("(unsigned)({}) % {length}", self.expression(scope, depth)),
        }
    }
}
