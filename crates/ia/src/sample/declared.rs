//! Definitions with declared types, narrower and wider than what they define, each of them called.

use super::{Kind, Sampler, ty};

/// Data with few values, and how many. `bool` and `int%2` have the same.
const RANGES: [(&str, usize); 6] =
    [("int%2", 2), ("int%3", 3), ("int%4", 4), ("bool", 2), ("int%5", 5), ("int%3", 3)];

impl Sampler {
    /// A program that is a definition under its declared type.
    pub(super) fn declared_program(&mut self, size: usize) -> String {
        let kind = self.procedure();
        let name = self.fresh("p");
        let (binding, _) = self.binding(&name, &kind, size);
        format!("let {binding} in {name}")
    }

    /// A definition with a declared type around something, which uses the definition first.
    pub(super) fn declared(&mut self, kind: &Kind, size: usize) -> String {
        let third = size / 3;
        let defined = match self.random.below(5) {
            0 => Kind::Value,
            1 => Kind::Place(2 + self.random.below(2)),
            _ => self.procedure(),
        };
        let name = self.fresh("p");
        let (binding, known) = self.binding(&name, &defined, third);
        let before = self.known.len();
        self.known.push((name.clone(), known.clone()));
        let used = self.used(&name, &known, third);
        let body = self.argument(kind, third);
        self.known.truncate(before);
        format!("let {binding} in {{ {used}; {body} }}")
    }

    /// A procedure of some kind.
    pub(super) fn procedure(&mut self) -> Kind {
        let result = |kind| Box::new(kind);
        let mut choices = vec![
            Kind::Procedure(vec![Kind::Value], result(Kind::Com)),
            Kind::Procedure(vec![Kind::Place(2)], result(Kind::Com)),
            Kind::Procedure(vec![Kind::Value], result(Kind::Value)),
            Kind::Procedure(vec![Kind::Value, Kind::Com], result(Kind::Com)),
            Kind::Procedure(vec![Kind::Com], result(Kind::Value)),
            Kind::Procedure(vec![Kind::Com], result(Kind::Place(2))),
            Kind::Procedure(vec![Kind::Array], result(Kind::Value)),
            Kind::Procedure(vec![Kind::Com, Kind::Value], result(Kind::Value)),
        ];
        let inner = choices[self.random.below(3)].clone();
        choices.push(Kind::Procedure(vec![inner], result(Kind::Com)));
        choices[self.random.below(choices.len())].clone()
    }

    /// `p : T = M`, or `p(x : A) : T = M`, with random ranges in `T`; and what `p` is known as behind it.
    fn binding(&mut self, name: &str, kind: &Kind, size: usize) -> (String, Kind) {
        if let Kind::Procedure(arguments, result) = kind
            && arguments.len() > 1
            && self.random.one_in(2)
        {
            let parameter = self.fresh("p");
            let (written, first) = self.ranged(&arguments[0]);
            let rest = Kind::Procedure(arguments[1..].to_vec(), result.clone());
            let (ty, known) = self.ranged(&rest);
            let before = self.known.len();
            self.known.push((parameter.clone(), first.clone()));
            let body = self.body(&rest, size);
            self.known.truncate(before);
            let Kind::Procedure(mut known, result) = known else { unreachable!("it stays a procedure") };
            known.insert(0, first);
            let known = Kind::Procedure(known, result);
            return (format!("{name}({parameter} : {written}) : {ty} = {body}"), known);
        }
        let (ty, known) = self.ranged(kind);
        (format!("{name} : {ty} = {}", self.body(kind, size)), known)
    }

    /// What is defined: with ranges of its own, or a name that is known already, or something computed.
    fn body(&mut self, kind: &Kind, size: usize) -> String {
        match self.random.below(6) {
            0 if size > 1 => format!("{{ {}; {} }}", self.command(size / 2), self.argument(kind, size / 2)),
            _ => match self.argument(kind, size) {
                text if matches!(kind, Kind::Procedure(..)) => text,
                text => format!("({text})"),
            },
        }
    }

    /// A conditional of two procedures of a value: one takes more and gives less, so it can stand for the other.
    pub(super) fn conditional(&mut self, result: &Kind, size: usize) -> String {
        let half = size / 2;
        let mut branches = Vec::new();
        for (takes, gives) in [("int%3", "int%5"), ("int%4", "int%2")] {
            let name = self.fresh("p");
            self.known.push((name.clone(), Kind::Value));
            let body = match result {
                Kind::Value => format!("(new {gives} z := {} in !z)", self.value(half)),
                // A branch that never gives control back would not have the type of a command.
                kind => format!("(if 1 then {} else skip)", self.argument(kind, half)),
            };
            self.known.pop();
            branches.push(format!("(fun {name} : {takes} . {body})"));
        }
        if self.random.one_in(2) {
            branches.reverse();
        }
        format!("(if {} then {} else {})", self.value(half / 2), branches[0], branches[1])
    }

    /// A type of a kind, with random ranges, and the kind with these.
    fn ranged(&mut self, kind: &Kind) -> (String, Kind) {
        let (range, values) = RANGES[self.random.below(RANGES.len())];
        match kind {
            Kind::Value => (range.into(), Kind::Value),
            Kind::Place(_) => (format!("var {range}"), Kind::Place(values)),
            Kind::Com | Kind::Array => (ty(kind), kind.clone()),
            Kind::Procedure(arguments, result) => {
                let mut text = String::new();
                let mut known = Vec::new();
                for argument in arguments {
                    let (ty, kind) = self.ranged(argument);
                    let arrow = if matches!(kind, Kind::Procedure(..)) {
                        format!("({ty}) -> ")
                    } else {
                        format!("{ty} -> ")
                    };
                    text += &arrow;
                    known.push(kind);
                }
                let (ty, result) = self.ranged(result);
                (text + &ty, Kind::Procedure(known, Box::new(result)))
            }
        }
    }

    /// A command that uses a name, so that what it gives can be seen.
    fn used(&mut self, name: &str, kind: &Kind, size: usize) -> String {
        match kind {
            Kind::Com => name.into(),
            Kind::Value => format!("{} := {name}", self.place(0, 3)),
            Kind::Place(k) if self.random.one_in(2) => {
                format!("({name}) := {}", self.random.below(1 + *k))
            }
            Kind::Place(_) => format!("assert({name} < 2)"),
            Kind::Array => format!("{name}[0] := 1"),
            Kind::Procedure(arguments, result) => {
                let share = size / arguments.len().max(1);
                let given: Vec<_> = arguments
                    .iter()
                    .map(|kind| match kind {
                        // Numbers that many ranges do not hold.
                        Kind::Value if self.random.one_in(2) => self.random.below(7).to_string(),
                        _ => self.argument(kind, share),
                    })
                    .collect();
                let call = format!("{name}({})", given.join(", "));
                match &**result {
                    Kind::Value => match self.random.below(3) {
                        0 => format!("if {call} = {} then abort", self.random.below(5)),
                        _ => format!("{} := {call}", self.place(0, 3)),
                    },
                    Kind::Place(_) => format!("{call} := {}", self.random.below(6)),
                    _ => call,
                }
            }
        }
    }
}
