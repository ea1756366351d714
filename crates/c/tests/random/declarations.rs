//! The file level of a random program: types, data, functions.

use super::{Program, Scope, Shape, Signature, Variable};

impl Program {
    /// The whole file.
    pub(super) fn file(&mut self) {
        self.types();
        self.rest();
    }

    /// Types.
    pub(super) fn types(&mut self) {
        let (e, s, word) = (self.named("e"), self.named("s"), self.named("word"));
        let [one, ten, far, below, above] =
            ["ONE", "TEN", "FAR", "BELOW", "ABOVE"].map(|name| self.named(name));
        self.line(format!("enum {e} {{ {one} = 1, {ten} = 10, {far} = 1000 }};"));
        self.line(format!("enum {s} {{ {below} = -3, {above} }};"));
        let ty = self.ty().name;
        self.line(format!("typedef {ty} {word};"));
        self.structures();
    }

    fn rest(&mut self) {
        for n in 0..1 + self.random.below(3) {
            let signature = self.signature(&format!("ask{n}"), 3);
            self.line(format!("extern {};", signature.declaration()));
            self.imports.push(signature);
        }
        for _ in 0..3 + self.random.below(5) {
            let shape = self.data("static ", true);
            self.globals.push(shape);
        }
        for _ in 0..self.random.below(3) {
            let constant = self.data("static const ", true);
            self.globals.push(Variable { fixed: true, ..constant });
        }
        for n in 0..1 + self.random.below(2) {
            self.pure_function(n);
        }
        self.taker();
        for n in 0..2 {
            self.alike(n);
        }
        self.table();
        for n in 0..1 + self.random.below(3) {
            self.private_function(n);
        }
        if self.random.one_in(2) {
            self.recursive_function();
        }
        for n in 0..2 + self.random.below(2) {
            let signature = self.signature(&format!("run{n}"), 4);
            self.exported(signature);
        }
        self.dump();
    }

    pub(super) fn signature(&mut self, name: &str, most: usize) -> Signature {
        let result = if self.random.one_in(4) { None } else { Some(self.ty()) };
        let parameters = (0..self.random.below(most)).map(|_| self.ty()).collect();
        Signature { name: self.named(name), result, parameters }
    }

    fn structures(&mut self) {
        for n in 0..2 {
            let name = format!("struct {}", self.named(["pair", "box"][n]));
            let mut members = Vec::new();
            self.open(format!("{name} {{"));
            for m in 0..2 + self.random.below(2) {
                let member = format!("{}{m}", ["m", "b"][n]);
                let ty = self.type_name();
                match self.random.below(4) {
                    0 => {
                        self.line(format!("{ty} {member}[3];"));
                        members.push((member, Shape::Array(3, Box::new(Shape::Scalar))));
                    }
                    1 if n == 1 => {
                        let (inner, shape) = self.structs[0].clone();
                        self.line(format!("{inner} {member};"));
                        members.push((member, shape));
                    }
                    2 if n == 1 => {
                        let (inner, shape) = self.structs[0].clone();
                        self.line(format!("{inner} {member}[2];"));
                        members.push((member, Shape::Array(2, Box::new(shape))));
                    }
                    // The first member has a size.
                    _ if !self.pointed && m > 0 && self.random.one_in(3) => {
                        let (ty, most) = [("unsigned", 32), ("int", 32), ("signed", 32), ("_Bool", 1)]
                            [self.random.below(4)];
                        // gcc does not see that `++` of an unsigned field of 31 bits, which becomes `int`, overflows.
                        let width = match 1 + self.random.below(most) {
                            31 if ty == "unsigned" => 30,
                            width => width,
                        };
                        self.line(format!("{ty} {member} : {width};"));
                        members.push((member, Shape::Bits));
                    }
                    _ => {
                        self.line(format!("{ty} {member};"));
                        members.push((member, Shape::Scalar));
                    }
                }
            }
            self.close("};");
            self.structs.push((name, Shape::Struct(members)));
        }
        if self.pointed {
            return;
        }
        let name = self.named("either");
        let members: Vec<String> = (0..3).map(|n| format!("{} u{n};", self.type_name())).collect();
        self.line(format!("union {name} {{ {} }};", members.join(" ")));
    }

