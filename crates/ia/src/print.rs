//! The pretty-printer: from a tree back to a text that reads as the same tree.

use agon_base::source::Span;

use crate::tree::{
    ArgumentNode, DataKind, DataNode, Declarator, DeclareKind, Item, Node, NodeId, Parameter, Program, Tree,
    TypeKind, TypeNode,
};

mod items;

/// Prints a whole program.
pub fn print(program: &Program) -> String {
    let mut printer = Printer::new(&program.tree);
    for constant in &program.constants {
        printer.word("const ");
        printer.word(&constant.ident.name);
        printer.word(" = ");
        printer.expression(constant.value, 0);
        printer.word(";\n");
    }
    if let Some((mode, _)) = program.mode {
        printer.word(match mode {
            agon_core::term::Mode::Sequential => "sequential\n",
            agon_core::term::Mode::Concurrent => "concurrent\n",
        });
    }
    if let Some(module) = &program.module {
        printer.items(module);
        return printer.text;
    }
    for (n, binding) in program.context.iter().enumerate() {
        if n > 0 {
            printer.word(",\n");
        }
        printer.word(&binding.ident.name);
        printer.word(" : ");
        printer.argument(&binding.argument, false);
    }
    if !program.context.is_empty() {
        printer.word(" |-\n");
    }
    printer.term(program.body);
    printer.word("\n");
    printer.text
}

/// Prints a term on its own, in a form that fits inside parentheses.
pub fn print_term(tree: &Tree, term: NodeId) -> String {
    let mut printer = Printer::new(tree);
    printer.term(term);
    printer.text
}

/// Prints an item of a module, with the semicolon behind it.
pub fn print_item(tree: &Tree, item: &Item) -> String {
    let mut printer = Printer::new(tree);
    printer.item(item);
    printer.word(";\n");
    printer.text
}

/// Terms of at most this many nodes stand on one line.
const SMALL: u32 = 14;

struct Printer<'a> {
    tree: &'a Tree,
    text: String,
    indent: usize,
    /// Inside something that stands on one line.
    flat: bool,
    /// The number of nodes in each subtree that was asked for, to decide what is small.
    sizes: Vec<Option<u32>>,
}

/// How tightly operators of an expression bind; beyond the binary ones come prefixes, then atoms.
const PREFIX: u8 = 8;
const ATOM: u8 = 9;

