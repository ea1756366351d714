//! Random concurrent programs: threads, shared cells, semaphores, procedures that the environment calls.

use agon_base::random::Random;

const CONTEXT: &[(&str, &str)] = &[
    ("c", "com"),
    ("e", "int%2"),
    ("x", "var int%2"),
    ("k", "sem"),
    ("f", "com{2} -> com"),
    ("g", "com -> int%2 -> com"),
    ("h", "(com -> com) -> com"),
    ("v", "var int%2 -> com"),
    ("q", "(int%2 -> int%2){2} -> int%2"),
    ("m", "sem{2} -> com"),
    ("w", "(com{2} -> com){2} -> com"),
    ("t", "((com -> com) -> com) -> com"),
];

/// The text of a random concurrent program of about this many constructs.
pub fn concurrent(seed: u64, size: usize) -> String {
    let mut random = Random::new(seed ^ 0x7_4ead);
    let mut context = Vec::new();
    let mut known = Vec::new();
    for (name, ty) in CONTEXT {
        if random.one_in(3) {
            context.push(format!("{name} : {ty}"));
            known.push(*name);
        }
    }
    let mut sampler = Sampler {
        random,
        known,
        cells: Vec::new(),
        locks: Vec::new(),
        procedures: Vec::new(),
        takers: Vec::new(),
        givers: Vec::new(),
        names: 0,
    };
    let body = match sampler.random.below(8) {
        2 => {
            let (ty, own) = (sampler.range(), sampler.range());
            let body = sampler.command(size);
            format!("let r : {ty} -> com = fun z : {own} . {{ {{ {body} }}; assert(z < 2) }} in r")
        }
        0 => format!("fun a : com -> com . {{ {} }}", {
            sampler.known.push("a");
            sampler.command(size)
        }),
        1 => sampler.value(size),
        _ => sampler.command(size),
    };
    let turnstile = if context.is_empty() { "" } else { " |-\n" };
    format!("concurrent {}{turnstile}{body}", context.join(", "))
}

struct Sampler {
    random: Random,
    known: Vec<&'static str>,
    cells: Vec<String>,
    locks: Vec<String>,
    /// Local procedures of one command.
    procedures: Vec<String>,
    /// Local procedures of one value.
    takers: Vec<String>,
    /// Local procedures of one command that give a value.
    givers: Vec<String>,
    names: usize,
}

impl Sampler {
    fn fresh(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    fn knows(&self, name: &str) -> bool {
        self.known.contains(&name)
    }

    fn pick(&mut self, names: &[String]) -> Option<String> {
        (!names.is_empty()).then(|| names[self.random.below(names.len())].clone())
    }

    fn place(&mut self) -> Option<String> {
        if self.knows("x") && self.random.one_in(3) {
            return Some("x".into());
        }
        let cells = self.cells.clone();
        self.pick(&cells)
    }

    fn lock(&mut self) -> Option<String> {
        if self.knows("k") && self.random.one_in(3) {
            return Some("k".into());
        }
        let locks = self.locks.clone();
        self.pick(&locks)
    }

    /// Data of few values.
    fn range(&mut self) -> &'static str {
        ["int%2", "int%3", "bool", "int%4"][self.random.below(4)]
    }

    /// A definition with a declared type that is not its body's own, and a command in which it is called.
    fn declared(&mut self, size: usize) -> String {
        let name = self.fresh("d");
        let (ty, own) = (self.range(), self.range());
        let third = size / 3;
        match self.random.below(4) {
            0 | 1 => {
                let body = match self.place() {
                    Some(place) => format!("{place} := z"),
                    None => format!("if z = 2 then {{ {} }}", self.command(third)),
                };
                self.takers.push(name.clone());
                let (given, rest) = (self.random.below(5), self.command(third));
                self.takers.pop();
                format!(
                    "let {name} : {ty} -> com = fun z : {own} . {body} in {{ {name}({given}); {{ {rest} }} }}"
                )
            }
            2 => {
                let body = self.value(third);
                self.givers.push(name.clone());
                let (given, rest) = (self.command(third), self.command(third));
                self.givers.pop();
                let given = format!("{name}({{ {given} }})");
                let used = match self.place() {
                    Some(place) => format!("{place} := {given}"),
                    None => format!("assert({given} < 2)"),
                };
                format!("let {name}(z : com) : {ty} = {{ z; {body} + 1 }} in {{ {used}; {{ {rest} }} }}")
            }
            // A procedure of a variable, which need not be called.
            _ => {
                let parameter = self.fresh("p");
                self.cells.push(parameter.clone());
                let body = self.command(third);
                self.cells.pop();
                let rest = self.command(third);
                let used = match self.place() {
                    Some(place) if self.random.one_in(2) => format!("{name}({place})"),
                    _ => "skip".into(),
                };
                format!("let {name}({parameter} : var {ty}) = {{ {body} }} in {{ {used}; {{ {rest} }} }}")
            }
        }
    }

