//! Random statements, and expressions with effects.

use super::{Program, Scope, Shape, Variable};

impl Program {
    /// Declares a local, perhaps.
    pub(super) fn local(&mut self, scope: &mut Scope) {
        if self.pointed && self.random.one_in(2) {
            return self.pointed_local(scope);
        }
        match self.random.below(4) {
            0 => {
                let variable = self.data("", false);
                scope.variables.push(variable);
            }
            1 => {
                let (ty, name) = (self.type_name(), self.fresh("v"));
                let value = self.expression(scope, 2);
                self.line(format!("{ty} {name} = {value};"));
                scope.variables.push(Variable { name, shape: Shape::Scalar, fixed: false });
            }
            2 if self.random.one_in(2) => {
                // It is set on every way.
                let (ty, name) = (self.type_name(), self.fresh("v"));
                let [c, a, b] = [(); 3].map(|()| self.expression(scope, 1));
                self.line(format!("{ty} {name};"));
                match self.random.below(3) {
                    0 => {
                        self.line(format!("if ({c})"));
                        self.line(format!("    {name} = {a};"));
                        self.line("else");
                        self.line(format!("    {name} = {b};"));
                    }
                    1 => {
                        self.line(format!("switch ({c}) {{"));
                        self.line("case 1:");
                        self.line(format!("    {name} = {a};"));
                        self.line("    break;");
                        self.line("default:");
                        self.line(format!("    {name} = {b};"));
                        self.line("}");
                    }
                    _ => self.line(format!("do {name} = {a}; while (0);")),
                }
                scope.variables.push(Variable { name, shape: Shape::Scalar, fixed: false });
            }
            _ => {}
        }
    }

    /// A block of statements.
    fn block(&mut self, scope: &Scope, depth: usize) {
        let mut scope = scope.clone();
        for _ in 0..1 + self.random.below(3) {
            if self.random.one_in(3) {
                self.local(&mut scope);
            }
            self.statement(&scope, depth);
        }
    }

    fn branch(&mut self, head: String, scope: &Scope, depth: usize) {
        self.open(format!("{head} {{"));
        self.block(scope, depth);
        self.close("}");
    }

    /// A statement.
    pub(super) fn statement(&mut self, scope: &Scope, depth: usize) {
        if depth == 0 {
            return self.simple(scope);
        }
        let d = depth - 1;
        match self.random.below(18) {
            0 | 1 => {
                let condition = self.condition(scope);
                self.branch(format!("if ({condition})"), scope, d);
                if self.random.one_in(2) {
                    self.branch("else".into(), scope, d);
                }
            }
            2 if scope.loops < 2 => {
                let (ty, i) = (
                    ["int", "unsigned char", "long", "short", "unsigned"][self.random.below(5)],
                    self.fresh("i"),
                );
                let most = 1 + self.random.below(4);
                let head = match self.random.below(3) {
                    0 => format!("for ({ty} {i} = {most}; {i} > 0; --{i})"),
                    1 => format!("for ({ty} {i} = 0, z{i} = 1; {i} < {most}; {i} += z{i})"),
                    _ => format!("for ({ty} {i} = 0; {i} < {most}; {i}++)"),
                };
                self.iterate(head, "}".into(), i, scope, d);
            }
            3 if scope.loops < 2 => {
                let (fuel, most) = (self.fresh("w"), 1 + self.random.below(4));
                self.open("{");
                self.line(format!("int {fuel} = {most};"));
                let condition = self.condition(scope);
                match self.random.below(3) {
                    0 => {
                        let tail = format!("}} while (--{fuel} > 0 && ({condition}));");
                        self.iterate("do".into(), tail, fuel, scope, d);
                    }
                    1 => {
                        let head = format!("for (; {fuel}-- > 0 && ({condition}); )");
                        self.iterate(head, "}".into(), fuel, scope, d);
                    }
                    _ => {
                        let head = format!("while ({fuel}-- > 0 && ({condition}))");
                        self.iterate(head, "}".into(), fuel, scope, d);
                    }
                }
                self.close("}");
            }
            4 | 5 => self.switch(scope, d),
            6 => {
                let label = self.fresh("l");
                let condition = self.condition(scope);
                match self.random.below(2) {
                    0 => {
                        self.line(format!("if ({condition}) goto {label};"));
                        self.open("{");
                        self.block(scope, d);
                        self.close("}");
                        self.line(format!("{label}:"));
                        self.simple(scope);
                    }
                    _ if scope.loops < 2 => {
                        let fuel = self.fresh("w");
                        self.open("{");
                        self.line(format!("int {fuel} = 2;"));
                        self.line(format!("{label}:;"));
                        let mut inner = scope.clone();
                        inner.loops += 1;
                        self.open("{");
                        self.block(&inner, d);
                        self.close("}");
                        self.line(format!("if ({fuel}-- > 0 && ({condition})) goto {label};"));
                        self.close("}");
                    }
                    _ => self.simple(scope),
                }
            }
            7 => {
                self.open("{");
                self.block(scope, d);
                self.close("}");
            }
            8 => self.leave(scope),
            9 if !self.alike.is_empty() => self.table_use(scope),
            10 if !self.alike.is_empty() => self.whole(scope),
            11 if !self.pointed => self.union_use(scope),
            _ => self.simple(scope),
        }
    }

