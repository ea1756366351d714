//! Elaboration of modules: items first, then the bodies, each lowered to statements with jumps.
//!
//! Definitions inside a body stand for their text, so each use of one is lowered anew, in the scope of the definition.

mod calls;
mod commands;
mod places;
mod scope;
mod sorts;
#[cfg(test)]
mod tests;
mod values;

use std::collections::{HashMap, HashSet};

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::module::{
    Cell, CellKind, Expression, ExpressionId, Import, Label, Local, LocalId, Module, Procedure, ProcedureId,
    Signature, Sort, Statement,
};
use agon_core::term::Name;

use super::Elaborator;
use crate::tree::{
    Declarator, DeclareKind, Ident, Item, Items, Node, NodeId, ProcedureNode, Program, ResultNode,
};
use scope::{Bound, ROOT, Scopes};
use sorts::Value;

/// A body of more statements and expressions than this is a slip of the pen: definitions that use each other twice.
const LARGEST_BODY: usize = 1 << 18;

/// Types a module. A module without errors is given; warnings may come with it.
pub fn module(program: &Program, overrides: &[(String, Int)]) -> (Option<Module>, Vec<Diagnostic>) {
    let Some(items) = &program.module else { return (None, vec![]) };
    let mut lowering = Lowering {
        base: Elaborator::new(program, overrides),
        module: Module::default(),
        scopes: Scopes::default(),
        body: Body::default(),
        unfolded: HashSet::new(),
    };
    lowering.items(items);
    let Lowering { base, module, .. } = lowering;
    let diagnostics = base.sorted();
    let refused = diagnostics.iter().any(Diagnostic::is_error);
    ((!refused).then_some(module), diagnostics)
}

struct Lowering<'a> {
    base: Elaborator<'a>,
    module: Module,
    scopes: Scopes<'a>,
    body: Body,
    /// The definitions that were used, and so were typed.
    unfolded: HashSet<NodeId>,
}

/// The body that is being lowered.
#[derive(Default)]
struct Body {
    locals: Vec<Local>,
    statements: Vec<(Statement, Span)>,
    /// For each label in scope where it leads; of one that leads behind its construct, the jumps that wait for that place.
    labels: Vec<Target>,
    /// How many statements and expressions were ever lowered.
    size: usize,
    too_large: bool,
}

enum Target {
    Start(Label),
    End(Vec<usize>),
}

/// A jump whose place is not known yet: the statement, and which of its labels.
type Hole = (usize, bool);

impl<'a> Lowering<'a> {
    fn items(&mut self, items: &'a Items) {
        self.module.threads = self.base.threads(items);
        let mut seen: HashMap<Name, Span> = HashMap::new();
        let mut procedures = Vec::new();
        let mut initial = Vec::new();
        for item in &items.items {
            match item {
                Item::Import(ident, function) => {
                    self.declared(&mut seen, ident);
                    let signature = self.signature(function);
                    let id = self.module.add_import(Import::new(ident.name.clone(), signature, ident.span));
                    self.scopes.add_item(&ident.name, Bound::Import(id));
                }
                Item::Mutexes(idents) => {
                    for ident in idents {
                        self.cell(&mut seen, ident, CellKind::Mutex, None);
                    }
                }
                Item::Cells(kind, variables) => {
                    let cell_kind = match kind {
                        DeclareKind::Data(data) => CellKind::Value(self.sort(data)),
                        DeclareKind::Sem(places) => CellKind::Semaphore(self.base.places(*places)),
                    };
                    for variable in variables {
                        let length = variable.length.map(|length| self.base.length(length));
                        let id = self.cell(&mut seen, &variable.ident, cell_kind.clone(), length);
                        initial.push((id, variable));
                    }
                }
                Item::Procedure(procedure) => {
                    self.declared(&mut seen, &procedure.ident);
                    procedures.push((self.header(procedure), procedure));
                }
            }
        }
        for (id, variable) in initial {
            self.initialise(id, variable);
        }
        for (id, procedure) in &procedures {
            self.procedure(*id, procedure);
        }
        let exports = || self.module.procedures().any(|(_, procedure)| procedure.exported);
        if !self.base.diagnostics.iter().any(Diagnostic::is_error) && !exports() {
            let diagnostic = Diagnostic::error(
                Code::NotAProgram,
                "the module exports nothing, so no environment can call it",
                items.span,
                "this module",
            );
            self.base.report(diagnostic.help("write `export f() = …;` for what the environment may call"));
        }
    }