    /// Declares an object. All of it has a value.
    pub(super) fn data(&mut self, storage: &str, constant: bool) -> Variable {
        let name = match constant {
            true => {
                let fresh = self.fresh("g");
                self.named(&fresh)
            }
            false => self.fresh("v"),
        };
        let ty = self.type_name();
        let (before, after, shape) = match self.random.below(8) {
            0 => (ty, "[4]".into(), Shape::Array(4, Box::new(Shape::Scalar))),
            1 => {
                let n = 1 + self.random.below(5);
                (ty, format!("[{n}]"), Shape::Array(n, Box::new(Shape::Scalar)))
            }
            2 => {
                let inner = Shape::Array(3, Box::new(Shape::Scalar));
                (ty, "[2][3]".into(), Shape::Array(2, Box::new(inner)))
            }
            3 | 4 => {
                let (name, shape) = self.structs[self.random.below(2)].clone();
                match self.random.below(3) {
                    0 => (name, "[2]".into(), Shape::Array(2, Box::new(shape))),
                    _ => (name, String::new(), shape),
                }
            }
            _ => (ty, String::new(), Shape::Scalar),
        };
        let static_default = storage.starts_with("static") && self.random.one_in(3);
        let initialiser = match static_default {
            true => String::new(),
            false => format!(" = {}", self.initialiser(&shape, true)),
        };
        self.line(format!("{storage}{before} {name}{after}{initialiser};"));
        Variable { name, shape, fixed: false }
    }

    /// An initialiser, of which parts may be missing, in braces that may be missing.
    fn initialiser(&mut self, shape: &Shape, outermost: bool) -> String {
        match shape {
            Shape::Scalar | Shape::Bits => match self.random.below(4) {
                0 => format!("-{}", 1 + self.random.below(9)),
                1 => format!("({})(1 + {})", self.type_name(), self.random.below(300)),
                _ => self.constant(),
            },
            Shape::Array(length, inner) => {
                let mut parts = Vec::new();
                let mut n = 0;
                while n < *length && (n == 0 || !self.random.one_in(5)) {
                    let part = self.initialiser(inner, false);
                    let designated = outermost && self.random.one_in(4);
                    if designated {
                        n = self.random.below(*length);
                        parts.push(format!("[{n}] = {part}"));
                    } else {
                        parts.push(part);
                    }
                    n += 1;
                }
                self.braces(parts)
            }
            Shape::Struct(members) => {
                let mut parts = Vec::new();
                if self.random.one_in(3) {
                    for (member, inner) in members.clone() {
                        if self.random.one_in(4) && !parts.is_empty() {
                            continue;
                        }
                        let part = self.initialiser(&inner, false);
                        parts.insert(self.random.below(parts.len() + 1), format!(".{member} = {part}"));
                    }
                } else {
                    for (_, inner) in members.clone() {
                        if self.random.one_in(5) && !parts.is_empty() {
                            break;
                        }
                        parts.push(self.initialiser(&inner, false));
                    }
                }
                self.braces(parts)
            }
        }
    }

    fn braces(&mut self, parts: Vec<String>) -> String {
        let comma = if self.random.one_in(5) { "," } else { "" };
        format!("{{ {}{comma} }}", parts.join(", "))
    }

    fn parameters(&mut self, count: usize) -> (String, Vec<Variable>) {
        let mut texts = Vec::new();
        let mut variables = Vec::new();
        for n in 0..count {
            let name = format!("p{n}");
            texts.push(format!("{} {name}", self.type_name()));
            variables.push(Variable { name, shape: Shape::Scalar, fixed: false });
        }
        let text = if texts.is_empty() { "void".into() } else { texts.join(", ") };
        (text, variables)
    }