    fn iterate(&mut self, head: String, tail: String, counter: String, scope: &Scope, depth: usize) {
        let mut inner = scope.clone();
        (inner.in_loop, inner.loops) = (true, scope.loops + 1);
        inner.in_switch = false;
        if !tail.contains("while") {
            inner.variables.push(Variable { name: counter, shape: Shape::Scalar, fixed: true });
        }
        self.open(format!("{head} {{"));
        self.block(&inner, depth);
        self.close(tail);
    }

    fn switch(&mut self, scope: &Scope, depth: usize) {
        let value = self.expression(scope, 2);
        let value = if self.random.one_in(2) { format!("({value}) & 7") } else { value };
        let mut labels = vec!["0", "1", "2", "'\\003'", "4 + 1", "6u", "-1", "255", "0x100", "2147483647"];
        let inner = Scope { in_switch: true, ..scope.clone() };
        let mut default = self.random.below(5);
        self.line(format!("switch ({value}) {{"));
        for n in 0..2 + self.random.below(3) {
            if n == default {
                self.line("default:");
                default = usize::MAX;
            }
            if n != default {
                let label = labels.remove(self.random.below(labels.len()));
                self.line(format!("case {label}:"));
            }
            self.open("{");
            self.block(&inner, depth);
            self.close("}");
            if !self.random.one_in(3) {
                self.line("    break;");
            }
        }
        self.line("}");
    }

    /// A way out.
    fn leave(&mut self, scope: &Scope) {
        let condition = self.condition(scope);
        match self.random.below(4) {
            0 if scope.in_loop => self.line(format!("if ({condition}) continue;")),
            1 if scope.in_loop || scope.in_switch => self.line(format!("if ({condition}) break;")),
            2 if scope.out.is_some() => {
                let out = scope.out.clone().unwrap_or_default();
                self.line(format!("if ({condition}) goto {out};"));
            }
            _ => match scope.result {
                Some(Some(_)) => {
                    let value = self.expression(scope, 1);
                    self.line(format!("if ({condition}) return {value};"));
                }
                Some(None) => self.line(format!("if ({condition}) return;")),
                None => self.simple(scope),
            },
        }
    }

    fn table_use(&mut self, scope: &Scope) {
        let (table, apply) = (self.named("table"), self.named("apply"));
        let index = self.index(scope, 3, 1);
        let function = self.alike[self.random.below(self.alike.len())].clone();
        let inside = self.private.is_empty();
        match self.random.below(4) {
            0 => {
                let condition = self.condition_without_effects(scope);
                self.line(format!("{table}[{index}] = {condition} ? {function} : {table}[0];"));
            }
            1 => {
                let (yes, no) = (self.constant(), self.constant());
                if let Some((place, _)) = self.place(scope, 0) {
                    self.line(format!("{place} = {table}[{index}] == {function} ? {yes} : {no};"));
                }
            }
            // The functions of the table may not call through it.
            _ if inside => self.simple(scope),
            2 => {
                // Either of two things that fail may be reported.
                let argument = self.total(scope, 1);
                let index = if self.random.one_in(20) { self.expression(scope, 1) } else { index };
                let to = self.scalar(scope);
                self.line(format!("{to}{table}[{index}]({argument});"));
            }
            _ => {
                let argument = self.expression(scope, 1);
                let to = self.scalar(scope);
                self.line(format!("{to}{apply}({table}[{index}], {argument});"));
            }
        }
    }

    /// Copies an object of a struct type.
    fn whole(&mut self, scope: &Scope) {
        let n = self.random.below(2);
        let wanted = self.structs[n].1.clone();
        let all = self.objects(scope, &wanted);
        let places: Vec<&String> = all.iter().filter(|(_, fixed)| !fixed).map(|(place, _)| place).collect();
        if places.is_empty() {
            return self.simple(scope);
        }
        let to = places[self.random.below(places.len())].clone();
        let from = all[self.random.below(all.len())].0.clone();
        if n == 1 || self.random.one_in(2) {
            return self.line(format!("{to} = {from};"));
        }
        let (make, value) = (self.named("make"), self.expression(scope, 1));
        self.line(format!("{to} = {make}({value}, {from});"));
    }

