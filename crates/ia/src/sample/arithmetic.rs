//! Random programs that reckon: larger types, sums and comparisons, arrays and loops, assertions about them.

use agon_base::random::Random;

const TYPES: &[&str] = &["int%5", "int%7", "int%11", "int%16", "int%23", "i8", "u8", "bool"];

/// The text of a random sequential program with much arithmetic in it, of about this many statements.
pub fn arithmetic(seed: u64, size: usize) -> String {
    let (context, cells, mut reckoner) = declarations(Random::new(seed ^ 0xa51_7e57));
    let body = reckoner.commands(size);
    format!("{context} |-\n{cells}{body}")
}

/// The same with two threads that share the cells, and a lock that they use now and then.
pub fn reckoning_threads(seed: u64, size: usize) -> String {
    let (context, cells, mut reckoner) = declarations(Random::new(seed ^ 0x2a51_7e57));
    let mut thread = || {
        let body = reckoner.commands(size);
        let after = reckoner.command(0);
        if reckoner.random.one_in(3) {
            format!("{{ grab(k); {body}; release(k); {after} }}")
        } else {
            format!("{{ {body}; {after} }}")
        }
    };
    let (left, right) = (thread(), thread());
    format!("concurrent {context} |-\n{cells}{{ sem k; {left} || {right} }}")
}

/// The context, the declarations of cells, and what makes the rest.
fn declarations(mut random: Random) -> (String, String, Reckoner) {
    let data = |random: &mut Random| TYPES[random.below(TYPES.len())];
    let mut context = vec![format!("e : {}", data(&mut random)), format!("n : {}", data(&mut random))];
    context.push("f : com -> com -> com".into());
    if random.one_in(2) {
        context.push(format!("x : var {}", data(&mut random)));
    } else {
        context.push("x : var int%5".into());
    }
    context.push(format!("h : {} -> {}", data(&mut random), data(&mut random)));
    context.push(format!("a : var {}[{}]", data(&mut random), 2 + random.below(3)));
    let cells: String = ["u", "v", "w"]
        .iter()
        .map(|name| format!("new {} {name} := {} in\n", data(&mut random), ["0", "e", "3"][random.below(3)]))
        .collect();
    let array = format!("new {} s[{}] in\n", data(&mut random), 2 + random.below(4));
    (context.join(", "), cells + &array, Reckoner { random })
}

struct Reckoner {
    random: Random,
}

impl Reckoner {
    fn pick<'a>(&mut self, things: &[&'a str]) -> &'a str {
        things[self.random.below(things.len())]
    }

    fn commands(&mut self, size: usize) -> String {
        let count = 1 + self.random.below(3);
        let parts: Vec<String> = (0..count).map(|_| self.command(size / count)).collect();
        parts.join("; ")
    }

    fn command(&mut self, size: usize) -> String {
        if size == 0 {
            return match self.random.below(4) {
                0 => format!("assert({})", self.condition(1)),
                _ => format!("{} := {}", self.place(1), self.value(1)),
            };
        }
        let (condition, rest) = (self.condition(2), size - 1);
        match self.random.below(9) {
            0 | 1 => format!(
                "if {condition} then {{ {} }} else {{ {} }}",
                self.commands(rest),
                self.commands(rest / 2)
            ),
            2 => format!("f({}, {})", self.commands(rest), self.commands(rest)),
            3 => {
                let cell = self.pick(&["u", "v", "w"]);
                let (most, step) = (1 + self.random.below(6), 1 + self.random.below(2));
                format!(
                    "while {cell} < {most} do {{ {}; {cell} := {cell} + {step} }}",
                    self.command(rest / 2)
                )
            }
            4 => format!("assert({condition})"),
            5 => format!("if {condition} then abort"),
            _ => format!("{} := {}; {}", self.place(1), self.value(2), self.command(rest)),
        }
    }

    fn place(&mut self, size: usize) -> String {
        match self.random.below(7) {
            0 => format!("s[{}]", self.value(size)),
            1 if self.random.one_in(2) => format!("a[{}]", self.value(size)),
            2 => "x".into(),
            _ => self.pick(&["u", "v", "w"]).into(),
        }
    }

    fn value(&mut self, size: usize) -> String {
        if size == 0 || self.random.one_in(3) {
            return match self.random.below(6) {
                0 => self.random.below(12).to_string(),
                1 => self.pick(&["e", "n"]).into(),
                _ => self.place(0),
            };
        }
        let (left, right) = (self.value(size - 1), self.value(size - 1));
        match self.random.below(12) {
            0 => format!("(-{left})"),
            1 => format!("h({left})"),
            2 => format!("({left} / {right})"),
            3 => format!("({left} mod {right})"),
            4 => format!("({left} * {right})"),
            5 => self.condition(size - 1),
            6 | 7 => format!("({left} - {right})"),
            _ => format!("({left} + {right})"),
        }
    }

    fn condition(&mut self, size: usize) -> String {
        let compared = self.pick(&["=", "<>", "<", "<=", ">", ">="]);
        let comparison = format!(
            "({} {compared} {})",
            self.value(size.saturating_sub(1)),
            self.value(size.saturating_sub(1))
        );
        match self.random.below(6) {
            0 if size > 0 => {
                let both = self.pick(&["&", "|", "and", "or"]);
                format!("({comparison} {both} {})", self.condition(size - 1))
            }
            1 => format!("(not {comparison})"),
            _ => comparison,
        }
    }
}
