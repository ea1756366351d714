//! Validating witnesses: the program is run again, and only along the witness.
//!
//! Where the witness says what a call gives, the program is given that. What the witness leaves open is searched for. A violation is
//! confirmed if such a run violates the property where the witness says, and the interpreter has seen it.

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_base::source::Span;
use agon_check::library::{self, Question, Verdict};
use agon_check::portfolio::Engine;
use agon_check::refine::RefinementOptions;
use agon_check::search::Observer;
use agon_check::verdict::Reason;
use agon_core::checks::Check;
use agon_core::module::following::Answer;
use agon_core::module::{Callee, Module, Statement};
use agon_core::term::Operator;

use super::property::Property;
use super::witness::{Entry, Location, Waypoint, end_of_call, target};
use crate::session::module::ModuleSession;

/// What became of a witness.
pub enum Validated {
    /// It is right.
    Confirmed(String),
    /// It is wrong, for this reason.
    Refused(String),
    /// It could not be found out.
    Unknown(Reason),
}

/// Validates a witness of a violation.
pub fn violation(
    session: &ModuleSession,
    property: &Property,
    entry: &Entry,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Validated {
    let (answers, checks, ignored) = match asked(session, property, entry) {
        Ok(asked) => asked,
        Err(why) => return Validated::Refused(why),
    };
    let (module, taken) = session.module().following(&answers);
    let effort = RefinementOptions::default();
    let mut open = None;
    for check in checks {
        let question = Question::FailsAt(check);
        let task = library::Task {
            module: &module,
            language: session.language(),
            question: &question,
            effort: &effort,
            budget,
        };
        match library::check(Engine::Auto, task, observe).verdict {
            Verdict::Unsafe(_, evidence) => {
                let followed = evidence.marks.last().is_some_and(|mark| {
                    mark.store.held(&module, taken, 0) == Int::from(answers.len() as u64)
                });
                if followed {
                    let given = match answers.len() {
                        1 => "its value".to_string(),
                        n => format!("its {n} values"),
                    };
                    let more = ignored_words(ignored);
                    return Validated::Confirmed(format!(
                        "a run with {given} violates the property there{more}"
                    ));
                }
                open = Some(Reason::Unsupported("a violation before the last waypoint".into()));
            }
            Verdict::Safe => {}
            Verdict::Unknown(reason) => open = Some(reason),
        }
    }
    match open {
        Some(reason) => Validated::Unknown(reason),
        None => Validated::Refused("no run with its values violates the property there".into()),
    }
}

fn ignored_words(ignored: usize) -> String {
    match ignored {
        0 => String::new(),
        1 => "; one waypoint of another kind is left out".into(),
        n => format!("; {n} waypoints of other kinds are left out"),
    }
}

/// The answers that a witness gives, the checks that may fail where it says, and how many waypoints are left out.
fn asked(
    session: &ModuleSession,
    property: &Property,
    entry: &Entry,
) -> Result<(Vec<Answer>, Vec<Check>, usize), String> {
    let source = &session.source;
    let mut answers = Vec::new();
    let mut goal: Option<&Location> = None;
    let mut ignored = 0;
    let segments = entry.content.iter().filter_map(|item| item.segment.as_ref());
    for Waypoint { kind, action, location, constraint } in segments.flatten().map(|way| &way.waypoint) {
        if goal.is_some() {
            return Err("something follows the violation".into());
        }
        match (kind.as_str(), action.as_str(), constraint) {
            ("target", "follow", _) => goal = Some(location),
            ("function_return", "follow", Some(constraint)) => {
                let (operator, value) = result(&constraint.value).ok_or_else(|| {
                    format!("`{}` does not compare `\\result` with a number", constraint.value)
                })?;
                let calls =
                    calls(session.module()).filter(|call| is_at(&end_of_call(source, *call), location));
                let calls: Vec<Span> = calls.collect();
                if calls.is_empty() {
                    return Err(format!(
                        "no function that gives a value is called in line {}",
                        location.line
                    ));
                }
                answers.push(Answer { calls, operator, value });
            }
            _ => ignored += 1,
        }
    }
    let goal = goal.ok_or("it does not say where the property is violated")?;
    let stated =
        session.module().checks().into_iter().filter(|check| property.violated(check.kind).is_some());
    let checks: Vec<Check> =
        stated.filter(|check| is_at(&target(source, check.span, check.kind), goal)).collect();
    match checks.is_empty() {
        true => Err(format!("the property cannot be violated in line {}", goal.line)),
        false => Ok((answers, checks, ignored)),
    }
}

/// Whether a place is the one that a witness names. The names of files may differ in their folders.
fn is_at(found: &Location, named: &Location) -> bool {
    let last = |name: &str| name.rsplit('/').next().unwrap_or(name).to_string();
    let column = match (found.column, named.column) {
        (Some(found), Some(named)) => found == named,
        _ => true,
    };
    last(&found.file_name) == last(&named.file_name) && found.line == named.line && column
}

/// The places where imports are called.
fn calls(module: &Module) -> impl Iterator<Item = Span> + '_ {
    let statements = module.procedures().flat_map(|(_, procedure)| &procedure.body);
    statements.filter_map(|(statement, span)| match statement {
        Statement::Call(Callee::Import(_), _, Some(_)) => Some(*span),
        _ => None,
    })
}

/// A comparison of `\result` with a number.
fn result(text: &str) -> Option<(Operator, Int)> {
    let rest = text.trim().strip_prefix("\\result")?.trim_start();
    let operators = [
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("<=", Operator::LessEqual),
        (">=", Operator::GreaterEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ];
    let (written, operator) = operators.into_iter().find(|(written, _)| rest.starts_with(written))?;
    let number = rest[written.len()..].trim().trim_start_matches('(').trim_end_matches(')');
    let number = number.trim_end_matches(['u', 'U', 'l', 'L']);
    Some((operator, Int::parse(number)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_compare_the_result_with_a_number() {
        assert_eq!(result("\\result == -3"), Some((Operator::Equal, Int::from(-3i64))));
        assert_eq!(result(" \\result>= (7U)"), Some((Operator::GreaterEqual, Int::from(7i64))));
        for wrong in ["x == 3", "\\result", "\\result == x", "\\result + 1 == 2"] {
            assert_eq!(result(wrong), None, "{wrong}");
        }
    }
}
