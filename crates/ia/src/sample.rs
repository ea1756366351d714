//! Random well-typed programs, the same for the same seed: what the semantics and the engines must agree on.

mod arithmetic;
mod concurrent;
mod declared;
mod modules;
mod registry;

pub use arithmetic::{arithmetic, reckoning_threads};
pub use concurrent::concurrent;
pub use modules::{choosing_module, counting_module, module, plain_module, unnamed_module};
pub use registry::registry;

use agon_base::random::Random;

/// The text of a random sequential program with finite data, of about this many constructs.
pub fn sequential(seed: u64, size: usize) -> String {
    let (mut sampler, context) = Sampler::new(seed);
    let term = match sampler.random.below(9) {
        0 | 1 => sampler.value(size),
        2 => sampler.place(size / 2, 2),
        3 => {
            sampler.known.push(("k".into(), Kind::Com));
            format!("fun k : com . {{ {} }}", sampler.command(size))
        }
        4 => {
            sampler.known.push(("k".into(), Kind::Procedure(vec![Kind::Com], Box::new(Kind::Com))));
            format!("fun k : com -> com . {{ {} }}", sampler.command(size))
        }
        5 => sampler.declared_program(size),
        _ => sampler.command(size),
    };
    if context.is_empty() { term } else { format!("{} |-\n{term}", context.join(", ")) }
}

/// A random context, as it is written in front of `|-`, and several random commands in it.
pub fn commands(seed: u64, size: usize, count: usize) -> (String, Vec<String>) {
    let (mut sampler, context) = Sampler::new(seed);
    let commands = (0..count).map(|_| sampler.command(size)).collect();
    (context.join(", "), commands)
}

/// The words of the language in random order, as no parser should fear.
pub fn soup(seed: u64, length: usize) -> String {
    const WORDS: &[&str] = &[
        "const",
        "sequential",
        "concurrent",
        "com",
        "exp",
        "var",
        "sem",
        "bool",
        "int",
        "nat",
        "i8",
        "u64",
        "if",
        "then",
        "else",
        "while",
        "do",
        "new",
        "in",
        "let",
        "fun",
        "par",
        "break",
        "cont",
        "goto",
        "letp",
        "newp",
        "endp",
        "skip",
        "abort",
        "diverge",
        "true",
        "false",
        "assert",
        "grab",
        "release",
        "not",
        "and",
        "or",
        "mod",
        "module",
        "import",
        "export",
        "mutex",
        "fn",
        "null",
        "|-",
        "->",
        ":=",
        "||",
        "=",
        "<>",
        "<=",
        ">=",
        "<",
        ">",
        "..",
        ".",
        ":",
        ";",
        ",",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "+",
        "-",
        "*",
        "/",
        "%",
        "$",
        "&",
        "|",
        "!",
        "x",
        "f",
        "l",
        "0",
        "3",
        "99999999999999999999",
        "@",
        "/*",
        "*/",
        "//",
        "\n",
        "é",
    ];
    let mut random = Random::new(seed);
    let words: Vec<_> = (0..length).map(|_| WORDS[random.below(WORDS.len())]).collect();
    words.join(" ")
}

/// What can be done with a name.
#[derive(Clone, PartialEq, Debug)]
enum Kind {
    Com,
    Value,
    /// A variable of this many values.
    Place(usize),
    Array,
    Procedure(Vec<Kind>, Box<Kind>),
}

const FREE: &[(&str, &str, Kind)] = &[
    ("c", "com", Kind::Com),
    ("d", "com", Kind::Com),
    ("e", "int%2", Kind::Value),
    ("b", "bool", Kind::Value),
    ("n", "int%3", Kind::Value),
    ("x", "var int%2", Kind::Place(2)),
    ("y", "var int%3", Kind::Place(3)),
    ("a", "var int%2[2]", Kind::Array),
];

struct Sampler {
    random: Random,
    known: Vec<(String, Kind)>,
    labels: Vec<String>,
    names: usize,
}