    /// An array, and a definition of one of its elements, which is looked at.
    fn element(&mut self, size: usize) -> String {
        let (array, name) = (self.fresh("a"), self.fresh("d"));
        // The index may be out of bounds.
        let index = format!("{} + {}", self.value(0), self.random.below(2));
        let range = self.range();
        self.cells.push(format!("{array}[{index}]"));
        self.cells.push(name.clone());
        let (left, right) = (self.command(size / 2), self.command(size / 2));
        self.cells.pop();
        self.cells.pop();
        format!(
            "new {range} {array}[2] in let {name} = {array}[{index}] in {{ if {name} then {{ {left} }} || {{ {right} }} }}"
        )
    }

    fn command(&mut self, size: usize) -> String {
        if size == 0 {
            return match self.random.below(4) {
                0 if self.knows("c") => "c".into(),
                1 | 2 => match self.place() {
                    Some(place) => format!("{place} := {}", self.value(0)),
                    None => "skip".into(),
                },
                _ => "skip".into(),
            };
        }
        let half = (size - 1) / 2;
        match self.random.below(22) {
            19 | 20 => format!("{{ {} }}", self.declared(size - 1)),
            21 => format!("{{ {} }}", self.element(size - 1)),
            0 | 1 => format!("({{ {} }} || {{ {} }})", self.command(half), self.command(half)),
            2 | 3 => format!("{{ {{ {} }}; {{ {} }} }}", self.command(half), self.command(half)),
            4 | 5 => {
                let name = self.fresh("y");
                self.cells.push(name.clone());
                let body = self.command(size - 1);
                self.cells.pop();
                let range = ["int%2", "int%2", "int%3", "bool"][self.random.below(4)];
                format!("new {range} {name} in {{ {body} }}")
            }
            6 => {
                // Those of two places have a name of their own, since they are of another type.
                let (kind, letter) = [("sem", "s"), ("sem$2", "ss")][self.random.below(2)];
                let name = self.fresh(letter);
                self.locks.push(name.clone());
                let body = self.command(size - 1);
                self.locks.pop();
                let taken = ["", " = 1"][self.random.below(2)];
                format!("{{ {kind} {name}{taken}; {body} }}")
            }
            // Two threads under a lock that guards a cell of theirs.
            16 => {
                let (lock, cell) = (self.fresh("s"), self.fresh("y"));
                let [one, other] = [(); 2].map(|()| {
                    let place = |sampler: &mut Sampler| sampler.place().unwrap_or_else(|| cell.clone());
                    let (first, second) = (place(self), place(self));
                    // The environment may look at the cell meanwhile, or even write to it.
                    let seen = match self.random.below(5) {
                        0 | 1 if self.knows("g") => format!("g(skip, {cell} + 1); "),
                        2 if self.knows("g") => format!("g({cell} := 1, {cell}); "),
                        _ => String::new(),
                    };
                    format!(
                        "{{ grab({lock}); {first} := {cell}; {cell} := {}; {seen}{second} := {cell}; release({lock}); {} }}",
                        self.value(0),
                        self.command(half / 2)
                    )
                });
                // A definition that nobody uses does not keep to the lock.
                let unused = match self.random.below(4) {
                    0 => format!("let {}(z : var int%2) = grab({lock}) in ", self.fresh("d")),
                    1 => format!("let {} = {cell} := 1 in ", self.fresh("d")),
                    _ => String::new(),
                };
                let checked = ["", "; assert(!{cell})"][self.random.below(2)].replace("{cell}", &cell);
                format!("{{ sem {lock}; new int%2 {cell} in {{ {one} || {unused}{other} }}{checked} }}")
            }
            7 => match self.lock() {
                Some(lock) => {
                    format!("{{ grab({lock}); {{ {} }}; release({lock}) }}", self.command(size - 1))
                }
                None => self.command(size - 1),
            },
            8 => match self.lock() {
                Some(lock) => format!("{}({lock})", ["grab", "release"][self.random.below(2)]),
                None => self.command(size - 1),
            },
            9 if self.knows("f") => format!("f({})", self.command(size - 1)),
            10 if self.knows("g") => format!("g({}, {})", self.command(half), self.value(half)),
            11 if self.knows("h") => {
                let name = self.fresh("p");
                let body = format!("{{ {{ {} }}; {name} }}", self.command(half));
                format!("h(fun {name} : com . {body})")
            }
            11 if self.knows("a") => format!("a({})", self.command(size - 1)),
            // Procedures that use what the environment gives them at once, or within itself.
            17 if self.knows("w") => {
                let name = self.fresh("p");
                let body = self.command(half);
                match self.random.below(4) {
                    0 if self.knows("f") => "w(f)".into(),
                    1 | 2 => format!("w(fun {name} : com . {{ {{ {{ {body} }}; {name} }} || {name} }})"),
                    _ => format!("w(fun {name} : com . if {} then {{ {body} }} else {name})", self.value(0)),
                }
            }
            18 if self.knows("t") => {
                let name = self.fresh("p");
                self.procedures.push(name.clone());
                let (body, rest) = (self.command(half), self.command(half));
                self.procedures.pop();
                match self.random.below(4) {
                    0 if self.knows("h") => "t(h)".into(),
                    1 => format!("t(fun {name} : com -> com . {{ {{ {body} }} || {name}({rest}) }})"),
                    _ => format!("t(fun {name} : com -> com . {{ {name}({body}); {{ {rest} }} }})"),
                }
            }
            12 if self.knows("v") => match self.place() {
                Some(place) => format!("v({place})"),
                None => self.command(size - 1),
            },
            12 if self.knows("m") => match self.lock() {
                Some(lock) if !lock.starts_with("ss") => format!("m({lock})"),
                Some(_) => self.command(size - 1),
                None => self.command(size - 1),
            },
            13 => format!(
                "if {} then {{ {} }} else {{ {} }}",
                self.value(half),
                self.command(half),
                self.command(half)
            ),
            14 => {
                let name = self.fresh("p");
                let body = self.command(half);
                self.procedures.push(name.clone());
                let rest = self.command(half);
                self.procedures.pop();
                format!("let {name}(z : com) : com = {{ {{ {body} }}; z }} in {{ {rest} }}")
            }
            _ => {
                let (procedures, takers) = (self.procedures.clone(), self.takers.clone());
                if self.random.one_in(2)
                    && let Some(name) = self.pick(&takers)
                {
                    return format!("{name}({})", self.value(half));
                }
                match self.pick(&procedures) {
                    Some(name) => format!("{name}({})", self.command(size - 1)),
                    None if self.random.one_in(6) => "abort".into(),
                    None => match self.place() {
                        Some(place) => {
                            format!("{{ {place} := {}; {{ {} }} }}", self.value(0), self.command(half))
                        }
                        None => self.command(size - 1),
                    },
                }
            }
        }
    }

    fn value(&mut self, size: usize) -> String {
        let givers = self.givers.clone();
        if size > 0
            && self.random.one_in(6)
            && let Some(name) = self.pick(&givers)
        {
            return format!("{name}({})", self.command(size - 1));
        }
        match self.random.below(7) {
            0 if self.knows("e") => "e".into(),
            1 | 2 => self.place().unwrap_or_else(|| "1".into()),
            3 if size > 1 => format!("({} + {})", self.value(size / 2), self.value(size / 2)),
            4 if size > 1 => format!("({{ {} }}; {})", self.command(size / 2), self.value(size / 2)),
            5 if size > 1 && self.knows("q") => {
                let name = self.fresh("n");
                format!("q(fun {name} : int%2 . {name} + {})", self.value(size / 2))
            }
            6 if size > 1 => match self.place() {
                Some(place) => format!("(1 / {place})"),
                None => "1".into(),
            },
            _ => self.random.below(2).to_string(),
        }
    }
}