    /// An item is declared; two of one name are an error.
    fn declared(&mut self, seen: &mut HashMap<Name, Span>, ident: &Ident) {
        if let Some(first) = seen.insert(ident.name.clone(), ident.span) {
            let message = format!("the module has two items that are called `{}`", ident.name);
            let diagnostic =
                Diagnostic::error(Code::DuplicateName, message, ident.span, "declared again here");
            self.base.report(diagnostic.also(first, "first declared here"));
        }
    }

    fn cell(
        &mut self,
        seen: &mut HashMap<Name, Span>,
        ident: &Ident,
        kind: CellKind,
        length: Option<u64>,
    ) -> agon_core::module::CellId {
        self.declared(seen, ident);
        let cell =
            Cell { name: ident.name.clone(), kind, length, initial: vec![Int::ZERO], span: ident.span };
        let id = self.module.add_cell(cell);
        self.scopes.add_item(&ident.name, Bound::Cell(id));
        id
    }

    /// What a cell holds at first: constants, and names of functions.
    fn initialise(&mut self, id: agon_core::module::CellId, variable: &'a Declarator) {
        let Some(initial) = variable.initial else { return };
        let (kind, length) = (self.module.cell(id).kind.clone(), self.module.cell(id).length);
        let sort = match kind {
            CellKind::Value(sort) => sort,
            CellKind::Semaphore(places) => {
                let rule = "the number of places taken at the start is at least 0";
                let taken = self.base.count(initial, 0, rule);
                if taken > places {
                    let message =
                        format!("{taken} places are taken at the start, but there are only {places}");
                    let span = variable.ident.span;
                    let label = "more places taken than there are";
                    self.base.report(Diagnostic::error(Code::TypeTooLarge, message, span, label));
                }
                return self.module.initialise(id, vec![Int::from(taken)]);
            }
            CellKind::Mutex => return,
        };
        let tree = &self.base.program.tree;
        let values = match tree.node(initial) {
            Node::List(values) => {
                let length = length.unwrap_or(1);
                if values.len() as u64 != length {
                    let message = format!(
                        "`{}` has {length} elements, but {} values",
                        variable.ident.name,
                        values.len()
                    );
                    let label = "as many values as elements are needed";
                    let span = tree.span(initial);
                    self.base.report(Diagnostic::error(Code::Mismatch, message, span, label));
                }
                values.clone()
            }
            _ => vec![initial],
        };
        let values = values.into_iter().map(|value| self.initial(value, &sort)).collect();
        self.module.initialise(id, values);
    }

    fn initial(&mut self, node: NodeId, sort: &Sort) -> Int {
        let span = self.base.program.tree.span(node);
        let value = self.value(node, ROOT);
        let value = self.convert(value, sort, "the initial value");
        let computed = std::mem::take(&mut self.body).statements.is_empty();
        match self.module.constant(value).filter(|_| computed) {
            Some(value) => self.module.wrap(&value, sort),
            None => {
                let diagnostic = Diagnostic::error(
                    Code::NotConstant,
                    "what a cell of a module holds at first is a constant",
                    span,
                    "not a constant",
                );
                self.base
                    .report(diagnostic.help("write a number, a constant, `null` or the name of a procedure"));
                Int::ZERO
            }
        }
    }

