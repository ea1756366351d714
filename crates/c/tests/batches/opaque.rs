//! A program in which gcc computes every operation as it is written, in its own type.
//!
//! gcc simplifies an expression while it parses it, at every level of optimisation: `(p * 3) * x` becomes `(p * x) * 3`, `(short)(a + b)` is
//! computed in `unsigned short`, `a - b == 0` becomes `a == b`, and of `*p * 0` nothing is left. Its sanitizers then look at what is left, and
//! miss what C11 makes undefined (6.5p5 for overflow). Here constants are variables, and a result that may overflow goes through a variable
//! of its own. Without optimisation gcc does not look through these. Lines stay where they are.

use lang_c::ast::{
    ArraySize, BinaryOperator, BinaryOperatorExpression, Constant, Declaration, DeclarationSpecifier,
    Designator, Expression, FunctionDefinition, Label, SizeOfVal, StorageClassSpecifier, TypeName,
    UnaryOperator,
};
use lang_c::driver::{Config, parse_preprocessed};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

/// Constants that are variables, in the order of their numbers.
#[derive(Default)]
pub struct Constants(Vec<String>);

impl Constants {
    /// Their definitions.
    pub fn definitions(&self) -> String {
        let define = |(n, text): (usize, &String)| format!("static __typeof__({text}) agon_k{n} = {text};\n");
        self.0.iter().enumerate().map(define).collect()
    }

    fn number(&mut self, text: &str) -> usize {
        self.0.iter().position(|known| known == text).unwrap_or_else(|| {
            self.0.push(text.into());
            self.0.len() - 1
        })
    }
}

/// The text of a random program; if overflow fails, results are kept as well.
pub fn opaque(text: &str, overflow: bool, constants: &mut Constants) -> String {
    let unit = parse_preprocessed(&Config::with_gcc(), text.into()).expect("the program can be parsed").unit;
    let mut finder = Finder { text, overflow, inside: false, constants, insertions: vec![] };
    finder.visit_translation_unit(&unit);
    // An insertion of an outer expression comes first at its beginning, and last at its end.
    let mut insertions = finder.insertions;
    insertions.sort_by_key(|insertion| insertion.at);
    let mut written = String::new();
    let mut from = 0;
    for Insertion { at, skipped, text: new } in insertions {
        written.push_str(&text[from..at.0]);
        written.push_str(&new);
        from = at.0 + skipped;
    }
    written + &text[from..]
}

/// What is written at a place, instead of as many bytes.
struct Insertion {
    /// The place; then ends of expressions before beginnings, and among ends the inner ones first.
    at: (usize, bool, usize),
    skipped: usize,
    text: String,
}

struct Finder<'a> {
    text: &'a str,
    overflow: bool,
    constants: &'a mut Constants,
    /// Whether the expressions are computed when a function runs.
    inside: bool,
    insertions: Vec<Insertion>,
}

impl Finder<'_> {
    /// A node with the brackets around its parts: a node begins and ends without them.
    fn whole(&self, span: Span) -> (usize, usize) {
        let (mut start, mut end) = (span.start, span.end);
        let (mut depth, mut least) = (0i32, 0i32);
        for byte in self.text[start..end].bytes() {
            depth += i32::from(byte == b'(') - i32::from(byte == b')');
            least = least.min(depth);
        }
        for _ in least..0 {
            start = self.text[..start].rfind('(').expect("brackets are balanced");
        }
        for _ in least..depth {
            end += 1 + self.text[end..].find(')').expect("brackets are balanced");
        }
        (start, end)
    }

    /// An expression is computed into a variable.
    fn keep(&mut self, (start, end): (usize, usize)) {
        self.insert(start, true, end, "({ __auto_type o = (");
        self.insert(end, false, start, "); o; })");
    }

    fn insert(&mut self, at: usize, begins: bool, other: usize, text: &str) {
        // Of two that begin here, the longer one is outside; of two that end here, the shorter one is inside.
        self.insertions.push(Insertion {
            at: (at, begins, usize::MAX - other),
            skipped: 0,
            text: text.into(),
        });
    }
}

/// The operator of an assignment that may overflow.
fn computes(operator: &BinaryOperator) -> Option<&'static str> {
    Some(match operator {
        BinaryOperator::AssignPlus => "+",
        BinaryOperator::AssignMinus => "-",
        BinaryOperator::AssignMultiply => "*",
        BinaryOperator::AssignDivide => "/",
        BinaryOperator::AssignModulo => "%",
        _ => return None,
    })
}

/// Whether an operator may overflow.
fn overflows(operator: &BinaryOperator) -> bool {
    use BinaryOperator::*;
    matches!(operator, Multiply | Divide | Modulo | Plus | Minus)
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_function_definition(&mut self, function: &'ast FunctionDefinition, _: &'ast Span) {
        self.inside = true;
        self.visit_statement(&function.statement.node, &function.statement.span);
        self.inside = false;
    }

    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
        if self.inside {
            match expression {
                Expression::Constant(constant) if !matches!(constant.node, Constant::Float(_)) => {
                    let (at, skipped) = ((span.start, true, usize::MAX), span.end - span.start);
                    let text = format!("agon_k{}", self.constants.number(&self.text[span.start..span.end]));
                    self.insertions.push(Insertion { at, skipped, text });
                }
                Expression::UnaryOperator(unary)
                    if self.overflow && unary.node.operator.node == UnaryOperator::Minus =>
                {
                    self.keep(self.whole(*span));
                }
                Expression::BinaryOperator(binary)
                    if self.overflow && overflows(&binary.node.operator.node) =>
                {
                    self.keep(self.whole(*span));
                }
                _ => {}
            }
        }
        visit::visit_expression(self, expression, span);
    }

    fn visit_binary_operator_expression(&mut self, binary: &'ast BinaryOperatorExpression, span: &'ast Span) {
        let BinaryOperatorExpression { operator, lhs, rhs } = binary;
        if let Some(operator_text) = computes(&operator.node).filter(|_| self.inside && self.overflow) {
            // `x += e` is `x = x + e`: what is assigned to has no effects.
            let (start, end) = self.whole(lhs.span);
            let place = self.text[start..end].to_string();
            let Span { start, end } = operator.span;
            let (_, last) = self.whole(Span::span(end, rhs.span.end));
            let text = format!("= ({{ __auto_type o = ({place}) {operator_text} (");
            self.insertions.push(Insertion { at: (start, true, 0), skipped: end - start, text });
            self.insert(last, false, start, "); o; })");
        }
        visit::visit_binary_operator_expression(self, binary, span);
    }

    fn visit_declaration(&mut self, declaration: &'ast Declaration, span: &'ast Span) {
        let is_static = |specifier: &Node<DeclarationSpecifier>| matches!(&specifier.node, DeclarationSpecifier::StorageClass(class) if class.node == StorageClassSpecifier::Static);
        let inside = self.inside;
        self.inside &= !declaration.specifiers.iter().any(is_static);
        visit::visit_declaration(self, declaration, span);
        self.inside = inside;
    }

    // Constants stay constants where C asks for them; what is not computed stays as it is.
    fn visit_label(&mut self, _: &'ast Label, _: &'ast Span) {}
    fn visit_array_size(&mut self, _: &'ast ArraySize, _: &'ast Span) {}
    fn visit_designator(&mut self, _: &'ast Designator, _: &'ast Span) {}
    fn visit_sizeofval(&mut self, _: &'ast SizeOfVal, _: &'ast Span) {}
    fn visit_type_name(&mut self, _: &'ast TypeName, _: &'ast Span) {}
}
