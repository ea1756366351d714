//! Statements, and declarations inside of functions.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::source::Span;
use lang_c::ast::{
    BlockItem, Declaration, Expression, ForInitializer, Label, LabeledStatement, Statement,
    StorageClassSpecifier,
};
use lang_c::span::Node;

use super::names::count;
use super::operators::{integer, mistyped};
use super::{Binding, Checked, Switch, Translator};
use crate::layout::MOST_CELLS;
use crate::tree::{Expr, LabelId, Stmt, StmtKind, Variable, VariableId};
use crate::types::Type;

impl Translator<'_> {
    pub(super) fn items(&mut self, items: &[Node<BlockItem>]) -> Vec<Stmt> {
        let mut statements = Vec::new();
        for item in items {
            let known = self.current().literals.len();
            let done = match &item.node {
                BlockItem::Declaration(declaration) => self.local(&declaration.node),
                BlockItem::StaticAssert(claim) => self.static_assert(&claim.node).map(|()| vec![]),
                BlockItem::Statement(statement) => self.statement(statement).map(|statement| vec![statement]),
            };
            statements.extend(self.literals(known, self.span(&item.span)));
            statements.extend(self.keep(done).unwrap_or_default());
        }
        statements
    }

    /// Compound literals live as long as the block that they stand in: their declarations, from the first one that is new.
    fn literals(&mut self, known: usize, span: Span) -> Vec<Stmt> {
        let new = self.current().literals.split_off(known);
        new.into_iter().map(|id| Stmt { kind: StmtKind::Declare(id, None), span }).collect()
    }

    /// A declaration in a block.
    pub(super) fn local(&mut self, node: &Declaration) -> Checked<Vec<Stmt>> {
        let first = node.specifiers.first().map_or(Span::default(), |first| self.span(&first.span));
        let specified = self.specifiers(&node.specifiers, first)?;
        let mut statements = Vec::new();
        for item in &node.declarators {
            let mut declared =
                self.declarator(&item.node.declarator.node, specified.ty.clone(), specified.qualifiers)?;
            let span = declared.span;
            let initial = item.node.initializer.as_ref();
            if !matches!(specified.storage, Some(StorageClassSpecifier::Extern)) {
                declared.shape(self, &specified);
            }
            match specified.storage {
                Some(StorageClassSpecifier::Typedef | StorageClassSpecifier::Extern) => {
                    self.declare_local_name(&specified, declared, initial)?;
                    continue;
                }
                _ if matches!(declared.ty, Type::Function(_)) => {
                    self.declare_global(&specified, declared, None)?;
                    continue;
                }
                Some(StorageClassSpecifier::Static) => {
                    let name = format!("{}.{}", self.current().name, declared.name);
                    let id = self.add_object(name, &declared.ty, true, span);
                    self.bind(&declared.name, Binding::Object(id));
                    self.supported(&declared.ty, span)?;
                    if let Some(initial) = initial {
                        let items = self.initializer(&mut declared.ty, &initial.node, true)?;
                        let object = &mut self.program.objects[id.index()];
                        (object.initial, object.ty) = (items, declared.ty.clone());
                    }
                    let object = &mut self.program.objects[id.index()];
                    (object.defined, object.constant) = (true, declared.qualifiers.constant);
                    self.sized(&declared.ty, span)?;
                    continue;
                }
                _ => {}
            }
            self.supported(&declared.ty, span)?;
            let id = VariableId(count(&self.current().variables));
            let variable = Variable { name: declared.name.clone(), ty: declared.ty.clone(), span };
            self.current().variables.push(variable);
            self.bind(&declared.name, Binding::Variable(id));
            let items = match initial {
                Some(initial) => Some(self.initializer(&mut declared.ty, &initial.node, false)?),
                None => None,
            };
            self.current().variables[id.index()].ty = declared.ty.clone();
            if let (Some([item]), true) = (items.as_deref(), declared.qualifiers.constant)
                && let Some(n) = self.settled(&item.value)
            {
                self.current().constants.insert(id, n);
            }
            self.sized(&declared.ty, span)?;
            if self.program.leaves(&declared.ty).iter().any(|leaf| leaf.ty == Type::Mutex) {
                return Err(super::expressions::refused("a mutex that is a local variable", span));
            }
            statements.push(Stmt { kind: StmtKind::Declare(id, items), span });
        }
        Ok(statements)
    }

    fn declare_local_name(
        &mut self,
        specified: &super::declarations::Specified,
        declared: super::declarations::Declared,
        initial: Option<&Node<lang_c::ast::Initializer>>,
    ) -> Checked<()> {
        if specified.storage == Some(StorageClassSpecifier::Typedef) {
            self.bind(&declared.name, Binding::Type(declared.ty));
            return Ok(());
        }
        self.declare_global(specified, declared, initial)
    }

    /// Refuses incomplete and very large objects.
    fn sized(&self, ty: &Type, span: Span) -> Checked<()> {
        if !self.program.is_complete(ty) {
            return Err(mistyped("an object has an incomplete type", span, "incomplete"));
        }
        let cells = self.program.leaves(ty).iter().map(|leaf| leaf.count).fold(0u64, u64::saturating_add);
        match cells > MOST_CELLS {
            true => Err(too_large(cells, span)),
            false => Ok(()),
        }
    }

    fn condition(&mut self, node: &Node<Expression>) -> Checked<Expr> {
        let value = self.value(node)?;
        self.scalar(value)
    }

    fn statement(&mut self, node: &Node<Statement>) -> Checked<Stmt> {
        let span = self.span(&node.span);
        let kind = match &node.node {
            Statement::Labeled(labeled) => return self.labeled(&labeled.node, span),
            Statement::Compound(items) => {
                return self.scoped(|this| Ok(Self::block(this.items(items), span)));
            }
            Statement::Expression(None) => StmtKind::Block(vec![]),
            Statement::Expression(Some(expression)) => StmtKind::Expr(self.effect(expression)?),
            Statement::If(node) => {
                let condition = self.condition(&node.node.condition)?;
                let yes = self.nested(&node.node.then_statement)?;
                let no = match &node.node.else_statement {
                    Some(no) => Some(Box::new(self.nested(no)?)),
                    None => None,
                };
                StmtKind::If(condition, Box::new(yes), no)
            }
            Statement::Switch(node) => {
                let value = self.value(&node.node.expression)?;
                let value = self.promoted(value)?;
                let Type::Integer(ty) = value.ty else {
                    return Err(mistyped("`switch` takes an integer", value.span, "not an integer"));
                };
                let switch = Switch { ty, cases: vec![], default: None };
                self.current().switches.push(switch);
                self.current().breakable += 1;
                let body = self.nested(&node.node.statement);
                self.current().breakable -= 1;
                let switch = self.current().switches.pop().expect("it was entered");
                StmtKind::Switch(value, switch.cases, switch.default, Box::new(body?))
            }
            Statement::While(node) => {
                let condition = self.condition(&node.node.expression)?;
                let body = self.loop_body(&node.node.statement)?;
                StmtKind::While(Some(condition), Box::new(body), None)
            }
            Statement::DoWhile(node) => {
                let body = self.loop_body(&node.node.statement)?;
                StmtKind::Do(Box::new(body), self.condition(&node.node.expression)?)
            }
            Statement::For(node) => return self.scoped(|this| this.for_statement(&node.node, span)),
            Statement::Goto(name) => {
                let label = self.named_label(&name.node.name);
                if self.current().labels[label.index()].is_none() {
                    self.current().wanted.push((name.node.name.clone(), span));
                }
                StmtKind::Goto(label)
            }
            Statement::Continue if self.current().loops == 0 => return Err(stray("`continue`", span)),
            Statement::Break if self.current().breakable == 0 => return Err(stray("`break`", span)),
            Statement::Continue => StmtKind::Continue,
            Statement::Break => StmtKind::Break,
            Statement::Return(value) => {
                let result = self.current().result.clone();
                match value {
                    None if result != Type::Void => {
                        return Err(mistyped(
                            "the function gives a value, but none is returned",
                            span,
                            "no value",
                        ));
                    }
                    None => StmtKind::Return(None),
                    Some(value) if result == Type::Void => {
                        let value = self.effect(value)?;
                        if value.ty != Type::Void {
                            return Err(mistyped(
                                "a function of type `void` gives no value",
                                span,
                                "a value",
                            ));
                        }
                        let effect = Stmt { kind: StmtKind::Expr(value), span };
                        let leaves = Stmt { kind: StmtKind::Return(None), span };
                        StmtKind::Block(vec![effect, leaves])
                    }
                    Some(value) => {
                        let value = self.value(value)?;
                        StmtKind::Return(Some(self.converted(value, &result, false)?))
                    }
                }
            }
            Statement::Asm(_) => {
                let diagnostic =
                    Diagnostic::error(Code::Assembly, "assembly is not supported", span, "assembly");
                return Err(diagnostic.help("put it into a function that the environment supplies"));
            }
        };
        Ok(Stmt { kind, span })
    }

    /// A statement that has a scope of its own, with its mistakes kept.
    fn nested(&mut self, node: &Node<Statement>) -> Checked<Stmt> {
        let known = self.current().literals.len();
        let inner = self.scoped(|this| this.statement(node));
        let span = self.span(&node.span);
        let mut statements = self.literals(known, span);
        match statements.is_empty() {
            true => inner,
            false => {
                statements.push(inner?);
                Ok(Self::block(statements, span))
            }
        }
    }

    fn loop_body(&mut self, node: &Node<Statement>) -> Checked<Stmt> {
        self.current().loops += 1;
        self.current().breakable += 1;
        let body = self.nested(node);
        self.current().loops -= 1;
        self.current().breakable -= 1;
        body
    }

    fn for_statement(&mut self, node: &lang_c::ast::ForStatement, span: Span) -> Checked<Stmt> {
        let mut statements = match &node.initializer.node {
            ForInitializer::Empty | ForInitializer::StaticAssert(_) => vec![],
            ForInitializer::Expression(expression) => {
                let value = self.effect(expression)?;
                vec![Stmt { span: value.span, kind: StmtKind::Expr(value) }]
            }
            ForInitializer::Declaration(declaration) => self.local(&declaration.node)?,
        };
        let condition = match &node.condition {
            Some(condition) => Some(self.condition(condition)?),
            None => None,
        };
        let step = match &node.step {
            Some(step) => Some(self.effect(step)?),
            None => None,
        };
        let body = Box::new(self.loop_body(&node.statement)?);
        statements.push(Stmt { kind: StmtKind::While(condition, body, step), span });
        Ok(Self::block(statements, span))
    }

    fn new_label(&mut self, span: Option<Span>) -> LabelId {
        self.current().labels.push(span);
        LabelId(count(&self.current().labels) - 1)
    }

    fn named_label(&mut self, name: &str) -> LabelId {
        if let Some(id) = self.current().named.get(name) {
            return *id;
        }
        let id = self.new_label(None);
        self.current().named.insert(name.to_string(), id);
        id
    }

    fn labeled(&mut self, node: &LabeledStatement, span: Span) -> Checked<Stmt> {
        let place = self.span(&node.label.span);
        let label = match &node.label.node {
            Label::Identifier(name) => {
                let id = self.named_label(&name.node.name);
                let current = self.current();
                if current.labels[id.index()].replace(place).is_some() {
                    let message = format!("the label `{}` is declared twice", name.node.name);
                    return Err(Diagnostic::error(Code::CLinkage, message, place, "declared again here"));
                }
                current.wanted.retain(|(wanted, _)| *wanted != name.node.name);
                id
            }
            Label::Case(value) => self.case(value, value, place)?,
            Label::CaseRange(range) => self.case(&range.node.low, &range.node.high, place)?,
            Label::Default => {
                let id = self.new_label(Some(place));
                let switch = self.current().switches.last_mut().ok_or_else(|| stray("`default`", place))?;
                if switch.default.replace(id).is_some() {
                    let message = "a `switch` has two labels `default`";
                    return Err(Diagnostic::error(Code::CLinkage, message, place, "again here"));
                }
                id
            }
        };
        let rest = self.statement(&node.statement)?;
        let label = Stmt { kind: StmtKind::Label(label), span: place };
        Ok(Self::block(vec![label, rest], span))
    }

    fn case(&mut self, low: &Node<Expression>, high: &Node<Expression>, place: Span) -> Checked<LabelId> {
        let ty = match self.current().switches.last() {
            Some(switch) => switch.ty,
            None => return Err(stray("`case`", place)),
        };
        let mut bound = |node: &Node<Expression>| {
            let value = self.value(node)?;
            let crate::tree::ExprKind::Number(n) = integer(value, ty).kind else {
                return Err(Diagnostic::error(
                    Code::CConstant,
                    "a case is a constant",
                    place,
                    "not a constant",
                ));
            };
            Ok(n)
        };
        let (low, high) = (bound(low)?, bound(high)?);
        let id = self.new_label(Some(place));
        let switch = self.current().switches.last_mut().expect("it was looked at");
        if switch.cases.iter().any(|(l, h, _)| low <= *h && *l <= high) {
            return Err(Diagnostic::error(Code::CLinkage, "two cases have one value", place, "again here"));
        }
        switch.cases.push((low, high, id));
        Ok(id)
    }
}

fn stray(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::CSyntax,
        format!("{what} has nothing around it that it belongs to"),
        span,
        "stray",
    )
}

pub(crate) fn too_large(cells: u64, span: Span) -> Diagnostic {
    let message = format!("an object has {cells} numbers");
    let diagnostic = Diagnostic::error(Code::CTooLarge, message, span, "too large");
    diagnostic.help(format!("objects have at most {MOST_CELLS} numbers"))
}