    pub(super) fn pure_function(&mut self, n: usize) {
        let (name, count) = (self.named(&format!("pure{n}")), 1 + self.random.below(2));
        let (parameters, variables) = self.parameters(count);
        let ty = self.type_name();
        self.open(format!("static {ty} {name}({parameters}) {{"));
        let scope = Scope { variables, pure: true, ..Scope::default() };
        let value = self.total(&scope, 2);
        self.line(format!("return {value};"));
        self.close("}");
        self.pure.push((name, count));
    }

    /// An expression that never fails.
    pub(super) fn total(&mut self, scope: &Scope, depth: usize) -> String {
        if depth == 0 {
            return if self.random.one_in(3) { self.constant() } else { self.read(scope, 0) };
        }
        let (a, b) = (self.total(scope, depth - 1), self.total(scope, depth - 1));
        match self.random.below(5) {
            0 => format!("({a} < {b})"),
            1 => format!("({a} >> ({b} & 7))"),
            2 => format!("({a} / (({b} & 15) + 1))"),
            3 => format!("({a} ? {b} : {a} ^ {b})"),
            _ => format!("(({a} & 1023) + ({b} & 255))"),
        }
    }

    /// Functions that take a struct, and one of them gives one. They change what they were given, which is their own.
    fn taker(&mut self) {
        let name = self.named("take");
        let (ty, shape) = self.structs[0].clone();
        let number = self.type_name();
        let result = self.type_name();
        self.open(format!("static {result} {name}({number} p0, {ty} p1) {{"));
        let p0 = Variable { name: "p0".into(), shape: Shape::Scalar, fixed: false };
        let p1 = Variable { name: "p1".into(), shape, fixed: false };
        let scope = Scope { variables: vec![p0, p1], pure: true, ..Scope::default() };
        for _ in 0..2 {
            if let Some((place, _)) = self.place(&scope, 0) {
                let value = self.total(&scope, 1);
                self.line(format!("{place} = {value};"));
            }
        }
        let value = self.read(&scope, 0);
        self.line(format!("return {value};"));
        self.close("}");
        let make = self.named("make");
        self.open(format!("static {ty} {make}({number} p0, {ty} p1) {{"));
        if let Some((place, _)) = self.place(&scope, 0) {
            let value = self.total(&scope, 1);
            self.line(format!("{place} = {value};"));
        }
        if self.random.one_in(3) {
            self.line(format!("{ty} r = p1;"));
            self.line("return r;");
        } else {
            self.line("return p1;");
        }
        self.close("}");
    }

    /// A function of the type of the table.
    fn alike(&mut self, n: usize) {
        let name = self.named(&format!("alike{n}"));
        self.open(format!("static int {name}(int p0) {{"));
        let variables = vec![Variable { name: "p0".into(), shape: Shape::Scalar, fixed: false }];
        let scope = Scope { variables, result: None, ..Scope::default() };
        self.statement(&scope, 0);
        let value = self.expression(&scope, 1);
        self.line(format!("return {value};"));
        self.close("}");
        self.alike.push(name);
    }

    fn table(&mut self) {
        let (ty, table) = (self.named("fn"), self.named("table"));
        self.line(format!("typedef int (*{ty})(int);"));
        let (a, b) = (self.alike[0].clone(), self.alike[1].clone());
        let entries = ["0", &a, &format!("&{b}")].map(String::from);
        let [x, y] = [(); 2].map(|()| entries[1 + self.random.below(2)].clone());
        let z = entries[self.random.below(3)].clone();
        self.line(format!("static {ty} {table}[3] = {{ {x}, {y}, {z} }};"));
        let apply = self.named("apply");
        self.open(format!("static long {apply}({ty} f, int n) {{"));
        self.line("if (!f) return -1;");
        self.line("return n > 0 ? f(n) : (*f)(-1);");
        self.close("}");
    }

