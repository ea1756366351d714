//! Statements that are put between those of a body.

use agon_base::source::Span;

use super::{Label, Statement, next};

/// Statements around one of a body. Their labels count from the first of them; the statement itself has a label as well, and the
/// label behind the last one is that of the next statement.
#[derive(Default)]
pub(super) struct Around {
    pub before: Vec<Statement>,
    pub after: Vec<Statement>,
}

/// The body with statements around its own, at a place of their own. A jump to a statement goes to what stands before it.
pub(super) fn inserted(
    body: Vec<(Statement, Span)>,
    around: Vec<Around>,
    span: Span,
) -> Vec<(Statement, Span)> {
    let mut starts = Vec::with_capacity(body.len() + 1);
    let mut length = 0;
    for around in &around {
        starts.push(Label(length));
        length += next(&around.before) + 1 + next(&around.after);
    }
    starts.push(Label(length));
    let mut longer = Vec::new();
    for (n, ((mut statement, place), around)) in body.into_iter().zip(around).enumerate() {
        let shifted = |mut added: Statement| {
            moved(&mut added, |label| Label(starts[n].0 + label.0));
            (added, span)
        };
        longer.extend(around.before.into_iter().map(shifted));
        moved(&mut statement, |label| starts[label.index()]);
        longer.push((statement, place));
        longer.extend(around.after.into_iter().map(shifted));
    }
    longer
}

/// Changes the labels of a statement.
pub(super) fn moved(statement: &mut Statement, to: impl Fn(Label) -> Label) {
    match statement {
        Statement::Branch(_, yes, no) => (*yes, *no) = (to(*yes), to(*no)),
        Statement::Jump(label) => *label = to(*label),
        _ => {}
    }
}
