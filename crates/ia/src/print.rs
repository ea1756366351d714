//! The pretty-printer: from a tree back to a text that reads as the same tree.
//!
//! What is short stands on one line. The program itself, and every block that is not short, has a line for each statement, declaration and
//! definition. A branch or a body that does not fit behind `then`, `else`, `do` or `=` stands below it, indented.

use agon_base::source::Span;

use crate::tree::{
    ArgumentNode, Binding, DataKind, DataNode, Declarator, DeclareKind, Item, Node, NodeId, Parameter,
    Program, Tree, TypeKind, TypeNode,
};

mod items;

/// Prints a whole program.
pub fn print(program: &Program) -> String {
    print_around(program, &[])
}

/// Prints a whole program. Statements with one of these comments between their words have lines of their own, so that there is room for it.
pub(crate) fn print_around(program: &Program, comments: &[Span]) -> String {
    let mut printer = Printer::new(&program.tree);
    printer.comments = comments.to_vec();
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
    let commented = program.context.iter().enumerate().any(|(n, binding)| {
        let from = if n == 0 { binding.ident.span.end } else { program.context[n - 1].argument.ty.span.end };
        printer.has_comment(Span { start: from, end: binding.argument.ty.span.end })
    });
    if commented || !printer.attempt(|printer| printer.context(&program.context, ", ")) {
        printer.context(&program.context, ",\n");
    }
    if !program.context.is_empty() {
        printer.word(" |-\n");
    }
    printer.block(program.body);
    printer.word("\n");
    printer.text
}

/// Prints a term on its own, in a form that fits inside parentheses.
pub fn print_term(tree: &Tree, term: NodeId) -> String {
    let mut printer = Printer::new(tree);
    printer.block(term);
    printer.text
}

/// Prints an item of a module, with the semicolon behind it.
pub fn print_item(tree: &Tree, item: &Item) -> String {
    let mut printer = Printer::new(tree);
    printer.item(item);
    printer.word(";\n");
    printer.text
}

/// What stands on one line ends before this column, so that there is room for `;` or ` in` behind it.
const WIDTH: usize = 97;
/// Statements of at most this weight stand on one line.
const SMALL: u32 = 24;

struct Printer<'a> {
    tree: &'a Tree,
    text: String,
    indent: usize,
    /// Inside something that stands on one line.
    flat: bool,
    /// What should stand on one line is longer than a line.
    overflow: bool,
    /// Where the line starts in the text.
    line: usize,
    /// The size of each subtree that was asked for, to decide what is short.
    sizes: Vec<Option<Size>>,
    /// Where comments stand in the text that the tree was read from.
    comments: Vec<Span>,
}

/// How large a subtree is.
#[derive(Clone, Copy, Default)]
struct Size {
    /// The number of its nodes.
    nodes: u32,
    /// The same with more for what is better seen on lines of its own.
    weight: u32,
    /// It is more than an expression.
    acts: bool,
}

/// How tightly operators of an expression bind; beyond the binary ones come prefixes, then atoms.
const PREFIX: u8 = 8;
const ATOM: u8 = 9;

