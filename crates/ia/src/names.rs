//! Names: where each is declared and where it is used. Read off the tree alone, so programs with mistakes have them too.

use std::collections::HashMap;

use agon_base::source::Span;
use agon_core::term::Name;

use crate::tree::{
    ArgumentNode, DataKind, DataNode, Declarator, DeclareKind, FunctionNode, Ident, Item, Items, Node,
    NodeId, Parameter, Program, ResultNode, TypeKind, TypeNode,
};

agon_base::id! {
    /// The place of a declaration in its [`Names`].
    pub DeclarationId;
}

/// All names of a program.
#[derive(Clone, Default, Debug)]
pub struct Names {
    declarations: Vec<Declaration>,
    /// Uses and declarations alike, by where they stand.
    mentions: Vec<(Span, DeclarationId)>,
}

/// A name that is declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// The name and where it stands.
    pub ident: Ident,
    /// What it is the name of.
    pub kind: Kind,
    /// The name with all that belongs to it: its type, its definition, its initial value.
    pub extent: Span,
    /// The definition that it is declared in.
    pub within: Option<DeclarationId>,
}

/// What a name is the name of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `const`.
    Constant,
    /// A free identifier.
    Free,
    /// A local variable or array.
    Cell,
    /// A local semaphore.
    Semaphore,
    /// `let`.
    Definition,
    /// A parameter of a definition or of a `fun`.
    Parameter,
    /// The number of a copy, in `par`.
    Copy,
    /// A label to jump to.
    Label,
}

impl Names {
    /// A declaration.
    pub fn declaration(&self, id: DeclarationId) -> &Declaration {
        &self.declarations[id.index()]
    }

    /// All declarations, in the order in which they are read.
    pub fn declarations(&self) -> impl Iterator<Item = (DeclarationId, &Declaration)> {
        (0..).map(DeclarationId).zip(&self.declarations)
    }

    /// Where a name is mentioned: at its declaration, and where it is used.
    pub fn mentions(&self, id: DeclarationId) -> impl Iterator<Item = Span> + '_ {
        self.mentions.iter().filter(move |(_, named)| *named == id).map(|(span, _)| *span)
    }

    /// The name at a byte of the text, or just before it.
    pub fn at(&self, offset: u32) -> Option<(Span, DeclarationId)> {
        let after = self.mentions.partition_point(|(span, _)| span.start <= offset);
        let (span, id) = *self.mentions.get(after.checked_sub(1)?)?;
        (offset <= span.end).then_some((span, id))
    }

    /// What each mention names, in the order of the text. Two programs that differ in spelling only agree in this.
    pub fn binding(&self) -> Vec<DeclarationId> {
        self.mentions.iter().map(|(_, id)| *id).collect()
    }
}

/// Reads the names of a program.
pub fn names(program: &Program) -> Names {
    let mut reader = Reader { program, names: Names::default(), scopes: HashMap::new(), within: None };
    for constant in &program.constants {
        reader.constant(constant.value);
        let extent = constant.ident.span.to(program.tree.span(constant.value));
        let id = reader.declare(&constant.ident, Kind::Constant, extent);
        reader.enter(Space::Constants, &constant.ident.name, id);
    }
    for binding in &program.context {
        reader.argument(&binding.argument);
        let extent = binding.ident.span.to(binding.argument.ty.span);
        reader.bind(&binding.ident, Kind::Free, extent);
    }
    match &program.module {
        Some(module) => reader.items(module),
        None => reader.term(program.body),
    }
    let mut names = reader.names;
    names.mentions.sort_by_key(|(span, _)| (span.start, span.end));
    names
}

/// Constants, names and labels do not get in each other's way.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Space {
    Constants,
    Names,
    Labels,
}

struct Reader<'a> {
    program: &'a Program,
    names: Names,
    scopes: HashMap<(Space, Name), Vec<DeclarationId>>,
    within: Option<DeclarationId>,
}