    /// A procedure without its body, so that all of them can be called.
    fn header(&mut self, procedure: &'a ProcedureNode) -> ProcedureId {
        let parameters = procedure.parameters.iter().map(|(_, data)| self.sort(data)).collect();
        let result = match &procedure.result {
            None | Some(ResultNode::Com) => None,
            Some(ResultNode::Data(data)) => Some(self.sort(data)),
        };
        let signature = self.module.add_signature(Signature { parameters, result });
        let id = self.module.add_procedure(Procedure {
            name: procedure.ident.name.clone(),
            signature,
            exported: procedure.exported,
            locals: vec![],
            body: vec![],
            span: procedure.ident.span,
        });
        self.scopes.add_item(&procedure.ident.name, Bound::Procedure(id));
        id
    }

    fn procedure(&mut self, id: ProcedureId, node: &'a ProcedureNode) {
        self.body = Body::default();
        let Signature { parameters, result } =
            self.module.signature(self.module.procedure(id).signature).clone();
        let mut scope = ROOT;
        for (n, ((ident, _), sort)) in node.parameters.iter().zip(parameters).enumerate() {
            if let Some((first, _)) =
                node.parameters[..n].iter().find(|(before, _)| before.name == ident.name)
            {
                let message = format!("two parameters are called `{}`", ident.name);
                let diagnostic =
                    Diagnostic::error(Code::DuplicateName, message, ident.span, "declared again here");
                self.base.report(diagnostic.also(first.span, "first declared here"));
            }
            let local = self.local(Some(ident.name.clone()), sort, None, ident.span);
            scope = self.scopes.enter(scope, &ident.name, Bound::Local(local));
        }
        let span = self.base.program.tree.span(node.body);
        let value = match result {
            None => {
                self.command(node.body, scope, "what the procedure does");
                None
            }
            Some(sort) => {
                let value = self.value(node.body, scope);
                Some(self.convert(value, &sort, "what the procedure gives"))
            }
        };
        self.emit(Statement::Return(value), span);
        let Body { locals, statements, .. } = std::mem::take(&mut self.body);
        self.module.define(id, locals, statements);
    }

    fn local(&mut self, name: Option<Name>, sort: Sort, length: Option<u64>, span: Span) -> LocalId {
        let id = LocalId(u32::try_from(self.body.locals.len()).expect("a source text is shorter than 4 GiB"));
        self.body.locals.push(Local { name, sort, length, span });
        id
    }

    /// Adds a statement, and gives its place.
    fn emit(&mut self, statement: Statement, span: Span) -> usize {
        self.grows(span);
        self.body.statements.push((statement, span));
        self.body.statements.len() - 1
    }

    /// The body gets larger. Past a limit nothing more is unfolded.
    fn grows(&mut self, span: Span) {
        self.body.size += 1;
        if self.body.size < LARGEST_BODY || self.body.too_large {
            return;
        }
        self.body.too_large = true;
        let message = format!(
            "a procedure has more than {LARGEST_BODY} statements and expressions when its definitions are unfolded"
        );
        let diagnostic = Diagnostic::error(Code::BodyTooLarge, message, span, "too many from here on");
        self.base.report(diagnostic.help("make definitions that are used often procedures of the module"));
    }

    /// The place of the next statement.
    fn here(&self) -> Label {
        Label(u32::try_from(self.body.statements.len()).expect("bodies are bounded"))
    }

    /// The jumps lead here.
    fn patch(&mut self, holes: &[Hole]) {
        let here = self.here();
        for (at, which) in holes {
            match (&mut self.body.statements[*at].0, which) {
                (Statement::Branch(_, to, _), true) | (Statement::Branch(_, _, to), false) => *to = here,
                (Statement::Jump(to), _) => *to = here,
                _ => {}
            }
        }
    }

    fn expression(&mut self, expression: Expression, span: Span) -> ExpressionId {
        self.grows(span);
        self.module.add(expression, span)
    }

    fn number(&mut self, n: Int, span: Span) -> ExpressionId {
        self.expression(Expression::Number(n), span)
    }

    /// Refuses a construct; the rest is typed all the same.
    fn refuse(&mut self, what: &str, span: Span, help: &str) -> Value {
        let message = format!("a module has no {what}");
        let diagnostic = Diagnostic::error(Code::NotInModules, message, span, "not in a module");
        self.base.report(diagnostic.help(help));
        self.nothing(span)
    }
}
