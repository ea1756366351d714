//! Random programs that do one thing or another, as the order of evaluation is that C leaves open.
//!
//! Effects happen in calls only, so everything is defined: each call is before or after what stands beside it.

use super::types::TYPES;
use super::{Program, Script, Signature};

const INT: super::Type = TYPES[6];

impl Program {
    /// The program of a seed, in which calls stand beside what they change.
    pub fn tangled(seed: u64) -> Program {
        let mut program = Program::empty(seed);
        let [x, y, a, ask, set, run, dump] =
            ["x", "y", "a", "ask", "set", "run", "dump"].map(|name| program.named(name));
        let signature = |name: &str, result, parameters: &[super::Type]| Signature {
            name: name.into(),
            result,
            parameters: parameters.to_vec(),
        };
        program.line(format!("static int {x} = 1, {y} = 2, {a}[3] = {{ 3, 4, 5 }};"));
        let import = signature(&ask, Some(INT), &[INT]);
        program.line(format!("extern {};", import.declaration()));
        program.imports.push(import);
        let bodies = [
            format!("{x} = v & 7; return {y};"),
            format!("{y} = {y} + v & 15; return {x} + 1;"),
            format!("{a}[v & 1] = {x}; return v;"),
            format!("{x}++; {x} &= 15; return {x};"),
        ];
        for (n, body) in bodies.into_iter().enumerate() {
            let name = program.named(&format!("f{n}"));
            program.line(format!("static int {name}(int v) {{ {body} }}"));
        }
        let pair = program.named("pair");
        program.line(format!("static int {pair}(int v, int w) {{ return (v & 15) * 16 + (w & 15); }}"));
        let setter = signature(&set, None, &[INT, INT]);
        program.open(format!("{} {{", setter.declaration()));
        program.line(format!("{x} = p0 & 7;"));
        program.line(format!("{a}[(unsigned)p1 % 3] = p0 & 3;"));
        program.close("}");
        program.exports.push(setter);
        let runner = signature(&run, Some(INT), &[INT]);
        program.open(format!("{} {{", runner.declaration()));
        program.line("int k = 0;");
        for _ in 0..1 + program.random.below(2) {
            let mut calls = 3;
            let value = program.entangled(2, &mut calls);
            let index = format!("({}) & 1", program.entangled(1, &mut calls));
            let other = program.entangled(1, &mut calls);
            let line = match program.random.below(10) {
                0 => format!("{x} = {value};"),
                1 => format!("{x} += {value};"),
                2 => format!("{a}[{index}] = {other};"),
                3 => format!("{a}[{index}] += {other};"),
                4 => format!("{y} = {pair}({index}, {other});"),
                5 => format!("if ({value}) {y} = {x};"),
                6 => format!("p0 = {x} + {other};"),
                7 => format!("{a}[k++ & 1] += {other};"),
                8 => format!("{a}[(k += {other}) & 1] ^= {value};"),
                _ => format!("{y} ^= {a}[{x} & 1] - ({value});"),
            };
            program.line(line);
            program.line(format!("{x} &= 255; {y} &= 255;"));
        }
        program.line(format!("return {x} * 10000 + {y} * 100 + {a}[0] * 10 + {a}[1] + (p0 & 7) + (k & 7);"));
        program.close("}");
        program.exports.push(runner);
        let last = signature(&dump, Some(TYPES[11]), &[]);
        program.open(format!("{} {{", last.declaration()));
        program.line(format!("return {x} + 256 * {y} + 65536 * {a}[0] + 524288 * {a}[1];"));
        program.close("}");
        program.exports.push(last);
        program.script = Script::random(&mut program.random, 2, 4);
        program
    }

    /// An expression with at most so many calls.
    fn entangled(&mut self, depth: usize, calls: &mut usize) -> String {
        let [x, y, a] = ["x", "y", "a"].map(|name| self.named(name));
        if depth == 0 || self.random.one_in(6) {
            return match self.random.below(5) {
                0 => self.random.below(4).to_string(),
                1 => y,
                2 => format!("{a}[{x} & 1]"),
                3 => "p0 % 5".into(),
                _ => x,
            };
        }
        let choice = self.random.below(8);
        if choice < 4 && *calls > 0 {
            *calls -= 1;
            let argument = self.entangled(depth - 1, calls);
            let callee = match choice {
                0 => self.named("ask"),
                _ => {
                    let n = self.random.below(4);
                    self.named(&format!("f{n}"))
                }
            };
            let call = format!("{callee}({argument})");
            let call = if callee.starts_with("ask") { format!("({call} & 3)") } else { call };
            return if self.random.one_in(5) { format!("({call}, {x})") } else { call };
        }
        let (left, right) = (self.entangled(depth - 1, calls), self.entangled(depth - 1, calls));
        let operator = ["+", "-", "*", "^", "<", "=="][self.random.below(6)];
        if self.random.one_in(8) {
            return format!("({left} ? {right} : {x})");
        }
        format!("({left} {operator} {right})")
    }
}
