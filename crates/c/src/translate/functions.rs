//! Functions: definitions, and calls of functions of the program and of the C library.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::source::Span;
use lang_c::ast::{
    CallExpression, Constant, Declarator, DeclaratorKind, DerivedDeclarator, Expression, FunctionDefinition,
    Integer, IntegerBase, IntegerSize, IntegerSuffix, Statement, StorageClassSpecifier, UnaryOperator,
};
use lang_c::span::Node;

use super::declarations::{Declared, Qualifiers, constructor};
use super::expressions::{Operand, refused};
use super::operators::mistyped;
use super::{Binding, Checked, Current, Translator};
use crate::library::{Known, Meaning, meaning};
use crate::tree::{
    Argument, Body, Callee, Expr, ExprKind, FunctionId, Place, PlaceKind, Variable, VariableId,
};
use crate::types::{FunctionType, Type, Unsupported};

impl Translator<'_> {
    /// The definition of a function.
    pub(super) fn function(&mut self, node: &FunctionDefinition) -> Checked<()> {
        let span = self.span(&node.declarator.span);
        let specified = self.specifiers(&node.specifiers, span)?;
        let declared = self.declarator(&node.declarator.node, specified.ty.clone(), Qualifiers::default())?;
        let Type::Function(ty) = &declared.ty else {
            return Err(mistyped("a body belongs to a function", span, "not a function"));
        };
        if let Some(span) = specified.constructor {
            return Err(constructor(span));
        }
        if ty.variadic {
            return Err(super::unsupported(Unsupported::VariableArguments, declared.span));
        }
        self.supported(&ty.result, declared.span)?;
        let is_static = specified.storage == Some(StorageClassSpecifier::Static);
        let old = self.old_parameters(node)?;
        // `f() { … }` takes nothing.
        let mut ty = FunctionType { prototype: old.is_none(), ..(**ty).clone() };
        if let Some(old) = &old {
            ty.parameters = old.iter().map(|parameter| parameter.ty.clone()).collect();
        }
        let id = self.declare_function(&declared.name, &ty, is_static || specified.inline, declared.span)?;
        let function = &mut self.program.functions[id.index()];
        if function.body.is_some() {
            let message = format!("`{}` is defined twice", declared.name);
            let diagnostic = Diagnostic::error(Code::CLinkage, message, declared.span, "defined again here");
            return Err(diagnostic.also(function.span, "first defined here"));
        }
        function.ty = ty.clone();
        function.span = declared.span;
        function.ends |= specified.ends || declared.ends;
        self.scoped(|this| {
            let parameters = match (old, innermost(&node.declarator.node)) {
                (Some(old), _) => old,
                (None, Some(list)) => this.parameters(list)?,
                (None, None) => vec![],
            };
            this.body(id, &ty, parameters, &node.statement)
        })
    }

    fn body(
        &mut self,
        id: FunctionId,
        ty: &FunctionType,
        parameters: Vec<Declared>,
        statement: &Node<Statement>,
    ) -> Checked<()> {
        let count = parameters.len();
        let mut variables = Vec::new();
        for (n, parameter) in (0..).zip(parameters) {
            self.supported(&parameter.ty, parameter.span)?;
            if !self.program.is_complete(&parameter.ty) {
                return Err(mistyped("a parameter has an incomplete type", parameter.span, "incomplete"));
            }
            if !parameter.name.is_empty() {
                self.bind(&parameter.name, Binding::Variable(VariableId(n)));
            }
            variables.push(Variable { name: parameter.name, ty: parameter.ty, span: parameter.span });
        }
        self.current = Some(Current {
            name: self.program.function(id).name.clone(),
            result: ty.result.clone(),
            variables,
            labels: vec![],
            named: Default::default(),
            wanted: vec![],
            switches: vec![],
            loops: 0,
            breakable: 0,
            literals: vec![],
            constants: Default::default(),
        });
        let statements = match &statement.node {
            // The parameters and the body share a scope.
            Statement::Compound(items) => self.items(items),
            _ => vec![],
        };
        let end = self.span(&lang_c::span::Span {
            start: statement.span.end.saturating_sub(1),
            end: statement.span.end,
        });
        let current = self.current.take().expect("the body has been read");
        for (name, span) in current.wanted {
            let message = format!("the label `{name}` is not declared");
            self.keep::<()>(Err(Diagnostic::error(Code::CName, message, span, "not declared")));
        }
        let (variables, labels) = (current.variables, current.labels.len());
        let body = Body { variables, parameters: count, statements, labels, end };
        self.program.functions[id.index()].body = Some(body);
        Ok(())
    }

    /// A call.
    pub(super) fn call(&mut self, node: &CallExpression, span: Span) -> Checked<Expr> {
        if let Expression::Identifier(name) = &node.callee.node {
            let name = without_builtin(&name.node.name);
            let known = match self.lookup(name) {
                Some(Binding::Function(id)) => self.program.function(*id).body.is_none(),
                Some(_) => false,
                // What is called without a declaration is the function of that name.
                None => true,
            };
            if let ("bzero" | "explicit_bzero", true, [to, size]) = (name, known, &node.arguments[..]) {
                return self.fill_with_zero(&node.callee, to, size, span);
            }
            if known && let Some(call) = self.lock_call(name, node, span)? {
                return Ok(call);
            }
            match meaning(name).filter(|_| known) {
                Some(Meaning::Known(Known::Fill | Known::Copy)) if !self.is_whole(node)? => {
                    let written = crate::library::written(name).expect("it is written in C");
                    return self.written_call(written, name, node, span);
                }
                Some(Meaning::Known(known @ (Known::BeginThread | Known::JoinThread))) => {
                    return self.thread_call(known, name, node, span);
                }
                Some(Meaning::Known(known)) => return self.library_call(known, name, node, span),
                Some(Meaning::Written(written)) => return self.written_call(written, name, node, span),
                Some(Meaning::Refused(why)) => {
                    let message = format!("`{name}` cannot be called: {why}");
                    let diagnostic = Diagnostic::error(Code::LibraryFunction, message, span, "called here");
                    let lock = name.starts_with("pthread_") || name.starts_with("sem_");
                    return Err(diagnostic.help(match lock {
                        true => "use mutexes and conditions",
                        false => "call a function of your own that the environment supplies",
                    }));
                }
                None => {}
            }
        }
        if let Expression::Identifier(name) = &node.callee.node
            && self.lookup(&name.node.name).is_none()
            && !name.node.name.starts_with("__builtin_")
        {
            self.implicit(&name.node.name, span)?;
        }
        let callee = self.value(&node.callee)?;
        let Some(ty) = callee.ty.pointed_function().cloned() else {
            let message = format!("{} is called", self.words(&callee.ty));
            return Err(mistyped(message, callee.span, "not a function"));
        };
        if let (ExprKind::Function(id), false) = (&callee.kind, ty.prototype)
            && !(ty.parameters.is_empty() && node.arguments.is_empty())
        {
            return self.old_call(*id, &ty, node, span);
        }
        let variadic = ty.variadic && node.arguments.len() > ty.parameters.len();
        if variadic || (!ty.prototype && !node.arguments.is_empty()) {
            let what = if variadic {
                "a call with a variable number of arguments"
            } else {
                "a call of a function whose parameters are not declared"
            };
            return Err(refused(what, span).help("declare the parameters of the function"));
        }
        if ty.parameters.len() != node.arguments.len() {
            let message = format!(
                "{} arguments are given, but {} are taken",
                node.arguments.len(),
                ty.parameters.len()
            );
            return Err(mistyped(message, span, "another number of arguments"));
        }
        let mut arguments = Vec::new();
        for (argument, ty) in node.arguments.iter().zip(&ty.parameters) {
            let value = self.value(argument)?;
            arguments.push(self.converted(value, ty, false)?);
        }
        self.supported(&ty.result, span)?;
        let callee = match callee.kind {
            ExprKind::Function(id) => Callee::Function(id),
            _ => Callee::Pointer(Box::new(callee)),
        };
        Ok(Expr { kind: ExprKind::Call(callee, arguments), ty: ty.result.clone(), span })
    }

    fn library_call(&mut self, known: Known, name: &str, node: &CallExpression, span: Span) -> Checked<Expr> {
        let ty = match self.lookup(name) {
            Some(Binding::Function(id)) => self.program.function(*id).ty.clone(),
            _ => {
                let result = self.implicit_result(name);
                FunctionType { parameters: vec![], variadic: true, prototype: false, result }
            }
        };
        let few = node.arguments.len() < ty.parameters.len();
        let many = node.arguments.len() > ty.parameters.len() && ty.prototype && !ty.variadic;
        if few || many {
            let message = format!("`{name}` takes {} arguments", ty.parameters.len());
            return Err(mistyped(message, span, "another number of arguments"));
        }
        let mut arguments = Vec::new();
        for (n, argument) in node.arguments.iter().enumerate() {
            let argument = match known {
                Known::Free => Argument::Value(self.value(argument)?),
                _ => self.object(argument)?,
            };
            let argument = match argument {
                Argument::Object(place) => Argument::Object(place),
                // What a pointer points to is the mutex.
                Argument::Value(value) if value.ty.pointed_data() == Some(&Type::Mutex) => {
                    Argument::Object(behind(value))
                }
                Argument::Value(value) => Argument::Value(match ty.parameters.get(n) {
                    Some(ty) => self.converted(value, ty, false)?,
                    None if value.ty.integer().is_some() => self.promoted(value)?,
                    None => value,
                }),
            };
            arguments.push(argument);
        }
        self.check_library(known, name, &arguments, span)?;
        let result = match (&known, arguments.first()) {
            (Known::First, Some(Argument::Value(first))) => first.ty.clone(),
            _ => ty.result,
        };
        Ok(Expr { kind: ExprKind::Library(known, name.to_string(), arguments), ty: result, span })
    }

    /// `bzero(to, size)` is `memset(to, 0, size)` without a result.
    fn fill_with_zero(
        &mut self,
        callee: &Node<Expression>,
        to: &Node<Expression>,
        size: &Node<Expression>,
        span: Span,
    ) -> Checked<Expr> {
        let zero = Integer {
            base: IntegerBase::Decimal,
            number: "0".into(),
            suffix: IntegerSuffix { size: IntegerSize::Int, unsigned: false, imaginary: false },
        };
        let zero = Constant::Integer(zero);
        let zero = Expression::Constant(Box::new(Node::new(zero, size.span)));
        let arguments = vec![to.clone(), Node::new(zero, size.span), size.clone()];
        let call = CallExpression { callee: Box::new(callee.clone()), arguments };
        let filled = match self.is_whole(&call)? {
            true => {
                let mut arguments = Vec::new();
                for argument in &call.arguments {
                    arguments.push(self.object(argument)?);
                }
                let kind = ExprKind::Library(Known::Fill, "memset".into(), arguments);
                Expr { kind, ty: Type::Void.pointer(), span }
            }
            false => {
                let written = crate::library::written("memset").expect("it is written in C");
                self.written_call(written, "memset", &call, span)?
            }
        };
        self.converted(filled, &Type::Void, true)
    }

    /// A thread begins, or its end is waited for: what is written is a place.
    fn thread_call(&mut self, known: Known, name: &str, node: &CallExpression, span: Span) -> Checked<Expr> {
        let (parameters, result) = match self.lookup(name) {
            Some(Binding::Function(id)) => {
                let ty = &self.program.function(*id).ty;
                (ty.parameters.clone(), ty.result.clone())
            }
            _ => (vec![], self.int()),
        };
        let count = if known == Known::BeginThread { 4 } else { 2 };
        if node.arguments.len() != count || parameters.len() != count {
            let message = format!("`{name}` takes {count} arguments");
            return Err(mistyped(message, span, "another number of arguments"));
        }
        let mut values = Vec::new();
        for (argument, ty) in node.arguments.iter().zip(&parameters) {
            let value = self.value(argument)?;
            values.push(self.converted(value, ty, false)?);
        }
        let is_null = |value: &Expr| match &value.kind {
            ExprKind::Convert(inner) => is_number(inner),
            _ => is_number(value),
        };
        let arguments = match known {
            Known::BeginThread => {
                let argument = values.pop().expect("there are four");
                let start = values.pop().expect("there are four");
                if !is_null(&values.pop().expect("there are four")) {
                    let message = format!(
                        "this call of `{name}` cannot be carried out: threads with attributes are not supported"
                    );
                    return Err(Diagnostic::error(Code::LibraryFunction, message, span, "called here"));
                }
                self.program.threads.begin = true;
                let to = behind(values.pop().expect("there are four"));
                vec![Argument::Object(to), Argument::Value(start), Argument::Value(argument)]
            }
            _ => {
                let to = values.pop().filter(|value| !is_null(value)).map(behind);
                self.program.threads.give |= to.is_some();
                let thread = values.pop().expect("there are two");
                std::iter::once(Argument::Value(thread)).chain(to.map(Argument::Object)).collect()
            }
        };
        Ok(Expr { kind: ExprKind::Library(known, name.to_string(), arguments), ty: result, span })
    }

    /// An argument of a library function: the address of an object stands for the object.
    pub(super) fn object(&mut self, node: &Node<Expression>) -> Checked<Argument> {
        if let Expression::UnaryOperator(unary) = &node.node
            && unary.node.operator.node == UnaryOperator::Address
            && let Operand::Place(place) = self.operand(&unary.node.operand)?
        {
            return Ok(Argument::Object(place));
        }
        if let Expression::Cast(cast) = &node.node
            && matches!(self.type_name(&cast.node.type_name.node)?, Type::Pointer(to) if *to == Type::Void)
        {
            return self.object(&cast.node.expression);
        }
        match self.operand(node)? {
            Operand::Place(place) if matches!(place.ty, Type::Array(..)) => Ok(Argument::Object(place)),
            operand => self.value_of(operand).map(Argument::Value),
        }
    }

    /// Whether the arguments are such that the function can be carried out.
    fn check_library(&self, known: Known, name: &str, arguments: &[Argument], span: Span) -> Checked<()> {
        let cannot = |why: &str| {
            let message = format!("this call of `{name}` cannot be carried out: {why}");
            Err(Diagnostic::error(Code::LibraryFunction, message, span, "called here"))
        };
        let mutex = matches!(arguments.first(), Some(Argument::Object(place)) if place.ty == Type::Mutex);
        let null = |argument: &Argument| matches!(argument, Argument::Value(Expr { kind: ExprKind::Number(n), .. }) if n.is_zero());
        match known {
            Known::Lock | Known::TryLock | Known::Unlock | Known::MutexInit if !mutex => {
                cannot("it takes `&m` of a mutex that is declared in the module")
            }
            Known::AnyNumber if arguments.first().is_some_and(|first| !null(first)) => {
                cannot("it takes a null pointer")
            }
            Known::Fill | Known::Copy => self.check_memory(known, arguments).or_else(cannot),
            Known::Wait => match arguments.get(1) {
                Some(Argument::Object(place)) if place.ty == Type::Mutex => Ok(()),
                _ => cannot("it takes `&m` of a mutex that is declared in the program"),
            },
            Known::Lock
            | Known::TryLock
            | Known::Unlock
            | Known::MutexInit
            | Known::Output
            | Known::Succeeds => Ok(()),
            _ if arguments.iter().any(|argument| matches!(argument, Argument::Object(_))) => {
                cannot("it takes the address of an object")
            }
            _ => Ok(()),
        }
    }

    /// Whether a call fills or copies a whole object that it names.
    fn is_whole(&mut self, node: &CallExpression) -> Checked<bool> {
        let [to, second, size] = &node.arguments[..] else { return Ok(true) };
        let mut arguments = Vec::new();
        for argument in [to, second, size] {
            arguments.push(self.object(argument)?);
        }
        let known = if matches!(arguments[1], Argument::Object(_)) { Known::Copy } else { Known::Fill };
        Ok(self.check_memory(known, &arguments).is_ok())
    }

    /// Whether whole objects are filled or copied.
    fn check_memory(&self, known: Known, arguments: &[Argument]) -> Result<(), &'static str> {
        let [Argument::Object(to), second, Argument::Value(size)] = arguments else {
            return Err("it takes the names of objects, or `&` before them");
        };
        let whole = |place: &crate::tree::Place| {
            let bytes = self.program.size(&place.ty).map(|(bytes, _)| agon_base::int::Int::from(bytes));
            matches!(&size.kind, ExprKind::Number(n) if Some(n) == bytes.as_ref())
        };
        if self.refusal(&to.ty).is_some() || !whole(to) {
            return Err("the size must be that of the whole object, as `sizeof` gives it");
        }
        let integers = |leaf: &crate::layout::Leaf| leaf.ty.integer().is_some();
        match (known, second) {
            (Known::Fill, Argument::Value(Expr { kind: ExprKind::Number(n), .. })) => {
                let zero = n.is_zero();
                let fields =
                    |leaf: &crate::layout::Leaf| leaf.ty.integer().is_some_and(|ty| ty.bits % 8 != 0);
                if !zero && self.program.leaves(&to.ty).iter().any(fields) {
                    return Err("bit fields can be filled with 0 only");
                }
                match self.program.leaves(&to.ty).iter().all(|leaf| zero || integers(leaf)) {
                    true => Ok(()),
                    false => Err("pointers can be filled with 0 only"),
                }
            }
            (Known::Fill, _) => Err("the byte must be a constant"),
            (_, Argument::Object(from)) if from.ty == to.ty => Ok(()),
            _ => Err("both objects must have one type"),
        }
    }
}

