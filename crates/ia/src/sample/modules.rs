//! Random modules: recursion, calls back, functions that escape, functions of the environment's.

use agon_base::random::Random;

/// The text of a random module with finite data, whose bodies have about this many constructs each.
pub fn module(seed: u64, size: usize) -> String {
    with_recursion(seed, size, |_| true)
}

/// The text of such a module in which no value names a function.
pub fn unnamed_module(seed: u64, size: usize) -> String {
    with_recursion(seed, size, |known| match known {
        Known::Function(_, parameters, result) => {
            !parameters.contains(&Sort::Name) && *result != Some(Sort::Name)
        }
        known => *known != Known::Stored,
    })
}

fn with_recursion(seed: u64, size: usize, takes: impl Fn(&Known) -> bool) -> String {
    let mut sampler = Sampler { random: Random::new(seed), known: vec![], names: 0, labels: vec![] };
    let all = [
        ("import ask() : int%3;\n", Known::Function("ask", vec![], Some(Sort::Number))),
        ("import tell(int%3) : com;\n", Known::Function("tell", vec![Sort::Number], None)),
        ("import give(fn(int%3) : com) : com;\n", Known::Function("give", vec![Sort::Name], None)),
        ("import pick() : fn(int%3) : com;\n", Known::Function("pick", vec![], Some(Sort::Name))),
        ("int%3 x, y := 1;\n", Known::Cells),
        ("bool b;\n", Known::Flag),
        ("int%3 a[2] := [1, 2];\n", Known::Array),
        ("fn(int%3) : com k := hidden;\n", Known::Stored),
        ("mutex m;\n", Known::Mutex),
    ];
    let mut text = String::from("module\n");
    for (item, known) in all.into_iter().filter(|(_, known)| takes(known)) {
        if matches!(known, Known::Cells) || !sampler.random.one_in(3) {
            text += item;
            sampler.known.push(known);
        }
    }
    sampler.known.push(Known::Function("hidden", vec![Sort::Number], None));
    sampler.known.push(Known::Function("down", vec![Sort::Number], Some(Sort::Number)));
    sampler.known.push(Known::Function("run", vec![], None));
    sampler.known.push(Known::Function("get", vec![Sort::Number], Some(Sort::Number)));
    let body = |sampler: &mut Sampler| sampler.block(size);
    text += &format!("let hidden(n : int%3) = {{ {} }};\n", sampler.with_parameter(body));
    let value = |sampler: &mut Sampler| sampler.number(size / 2);
    text += &format!(
        "let down(n : int%3) : int%3 = if n = 0 then {} else {{ {}; down(n - 1) }};\n",
        sampler.number(size / 3),
        sampler.with_parameter(|sampler| sampler.command(size / 2))
    );
    text += &format!("export run() = {{ {} }};\n", sampler.block(size));
    text += &format!("export get(n : int%3) : int%3 = {};\n", sampler.with_parameter(value));
    if takes(&Known::Stored) && sampler.random.one_in(2) {
        text += &format!("export put(f : fn(int%3) : com) = {};\n", sampler.put());
    }
    text
}

/// The text of a random module with a private procedure that gives names of functions, and calls itself in every other one.
pub fn choosing_module(seed: u64, size: usize) -> String {
    let again = if seed.is_multiple_of(2) { "choose(n - 1)" } else { "null" };
    let check = ["x < 2", "x = y", "y <> 2"][(seed / 2 % 3) as usize];
    format!(
        "{}let choose(n : int%3) : fn(int%3) : com = if n = 0 then hidden else {again};\n\
         export chosen(n : int%3) = {{ fn(int%3) : com given := choose(n); given(y); assert({check}) }};\n",
        module(seed, size)
    )
}

/// The text of a random module without recursion and without names of functions.
pub fn plain_module(seed: u64, size: usize) -> String {
    let cells =
        [("bool b;\n", Known::Flag), ("int%3 a[2] := [1, 2];\n", Known::Array), ("mutex m;\n", Known::Mutex)];
    plain(seed, size, "int%3 x, y := 1;\n", Vec::new(), &cells)
}

/// The text of such a module whose cells count calls or are restored after them; some are never written.
pub fn counting_module(seed: u64, size: usize) -> String {
    let cells = [("bool b;\n", Known::Flag), ("int%3 a[2] := [1, 2];\n", Known::Array)];
    let always = "int%3 x, y := 1;\nint%5 c := 4, t[3] := [2, 0, 1];\n";
    plain(seed, size, always, vec![Known::Counters], &cells)
}