    /// A union, each member of which is read after it was written and before another one is.
    fn union_use(&mut self, scope: &Scope) {
        let (union, name) = (self.named("either"), self.fresh("u"));
        self.open("{");
        let designated = self.random.below(3);
        let first = self.constant();
        self.line(format!("union {union} {name} = {{ .u{designated} = {first} }};"));
        let mut last = (name.clone(), designated);
        for _ in 0..1 + self.random.below(3) {
            let mut inner = scope.clone();
            let (object, member) = last.clone();
            let variable = format!("{object}.u{member}");
            inner.variables.push(Variable { name: variable, shape: Shape::Scalar, fixed: false });
            self.simple(&inner);
            let value = self.expression(&inner, 2);
            match self.random.below(3) {
                0 => {
                    let copy = self.fresh("u");
                    self.line(format!("union {union} {copy} = {object};"));
                    last = (copy, member);
                }
                n => {
                    let member = (member + n) % 3;
                    self.line(format!("{object}.u{member} = {value};"));
                    last = (object, member);
                }
            }
        }
        let to = self.scalar(scope);
        self.line(format!("{to}{}.u{};", last.0, last.1));
        self.close("}");
    }

    /// All places of a shape, with whether they are fixed.
    pub(super) fn objects(&mut self, scope: &Scope, wanted: &Shape) -> Vec<(String, bool)> {
        let all: Vec<Variable> = self.readable(scope);
        let mut found = Vec::new();
        for variable in all {
            self.objects_in(scope, variable.name, &variable.shape, variable.fixed, wanted, &mut found);
        }
        found
    }

    fn objects_in(
        &mut self,
        scope: &Scope,
        place: String,
        shape: &Shape,
        fixed: bool,
        wanted: &Shape,
        found: &mut Vec<(String, bool)>,
    ) {
        if shape == wanted {
            return found.push((place, fixed));
        }
        match shape {
            Shape::Scalar | Shape::Bits => {}
            Shape::Array(length, inner) => {
                let index = self.index(scope, *length, 1);
                self.objects_in(scope, format!("{place}[{index}]"), inner, fixed, wanted, found);
            }
            Shape::Struct(members) => {
                for (member, inner) in members {
                    self.objects_in(scope, format!("{place}.{member}"), inner, fixed, wanted, found);
                }
            }
        }
    }

    /// A statement that may fail.
    fn risky(&mut self, scope: &Scope) {
        let (value, amount) = (self.expression(scope, 1), self.expression(scope, 1));
        let Some((to, _)) = self.place(scope, 0) else { return self.line(";") };
        let line = match self.random.below(6) {
            0 => format!("{to} = ({value}) / ({amount});"),
            1 => format!("{to} = ({value}) % ({amount});"),
            2 => format!("{to} = ({value}) << ({amount});"),
            3 => format!("{to} = ({value}) >> (({amount}) & 63);"),
            n => {
                self.risk = true;
                let found = self.place(scope, 1);
                self.risk = false;
                let Some((place, _)) = found else { return self.line(";") };
                // Either of two things that fail may be reported.
                let value = self.total(scope, 1);
                if n == 4 { format!("{place} = {value};") } else { format!("{to} = {place};") }
            }
        };
        self.line(line);
    }

    /// A statement without parts that are statements.
    fn simple(&mut self, scope: &Scope) {
        if self.pointed && !self.random.one_in(3) {
            return self.alias(scope);
        }
        if self.random.one_in(if self.pointed { 100 } else { 16 }) {
            return self.risky(scope);
        }
        let Some((place, name)) = self.place(scope, 1) else { return self.line(";") };
        match self.random.below(12) {
            0 => {
                let text = ["++", "--"][self.random.below(2)];
                let before = self.random.one_in(2);
                self.line(if before { format!("{text}{place};") } else { format!("{place}{text};") });
            }
            1 => self.assign_with(scope, &place),
            2 => self.assign_with(scope, &place),
            3 | 4 => self.effect(scope, &name),
            5 | 6 => self.call(scope),
            7 => self.chain(scope, &name),
            _ => {
                let value = self.expression(scope, 3);
                self.line(format!("{place} = {value};"));
            }
        }
    }

    fn assign_with(&mut self, scope: &Scope, place: &str) {
        let value = self.expression(scope, 2);
        let operator = ["+=", "-=", "*=", "&=", "|=", "^=", "/=", "%=", "<<=", ">>="][self.random.below(10)];
        let value = match operator {
            "/=" | "%=" if !self.random.one_in(40) => format!("({value}) | 1"),
            "<<=" | ">>=" if !self.random.one_in(40) => {
                format!("({value}) & {}", [7, 15, 31][self.random.below(3)])
            }
            _ => value,
        };
        self.line(format!("{place} {operator} {value};"));
    }