impl<'a> Printer<'a> {
    fn new(tree: &'a Tree) -> Printer<'a> {
        Printer { tree, text: String::new(), indent: 0, flat: false, sizes: Vec::new() }
    }

    fn word(&mut self, word: &str) {
        self.text.push_str(word);
    }

    fn newline(&mut self) {
        if self.flat {
            self.word(" ");
        } else {
            self.word("\n");
            self.word(&"  ".repeat(self.indent.min(40)));
        }
    }

    fn size(&mut self, id: NodeId) -> u32 {
        if let Some(Some(size)) = self.sizes.get(id.index()) {
            return *size;
        }
        let mut children = Vec::new();
        self.tree.node(id).map(&mut |child| {
            children.push(child);
            child
        });
        let size = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            children.iter().fold(1u32, |sum, child| sum.saturating_add(self.size(*child)))
        });
        if self.sizes.len() <= id.index() {
            self.sizes.resize(id.index() + 1, None);
        }
        self.sizes[id.index()] = Some(size);
        size
    }

    /// Prints on one line if it is small.
    fn fitting(&mut self, id: NodeId, print: impl FnOnce(&mut Self)) {
        let before = self.flat;
        self.flat = before || self.size(id) <= SMALL;
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || print(self));
        self.flat = before;
    }

    /// A term, up to the end of its block.
    fn term(&mut self, id: NodeId) {
        self.fitting(id, |printer| match printer.tree.node(id) {
            Node::Sequence(parts) => {
                for (n, part) in parts.iter().enumerate() {
                    let last = n + 1 == parts.len();
                    if last {
                        printer.term(*part)
                    } else {
                        printer.part(*part)
                    }
                    if !last {
                        printer.word(";");
                        printer.newline();
                    }
                }
            }
            Node::Declare { kind, variables, body } => {
                printer.declaration(kind, variables);
                printer.word(";");
                printer.newline();
                printer.term(*body);
            }
            Node::New { data, variable, body } => {
                printer.word("new ");
                printer.data(data);
                printer.word(" ");
                printer.declarator(variable, " := ");
                printer.word(" in");
                printer.newline();
                printer.term(*body);
            }
            Node::Let { ident, parameters, result, definition, body } => {
                printer.word("let ");
                printer.word(&ident.name);
                if !parameters.is_empty() {
                    printer.word("(");
                    printer.parameters(parameters);
                    printer.word(")");
                }
                if let Some(result) = result {
                    printer.word(" : ");
                    printer.ty(result);
                }
                printer.word(" = ");
                printer.statement(*definition);
                printer.word(" in");
                printer.newline();
                printer.term(*body);
            }
            Node::WithPredicate(predicate, body) => {
                printer.word("letp ");
                printer.statement(*predicate);
                printer.word(" in");
                printer.newline();
                printer.term(*body);
            }
            _ => printer.part(id),
        });
    }

    /// One part of a sequence: statements side by side.
    fn part(&mut self, id: NodeId) {
        match self.tree.node(id) {
            Node::Parallel(parts) => self.fitting(id, |printer| {
                for (n, part) in parts.iter().enumerate() {
                    if n > 0 {
                        printer.newline();
                        printer.word("|| ");
                    }
                    printer.statement(*part);
                }
            }),
            _ => self.statement(id),
        }
    }

    /// One statement; what would reach further than it should stands in braces.
    fn statement(&mut self, id: NodeId) {
        self.fitting(id, |printer| printer.statement_here(id));
    }

    fn statement_here(&mut self, id: NodeId) {
        match self.tree.node(id) {
            Node::Sequence(_)
            | Node::Parallel(_)
            | Node::Declare { .. }
            | Node::New { .. }
            | Node::Let { .. }
            | Node::WithPredicate(..) => self.braces(id),
            Node::If(guard, yes, no) => {
                self.word("if ");
                self.statement(*guard);
                self.word(" then ");
                if no.is_some() && self.wants_else(*yes) {
                    self.braces(*yes)
                } else {
                    self.statement(*yes)
                }
                if let Some(no) = no {
                    if self.flat {
                        self.word(" ")
                    } else {
                        self.newline()
                    }
                    self.word("else ");
                    self.statement(*no);
                }
            }
            Node::While(guard, body) => {
                self.word("while ");
                self.statement(*guard);
                self.word(" do ");
                self.statement(*body);
            }
            Node::Fun(parameters, body) => {
                self.word("fun ");
                self.parameters(parameters);
                self.word(" . ");
                self.statement(*body);
            }
            Node::Copies { ident, from, to, body } => {
                self.word("par ");
                self.word(&ident.name);
                self.word(" := ");
                self.expression(*from, 6);
                self.word(" .. ");
                self.expression(*to, 6);
                self.word(" do ");
                self.statement(*body);
            }
            Node::Break(label, body) => self.jump_target("break ", &label.name, *body),
            Node::Continue(label, body) => self.jump_target("cont ", &label.name, *body),
            Node::Goto(label) => {
                self.word("goto ");
                self.word(&label.name);
            }
            Node::BeginPredicate(predicate) => {
                self.word("newp ");
                self.statement(*predicate);
            }
            Node::EndPredicate(predicate) => {
                self.word("endp ");
                self.statement(*predicate);
            }
            Node::Assign(left, right) => {
                self.expression(*left, 0);
                self.word(" := ");
                self.statement(*right);
            }
            _ => self.expression(id, 0),
        }
    }

    fn jump_target(&mut self, word: &str, label: &str, body: NodeId) {
        self.word(word);
        self.word(label);
        self.word(" . ");
        self.statement(body);
    }

    /// Whether an `else` behind this statement would be taken for its own.
    fn wants_else(&self, id: NodeId) -> bool {
        match self.tree.node(id) {
            Node::If(_, _, None) => true,
            Node::If(_, _, Some(last))
            | Node::While(_, last)
            | Node::Fun(_, last)
            | Node::Copies { body: last, .. }
            | Node::Break(_, last)
            | Node::Continue(_, last)
            | Node::BeginPredicate(last)
            | Node::EndPredicate(last)
            | Node::Assign(_, last) => self.wants_else(*last),
            _ => false,
        }
    }

    fn braces(&mut self, id: NodeId) {
        self.word("{");
        self.indent += 1;
        self.newline();
        self.term(id);
        self.indent -= 1;
        self.newline();
        self.word("}");
    }

    /// An expression that stands where operators of at least this precedence may.
    fn expression(&mut self, id: NodeId, precedence: u8) {
        self.fitting(id, |printer| printer.expression_here(id, precedence));
    }

    fn expression_here(&mut self, id: NodeId, precedence: u8) {
        match self.tree.node(id) {
            Node::Missing => self.word("?"),
            Node::Name(name) => self.word(name),
            Node::Number(n) => self.word(&n.to_string()),
            Node::Truth(b) => self.word(if *b { "true" } else { "false" }),
            Node::Skip => self.word("skip"),
            Node::Abort => self.word("abort"),
            Node::Diverge => self.word("diverge"),
            Node::Assert(inner) => {
                self.word("assert(");
                self.term(*inner);
                self.word(")");
            }
            Node::Grab(inner) | Node::Release(inner) => {
                let grab = matches!(self.tree.node(id), Node::Grab(_));
                self.word(if grab { "grab(" } else { "release(" });
                self.statement(*inner);
                self.word(")");
            }
            Node::List(values) => {
                self.word("[");
                for (n, value) in values.iter().enumerate() {
                    if n > 0 {
                        self.word(", ");
                    }
                    self.statement(*value);
                }
                self.word("]");
            }
            Node::Index(array, index) => {
                self.expression(*array, ATOM);
                self.word("[");
                self.term(*index);
                self.word("]");
            }
            Node::Apply(head, arguments) if precedence < ATOM => {
                self.expression(*head, ATOM);
                self.word("(");
                for (n, argument) in arguments.iter().enumerate() {
                    if n > 0 {
                        self.word(", ");
                    }
                    self.term(*argument);
                }
                self.word(")");
            }
            Node::Negate(inner) | Node::Not(inner) | Node::Deref(inner) if precedence <= PREFIX => {
                self.word(match self.tree.node(id) {
                    Node::Negate(_) => "-",
                    Node::Not(_) => "not ",
                    _ => "!",
                });
                self.expression(*inner, PREFIX);
            }
            Node::Binary(operator, left, right) if precedence <= operator.precedence() => {
                self.expression(*left, operator.precedence());
                self.word(" ");
                self.word(operator.symbol());
                self.word(" ");
                self.expression(*right, operator.precedence() + 1);
            }
            _ => {
                self.word("(");
                self.indent += 1;
                self.term(id);
                self.indent -= 1;
                self.word(")");
            }
        }
    }

    fn declaration(&mut self, kind: &DeclareKind, variables: &[Declarator]) {
        match kind {
            DeclareKind::Data(data) => self.data(data),
            DeclareKind::Sem(places) => {
                self.word("sem");
                self.places(*places);
            }
        }
        let initial = if matches!(kind, DeclareKind::Sem(_)) { " = " } else { " := " };
        for (n, variable) in variables.iter().enumerate() {
            self.word(if n == 0 { " " } else { ", " });
            self.declarator(variable, initial);
        }
    }

    fn declarator(&mut self, variable: &Declarator, initial: &str) {
        self.word(&variable.ident.name);
        self.length(variable.length);
        if let Some(value) = variable.initial {
            self.word(initial);
            self.statement(value);
        }
    }

    fn length(&mut self, length: Option<NodeId>) {
        if let Some(length) = length {
            self.word("[");
            self.expression(length, 6);
            self.word("]");
        }
    }

    fn places(&mut self, places: Option<NodeId>) {
        if let Some(places) = places {
            self.word("$");
            self.expression(places, ATOM);
        }
    }

    fn parameters(&mut self, parameters: &[Parameter]) {
        for (n, parameter) in parameters.iter().enumerate() {
            if n > 0 {
                self.word(", ");
            }
            self.word(&parameter.ident.name);
            self.word(" : ");
            self.argument(&parameter.argument, false);
        }
    }

    fn data(&mut self, data: &DataNode) {
        match &data.kind {
            DataKind::Bool => self.word("bool"),
            DataKind::Int => self.word("int"),
            DataKind::Mod(k) => {
                self.word("int%");
                self.expression(*k, ATOM);
            }
            DataKind::Function(function) => {
                self.word("fn");
                self.function_type(function);
            }
            DataKind::Machine { signed, bits } => {
                self.word(if *signed { "i" } else { "u" });
                self.word(&bits.to_string());
            }
        }
    }

    fn argument(&mut self, argument: &ArgumentNode, before_arrow: bool) {
        let fun = matches!(argument.ty.kind, TypeKind::Fun(..));
        let group = fun && (before_arrow || argument.bound.is_some());
        if group {
            self.word("(");
        }
        self.ty(&argument.ty);
        if group {
            self.word(")");
        }
        if let Some(bound) = argument.bound {
            self.word("{");
            self.expression(bound, 6);
            self.word("}");
        }
    }

    fn ty(&mut self, ty: &TypeNode) {
        match &ty.kind {
            TypeKind::Missing => self.word("?"),
            TypeKind::Com => self.word("com"),
            TypeKind::Exp(data) => self.data(data),
            TypeKind::Var(data, length) => {
                self.word("var ");
                self.data(data);
                self.length(*length);
            }
            TypeKind::Sem(places) => {
                self.word("sem");
                self.places(*places);
            }
            TypeKind::Fun(argument, result) => {
                self.argument(argument, true);
                self.word(" -> ");
                stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.ty(result));
            }
        }
    }
}