impl Reader<'_> {
    fn declare(&mut self, ident: &Ident, kind: Kind, extent: Span) -> DeclarationId {
        let id = DeclarationId(
            u32::try_from(self.names.declarations.len()).expect("a text is shorter than 4 GiB"),
        );
        self.names.declarations.push(Declaration { ident: ident.clone(), kind, extent, within: self.within });
        // What could not be read has no place.
        if ident.span.start < ident.span.end {
            self.names.mentions.push((ident.span, id));
        }
        id
    }

    fn enter(&mut self, space: Space, name: &Name, id: DeclarationId) {
        self.scopes.entry((space, name.clone())).or_default().push(id);
    }

    fn leave(&mut self, space: Space, name: &Name) {
        if let Some(stack) = self.scopes.get_mut(&(space, name.clone())) {
            stack.pop();
        }
    }

    fn bind(&mut self, ident: &Ident, kind: Kind, extent: Span) -> DeclarationId {
        let id = self.declare(ident, kind, extent);
        self.enter(Space::Names, &ident.name, id);
        id
    }

    fn use_of(&mut self, spaces: &[Space], name: &Name, span: Span) {
        let found = spaces.iter().find_map(|space| self.scopes.get(&(*space, name.clone()))?.last().copied());
        self.names.mentions.extend(found.map(|id| (span, id)));
    }

    /// A constant expression: its names are constants, whatever else is called so.
    fn constant(&mut self, id: NodeId) {
        let program = self.program;
        self.grown(|reader| match program.tree.node(id) {
            Node::Name(name) => reader.use_of(&[Space::Constants], name, program.tree.span(id)),
            node => {
                node.map(&mut |child| {
                    reader.constant(child);
                    child
                });
            }
        });
    }

    fn constants(&mut self, ids: impl IntoIterator<Item = NodeId>) {
        ids.into_iter().for_each(|id| self.constant(id));
    }

    fn data(&mut self, data: &DataNode) {
        match &data.kind {
            DataKind::Mod(size) => self.constant(*size),
            DataKind::Function(function) => self.grown(|reader| reader.function(function)),
            DataKind::Bool | DataKind::Int | DataKind::Machine { .. } => {}
        }
    }

    fn function(&mut self, function: &FunctionNode) {
        function.parameters.iter().chain(function.result.as_deref()).for_each(|data| self.data(data));
    }

    fn ty(&mut self, ty: &TypeNode) {
        self.grown(|reader| match &ty.kind {
            TypeKind::Missing | TypeKind::Com => {}
            TypeKind::Exp(data) => reader.data(data),
            TypeKind::Var(data, length) => {
                reader.data(data);
                reader.constants(*length);
            }
            TypeKind::Sem(places) => reader.constants(*places),
            TypeKind::Fun(argument, result) => {
                reader.argument(argument);
                reader.ty(result);
            }
        });
    }

    fn argument(&mut self, argument: &ArgumentNode) {
        self.ty(&argument.ty);
        self.constants(argument.bound);
    }

    fn grown(&mut self, read: impl FnOnce(&mut Self)) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || read(self));
    }

    fn term(&mut self, id: NodeId) {
        self.grown(|reader| reader.term_here(id));
    }

    fn term_here(&mut self, id: NodeId) {
        let program = self.program;
        let span = program.tree.span(id);
        match program.tree.node(id) {
            Node::Name(name) => self.use_of(&[Space::Names, Space::Constants], name, span),
            Node::New { data, variable, body } => {
                self.data(data);
                self.declared(std::slice::from_ref(variable), Kind::Cell, *body);
            }
            Node::Declare { kind, variables, body } => match kind {
                DeclareKind::Data(data) => {
                    self.data(data);
                    self.declared(variables, Kind::Cell, *body);
                }
                DeclareKind::Sem(places) => {
                    self.constants(*places);
                    self.declared(variables, Kind::Semaphore, *body);
                }
            },
            Node::Let { ident, parameters, result, definition, body } => {
                let extent = ident.span.to(program.tree.span(*definition));
                // Declared first, so that what is inside knows where it is; but in scope only behind `in`.
                let id = self.declare(ident, Kind::Definition, extent);
                let outer = self.within.replace(id);
                self.procedure(parameters, result.as_ref(), *definition);
                self.within = outer;
                self.enter(Space::Names, &ident.name, id);
                self.term(*body);
                self.leave(Space::Names, &ident.name);
            }
            Node::Fun(parameters, body) => self.procedure(parameters, None, *body),
            Node::Copies { ident, from, to, body } => {
                self.constants([*from, *to]);
                self.bind(ident, Kind::Copy, ident.span.to(program.tree.span(*to)));
                self.term(*body);
                self.leave(Space::Names, &ident.name);
            }
            Node::Break(label, body) | Node::Continue(label, body) => {
                let id = self.declare(label, Kind::Label, label.span);
                self.enter(Space::Labels, &label.name, id);
                self.term(*body);
                self.leave(Space::Labels, &label.name);
            }
            Node::Goto(label) => self.use_of(&[Space::Labels], &label.name, label.span),
            node => {
                node.map(&mut |child| {
                    self.term(child);
                    child
                });
            }
        }
    }

    /// Cells or semaphores, each in scope of the initial values behind it.
    fn declared(&mut self, variables: &[Declarator], kind: Kind, body: NodeId) {
        for Declarator { ident, length, initial } in variables {
            self.constants(*length);
            match (kind, initial) {
                (_, None) => {}
                (Kind::Semaphore, Some(taken)) => self.constant(*taken),
                (_, Some(initial)) => self.term(*initial),
            }
            let tree = &self.program.tree;
            let parts = length.iter().chain(initial);
            let extent = parts.fold(ident.span, |extent, part| extent.to(tree.span(*part)));
            self.bind(ident, kind, extent);
        }
        self.term(body);
        for variable in variables.iter().rev() {
            self.leave(Space::Names, &variable.ident.name);
        }
    }

    /// The items of a module. All of them are in scope of all bodies.
    fn items(&mut self, module: &Items) {
        let tree = &self.program.tree;
        self.constants(module.threads);
        let mut procedures = Vec::new();
        for item in &module.items {
            match item {
                Item::Import(ident, function) => {
                    self.function(function);
                    self.bind(ident, Kind::Free, ident.span);
                }
                Item::Mutexes(idents) => {
                    for ident in idents {
                        self.bind(ident, Kind::Semaphore, ident.span);
                    }
                }
                Item::Cells(kind, variables) => {
                    let semaphores = match kind {
                        DeclareKind::Data(data) => {
                            self.data(data);
                            false
                        }
                        DeclareKind::Sem(places) => {
                            self.constants(*places);
                            true
                        }
                    };
                    for Declarator { ident, length, initial } in variables {
                        self.constants(*length);
                        let parts = length.iter().chain(initial);
                        let extent = parts.fold(ident.span, |extent, part| extent.to(tree.span(*part)));
                        self.bind(ident, if semaphores { Kind::Semaphore } else { Kind::Cell }, extent);
                    }
                }
                Item::Procedure(procedure) => {
                    let extent = procedure.ident.span.to(tree.span(procedure.body));
                    procedures.push((self.bind(&procedure.ident, Kind::Definition, extent), procedure));
                }
            }
        }
        for item in &module.items {
            let Item::Cells(kind, variables) = item else { continue };
            for initial in variables.iter().filter_map(|variable| variable.initial) {
                match kind {
                    DeclareKind::Data(_) => self.term(initial),
                    DeclareKind::Sem(_) => self.constant(initial),
                }
            }
        }
        for (id, procedure) in procedures {
            let outer = self.within.replace(id);
            for (ident, data) in &procedure.parameters {
                self.data(data);
                self.bind(ident, Kind::Parameter, ident.span.to(data.span));
            }
            if let Some(ResultNode::Data(data)) = &procedure.result {
                self.data(data);
            }
            self.term(procedure.body);
            for (ident, _) in procedure.parameters.iter().rev() {
                self.leave(Space::Names, &ident.name);
            }
            self.within = outer;
        }
    }

    fn procedure(&mut self, parameters: &[Parameter], result: Option<&TypeNode>, body: NodeId) {
        for Parameter { ident, argument } in parameters {
            self.argument(argument);
            self.bind(ident, Kind::Parameter, ident.span.to(argument.ty.span));
        }
        if let Some(result) = result {
            self.ty(result);
        }
        self.term(body);
        for parameter in parameters.iter().rev() {
            self.leave(Space::Names, &parameter.ident.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;
    use crate::read::{Reading, read};
    use crate::sample::{concurrent, sequential};
    use agon_core::term::Construct;

    fn shown(text: &str) -> Vec<String> {
        let names = names(&parse(text).0);
        let place = |span: Span| text[..span.start as usize].chars().count();
        let mention = |(id, declaration): (DeclarationId, &Declaration)| {
            let uses: Vec<_> = names.mentions(id).map(place).collect();
            format!("{} {:?} {uses:?}", declaration.ident.name, declaration.kind)
        };
        names.declarations().map(mention).collect()
    }

    #[test]
    fn every_use_finds_its_declaration() {
        assert_eq!(
            shown("const n = 2; f : int%n -> com |- new int%n x := n in let g(x : int) = f(x) in g(x)"),
            [
                "n Constant [6, 21, 41, 48]",
                "f Free [13, 70]",
                "x Cell [43, 80]",
                "g Definition [57, 78]",
                "x Parameter [59, 72]"
            ]
        );
        assert_eq!(
            shown("module int%2 x; let g(x : int) = h(x); export h(y : int) = { g(y + x); x := 0 };"),
            [
                "x Cell [13, 67, 71]",
                "g Definition [20, 61]",
                "h Definition [33, 46]",
                "x Parameter [22, 35]",
                "y Parameter [48, 63]"
            ]
        );
        assert_eq!(
            shown("break l . while l do { goto l; goto m }"),
            ["l Label [6, 28]"],
            "a label is no variable"
        );
        assert_eq!(
            shown("x : com |- let x = x in x; par i := 1..2 do (fun y : int . skip) i"),
            ["x Free [0, 19]", "x Definition [15, 24]", "i Copy [31, 65]", "y Parameter [49]"]
        );
    }

    /// The typed term knows better, but of programs without mistakes only.
    #[test]
    fn elaboration_agrees() {
        for seed in 0..400 {
            let text = if seed % 2 == 0 { sequential(seed, 30) } else { concurrent(seed, 30) };
            let Reading { document, judgement, .. } =
                read(&text, &[]).expect("random programs are well-typed");
            let names = names(&document.program);
            let terms = &judgement.terms;
            for n in 0..terms.len() {
                let id = agon_core::term::TermId::new(n);
                let Construct::Variable(var) = terms.construct(id) else { continue };
                let (span, declared) = (terms.span(id), terms.variable(*var));
                // Arguments of the program itself stand nowhere.
                if text.get(span.range()) != Some(&*declared.name) {
                    continue;
                }
                let found = names.at(span.start).map(|(_, id)| names.declaration(id).ident.span);
                assert_eq!(found, Some(declared.span), "`{}` in\n{text}", declared.name);
            }
        }
    }
}