impl<'a> Printer<'a> {
    fn new(tree: &'a Tree) -> Printer<'a> {
        Printer {
            tree,
            text: String::new(),
            indent: 0,
            flat: false,
            overflow: false,
            line: 0,
            sizes: Vec::new(),
            comments: Vec::new(),
        }
    }

    fn word(&mut self, word: &str) {
        if self.overflow {
            return;
        }
        self.text.push_str(word);
        if let Some(at) = word.rfind('\n') {
            self.line = self.text.len() - word.len() + at + 1;
        }
        self.overflow = self.flat && self.text.len() - self.line > WIDTH;
    }

    fn newline(&mut self) {
        if self.flat {
            self.word(" ");
        } else {
            self.word("\n");
            self.word(&"  ".repeat(self.indent.min(40)));
        }
    }

    fn size(&mut self, id: NodeId) -> Size {
        if let Some(Some(size)) = self.sizes.get(id.index()) {
            return *size;
        }
        let mut children = Vec::new();
        let node = self.tree.node(id);
        node.map(&mut |child| {
            children.push(child);
            child
        });
        let (weight, acts) = match node {
            Node::Let { .. } | Node::New { .. } | Node::Declare { .. } | Node::WithPredicate(..) => (6, true),
            // A chain of `else if` is better seen on several lines.
            Node::If(_, _, Some(no)) if matches!(self.tree.node(*no), Node::If(..)) => (12, true),
            Node::If(..) | Node::While(..) | Node::Copies { .. } => (4, true),
            Node::Sequence(_)
            | Node::Parallel(_)
            | Node::Assign(..)
            | Node::Fun(..)
            | Node::Break(..)
            | Node::Continue(..)
            | Node::BeginPredicate(_)
            | Node::EndPredicate(_) => (1, true),
            _ => (1, false),
        };
        let own = Size { nodes: 1, weight, acts };
        let size = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            children.iter().fold(own, |sum, child| {
                let child = self.size(*child);
                Size {
                    nodes: sum.nodes.saturating_add(child.nodes),
                    weight: sum.weight.saturating_add(child.weight),
                    acts: sum.acts || child.acts,
                }
            })
        });
        if self.sizes.len() <= id.index() {
            self.sizes.resize(id.index() + 1, None);
        }
        self.sizes[id.index()] = Some(size);
        size
    }

    /// Whether a term may stand on one line, if it fits.
    fn is_small(&mut self, id: NodeId) -> bool {
        let size = self.size(id);
        // Each node has a character at least.
        if size.nodes as usize > WIDTH || (size.acts && size.weight > SMALL) {
            return false;
        }
        !size.acts || !self.has_comment(self.tree.span(id))
    }

    /// Whether a comment stands there.
    fn has_comment(&self, span: Span) -> bool {
        let first = self.comments.partition_point(|comment| comment.start < span.start);
        self.comments.get(first).is_some_and(|comment| comment.start < span.end)
    }

    /// Prints on one line. If that is too long, prints nothing.
    fn attempt(&mut self, print: impl FnOnce(&mut Self)) -> bool {
        let before = self.text.len();
        let outer = std::mem::replace(&mut self.flat, true);
        print(self);
        self.flat = outer;
        let fits = !self.overflow;
        if !outer && !fits {
            self.overflow = false;
            self.text.truncate(before);
        }
        fits
    }

    /// Prints on one line if it is short.
    fn fitting(&mut self, id: NodeId, print: impl Fn(&mut Self)) {
        if self.overflow || (!self.flat && self.is_small(id) && self.attempt(&print)) {
            return;
        }
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || print(self));
    }

    /// Prints a statement behind a word. A branch that is not short stands below it.
    fn hang(&mut self, id: NodeId) {
        let branches = matches!(self.tree.node(id), Node::If(..));
        if self.flat || !branches {
            self.word(" ");
            self.statement(id);
            return;
        }
        let short = self.is_small(id)
            && self.attempt(|printer| {
                printer.word(" ");
                printer.statement(id);
            });
        if !short {
            self.indent += 1;
            self.newline();
            self.statement(id);
            self.indent -= 1;
        }
    }

    /// A term, up to the end of its block.
    fn term(&mut self, id: NodeId) {
        self.fitting(id, |printer| printer.block(id));
    }

    /// A term with a line for each of its statements, declarations and definitions.
    fn block(&mut self, mut id: NodeId) {
        loop {
            match self.tree.node(id) {
                Node::Sequence(parts) => {
                    let Some((last, others)) = parts.split_last() else { return };
                    for part in others {
                        self.part(*part);
                        self.word(";");
                        self.newline();
                    }
                    id = *last;
                }
                Node::Declare { kind, variables, body } => {
                    self.declaration(kind, variables);
                    self.word(";");
                    self.newline();
                    id = *body;
                }
                Node::New { data, variable, body } => {
                    self.word("new ");
                    self.data(data);
                    self.word(" ");
                    self.declarator(variable, " := ");
                    self.word(" in");
                    self.newline();
                    id = *body;
                }
                Node::Let { ident, parameters, result, definition, body } => {
                    self.word("let ");
                    self.word(&ident.name);
                    if !parameters.is_empty() {
                        self.word("(");
                        self.parameters(parameters);
                        self.word(")");
                    }
                    if let Some(result) = result {
                        self.word(" : ");
                        self.ty(result);
                    }
                    self.word(" =");
                    self.hang(*definition);
                    self.word(" in");
                    self.newline();
                    id = *body;
                }
                Node::WithPredicate(predicate, body) => {
                    self.word("letp ");
                    self.statement(*predicate);
                    self.word(" in");
                    self.newline();
                    id = *body;
                }
                _ => return self.part(id),
            }
            if self.overflow {
                return;
            }
        }
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
                    // On one line, it is plain what a body is only if it stands in braces.
                    match printer.tree.node(*part) {
                        Node::If(..) | Node::While(..) | Node::Copies { .. } if printer.flat => {
                            printer.braces(*part);
                        }
                        _ => printer.statement(*part),
                    }
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
            Node::If(..) => self.branches(id),
            Node::While(guard, body) => {
                self.word("while ");
                self.statement(*guard);
                self.word(" do");
                self.hang(*body);
            }
            Node::Fun(parameters, body) => {
                self.word("fun ");
                self.parameters(parameters);
                self.word(" .");
                self.hang(*body);
            }
            Node::Copies { ident, from, to, body } => {
                self.word("par ");
                self.word(&ident.name);
                self.word(" := ");
                self.expression(*from, 6);
                self.word("..");
                self.expression(*to, 6);
                self.word(" do");
                self.hang(*body);
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
                self.word(" :=");
                self.hang(*right);
            }
            _ => self.expression(id, 0),
        }
    }

    fn jump_target(&mut self, word: &str, label: &str, body: NodeId) {
        self.word(word);
        self.word(label);
        self.word(" .");
        self.hang(body);
    }

    /// `if … then …`, and each `else` on a line of its own, unless all of it is short.
    fn branches(&mut self, mut id: NodeId) {
        while let Node::If(guard, yes, no) = self.tree.node(id) {
            self.word("if ");
            self.statement(*guard);
            self.word(" then");
            match no.is_some() && self.wants_else(*yes) {
                true => {
                    self.word(" ");
                    self.fitting(*yes, |printer| printer.braces(*yes));
                }
                false => self.hang(*yes),
            }
            let Some(no) = no else { return };
            self.newline();
            self.word("else");
            if !matches!(self.tree.node(*no), Node::If(..)) {
                return self.hang(*no);
            }
            self.word(" ");
            id = *no;
        }
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
        self.block(id);
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
                self.inside(*inner);
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
                self.inside(*index);
                self.word("]");
            }
            Node::Apply(head, arguments) if precedence < ATOM => {
                self.expression(*head, ATOM);
                self.arguments(arguments);
            }
            Node::Negate(inner) | Node::Not(inner) | Node::Deref(inner) if precedence <= PREFIX => {
                self.word(match self.tree.node(id) {
                    Node::Negate(_) => "-",
                    Node::Not(_) => "not ",
                    _ => "!",
                });
                self.expression(*inner, PREFIX);
            }
            Node::Binary(operator, ..) if precedence <= operator.precedence() => {
                self.chain(id, operator.precedence())
            }
            _ if self.flat => {
                self.word("(");
                self.term(id);
                self.word(")");
            }
            _ => {
                self.word("(");
                self.indent += 1;
                self.newline();
                self.block(id);
                self.indent -= 1;
                self.newline();
                self.word(")");
            }
        }
    }

    /// A term inside parentheses or brackets of something else.
    fn inside(&mut self, id: NodeId) {
        if self.flat { self.term(id) } else { self.statement(id) }
    }

    /// Arguments, each on a line of its own unless all are short.
    fn arguments(&mut self, arguments: &[NodeId]) {
        self.word("(");
        let one = arguments.len() == 1;
        let apart = !self.flat && !one && !arguments.is_empty();
        self.indent += usize::from(apart);
        for (n, argument) in arguments.iter().enumerate() {
            if n > 0 {
                self.word(if apart { "," } else { ", " });
            }
            if apart {
                self.newline();
            }
            self.statement(*argument);
        }
        self.indent -= usize::from(apart);
        if apart {
            self.newline();
        }
        self.word(")");
    }

    /// Operators of one precedence, from the left. If they are too long for a line, each begins another one.
    fn chain(&mut self, id: NodeId, precedence: u8) {
        let mut first = id;
        let mut others = Vec::new();
        while let Node::Binary(operator, left, right) = self.tree.node(first)
            && operator.precedence() == precedence
        {
            others.push((operator.symbol(), *right));
            first = *left;
        }
        self.expression(first, precedence);
        self.indent += 1;
        for (symbol, right) in others.into_iter().rev() {
            if self.overflow {
                break;
            }
            self.newline();
            self.word(symbol);
            self.word(" ");
            self.expression(right, precedence + 1);
        }
        self.indent -= 1;
    }

    /// The free identifiers.
    fn context(&mut self, context: &[Binding], separator: &str) {
        for (n, binding) in context.iter().enumerate() {
            if n > 0 {
                self.word(separator);
            }
            self.word(&binding.ident.name);
            let (mut ty, mut listed) = (&binding.argument.ty, Vec::new());
            while let TypeKind::Fun(argument, result) = &ty.kind
                && listed.len() < binding.listed
            {
                listed.push(argument);
                ty = result;
            }
            for (n, argument) in listed.iter().enumerate() {
                self.word(if n == 0 { "(" } else { ", " });
                self.argument(argument, false);
            }
            self.word(if listed.is_empty() { " : " } else { ") : " });
            self.bounded(ty, binding.argument.bound, false);
            if self.overflow {
                return;
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
        self.bounded(&argument.ty, argument.bound, before_arrow);
    }

    fn bounded(&mut self, ty: &TypeNode, bound: Option<NodeId>, before_arrow: bool) {
        let group = matches!(ty.kind, TypeKind::Fun(..)) && (before_arrow || bound.is_some());
        if group {
            self.word("(");
        }
        self.ty(ty);
        if group {
            self.word(")");
        }
        if let Some(bound) = bound {
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