/// The program with its nodes numbered in the order they are written and all spans forgotten: two programs
/// that were written differently but read the same are then equal.
pub fn canonical(program: &Program) -> String {
    fn copy(from: &Tree, id: NodeId, to: &mut Tree) -> NodeId {
        let node = from
            .node(id)
            .map(&mut |child| stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || copy(from, child, to)));
        to.add(node, Span::default())
    }
    let mut tree = Tree::default();
    let constants: Vec<_> = program
        .constants
        .iter()
        .map(|constant| (constant.ident.name.clone(), copy(&program.tree, constant.value, &mut tree)))
        .collect();
    let context: Vec<_> = program
        .context
        .iter()
        .map(|binding| {
            let mut printer = Printer::new(&program.tree);
            printer.argument(&binding.argument, false);
            (binding.ident.name.clone(), printer.text)
        })
        .collect();
    copy(&program.tree, program.body, &mut tree);
    let module =
        program.module.as_ref().map(|module| module.map(&mut |id| copy(&program.tree, id, &mut tree)));
    let mode = program.mode.map(|(mode, _)| mode);
    let text = format!("{mode:?} {constants:?} {context:?} {module:?} {tree:?}");
    // Spans that stand inside nodes, on names and types, are forgotten here.
    let mut out = String::with_capacity(text.len());
    let mut rest = &text[..];
    while let Some(start) = rest.find("Span {") {
        out.push_str(&rest[..start]);
        let end = rest[start..].find('}').map_or(rest.len(), |end| start + end + 1);
        rest = &rest[end..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    #[track_caller]
    fn round_trip(text: &str) {
        let (first, diagnostics) = parse(text);
        assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
        let printed = print(&first);
        let (second, diagnostics) = parse(&printed);
        assert!(diagnostics.is_empty(), "{printed}: {diagnostics:?}");
        assert_eq!(canonical(&first), canonical(&second), "{text}\n--- printed as\n{printed}");
        assert_eq!(print(&second), printed);
    }

    #[test]
    fn what_is_printed_reads_the_same() {
        for text in [
            "skip",
            "const n = 2 + 3 * (4 - 1); x : var int%(n + 1)[n] |- x[n - 1] := !x[0]",
            "f : com -> com, g(com, int%4) : com |- f(g(skip, 3)); f skip",
            "f : (com{2} -> com){2}, x : com{4} |- f(x) || f(x)",
            "if true then { if false then skip } else abort",
            "if a then while b do if c then skip else skip else x := if d then 1 else 2",
            "{ new int x := 0 in x := x + 1 }; { let f(a : com) : com = { a; a } in f(skip) }; skip",
            "(1 + 2) * 3 - (4 - 5) - 6",
            "not (a and b) or c & d | e = f",
            "- -1 < !x |-1",
            "(fun x : int, c : com -> com . c(x := 1; skip))(3, f)",
            "int x := 0, y[3]; sem s = 1; sem$2 t; x := y[x]; { int z; z := 1 }; grab(s); release(t)",
            "break l . cont m . if a then goto l else goto m",
            "par j := 1..3 do skip || par k := 0..2 do { skip; skip }",
            "letp x > 0 in newp (x = 1); x := 1; endp (x = 1); assert(x = 1)",
            "(f(a))[3] := (let y = 1 in y) + (x := 1; 2)",
            "concurrent p : com -> int -> com |- p skip 0",
            "goto abort; diverge",
            "x : i8, y : exp u64, z : var bool |- z := (x = y)",
            "module import f(int%4, fn() : bool) : com; export g() = f(1, h)(2); let h() : bool = (h()) and g();",
            "const n = 2; sequential module{n - 1} int a[n] := [1, n], b; mutex m, o; sem$2 s = 1; export f() : com = skip;",
            "module fn(fn(int) : com) : fn() : u8 k[3] := null; export g(q : fn() : com) = { fn() : com r := q; r() }",
        ] {
            round_trip(text);
        }
    }

    #[test]
    fn long_chains_do_not_overflow_the_stack() {
        round_trip(&format!("x := 0{}", " + 1".repeat(100_000)));
        round_trip(&format!("{}skip{}", "{ while b do ".repeat(5_000), "}".repeat(5_000)));
    }
}