impl Sampler {
    /// A sampler that knows a random context, and that context.
    fn new(seed: u64) -> (Sampler, Vec<String>) {
        let mut sampler =
            Sampler { random: Random::new(seed), known: Vec::new(), labels: Vec::new(), names: 0 };
        let mut context = Vec::new();
        for (name, ty, kind) in FREE {
            if sampler.random.one_in(2) {
                context.push(format!("{name} : {ty}"));
                sampler.known.push(((*name).to_string(), kind.clone()));
            }
        }
        let procedures = [
            ("f", "com -> com", vec![Kind::Com], Kind::Com),
            ("g", "int%2 -> com -> com", vec![Kind::Value, Kind::Com], Kind::Com),
            ("h", "var int%2 -> int%3", vec![Kind::Place(2)], Kind::Value),
            ("q", "var int%2[2] -> com -> int%2", vec![Kind::Array, Kind::Com], Kind::Value),
            ("r", "com -> var int%2", vec![Kind::Com], Kind::Place(2)),
        ];
        for (name, ty, arguments, result) in procedures {
            if sampler.random.one_in(3) {
                context.push(format!("{name} : {ty}"));
                sampler.known.push((name.to_string(), Kind::Procedure(arguments, Box::new(result))));
            }
        }
        (sampler, context)
    }