/// The name of a function of the C library that is called as the compiler's own.
fn without_builtin(name: &str) -> &str {
    let own = [
        "memset", "memcpy", "memmove", "memcmp", "strlen", "strcmp", "strcpy", "abs", "labs", "exit",
        "printf", "puts",
    ];
    name.strip_prefix("__builtin_").filter(|rest| own.contains(rest)).unwrap_or(name)
}

pub(super) fn is_number(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Number(n) if n.is_zero())
}

/// What a pointer points to.
pub(super) fn behind(pointer: Expr) -> Place {
    let (ty, span) = (pointer.ty.pointed_data().cloned().unwrap_or(Type::Void), pointer.span);
    match pointer.kind {
        ExprKind::Address(place) => *place,
        ExprKind::Convert(inner) if matches!(&inner.kind, ExprKind::Address(place) if place.ty == ty) => {
            behind(*inner)
        }
        _ => Place { kind: PlaceKind::Target(Box::new(pointer)), ty, span },
    }
}

/// The parameters of the function that a definition declares, which may give a pointer to another function.
fn innermost(node: &Declarator) -> Option<&[Node<lang_c::ast::ParameterDeclaration>]> {
    if let DeclaratorKind::Declarator(inner) = &node.kind.node {
        return innermost(&inner.node).or_else(|| own(node));
    }
    own(node)
}

fn own(node: &Declarator) -> Option<&[Node<lang_c::ast::ParameterDeclaration>]> {
    node.derived.iter().find_map(|derived| match &derived.node {
        DerivedDeclarator::Function(function) => Some(&function.node.parameters[..]),
        _ => None,
    })
}