fn plain(
    seed: u64,
    size: usize,
    always: &str,
    more: Vec<Known>,
    sometimes: &[(&'static str, Known)],
) -> String {
    let number = || vec![Sort::Number];
    let mut known = vec![
        Known::Function("ask", vec![], Some(Sort::Number)),
        Known::Function("tell", number(), None),
        Known::Cells,
    ];
    known.extend(more);
    let mut sampler = Sampler { random: Random::new(seed), known, names: 0, labels: vec![] };
    let mut text = format!("module\nimport ask() : int%3;\nimport tell(int%3) : com;\n{always}");
    for (item, known) in sometimes {
        if sampler.random.one_in(3) {
            text += item;
            sampler.known.push(known.clone());
        }
    }
    // Each procedure knows those before it.
    text += &format!(
        "let hidden(n : int%3) = {{ {} }};\n",
        sampler.with_parameter(|sampler| sampler.block(size))
    );
    sampler.known.push(Known::Function("hidden", number(), None));
    text += &format!("export run() = {{ {} }};\n", sampler.block(size));
    sampler.known.push(Known::Function("run", vec![], None));
    let value = |sampler: &mut Sampler| sampler.number(size / 2);
    text + &format!("export get(n : int%3) : int%3 = {};\n", sampler.with_parameter(value))
}

#[derive(Clone, Copy, PartialEq)]
enum Sort {
    /// A number below 3.
    Number,
    /// The name of a function that takes one.
    Name,
}

/// What bodies may use.
#[derive(Clone, PartialEq)]
enum Known {
    Function(&'static str, Vec<Sort>, Option<Sort>),
    Cells,
    Flag,
    Array,
    Stored,
    Mutex,
    /// Cells count calls, or hold the same before and after them; `c` and `t` are never written.
    Counters,
}

struct Sampler {
    random: Random,
    known: Vec<Known>,
    /// How many local names were given.
    names: usize,
    labels: Vec<String>,
}

impl Sampler {
    fn knows(&self, known: &Known) -> bool {
        self.known.contains(known)
    }

    fn with_parameter(&mut self, make: impl FnOnce(&mut Sampler) -> String) -> String {
        let body = make(self);
        // The parameter is a cell of the activation; some bodies use it.
        if self.random.one_in(2) { body.replacen("x ", "n ", 1) } else { body }
    }

    fn block(&mut self, size: usize) -> String {
        let count = 1 + self.random.below(3);
        let parts: Vec<_> = (0..count).map(|_| self.command(size / count)).collect();
        parts.join("; ")
    }

    fn put(&mut self) -> String {
        match self.knows(&Known::Stored) {
            true if self.random.one_in(2) => "k := f".into(),
            true => "{ k := f; if k <> null then k(x) }".into(),
            false if self.random.one_in(2) => "if f <> null then f(x)".into(),
            false => "assert(f = null or f <> hidden)".into(),
        }
    }

    fn command(&mut self, size: usize) -> String {
        if size == 0 {
            return self.small();
        }
        let rest = size - 1;
        match self.random.below(14) {
            0 => format!("if {} then {{ {} }}", self.condition(rest / 2), self.block(rest / 2)),
            1 => format!(
                "if {} then {} else {{ {} }}",
                self.condition(rest / 3),
                self.closed(rest / 3),
                self.command(rest / 3)
            ),
            2 => format!("while {} do {{ {} }}", self.condition(rest / 2), self.block(rest / 2)),
            3 => {
                self.names += 1;
                let name = format!("l{}", self.names);
                format!(
                    "{{ int%3 {name} := {}; {}; {name} := {}; x := {name} }}",
                    self.number(rest / 3),
                    self.command(rest / 3),
                    self.number(rest / 3)
                )
            }
            4 => {
                self.names += 1;
                let name = format!("d{}", self.names);
                format!(
                    "{{ let {name}(v : var int%3, e : int%3) = {{ v := e + v; {} }} in {name}(x, {}); {name}(y, {}) }}",
                    self.command(rest / 3),
                    self.number(rest / 3),
                    self.number(rest / 3)
                )
            }
            5 => {
                self.names += 1;
                let label = format!("j{}", self.names);
                self.labels.push(label.clone());
                let inner = self.block(rest);
                self.labels.pop();
                format!("break {label} . {{ {inner} }}")
            }
            6 => format!("assert({})", self.condition(rest)),
            7 | 8 => self.call(rest, None).unwrap_or_else(|| self.small()),
            9 if self.knows(&Known::Array) => {
                format!("a[{}] := {}", self.number(rest / 2), self.number(rest / 2))
            }
            10 if self.knows(&Known::Stored) => match self.random.below(3) {
                0 => format!("k := {}", self.name()),
                1 => format!("if k <> null then k({})", self.number(rest)),
                _ => format!("k({})", self.number(rest)),
            },
            12 | 13 if self.knows(&Known::Counters) => self.around(rest),
            11 if self.knows(&Known::Mutex) => format!("{{ lock(m); {}; unlock(m) }}", self.command(rest)),
            _ => format!("{} := {}", self.cell(), self.number(rest)),
        }
    }

    /// A call between two commands that belong together.
    fn around(&mut self, size: usize) -> String {
        self.names += 1;
        let (name, cell) = (format!("s{}", self.names), self.cell());
        let call = self.call(size, None).unwrap_or_else(|| self.small());
        match self.random.below(5) {
            0 => format!("{{ {cell} := {cell} + 1; {call}; {cell} := {cell} - 1 }}"),
            1 => format!(
                "if {cell} < 2 then {{ {cell} := {cell} + 1; {call}; {cell} := {cell} - 1; assert({cell} < 2) }}"
            ),
            2 => format!(
                "{{ int%3 {name} := {cell}; {cell} := {}; {call}; {cell} := {name} }}",
                self.number(size / 2)
            ),
            3 => format!("{{ int%3 {name} := {cell}; {call}; assert({name} = {cell}) }}"),
            _ => format!(
                "{{ int%3 {name} := {cell}; {call}; if {name} = {cell} then {} }}",
                self.closed(size / 2)
            ),
        }
    }

    /// A command that an `else` behind it cannot be taken for a part of.
    fn closed(&mut self, size: usize) -> String {
        format!("{{ {} }}", self.command(size))
    }

    fn small(&mut self) -> String {
        match self.random.below(6) {
            0 => "skip".into(),
            1 => "x := x + 1".into(),
            2 if self.knows(&Known::Flag) => "b := not b".into(),
            3 => self.labels.last().map_or("y := 0".into(), |label| format!("goto {label}")),
            4 if self.knows(&Known::Mutex) => "if trylock(m) then unlock(m)".into(),
            _ => format!("{} := {}", self.cell(), self.number(0)),
        }
    }

    fn cell(&mut self) -> &'static str {
        if self.random.one_in(2) { "x" } else { "y" }
    }

    fn name(&mut self) -> &'static str {
        match self.random.below(4) {
            0 => "null",
            1 if self.knows(&Known::Function("tell", vec![Sort::Number], None)) => "tell",
            2 if self.knows(&Known::Stored) => "k",
            _ => "hidden",
        }
    }

    fn number(&mut self, size: usize) -> String {
        if size == 0 {
            return match self.random.below(5) {
                0 => "x".into(),
                1 => "y".into(),
                n => (n - 2).to_string(),
            };
        }
        let rest = size - 1;
        match self.random.below(9) {
            0 => format!("{} + {}", self.number(rest / 2), self.number(rest / 2)),
            1 => format!("({}) * ({})", self.number(rest / 2), self.number(rest / 2)),
            2 => format!(
                "(if {} then {} else {})",
                self.condition(rest / 3),
                self.number(rest / 3),
                self.number(rest / 3)
            ),
            3 if self.knows(&Known::Counters) && self.random.one_in(2) => match self.random.below(3) {
                0 => "c".into(),
                1 => format!("t[{}]", self.number(rest)),
                _ => format!("t[(c + {}) mod 3]", self.number(rest)),
            },
            3 if self.knows(&Known::Array) => format!("a[{}]", self.number(rest)),
            4 => format!("({}; {})", self.command(rest / 2), self.number(rest / 2)),
            5 => format!("({}) mod ({})", self.number(rest / 2), self.number(rest / 2)),
            6 | 7 => self.call(rest, Some(Sort::Number)).unwrap_or_else(|| "x".into()),
            _ => self.number(0),
        }
    }

    fn condition(&mut self, size: usize) -> String {
        if size == 0 {
            return if self.knows(&Known::Flag) && self.random.one_in(2) {
                "b".into()
            } else {
                "x < y".into()
            };
        }
        let rest = size - 1;
        match self.random.below(6) {
            0 => format!("({} and {})", self.condition(rest / 2), self.condition(rest / 2)),
            1 => format!("({} or {})", self.condition(rest / 2), self.condition(rest / 2)),
            2 => format!("not ({})", self.condition(rest)),
            3 if self.knows(&Known::Stored) => format!("k = {}", self.name()),
            4 => format!("({}) <= ({})", self.number(rest / 2), self.number(rest / 2)),
            _ => format!("({}) = ({})", self.number(rest / 2), self.number(rest / 2)),
        }
    }

    /// A call of something with this result.
    fn call(&mut self, size: usize, result: Option<Sort>) -> Option<String> {
        let all = self.known.iter().filter_map(|known| match known {
            Known::Function(name, parameters, gives) if *gives == result => Some((*name, parameters.clone())),
            _ => None,
        });
        let all: Vec<_> = all.collect();
        let (name, parameters) = all.get(self.random.below(all.len()))?.clone();
        let arguments: Vec<String> = parameters
            .iter()
            .map(|sort| match sort {
                Sort::Number => self.number(size / 2),
                Sort::Name => self.name().into(),
            })
            .collect();
        Some(format!("{name}({})", arguments.join(", ")))
    }
}