    fn private_function(&mut self, n: usize) {
        let (name, count) = (self.named(&format!("private{n}")), self.random.below(4));
        let (parameters, variables) = self.parameters(count);
        let gives = !self.random.one_in(4);
        let ty = if gives { self.type_name() } else { "void".into() };
        self.open(format!("static {ty} {name}({parameters}) {{"));
        let result = if gives { Some(super::TYPES[6]) } else { None };
        self.body(Scope { variables, result: Some(result), ..Scope::default() }, 3);
        self.close("}");
        self.private.push((name, count, gives));
    }

    fn recursive_function(&mut self) {
        let name = self.named("again");
        let other = self.named("other");
        let (t, u) = (self.ty().name, self.ty().name);
        self.line(format!("static {t} {other}(int n, {u} p1);"));
        for (own, callee) in [(name.clone(), other.clone()), (other, name.clone())] {
            self.open(format!("static {t} {own}(int n, {u} p1) {{"));
            self.line("if (n <= 0 || n > 4) return p1;");
            let n = Variable { name: "n".into(), shape: Shape::Scalar, fixed: true };
            let p1 = Variable { name: "p1".into(), shape: Shape::Scalar, fixed: false };
            let scope = Scope { variables: vec![n, p1], ..Scope::default() };
            self.statement(&scope, 1);
            let argument = self.expression(&scope, 1);
            self.line(format!("{t} r = {callee}(n - 1, {argument});"));
            self.statement(&scope, 0);
            let value = self.expression(&scope, 1);
            self.line(format!("return r ^ ({value});"));
            self.close("}");
        }
        self.private.push((name, 2, true));
    }

    pub(super) fn exported(&mut self, signature: Signature) {
        self.open(format!("{} {{", signature.declaration()));
        let variable = |n| Variable { name: format!("p{n}"), shape: Shape::Scalar, fixed: false };
        let variables = (0..signature.parameters.len()).map(variable).collect();
        self.body(Scope { variables, result: Some(signature.result), ..Scope::default() }, 4);
        self.close("}");
        self.exports.push(signature);
    }

    /// Statements, a label, and an end.
    pub(super) fn body(&mut self, mut scope: Scope, most: usize) {
        let out = if self.random.one_in(3) { Some(self.fresh("out")) } else { None };
        scope.out = out.clone();
        // Nothing is declared behind the first jump to the end that the end would need.
        let end = scope.clone();
        if self.random.one_in(4) {
            let counter = self.data("static ", false);
            scope.variables.push(counter);
        }
        self.open("{");
        for _ in 0..1 + self.random.below(most) {
            self.local(&mut scope);
            self.statement(&scope, 2);
        }
        self.close("}");
        if let Some(out) = out {
            self.line(format!("{out}:;"));
        }
        if let Some(Some(_)) = end.result {
            let value = self.expression(&end, 2);
            self.line(format!("return {value};"));
        }
    }

    /// An export that gives a checksum of all data.
    pub(super) fn dump(&mut self) {
        let signature =
            Signature { name: self.named("dump"), result: Some(super::TYPES[11]), parameters: vec![] };
        self.open(format!("{} {{", signature.declaration()));
        self.line("unsigned long long h = 17;");
        for variable in self.globals.clone() {
            self.sum(&variable.name, &variable.shape);
        }
        if self.pointed {
            self.pointed_sum();
        }
        self.line("return h;");
        self.close("}");
        self.exports.push(signature);
    }

    fn sum(&mut self, place: &str, shape: &Shape) {
        match shape {
            Shape::Scalar | Shape::Bits => self.line(format!("h = h * 31 + (unsigned long long)({place});")),
            Shape::Array(length, inner) => {
                let i = self.fresh("i");
                self.open(format!("for (int {i} = 0; {i} < {length}; {i}++) {{"));
                self.sum(&format!("{place}[{i}]"), inner);
                self.close("}");
            }
            Shape::Struct(members) => {
                for (member, inner) in members {
                    self.sum(&format!("{place}.{member}"), inner);
                }
            }
        }
    }
}