    fn condition_without_effects(&mut self, scope: &Scope) -> String {
        self.expression(scope, 2)
    }

    /// A condition, perhaps one with an effect.
    fn condition(&mut self, scope: &Scope) -> String {
        if !self.random.one_in(5) {
            return self.condition_without_effects(scope);
        }
        self.sequenced(scope, &[])
    }

    /// An expression with effects, each behind a sequence point, on other variables than these.
    fn sequenced(&mut self, scope: &Scope, excluded: &[&String]) -> String {
        let mut inner = scope.clone();
        inner.excluded.extend(excluded.iter().map(|name| (*name).clone()));
        let [a, b] = [(); 2].map(|()| self.changing(&inner));
        let c = self.expression(&inner, 1);
        match self.random.below(5) {
            0 => format!("({a} && {b})"),
            1 => format!("({a} || {b})"),
            2 => format!("({a}, {b})"),
            3 => format!("({c} ? {a} : {b})"),
            _ => format!("({a} ? {b} : {c})"),
        }
    }

    /// An expression that changes one variable, which no other part of it mentions.
    fn changing(&mut self, scope: &Scope) -> String {
        let Some((place, name)) = self.place(scope, 0) else { return self.constant() };
        let mut inner = scope.clone();
        inner.excluded.push(name);
        let value = self.expression(&inner, 1);
        match self.random.below(5) {
            0 => format!("({place}++ + ({value}))"),
            1 => format!("(({value}) ^ --{place})"),
            2 => format!("({place} = {value})"),
            3 => format!("({place} += {value})"),
            _ => format!("({value})"),
        }
    }

    fn effect(&mut self, scope: &Scope, name: &String) {
        // The place is read or written after the effects: it may not be changed by them, and depends on nothing.
        let root = self.globals.iter().chain(&scope.variables).find(|variable| variable.name == *name);
        let Some(Variable { shape: Shape::Scalar, .. }) = root else { return self.simple(scope) };
        let value = self.sequenced(scope, &[name]);
        self.line(format!("{name} = {value};"));
    }

    /// `a = b = e`, and an index that moves on.
    fn chain(&mut self, scope: &Scope, name: &String) {
        let mut inner = scope.clone();
        inner.excluded.push(name.clone());
        let root = self.globals.iter().chain(&scope.variables).find(|variable| variable.name == *name);
        let Some(Variable { shape: Shape::Scalar, .. }) = root else { return self.simple(scope) };
        let Some((other, second)) = self.place(&inner, 1) else { return self.simple(scope) };
        inner.excluded.push(second);
        let value = self.expression(&inner, 1);
        match self.random.below(3) {
            0 => self.line(format!("{name} = {other} = {value};")),
            1 => self.line(format!("{name} += {other} -= {value};")),
            _ => self.line(format!("{other} = ({value}) + {name}++;")),
        }
    }

    /// A call of a private function or an import.
    fn call(&mut self, scope: &Scope) {
        let arguments = |program: &mut Program, count: usize| {
            let all: Vec<String> = (0..count).map(|_| program.expression(scope, 1)).collect();
            all.join(", ")
        };
        let (call, gives) = if !self.private.is_empty() && self.random.one_in(2) {
            let (name, count, gives) = self.private[self.random.below(self.private.len())].clone();
            (format!("{name}({})", arguments(self, count)), gives)
        } else {
            let n = self.random.below(self.imports.len());
            let (name, count) = (self.imports[n].name.clone(), self.imports[n].parameters.len());
            (format!("{name}({})", arguments(self, count)), self.imports[n].result.is_some())
        };
        if !gives {
            return self.line(format!("{call};"));
        }
        let condition = self.expression(scope, 1);
        let to = self.scalar(scope);
        match self.random.below(6) {
            0 => self.line(format!("{call};")),
            1 => {
                self.open(format!("if ({condition} && {call}) {{"));
                self.simple(scope);
                self.close("}");
            }
            2 => {
                let value = self.constant();
                self.line(format!("{to}{condition} ? {call} : {value};"));
            }
            3 => self.line(format!("{to}({call}, {condition});")),
            _ => self.line(format!("{to}{call};")),
        }
    }

    /// The beginning of an assignment to what no call moves elsewhere: a variable that is a scalar.
    pub(super) fn scalar(&mut self, scope: &Scope) -> String {
        let scalar = |variable: &&Variable| !variable.fixed && matches!(variable.shape, Shape::Scalar);
        let all: Vec<&Variable> = self.globals.iter().chain(&scope.variables).filter(scalar).collect();
        match all.len() {
            0 => String::new(),
            n => format!("{} = ", all[self.random.below(n)].name),
        }
    }
}