    fn fresh(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    fn of_kind(&mut self, kind: &Kind) -> Option<String> {
        let fitting: Vec<_> =
            self.known.iter().filter(|(_, known)| known == kind).map(|(name, _)| name.clone()).collect();
        (!fitting.is_empty()).then(|| fitting[self.random.below(fitting.len())].clone())
    }

    /// A call of a known procedure with such a result.
    fn call(&mut self, result: &Kind, size: usize) -> Option<String> {
        let fitting: Vec<_> = self
            .known
            .iter()
            .filter_map(|(name, kind)| match kind {
                Kind::Procedure(arguments, gives) if **gives == *result => {
                    Some((name.clone(), arguments.clone()))
                }
                _ => None,
            })
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let (name, kinds) = fitting[self.random.below(fitting.len())].clone();
        let share = size / kinds.len().max(1);
        let mut arguments = Vec::new();
        for kind in &kinds {
            // Sometimes a variable of another range, which is brought into this one on the way.
            let other = if *kind == Kind::Place(2) { self.of_kind(&Kind::Place(3)) } else { None };
            arguments.push(match other {
                Some(place) if self.random.one_in(3) => place,
                _ => self.argument(kind, share),
            });
        }
        Some(format!("{name}({})", arguments.join(", ")))
    }

    fn argument(&mut self, kind: &Kind, size: usize) -> String {
        match kind {
            Kind::Com => self.command(size),
            Kind::Value => self.value(size),
            Kind::Place(k) => self.place(size, *k),
            Kind::Array => {
                let array = self.of_kind(&Kind::Array).unwrap_or_else(|| "abort".into());
                match self.random.below(4) {
                    0 if size > 1 => format!("({}; {array})", self.command(size / 2)),
                    _ => array,
                }
            }
            Kind::Procedure(arguments, result) => {
                if let Some(name) = self.of_kind(kind)
                    && self.random.one_in(2)
                {
                    return name;
                }
                if arguments[..] == [Kind::Value] && size > 2 && self.random.one_in(5) {
                    return self.conditional(result, size);
                }
                let before = self.known.len();
                let mut parameters = Vec::new();
                for argument in arguments {
                    let name = self.fresh("p");
                    let written = match argument {
                        Kind::Value => ["int%3", "int%3", "int%5", "int%2"][self.random.below(4)].into(),
                        _ => ty(argument),
                    };
                    parameters.push(format!("{name} : {written}"));
                    self.known.push((name, argument.clone()));
                }
                let body = self.argument(result, size);
                self.known.truncate(before);
                format!("fun {} . ({body})", parameters.join(", "))
            }
        }
    }

    /// Something with a declaration around it, of any kind.
    fn block(&mut self, kind: &Kind, size: usize) -> String {
        let before = self.known.len();
        let half = size / 2;
        let text = match self.random.below(9) {
            7 | 8 => self.declared(kind, size),
            0 | 1 => {
                let name = self.fresh("v");
                let (data, k) = [("int%2", 2), ("int%3", 3), ("bool", 2), ("int%4", 4)][self.random.below(4)];
                let initial = if self.random.one_in(2) {
                    format!(" := {}", self.value(half / 2))
                } else {
                    String::new()
                };
                self.known.push((name.clone(), Kind::Place(k)));
                format!("new {data} {name}{initial} in {}", self.argument(kind, half))
            }
            2 => {
                let name = self.fresh("w");
                let initial = if self.random.one_in(3) {
                    format!(" := {}", self.value(half / 2))
                } else {
                    String::new()
                };
                self.known.push((name.clone(), Kind::Array));
                format!("new int%2 {name}[2]{initial} in {}", self.argument(kind, half))
            }
            3 => {
                let name = self.fresh("m");
                let defined = [Kind::Com, Kind::Value, Kind::Place(2)][self.random.below(3)].clone();
                let definition = self.argument(&defined, half);
                self.known.push((name.clone(), defined));
                format!("let {name} = {{ {definition} }} in {}", self.argument(kind, half))
            }
            _ => {
                let name = self.fresh("p");
                let mut choices = vec![
                    Kind::Procedure(vec![Kind::Com], Box::new(Kind::Com)),
                    Kind::Procedure(vec![Kind::Value, Kind::Com], Box::new(Kind::Com)),
                    Kind::Procedure(vec![Kind::Place(2)], Box::new(Kind::Com)),
                    Kind::Procedure(vec![Kind::Value], Box::new(Kind::Value)),
                    Kind::Procedure(vec![Kind::Array], Box::new(Kind::Value)),
                    Kind::Procedure(vec![Kind::Com], Box::new(Kind::Place(2))),
                ];
                let higher =
                    Kind::Procedure(vec![choices[self.random.below(3)].clone()], Box::new(Kind::Com));
                choices.push(higher);
                let defined = choices[self.random.below(choices.len())].clone();
                let definition = self.argument(&defined, half);
                self.known.push((name.clone(), defined));
                format!("let {name} = {definition} in {}", self.argument(kind, half))
            }
        };
        self.known.truncate(before);
        text
    }

    fn command(&mut self, size: usize) -> String {
        if size <= 1 {
            return match self.random.below(9) {
                0 => "abort".into(),
                1..=3 => self.of_kind(&Kind::Com).unwrap_or_else(|| "skip".into()),
                4 if !self.labels.is_empty() => {
                    format!("(goto {})", self.labels[self.random.below(self.labels.len())])
                }
                5 | 6 => match self.any_place() {
                    Some(place) => format!("({place} := {})", self.random.below(4)),
                    None => "skip".into(),
                },
                7 if self.random.one_in(4) => "diverge".into(),
                _ => "skip".into(),
            };
        }
        let half = size / 2;
        match self.random.below(13) {
            0 | 1 => format!("{{ {}; {} }}", self.command(half), self.command(half)),
            2 => format!(
                "(if {} then {} else {})",
                self.value(half / 2),
                self.command(half),
                self.command(half)
            ),
            3 => format!("(while {} do {})", self.value(half), self.command(half)),
            4 | 5 => {
                let k = 2 + self.random.below(2);
                format!("({} := {})", self.place(half / 2, k), self.value(half))
            }
            6 => format!("assert({})", self.value(size - 1)),
            7 => {
                let label = self.fresh("l");
                let word = if self.random.one_in(2) { "break" } else { "cont" };
                self.labels.push(label.clone());
                let text = format!("({word} {label} . {})", self.command(size - 1));
                self.labels.pop();
                text
            }
            8..=10 => match self.call(&Kind::Com, size - 1) {
                Some(call) => call,
                None => format!("{{ {} }}", self.block(&Kind::Com, size)),
            },
            _ => format!("{{ {} }}", self.block(&Kind::Com, size)),
        }
    }

    fn value(&mut self, size: usize) -> String {
        if size <= 1 {
            let variable = match self.random.below(4) {
                0 | 1 => self.of_kind(&Kind::Value),
                2 => self.any_place(),
                _ => None,
            };
            return variable.unwrap_or_else(|| self.random.below(4).to_string());
        }
        let half = size / 2;
        match self.random.below(10) {
            0..=3 => {
                let operators = [
                    "+", "-", "*", "/", "mod", "=", "<>", "<", "<=", ">", ">=", "&", "|", "and", "or", "=",
                    "+",
                ];
                let operator = operators[self.random.below(operators.len())];
                format!("({} {operator} {})", self.value(half), self.value(half))
            }
            4 => format!("({} {})", ["not", "-"][self.random.below(2)], self.value(size - 1)),
            5 => format!("(if {} then {} else {})", self.value(half / 2), self.value(half), self.value(half)),
            6 => format!("{{ {}; {} }}", self.command(half), self.value(half)),
            7 => match self.call(&Kind::Value, size - 1) {
                Some(call) => call,
                None => self.place(size - 1, 2),
            },
            8 => {
                let k = 2 + self.random.below(2);
                format!("(!{})", self.place(size - 1, k))
            }
            _ => format!("({})", self.block(&Kind::Value, size)),
        }
    }

    fn any_place(&mut self) -> Option<String> {
        let k = 2 + self.random.below(3);
        self.of_kind(&Kind::Place(k))
    }

    fn place(&mut self, size: usize, k: usize) -> String {
        let simple = self.of_kind(&Kind::Place(k));
        if size <= 1 {
            return simple.unwrap_or_else(|| format!("(new int%{k} z in z)"));
        }
        let half = size / 2;
        match self.random.below(7) {
            0 => format!(
                "(if {} then {} else {})",
                self.value(half / 2),
                if self.random.one_in(12) { "abort".into() } else { self.place(half, k) },
                self.place(half, k)
            ),
            1 => format!("({}; {})", self.command(half), self.place(half, k)),
            2 | 3 if k == 2 => match self.of_kind(&Kind::Array) {
                Some(array) if self.random.one_in(4) => {
                    format!("({}; {array})[{}]", self.command(half / 2), self.value(half / 2))
                }
                Some(array) => format!("{array}[{}]", self.value(half)),
                None => self.place(half, k),
            },
            4 => match self.call(&Kind::Place(k), size - 1) {
                Some(call) => format!("({call})"),
                None => self.place(half, k),
            },
            5 => format!("({})", self.block(&Kind::Place(k), size)),
            _ => simple.unwrap_or_else(|| self.place(half, k)),
        }
    }
}

/// The type that parameters of a kind are given.
fn ty(kind: &Kind) -> String {
    match kind {
        Kind::Com => "com".into(),
        Kind::Value => "int%3".into(),
        Kind::Place(k) => format!("var int%{k}"),
        Kind::Array => "var int%2[2]".into(),
        Kind::Procedure(arguments, result) => {
            let arguments: Vec<_> = arguments
                .iter()
                .map(|argument| match argument {
                    Kind::Procedure(..) => format!("({})", ty(argument)),
                    _ => ty(argument),
                })
                .collect();
            format!("{} -> {}", arguments.join(" -> "), ty(result))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elaborate::elaborate;
    use crate::parse::parse;
    use crate::print::{canonical, print};
    use crate::read::read;

    #[test]
    fn random_programs_are_well_typed_and_print_as_themselves() {
        for seed in 0..3000 {
            let text = sequential(seed, 4 + (seed % 20) as usize);
            let reading = read(&text, &[]);
            let reading = reading.unwrap_or_else(|wrong| panic!("seed {seed}: {text}\n{wrong:?}"));
            let program = reading.document.program;
            let (again, diagnostics) = parse(&print(&program));
            assert!(diagnostics.is_empty(), "{text}\n{}\n{diagnostics:?}", print(&program));
            assert_eq!(canonical(&program), canonical(&again), "{text}\n{}", print(&program));
        }
    }

    #[test]
    fn word_soup_is_read_without_panic() {
        for seed in 0..3000 {
            let text = soup(seed, 1 + (seed % 60) as usize);
            let (program, diagnostics) = parse(&text);
            if diagnostics.is_empty() {
                elaborate(&program, &[]);
                print(&program);
            }
        }
    }
}
